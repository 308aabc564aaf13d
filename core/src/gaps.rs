/*!
Gaps: what stands in source code where lines were left out.

A class of which only some members are returned reads as if it were whole. So between chunks that do
not touch stands a comment of the language that says how many lines are missing there.
*/

use crate::assemble::Assembly;
use crate::assemble::{Part, Separator, assemble_with_separators};
use crate::media_type::CommentSyntax;
use crate::{error::sql_enum, interrupt};

/// What stands in a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapStyle {
    /// A comment that tells how many lines are left out.
    Comment,
    /// Nothing.
    None,
}

sql_enum!(GapStyle, "gaps", r#""comment" and "none""#, "comment" => Comment, "none" => None);

/// Where a chunk stands, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkPosition {
    /// Its position in its document.
    pub ordinal: Option<i32>,
    /// The first line of the source that it holds.
    pub first_line: Option<i32>,
    /// The last one.
    pub last_line: Option<i32>,
}

/// Joins chunks as [`assemble`](crate::assemble::assemble()) does, with comments in the gaps.
///
/// There is a place for each part. Chunks that follow one another have no gap, and one within a
/// line gets no comment.
pub fn assemble_with_gap_comments(
    parts: &[Part],
    places: &[ChunkPosition],
    comment: CommentSyntax,
) -> Assembly {
    let before = |i: usize| match i.checked_sub(1) {
        Some(before) => gap([&parts[before], &parts[i]], [places[before], places[i]], comment),
        None => String::new(),
    };
    let gaps: Vec<String> = (0..parts.len()).map(before).collect();
    assemble_with_separators(parts, |i| Separator::Text(&gaps[i]))
}

/// What stands between two parts that do not touch.
fn gap([a, b]: [&Part; 2], [before, after]: [ChunkPosition; 2], comment: CommentSyntax) -> String {
    let follows =
        before.ordinal.zip(after.ordinal).is_some_and(|(a, b)| b.checked_sub(a) == Some(1));
    let missing = before
        .last_line
        .zip(after.first_line)
        .map(|(last, first)| first.saturating_sub(last).saturating_sub(1));
    interrupt::poll();
    let text = match missing {
        _ if follows => return String::new(),
        Some(..=0) => return String::new(),
        Some(1) => "1 line left out".to_owned(),
        Some(lines) => format!("{lines} lines left out"),
        None => "lines left out".to_owned(),
    };
    let (a, b) = (&*a.content, &*b.content);
    let ending = if a.contains("\r\n") { "\r\n" } else { "\n" };
    let first = if a.is_empty() || a.ends_with(['\n', '\r']) { "" } else { ending };
    // Before what closes a block stands what is inside of it.
    let (after, closes) = (indent(b), b.trim_start().starts_with(['}', ')', ']']));
    let indent = if closes { indent(a) } else { after };
    let CommentSyntax { prefix, suffix } = comment;
    let space = if suffix.is_empty() { "" } else { " " };
    format!("{first}{indent}{prefix} ... {text}{space}{suffix}{ending}")
}

/// The white space before the first line of a text that has more.
fn indent(text: &str) -> &str {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    &line[..line.len() - line.trim_start().len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MediaType;

    fn part(content: &str, start: i32) -> Part<'_> {
        Part { content: content.into(), span: Some(start..start + content.len() as i32) }
    }

    fn joined(parts: &[(&str, i32, i32)], media_type: &str) -> String {
        let places: Vec<_> = parts
            .iter()
            .zip(0..)
            .map(|((text, _, first), place)| ChunkPosition {
                ordinal: Some(2 * place),
                first_line: Some(*first),
                last_line: Some(first + text.lines().count() as i32 - 1),
            })
            .collect();
        let parts: Vec<_> = parts.iter().map(|(text, start, _)| part(text, *start)).collect();
        let comment = MediaType::new(media_type).comment_syntax().unwrap();
        assemble_with_gap_comments(&parts, &places, comment).text
    }

    #[test]
    fn a_gap_in_a_class_says_how_many_lines_are_missing() {
        let parts = [("class A {\n", 0, 1), ("    last() {}\n", 200, 25), ("}\n", 214, 26)];
        let expected = "class A {\n    // ... 23 lines left out\n    last() {}\n}\n";
        assert_eq!(joined(&parts, "text/x-typescript"), expected);
        let parts = [("    first() {}\n", 0, 1), ("}\n", 214, 26)];
        let expected = "    first() {}\n    // ... 24 lines left out\n}\n";
        assert_eq!(joined(&parts, "text/x-typescript"), expected);
        let parts = [("class A:\n", 0, 1), ("    x = 1\n", 20, 3)];
        let expected = "class A:\n    # ... 1 line left out\n    x = 1\n";
        assert_eq!(joined(&parts, "text/x-python"), expected);
        let parts = [("a { b: c }", 0, 1), ("d { e: f }", 90, 9)];
        let expected = "a { b: c }\n/* ... 7 lines left out */\nd { e: f }";
        assert_eq!(joined(&parts, "text/css"), expected);
    }

    #[test]
    fn within_a_line_and_where_only_a_line_ends_nothing_is_said() {
        assert_eq!(joined(&[("a; ", 0, 1), ("c;", 9, 1)], "text/x-c"), "a; c;");
        assert_eq!(joined(&[("a;\n", 0, 1), ("c;\n", 5, 2)], "text/x-c"), "a;\nc;\n");
    }

    #[test]
    fn without_lines_their_number_is_not_told() {
        let comment = MediaType::new("text/x-rust").comment_syntax().unwrap();
        let parts = [part("a\n", 0), part("b\n", 9)];
        let text =
            |places: [ChunkPosition; 2]| assemble_with_gap_comments(&parts, &places, comment).text;
        assert_eq!(text([ChunkPosition::default(); 2]), "a\n// ... lines left out\nb\n");
        let at = |ordinal| ChunkPosition { ordinal: Some(ordinal), ..ChunkPosition::default() };
        assert_eq!(text([at(3), at(4)]), "a\nb\n");
    }
}
