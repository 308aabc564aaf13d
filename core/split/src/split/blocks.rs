/*!
Blocks and sections: what the splitter of prose finds in a document.

Its twin in SQL is `sql/edition/split/blocks.sql`.
*/

use super::cut::Item;
use super::titles::{UsedTitles, shorten};
use crate::links::Links;
use crate::section::Section;
use std::ops::Range;

/// The blocks of a document, in the same form for every media type.
pub(super) struct Blocks {
    /// The blocks in document order, without duplicates. The first begins at 0, each ends where the
    /// next one begins, and the last ends with the text. Empty for the empty text.
    pub(super) list: Vec<Block>,
    /// The sections that the blocks refer to; the first is the root.
    pub(super) sections: Sections,
    /// The items of lists and the rows of tables, ascending: the best cuts of a block.
    pub(super) items: Vec<Item>,
    /// The lines that chunks of later parts repeat, ascending by those parts, which do not overlap.
    pub(super) headers: Vec<Header>,
    /// The links in the text.
    pub(super) links: Links,
}

/// A range of whole lines, which is cut only if it alone exceeds the maximum.
pub(super) struct Block {
    /// The byte at which it begins, which is the beginning of a line.
    pub(super) start: usize,
    /// The index of its section; of a heading, the section that it opens.
    pub(super) section: usize,
    /// The depth of that section.
    pub(super) level: u32,
    pub(super) form: Form,
}

/// The form of a block, as far as it matters for splitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A heading, which is kept together with the next block.
    Heading,
    /// A table, and the offset of the rows below its header.
    Table { rows: usize },
    /// Any other block.
    Body,
}

/// A line that gives later text its meaning: the column names of a table, or the fence before code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) line: Range<usize>,
    /// The text whose chunks repeat it, if they begin there.
    pub(super) within: Range<usize>,
}

impl Blocks {
    /// Returns the line that a chunk repeats which begins at an offset.
    pub(super) fn header_at(&self, offset: usize) -> Option<Range<usize>> {
        let after = self.headers.partition_point(|header| header.within.start <= offset);
        let header = self.headers.get(after.checked_sub(1)?)?;
        (offset < header.within.end).then(|| header.line.clone())
    }
}

/// The tree of the sections of one document; the first section is the root.
///
/// A document may have ten million sections, so all of them share two allocations. Freeing a list of
/// titles for each took 400 ms, which is too long after a cancel.
pub(super) struct Sections {
    nodes: Vec<Node>,
    /// The titles of all sections, concatenated.
    titles: String,
    used: UsedTitles,
}

/// A section of the tree.
struct Node {
    /// The section above; the root is its own parent.
    parent: u32,
    /// The number of sections above.
    depth: u32,
    /// The end of its title in the concatenated titles.
    end: usize,
}

impl Sections {
    pub(super) fn new() -> Self {
        let root = Node { parent: 0, depth: 0, end: 0 };
        Self { nodes: vec![root], titles: String::new(), used: UsedTitles::default() }
    }

    /// Opens a section below another one and returns its index.
    ///
    /// A title that is in use below the parent gets the next free ` (n)`, from 2 on (decision 13).
    pub(super) fn open(&mut self, parent: usize, title: &str) -> usize {
        let title = shorten(title);
        let numbered = self.used.reserve(parent, &title);
        self.titles.push_str(numbered.as_deref().unwrap_or(&title));
        let depth = self.nodes[parent].depth + 1;
        let parent = u32::try_from(parent).expect("a document has less than four billion sections");
        self.nodes.push(Node { parent, depth, end: self.titles.len() });
        self.nodes.len() - 1
    }

    /// Returns the last title of a section; the root has an empty one.
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

    /// Returns whether a section is another one or one of its descendants.
    pub(super) fn is_within(&self, section: usize, other: usize) -> bool {
        self.at_depth(section, self.nodes[other].depth) == other
    }

    /// Returns the deepest section that contains both sections.
    pub(super) fn common(&self, a: usize, b: usize) -> usize {
        let mut common = self.at_depth(a, self.nodes[b].depth);
        while !self.is_within(b, common) {
            common = self.nodes[common].parent as usize;
        }
        common
    }

    /// Returns the ancestor of a section at a depth, or the section if it is not deeper.
    fn at_depth(&self, mut section: usize, depth: u32) -> usize {
        while self.nodes[section].depth > depth {
            section = self.nodes[section].parent as usize;
        }
        section
    }

    /// Returns a section and its ancestors, without the root.
    fn upwards(&self, section: usize) -> impl Iterator<Item = usize> {
        let next = |section: &usize| Some(self.nodes[*section].parent as usize);
        std::iter::successors(Some(section), next).take_while(|section| *section > 0)
    }
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
    fn common_returns_the_deepest_shared_section() {
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
    fn blocks_and_sections_are_freed_without_a_visit_to_each() {
        assert!(!std::mem::needs_drop::<Node>());
        assert!(!std::mem::needs_drop::<Block>());
    }
}
