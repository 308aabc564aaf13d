//! The sections that a splitter opens, each with titles that no sibling bears.

use crate::section::Section;
use std::collections::HashMap;

/// The most characters of a title. A line of megabytes may be a heading, and a title is repeated
/// in every chunk below it.
const MOST_TITLE: usize = 500;

/// The sections of one document, the root being the first.
pub(super) struct Sections {
    sections: Vec<Section>,
    /// The titles in use under each of them.
    titles: Vec<Titles>,
}

impl Sections {
    pub(super) fn new() -> Self {
        Self { sections: vec![Section::new()], titles: vec![Titles::default()] }
    }

    /// Opens a section below another one and returns its index.
    ///
    /// A title that the parent already holds gets the next free ` (n)`, from 2 on (decision 13).
    pub(super) fn open(&mut self, parent: usize, title: &str) -> usize {
        let title = self.titles[parent].free(shorten(title));
        let mut section = Section::with_capacity(self.sections[parent].len() + 1);
        section.extend_from_slice(&self.sections[parent]);
        section.push(title);
        self.sections.push(section);
        self.titles.push(Titles::default());
        self.sections.len() - 1
    }

    /// Returns all sections in the order in which they were opened.
    pub(super) fn into_list(self) -> Vec<Section> {
        self.sections
    }
}

/// The titles in use under one section, each with the number to try next if it comes again.
#[derive(Default)]
pub(super) struct Titles(HashMap<String, usize>);

impl Titles {
    /// Returns the title, or with the next free ` (n)` if it is in use, and takes it.
    pub(super) fn free(&mut self, title: String) -> String {
        let Some(mut number) = self.0.get(&title).copied() else {
            self.0.insert(title.clone(), 2);
            return title;
        };
        loop {
            let numbered = format!("{title} ({number})");
            number += 1;
            if !self.0.contains_key(&numbered) {
                self.0.insert(title, number);
                self.0.insert(numbered.clone(), 2);
                return numbered;
            }
        }
    }
}

/// Returns a title without white space around it and of no more than 500 characters, of which the
/// last is an ellipsis if some are left off.
pub(super) fn shorten(title: &str) -> String {
    let title = title.trim();
    let Some((cut, _)) = title.char_indices().nth(MOST_TITLE) else {
        return title.to_owned();
    };
    let (last, _) = title[..cut].char_indices().next_back().expect("the title is not empty");
    format!("{}…", &title[..last])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(titles: &[&str]) -> Vec<String> {
        let mut sections = Sections::new();
        for title in titles {
            sections.open(0, title);
        }
        sections.into_list().into_iter().skip(1).map(|mut section| section.remove(0)).collect()
    }

    #[test]
    fn equal_titles_get_the_next_free_number() {
        assert_eq!(titles(&["A", "A", "A"]), ["A", "A (2)", "A (3)"]);
        assert_eq!(titles(&["A (2)", "A", "A", "A"]), ["A (2)", "A", "A (3)", "A (4)"]);
        assert_eq!(titles(&["A", "A", "A (2)"]), ["A", "A (2)", "A (2) (2)"]);
        assert_eq!(titles(&["", ""]), ["", " (2)"]);
    }

    #[test]
    fn equal_titles_under_different_parents_stay() {
        let mut sections = Sections::new();
        let first = sections.open(0, "A");
        let second = sections.open(0, "B");
        sections.open(first, "x");
        sections.open(second, "x");
        assert_eq!(sections.into_list()[3..], [vec!["A", "x"], vec!["B", "x"]]);
    }

    #[test]
    fn a_long_title_is_cut_at_a_character() {
        assert_eq!(shorten(&"é".repeat(500)), "é".repeat(500));
        assert_eq!(shorten(&"é".repeat(501)), format!("{}…", "é".repeat(499)));
    }
}
