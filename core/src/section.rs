/*!
Sections: the position of a chunk in its document's heading hierarchy.

A section is the list of titles from the document root to the chunk, such as `Guide / Installation / Setup`. The
root section is the empty list. Sections are not unique: all paragraphs under one heading share its section and
differ only in their ordinal.

This module compares sections by prefix only. A parent is the section without its last title, a child has
exactly one more title, and siblings share a parent. Levels are not used, except that a merger takes the lowest
(see [`merge`]).
*/

/// The titles from the root of a document down to a chunk; empty at the root.
pub type Section = Vec<String>;

/// Returns whether `ancestor` is a proper prefix of `section`, at any distance.
///
/// # Source
///
/// `isParentChild` of the *Splitter Hierarchy System* (seed 001).
pub fn is_ancestor(ancestor: &[String], section: &[String]) -> bool {
    ancestor.len() < section.len() && section.starts_with(ancestor)
}

/// Returns the section without its last title, or `None` for the root.
pub fn parent(section: &[String]) -> Option<&[String]> {
    section.split_last().map(|(_, parent)| parent)
}

/// Returns the longest common prefix of two sections, which may be the root.
///
/// ```
/// use passage_core::section::common_prefix;
///
/// let [a, b] = [["A", "B"], ["A", "C"]].map(|titles| titles.map(str::to_owned));
/// assert_eq!(common_prefix(&a, &b), ["A"]);
/// ```
///
/// # Source
///
/// `findCommonPrefix` of seed 001.
pub fn common_prefix<'a>(a: &'a [String], b: &[String]) -> &'a [String] {
    let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    &a[..shared]
}

/// Returns the level and the section of a chunk merged from two neighbours.
///
/// The level is the lower, more general one. The section is the deeper one if one contains the other, else
/// their common prefix.
///
/// ```
/// use passage_core::section::merge;
///
/// let [a, b] = [vec!["A".to_owned()], vec!["A".to_owned(), "B".to_owned()]];
/// assert_eq!(merge((1, &a), (2, &b)), (1, b));
/// ```
///
/// # Source
///
/// The chunk merging rules of seed 001.
pub fn merge(a: (u32, &[String]), b: (u32, &[String])) -> (u32, Section) {
    let section = if b.1.starts_with(a.1) {
        b.1
    } else if a.1.starts_with(b.1) {
        a.1
    } else {
        common_prefix(a.1, b.1)
    };
    (a.0.min(b.0), section.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(titles: &[&str]) -> Section {
        titles.iter().map(ToString::to_string).collect()
    }

    fn merged(a: (u32, &[&str]), b: (u32, &[&str])) -> (u32, Section) {
        merge((a.0, &section(a.1)), (b.0, &section(b.1)))
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
        let (level, first) = merged((1, &["S1"]), (2, &["S1", "S1.1"]));
        let last = section(&["S1", "S1.1", "S1.1.1"]);
        assert_eq!(merge((level, &first), (3, &last)), (1, last));
    }

    #[test]
    fn identical_sections_are_unchanged() {
        assert_eq!(merged((2, &["A", "B"]), (2, &["A", "B"])), (2, section(&["A", "B"])));
    }
}
