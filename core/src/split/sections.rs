//! The sections that a splitter opens, each with a title that none of its siblings has.

use super::titles::Titles;
use crate::section::Section;
use std::borrow::Cow;

/// The most characters of a title. A line of megabytes may be a heading, and a title is repeated
/// in every chunk below it.
const MOST_TITLE: usize = 500;

/// The sections of one document as a tree; the first is the root.
///
/// A document may have ten million sections, so they share two allocations: freeing a list of
/// titles for each took longer than a caller waits for a cancelled computation.
pub(super) struct Sections {
    nodes: Vec<Node>,
    /// The titles of all sections, one behind the other.
    titles: String,
    used: Titles,
}

/// A section of the tree.
struct Node {
    /// The section above; the root is its own parent.
    parent: u32,
    /// The number of sections above.
    depth: u32,
    /// The end of its title in the titles of all.
    end: usize,
}

impl Sections {
    pub(super) fn new() -> Self {
        let root = Node { parent: 0, depth: 0, end: 0 };
        Self { nodes: vec![root], titles: String::new(), used: Titles::default() }
    }

    /// Opens a section below another one and returns its index.
    ///
    /// A title that the parent already holds gets the next free ` (n)`, from 2 on (decision 13).
    pub(super) fn open(&mut self, parent: usize, title: &str) -> usize {
        let title = shorten(title);
        let numbered = self.used.free(parent, &title);
        self.titles.push_str(numbered.as_deref().unwrap_or(&title));
        let depth = self.nodes[parent].depth + 1;
        let parent = u32::try_from(parent).expect("a document has less than four billion sections");
        self.nodes.push(Node { parent, depth, end: self.titles.len() });
        self.nodes.len() - 1
    }

    /// Returns the last title of a section; empty for the root.
    pub(super) fn title(&self, section: usize) -> &str {
        let start = section.checked_sub(1).map_or(0, |before| self.nodes[before].end);
        &self.titles[start..self.nodes[section].end]
    }

    /// Returns the titles from the root down to a section.
    pub(super) fn path(&self, section: usize) -> Section {
        let mut path: Section =
            self.upwards(section).map(|section| self.title(section).to_owned()).collect();
        path.reverse();
        path
    }

    /// Tells whether a section is another one or lies below it.
    pub(super) fn is_within(&self, section: usize, other: usize) -> bool {
        self.at_depth(section, self.nodes[other].depth) == other
    }

    /// Returns the deepest section that two sections are within.
    pub(super) fn common(&self, a: usize, b: usize) -> usize {
        let mut common = self.at_depth(a, self.nodes[b].depth);
        while !self.is_within(b, common) {
            common = self.nodes[common].parent as usize;
        }
        common
    }

    /// Returns the section that is above another one at a depth, or that one if it is not deeper.
    fn at_depth(&self, mut section: usize, depth: u32) -> usize {
        while self.nodes[section].depth > depth {
            section = self.nodes[section].parent as usize;
        }
        section
    }

    /// Returns a section and those above it, without the root.
    fn upwards(&self, section: usize) -> impl Iterator<Item = usize> {
        let next = |section: &usize| Some(self.nodes[*section].parent as usize);
        std::iter::successors(Some(section), next).take_while(|section| *section > 0)
    }
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

    #[test]
    fn equal_titles_get_a_number_below_the_same_parent_only() {
        let mut sections = Sections::new();
        let first = sections.open(0, "A");
        let second = sections.open(0, "A");
        let below = [sections.open(first, "x"), sections.open(second, "x")];
        assert_eq!(below.map(|section| sections.path(section)), [["A", "x"], ["A (2)", "x"]]);
        assert_eq!(sections.path(0), [""; 0]);
    }

    #[test]
    fn sections_share_those_above_them() {
        let mut sections = Sections::new();
        let a = sections.open(0, "A");
        let [b, c] = [sections.open(a, "B"), sections.open(a, "C")];
        let d = sections.open(c, "D");
        assert_eq!((sections.common(b, d), sections.common(d, b)), (a, a));
        assert_eq!(
            (sections.common(d, c), sections.common(c, d), sections.common(d, d)),
            (c, c, d)
        );
        assert_eq!(sections.common(0, d), 0);
        assert!(sections.is_within(d, a) && sections.is_within(d, d) && sections.is_within(d, 0));
        assert!(!sections.is_within(d, b) && !sections.is_within(a, d));
    }

    #[test]
    fn sections_are_freed_without_a_look_at_each() {
        assert!(!std::mem::needs_drop::<Node>());
        assert!(!std::mem::needs_drop::<super::super::block::Block>());
    }

    #[test]
    fn a_long_title_is_cut_at_a_character() {
        assert_eq!(shorten(&"é".repeat(500)), "é".repeat(500));
        assert_eq!(shorten(&"é".repeat(501)), format!("{}…", "é".repeat(499)));
    }
}
