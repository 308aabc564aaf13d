/*!
Outlines: the sections of a document as a tree.

The tree is that of the titles, in document order. A section that has no chunk of its own, because
it was merged into its first child, has its line all the same.
*/

use crate::interrupt;
use crate::section::{self, Section};

/// The most lines without a chunk that one chunk brings.
const MOST_EMPTY: usize = 64;

/// The most titles that these lines hold together. Data may be nested thousands deep, and a line holds
/// all titles above it.
const MOST_TITLES: usize = 10_240 * MOST_EMPTY;

/// A chunk as far as an outline needs it, in document order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineChunk {
    /// Its position.
    pub ordinal: i32,
    /// The titles above it.
    pub section: Section,
    /// The depth that the splitter gave.
    pub level: i32,
    /// How many tokens it has.
    pub tokens: i64,
    /// The first line of the source that it holds.
    pub first_line: Option<i32>,
    /// The last line.
    pub last_line: Option<i32>,
    /// Whether it is one of the hits that are to be marked.
    pub hit: bool,
}

/// One line of an outline: a run of chunks of one section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineLine {
    /// The title behind two spaces for each title above it; empty at the root. An asterisk behind
    /// it marks a line with hits.
    pub outline: String,
    /// The titles down to it.
    pub section: Section,
    /// The lowest level of its chunks, or `None` without chunks.
    pub level: Option<i32>,
    /// How many chunks stand directly in it, without those below it.
    pub chunks: i64,
    /// How many of these are hits.
    pub hits: i64,
    /// How many tokens these have.
    pub tokens: i64,
    /// The ordinal of the first of these.
    pub first_ordinal: Option<i32>,
    /// The ordinal of the last of these.
    pub last_ordinal: Option<i32>,
    /// The first line of the source that these hold.
    pub first_line: Option<i32>,
    /// The last line.
    pub last_line: Option<i32>,
}

/// Draws the tree of a document's chunks, which come in document order.
///
/// Chunks that follow one another in the same section share a line. A section that comes again
/// behind another one, as a root between chapters does, has another line.
pub fn outline(entries: &[OutlineChunk]) -> Vec<OutlineLine> {
    let mut lines: Vec<OutlineLine> = Vec::new();
    for entry in entries {
        interrupt::poll();
        let before = lines.last().map_or(&[][..], |line| &line.section);
        let continues = before == entry.section && !lines.is_empty();
        if !continues {
            let shared = section::common_prefix(&entry.section, before).len();
            // Going back up gives one line, going down one for each title that is new.
            let first = if shared == entry.section.len() { shared } else { shared + 1 };
            let empty = MOST_EMPTY.min(MOST_TITLES / entry.section.len().max(1));
            let first = first.max(entry.section.len().saturating_sub(empty));
            for depth in first..=entry.section.len() {
                lines.push(OutlineLine::new(&entry.section[..depth]));
            }
        }
        lines.last_mut().expect("the chunk has a line by now").add(entry);
    }
    lines
}

impl OutlineLine {
    fn new(section: &[String]) -> Self {
        let outline = section.split_last().map_or_else(String::new, |(title, above)| {
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            "  ".repeat(above.len()) + &title
        });
        Self {
            outline,
            section: section.to_vec(),
            level: None,
            chunks: 0,
            hits: 0,
            tokens: 0,
            first_ordinal: None,
            last_ordinal: None,
            first_line: None,
            last_line: None,
        }
    }

    fn add(&mut self, entry: &OutlineChunk) {
        self.level = Some(self.level.map_or(entry.level, |level| level.min(entry.level)));
        self.chunks += 1;
        self.tokens += entry.tokens;
        if entry.hit {
            if self.hits == 0 {
                let space = if self.outline.is_empty() { "" } else { " " };
                self.outline += space;
                self.outline += "*";
            }
            self.hits += 1;
        }
        self.first_ordinal = self.first_ordinal.or(Some(entry.ordinal));
        self.last_ordinal = Some(entry.ordinal);
        self.first_line = self.first_line.or(entry.first_line);
        self.last_line = entry.last_line.or(self.last_line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(sections: &[&[&str]]) -> Vec<(String, i64)> {
        let entries: Vec<OutlineChunk> = sections
            .iter()
            .zip(0..)
            .map(|(section, ordinal)| OutlineChunk {
                ordinal,
                section: section.iter().map(ToString::to_string).collect(),
                level: section.len() as i32,
                tokens: 10,
                first_line: Some(ordinal + 1),
                last_line: Some(ordinal + 1),
                hit: false,
            })
            .collect();
        outline(&entries).into_iter().map(|line| (line.outline, line.chunks)).collect()
    }

    #[test]
    fn titles_are_indented_below_their_parents() {
        let lines = drawn(&[&[], &["A"], &["A", "B"], &["A", "B"], &["C"]]);
        let expected = [("", 1), ("A", 1), ("  B", 2), ("C", 1)];
        assert_eq!(lines, expected.map(|(line, chunks)| (line.to_owned(), chunks)));
    }

    #[test]
    fn a_section_that_was_merged_into_its_child_keeps_its_line() {
        let lines = drawn(&[&["A", "B"], &["A"], &["A", "C"], &[]]);
        let expected = [("A", 0), ("  B", 1), ("A", 1), ("  C", 1), ("", 1)];
        assert_eq!(lines, expected.map(|(line, chunks)| (line.to_owned(), chunks)));
    }

    #[test]
    fn a_chunk_far_below_brings_the_nearest_lines_alone() {
        let titles = vec!["t"; 10_000];
        assert_eq!(drawn(&[&titles]).len(), MOST_EMPTY + 1);
    }

    #[test]
    fn lines_without_a_chunk_hold_few_titles_together() {
        for depth in [10_000, 50_000, 100_000] {
            let entry = |ordinal: i32| OutlineChunk {
                ordinal,
                section: vec![ordinal.to_string(); depth],
                level: 1,
                tokens: 1,
                first_line: None,
                last_line: None,
                hit: false,
            };
            let lines = outline(&[entry(0), entry(1)]);
            let titles = lines.iter().filter(|line| line.chunks == 0);
            let titles: usize = titles.map(|line| line.section.len()).sum();
            assert!(titles <= 2 * MOST_TITLES, "{depth}: {titles}");
            assert_eq!(lines.last().unwrap().section.len(), depth);
            assert_eq!(lines.iter().map(|line| line.chunks).sum::<i64>(), 2);
        }
    }

    #[test]
    fn lines_with_hits_are_marked() {
        let entry = |ordinal, section: &[&str], hit| OutlineChunk {
            ordinal,
            section: section.iter().map(ToString::to_string).collect(),
            level: 0,
            tokens: 1,
            first_line: None,
            last_line: None,
            hit,
        };
        let entries = [
            entry(0, &[], true),
            entry(1, &["A"], false),
            entry(2, &["A", "B"], true),
            entry(3, &["A", "B"], true),
        ];
        let lines: Vec<_> =
            outline(&entries).into_iter().map(|line| (line.outline, line.hits)).collect();
        assert_eq!(lines, [("*".into(), 1), ("A".into(), 0), ("  B *".into(), 2)]);
    }

    #[test]
    fn no_chunks_no_outline() {
        assert_eq!(outline(&[]), []);
    }
}
