//! The sections that a splitter opens, each with titles that no sibling bears.

use crate::section::Section;
use std::{
    borrow::Cow,
    collections::HashMap,
    hash::{DefaultHasher, Hasher},
};

/// The most characters of a title. A line of megabytes may be a heading, and a title is repeated
/// in every chunk below it.
const MOST_TITLE: usize = 500;

/// The sections of one document, the root being the first.
pub(super) struct Sections {
    sections: Vec<Section>,
    /// The titles in use under each of them; most have none below, and a document may have millions.
    titles: Vec<Option<Box<Titles>>>,
}

impl Sections {
    pub(super) fn new() -> Self {
        Self { sections: vec![Section::new()], titles: vec![None] }
    }

    /// Opens a section below another one and returns its index.
    ///
    /// A title that the parent already holds gets the next free ` (n)`, from 2 on (decision 13).
    pub(super) fn open(&mut self, parent: usize, title: &str) -> usize {
        let title = shorten(title);
        let title = self.titles[parent]
            .get_or_insert_default()
            .free(&title)
            .unwrap_or_else(|| title.into_owned());
        let mut section = Section::with_capacity(self.sections[parent].len() + 1);
        section.extend_from_slice(&self.sections[parent]);
        section.push(title);
        self.sections.push(section);
        self.titles.push(None);
        self.sections.len() - 1
    }

    /// Returns all sections in the order in which they were opened.
    pub(super) fn into_list(self) -> Vec<Section> {
        self.sections
    }
}

/// The titles in use under one section.
///
/// Only their hashes are kept: a JSON object may have a million keys, and mostly has a few. Should
/// two titles share one, the second gets a number that it does not need.
#[derive(Default)]
pub(super) struct Titles {
    /// The hash of each title and the number to try next if it comes again, up to [`FEW`].
    few: Vec<(u64, usize)>,
    /// All of them when they are more.
    many: Option<HashMap<u64, usize>>,
}

/// Up to this many, looking at each is faster than a table.
const FEW: usize = 16;

impl Titles {
    /// Takes a title, or it with the next free ` (n)` if it is in use, and returns that.
    pub(super) fn free(&mut self, title: &str) -> Option<String> {
        let hash = hash(title);
        let mut number = self.number(hash)?;
        loop {
            let numbered = format!("{title} ({number})");
            number += 1;
            if self.number(self::hash(&numbered)).is_none() {
                self.set(hash, number);
                return Some(numbered);
            }
        }
    }

    /// Returns the number to try next for a title in use; any other is so from now on.
    fn number(&mut self, hash: u64) -> Option<usize> {
        let known = match &self.many {
            Some(many) => many.get(&hash).copied(),
            None => self.few.iter().find(|(known, _)| *known == hash).map(|(_, number)| *number),
        };
        if known.is_none() {
            self.set(hash, 2);
        }
        known
    }

    fn set(&mut self, hash: u64, number: usize) {
        if let Some(many) = &mut self.many {
            many.insert(hash, number);
        } else if let Some(entry) = self.few.iter_mut().find(|(known, _)| *known == hash) {
            entry.1 = number;
        } else if self.few.len() < FEW {
            self.few.push((hash, number));
        } else {
            let all = self.few.drain(..).chain([(hash, number)]);
            self.many = Some(all.collect());
        }
    }
}

fn hash(title: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(title.as_bytes());
    hasher.finish()
}

/// Returns a title without white space around it and of no more than 500 characters, of which the
/// last is an ellipsis if some are left off.
pub(super) fn shorten(title: &str) -> Cow<'_, str> {
    let title = title.trim();
    if title.len() <= MOST_TITLE {
        return Cow::Borrowed(title);
    }
    let Some((cut, _)) = title.char_indices().nth(MOST_TITLE) else { return Cow::Borrowed(title) };
    let (last, _) = title[..cut].char_indices().next_back().expect("the title is not empty");
    Cow::Owned(format!("{}…", &title[..last]))
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
        let many = titles(&["A"; 100]);
        assert_eq!((&*many[1], &*many[99]), ("A (2)", "A (100)"));
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
