/*!
Sections: the position of a chunk in its document's heading hierarchy.

A section is the list of titles from the document root to the chunk, such as `Guide / Installation / Setup`. The
root section is the empty list. Sections are not unique: all paragraphs under one heading share its section and
differ only in their ordinal.

This module compares sections by prefix only. A parent is the section without its last title, a child has
exactly one more title, and siblings share a parent. Levels are not used, except that a merger takes the lowest
(see [`merge`]).

Its twin in SQL is `sql/edition/functions/section.sql`.
*/

use crate::interrupt::poll_periodically;

/// The titles from the root of a document down to a chunk; empty at the root.
pub type Section = Vec<String>;

/// Returns whether `ancestor` is a proper prefix of `section`, at any distance.
///
/// # Source
///
/// `isParentChild` of the *Splitter Hierarchy System* (seed 001).
pub fn is_ancestor<T: PartialEq>(ancestor: &[T], section: &[T]) -> bool {
    ancestor.len() < section.len() && common_prefix(ancestor, section).len() == ancestor.len()
}

/// Returns the section without its last title, or `None` for the root.
pub fn parent(section: &[String]) -> Option<&[String]> {
    section.split_last().map(|(_, parent)| parent)
}

/// Returns the longest common prefix of two sections, which may be the root.
///
/// ```
/// use passage_split::section::common_prefix;
///
/// assert_eq!(common_prefix(&["A", "B"], &["A", "C"]), ["A"]);
/// ```
///
/// # Source
///
/// `findCommonPrefix` of seed 001.
pub fn common_prefix<'a, T: PartialEq>(a: &'a [T], b: &[T]) -> &'a [T] {
    let is_shared = |(index, (a, b)): &(usize, (&T, &T))| {
        poll_periodically(*index);
        a == b
    };
    let shared = a.iter().zip(b).enumerate().take_while(is_shared).count();
    &a[..shared]
}

/// Returns the level and the section of a chunk merged from two neighbours.
///
/// The level is the lower, more general one. The section is the deeper one if one contains the other, else
/// their common prefix.
///
/// ```
/// use passage_split::section::merge;
///
/// assert_eq!(merge((1, &["A"]), (2, &["A", "B"])), (1, &["A", "B"][..]));
/// ```
///
/// # Source
///
/// The chunk merging rules of seed 001.
pub fn merge<'a, T: PartialEq>(a: (u32, &'a [T]), b: (u32, &'a [T])) -> (u32, &'a [T]) {
    let shared = common_prefix(a.1, b.1);
    let section = match shared.len() {
        all if all == a.1.len() => b.1,
        all if all == b.1.len() => a.1,
        _ => shared,
    };
    (a.0.min(b.0), section)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(titles: &[&str]) -> Section {
        titles.iter().map(ToString::to_string).collect()
    }

    fn merged(a: (u32, &[&str]), b: (u32, &[&str])) -> (u32, Section) {
        let (level, titles) = merge(a, b);
        (level, section(titles))
    }

    #[test]
    fn seed_001_relationship_detection() {
        assert!(is_ancestor(&section(&["Section"]), &section(&["Section", "SubSection"])));
        assert!(is_ancestor(&section(&["A", "B"]), &section(&["A", "B", "C", "D"])));
        assert!(!is_ancestor(&section(&["X"]), &section(&["Y"])));
        assert!(!is_ancestor(&section(&["X"]), &section(&["X"])));
    }

    #[test]
    fn seed_001_common_path() {
        let find = |a: &[&str], b: &[&str]| common_prefix(&section(a), &section(b)).to_vec();
        assert_eq!(find(&["A", "B", "C"], &["A", "B", "D"]), section(&["A", "B"]));
        assert_eq!(find(&["X", "Y"], &["A", "B"]), section(&[]));
        assert_eq!(find(&["Same"], &["Same"]), section(&["Same"]));
    }

    #[test]
    fn seed_001_lowest_level_and_deeper_path() {
        let merged = merged((1, &["Section"]), (3, &["Section", "Sub", "Detail"]));
        assert_eq!(merged, (1, section(&["Section", "Sub", "Detail"])));
    }

    #[test]
    fn seed_001_parent_and_child() {
        let merged = merged((1, &["Section 1"]), (2, &["Section 1", "SubSection 1.1"]));
        assert_eq!(merged, (1, section(&["Section 1", "SubSection 1.1"])));
    }

    #[test]
    fn seed_001_siblings() {
        let merged = merged((2, &["Section 1", "Sub 1.1"]), (2, &["Section 1", "Sub 1.2"]));
        assert_eq!(merged, (2, section(&["Section 1"])));
    }

    #[test]
    fn seed_001_unrelated() {
        assert_eq!(merged((1, &["Section 1"]), (1, &["Section 2"])), (1, section(&[])));
    }

    #[test]
    fn seed_001_deep_hierarchy() {
        let (level, first) = merge((1, &["S1"][..]), (2, &["S1", "S1.1"]));
        let last = ["S1", "S1.1", "S1.1.1"];
        assert_eq!(merge((level, first), (3, &last)), (1, &last[..]));
    }

    #[test]
    fn identical_sections_are_unchanged() {
        assert_eq!(merged((2, &["A", "B"]), (2, &["A", "B"])), (2, section(&["A", "B"])));
    }
}
