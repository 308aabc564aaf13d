/*!
Outlines: the sections of a document as a tree of lines.

The lines follow document order. A section without chunks of its own, because it was merged into its first
child, has a line too.

Its twin in SQL is `sql/edition/functions/outline.sql`.
*/

use passage_split::interrupt;
use passage_split::section::{self, Section};

/// The maximum number of lines without chunks before the line of a chunk.
const MAX_EMPTY: usize = 64;

/// The maximum number of titles in these lines together. Data may nest thousands deep, and a line
/// contains all titles above it.
const MAX_TITLES: usize = 10_240 * MAX_EMPTY;

/// The columns of a chunk that an outline needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineChunk {
    /// The ordinal.
    pub ordinal: i32,
    /// The section.
    pub section: Section,
    /// The depth from the splitter.
    pub level: i32,
    /// The number of tokens.
    pub tokens: i64,
    /// The first line in the source, from 1.
    pub first_line: Option<i32>,
    /// The last line in the source.
    pub last_line: Option<i32>,
    /// Whether the chunk is a hit, which the outline marks.
    pub hit: bool,
}

/// A line of an outline: consecutive chunks of one section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineLine {
    /// The title, indented by two spaces for each title above it; empty at the root. A trailing asterisk
    /// marks a line with hits.
    pub outline: String,
    /// The section.
    pub section: Section,
    /// The lowest level of its chunks; `None` without chunks.
    pub level: Option<i32>,
    /// The number of chunks directly in the section.
    pub chunks: i64,
    /// The number of hits among them.
    pub hits: i64,
    /// The tokens of these chunks.
    pub tokens: i64,
    /// The ordinal of the first chunk.
    pub first_ordinal: Option<i32>,
    /// The ordinal of the last chunk.
    pub last_ordinal: Option<i32>,
    /// The first line in the source, from 1.
    pub first_line: Option<i32>,
    /// The last line in the source.
    pub last_line: Option<i32>,
}

/// Returns the outline of a document from its chunks in document order.
///
/// Consecutive chunks of a section share a line. A section that reappears behind another one, as the root
/// between chapters, gets another line.
///
/// ```
/// use passage_core::outline::{OutlineChunk, outline};
///
/// let chunk = |ordinal, section: &[&str]| OutlineChunk {
///     ordinal,
///     section: section.iter().map(ToString::to_string).collect(),
///     level: 1, tokens: 10, first_line: None, last_line: None, hit: ordinal == 1,
/// };
/// let lines = outline(&[chunk(0, &["Guide"]), chunk(1, &["Guide", "Setup"])]);
/// assert_eq!(lines[1].outline, "  Setup *");
/// ```
pub fn outline(entries: &[OutlineChunk]) -> Vec<OutlineLine> {
    let mut lines: Vec<OutlineLine> = Vec::new();
    for entry in entries {
        interrupt::poll();
        let before = lines.last().map_or(&[][..], |line| &line.section);
        let continues = before == entry.section && !lines.is_empty();
        if !continues {
            let shared = section::common_prefix(&entry.section, before).len();
            // Going up adds one line; going down adds one line for each new title.
            let first = if shared == entry.section.len() { shared } else { shared + 1 };
            let empty = MAX_EMPTY.min(MAX_TITLES / entry.section.len().max(1));
            let first = first.max(entry.section.len().saturating_sub(empty));
            for depth in first..=entry.section.len() {
                lines.push(OutlineLine::new(&entry.section[..depth]));
            }
        }
        lines.last_mut().expect("the loop added the line of the chunk").add(entry);
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
    fn a_section_merged_into_its_child_has_a_line() {
        let lines = drawn(&[&["A", "B"], &["A"], &["A", "C"], &[]]);
        let expected = [("A", 0), ("  B", 1), ("A", 1), ("  C", 1), ("", 1)];
        assert_eq!(lines, expected.map(|(line, chunks)| (line.to_owned(), chunks)));
    }

    #[test]
    fn a_deep_chunk_adds_only_the_nearest_lines() {
        let titles = vec!["t"; 10_000];
        assert_eq!(drawn(&[&titles]).len(), MAX_EMPTY + 1);
    }

    #[test]
    fn lines_without_chunks_have_a_bounded_number_of_titles() {
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
            assert!(titles <= 2 * MAX_TITLES, "{depth}: {titles}");
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
    fn no_chunks_give_an_empty_outline() {
        assert_eq!(outline(&[]), []);
    }
}
