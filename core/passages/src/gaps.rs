/*!
Marks where a passage leaves out text of its document.

A class with only some of its members reads as if it were complete. So a comment in the language of the code
separates chunks that do not touch, and gives the number of missing lines. In prose a paragraph with an ellipsis does
the same. Data has no marks, since they would not parse.

Its twin in SQL is `sql/edition/gaps.sql`.
*/

use crate::assemble::Assembly;
use crate::assemble::{Part, Separator, assemble_with_separators};
use crate::error::sql_enum;
use passage_split::interrupt;
use passage_split::media_type::CommentSyntax;

/// The paragraph in prose where text is left out.
pub const PROSE_MARK: &str = "[...]";

/// The style of gaps in code and prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapStyle {
    /// A comment with the number of missing lines; in prose [`PROSE_MARK`].
    Comment,
    /// Nothing.
    None,
}

sql_enum!(GapStyle, "gaps", r#""comment" and "none""#, "comment" => Comment, "none" => None);

/// The position of a chunk in its source, as far as known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkPosition {
    /// Its ordinal in its document.
    pub ordinal: Option<i32>,
    /// Its first line in the source, from 1.
    pub first_line: Option<i32>,
    /// Its last line in the source.
    pub last_line: Option<i32>,
}

/// Joins chunks like [`assemble`](crate::assemble::assemble()), with comments in the gaps.
///
/// `positions` has one position for each part. Chunks with consecutive ordinals have no gap. A gap within a line
/// gets no comment.
///
/// ```
/// use passage_split::MediaType;
/// use passage_core::assemble::Part;
/// use passage_core::gaps::{ChunkPosition, assemble_with_gap_comments};
///
/// let comment = MediaType::new("text/x-rust").comment_syntax().unwrap();
/// let parts = ["fn a() {}\n", "fn c() {}\n"].map(|text| Part { content: text.into(), span: None });
/// let positions = [1, 5].map(|line| ChunkPosition {
///     ordinal: None, first_line: Some(line), last_line: Some(line),
/// });
/// let text = assemble_with_gap_comments(&parts, &positions, comment).text;
/// assert_eq!(text, "fn a() {}\n// ... 3 lines left out\nfn c() {}\n");
/// ```
pub fn assemble_with_gap_comments(
    parts: &[Part],
    positions: &[ChunkPosition],
    comment: CommentSyntax,
) -> Assembly {
    let before = |i: usize| match i.checked_sub(1) {
        Some(before) => {
            gap([&parts[before], &parts[i]], [positions[before], positions[i]], comment)
        }
        None => String::new(),
    };
    let gaps: Vec<String> = (0..parts.len()).map(before).collect();
    assemble_with_separators(parts, |i| Separator::Text(&gaps[i]))
}

/// Joins chunks of prose like [`assemble`](crate::assemble::assemble()), with [`PROSE_MARK`] in the gaps.
///
/// `positions` has one position for each part. If neither ordinals nor spans tell, there is a blank line.
///
/// ```
/// use passage_core::assemble::Part;
/// use passage_core::gaps::{ChunkPosition, assemble_with_gap_marks};
///
/// let parts = ["One.", "Two.", "Four."].map(|text| Part { content: text.into(), span: None });
/// let positions = [1, 2, 4].map(|at| ChunkPosition { ordinal: Some(at), ..Default::default() });
/// let text = assemble_with_gap_marks(&parts, &positions).text;
/// assert_eq!(text, "One.\n\nTwo.\n\n[...]\n\nFour.");
/// ```
pub fn assemble_with_gap_marks(parts: &[Part], positions: &[ChunkPosition]) -> Assembly {
    let leaves_out = |i: usize| {
        let before = i.checked_sub(1)?;
        let ordinals = positions[before].ordinal.zip(positions[i].ordinal);
        let spans = || Some((parts[before].span.as_ref()?.end, parts[i].span.as_ref()?.start));
        let is_gap = |(before, after): (i32, i32)| after.checked_sub(before) != Some(1);
        ordinals.map(is_gap).or_else(|| spans().map(|(end, start)| end < start))
    };
    assemble_with_separators(parts, |i| match leaves_out(i) {
        Some(true) => Separator::Paragraph(PROSE_MARK),
        _ => Separator::BlankLine,
    })
}

/// Returns the text between two parts that do not touch.
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
    // A gap before a closing bracket has the indentation of the block's content.
    let (after, closes) = (indent(b), b.trim_start().starts_with(['}', ')', ']']));
    let indent = if closes { indent(a) } else { after };
    let CommentSyntax { prefix, suffix, empty_body } = comment;
    if let (Some(body), Some(head)) = (empty_body, open_block(a, prefix))
        && indent_of_code(b, prefix).len() <= head.len()
    {
        return format!("{first}{head}    {body}  {prefix} {text}{ending}");
    }
    let space = if suffix.is_empty() { "" } else { " " };
    format!("{first}{indent}{prefix} ... {text}{space}{suffix}{ending}")
}

/// Returns the indentation of the block that a text of Python ends in without a line of its body.
fn open_block<'t>(text: &'t str, comment: &str) -> Option<&'t str> {
    let mut closed = 0_usize;
    let lines = text.lines().rev().map(|line| (line, without_comment(line, comment)));
    let mut lines = lines.filter(|(_, code)| !code.trim().is_empty()).enumerate();
    let is_head = |(at, (line, code)): (usize, (&'t str, &str))| {
        interrupt::poll_periodically(at);
        if at == 0 && !code.trim_end().ends_with(':') {
            return Some(None);
        }
        // The head of a function may have several lines.
        let count = |brackets: [char; 3]| code.matches(brackets).count();
        closed = (closed + count([')', ']', '}'])).saturating_sub(count(['(', '[', '{']));
        (closed == 0).then(|| Some(indent(line)))
    };
    lines.find_map(is_head).flatten()
}

/// Returns a line without the comment at its end.
fn without_comment<'t>(line: &'t str, comment: &str) -> &'t str {
    let mut quote = None;
    for (at, char) in line.char_indices() {
        match quote {
            None if line[at..].starts_with(comment) => return &line[..at],
            None if char == '"' || char == '\'' => quote = Some(char),
            Some(open) if char == open => quote = None,
            _ => {}
        }
    }
    line
}

/// Returns the indentation of the first line that is neither blank nor a comment.
fn indent_of_code<'t>(text: &'t str, comment: &str) -> &'t str {
    let is_code = |line: &&str| !without_comment(line, comment).trim().is_empty();
    text.lines().find(is_code).map_or("", indent)
}

/// Returns the indentation of the first line that is not blank.
fn indent(text: &str) -> &str {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    &line[..line.len() - line.trim_start().len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use passage_split::MediaType;

    fn part(content: &str, start: i32) -> Part<'_> {
        Part { content: content.into(), span: Some(start..start + content.len() as i32) }
    }

    fn joined(parts: &[(&str, i32, i32)], media_type: &str) -> String {
        let positions: Vec<_> = parts
            .iter()
            .zip(0..)
            .map(|((text, _, first), index)| ChunkPosition {
                ordinal: Some(2 * index),
                first_line: Some(*first),
                last_line: Some(first + text.lines().count() as i32 - 1),
            })
            .collect();
        let parts: Vec<_> = parts.iter().map(|(text, start, _)| part(text, *start)).collect();
        let comment = MediaType::new(media_type).comment_syntax().unwrap();
        assemble_with_gap_comments(&parts, &positions, comment).text
    }

    #[test]
    fn a_gap_in_a_class_reports_the_number_of_missing_lines() {
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
    fn a_block_of_python_without_a_line_of_its_body_gets_one() {
        let gap = |head: &str, after: &str| {
            let text = joined(&[(head, 0, 1), (after, 900, 90)], "text/x-python");
            let gap = text.strip_prefix(head).and_then(|text| text.strip_suffix(after));
            gap.expect("the parts stay")
                .split_once("left out")
                .expect("there is a gap")
                .0
                .to_owned()
        };
        let comment = "# ... 88 lines ";
        for (head, after, expected) in [
            ("class A:\n", "def b():\n", "    ...  # 88 lines "),
            ("class A:  # is: A\n\n", "\n# c\nx = 1\n", "    ...  # 87 lines "),
            ("class A:\n    class B(C, d=\"#\"):\n", "    def e():\n", "        ...  # 87 lines "),
            ("\tdef a(\n\t\t\tb,\n\t\t\tc):\n", "\tdef d():\n", "\t    ...  # 86 lines "),
            ("class A:\n", "    def b():\n", &format!("    {comment}")),
            ("class A:\n", "# c\n    def b():\n", comment),
            ("class A:\n    x = 1  # of:\n", "def b():\n", "# ... 87 lines "),
            ("x = [\n", "def b():\n", comment),
            ("# A:\n", "def b():\n", comment),
        ] {
            assert_eq!(gap(head, after), expected, "{head}");
        }
        let ruby = joined(&[("a:\n", 0, 1), ("b\n", 90, 9)], "text/x-ruby");
        assert_eq!(ruby, "a:\n# ... 7 lines left out\nb\n");
    }

    #[test]
    fn gaps_within_a_line_and_bare_line_ends_get_no_comment() {
        assert_eq!(joined(&[("a; ", 0, 1), ("c;", 9, 1)], "text/x-c"), "a; c;");
        assert_eq!(joined(&[("a;\n", 0, 1), ("c;\n", 5, 2)], "text/x-c"), "a;\nc;\n");
    }

    #[test]
    fn prose_has_a_mark_where_text_is_left_out() {
        let text = |parts: &[Part], ordinals: &[Option<i32>]| {
            let position = |ordinal: &Option<i32>| ChunkPosition {
                ordinal: *ordinal,
                ..ChunkPosition::default()
            };
            let positions: Vec<_> = ordinals.iter().map(position).collect();
            assemble_with_gap_marks(parts, &positions).text
        };
        let parts = [part("# A\n\n", 0), part("One.\n\n", 5), part("\nThree.\n", 90)];
        let marked = "# A\n\nOne.\n\n[...]\n\nThree.\n";
        assert_eq!(text(&parts, &[Some(0), Some(1), Some(3)]), marked);
        assert_eq!(text(&parts, &[None; 3]), marked, "the spans tell");
        let parts = parts.map(|part| Part { span: None, ..part });
        assert_eq!(text(&parts, &[None; 3]), "# A\n\nOne.\n\nThree.\n");
        let assembly = assemble_with_gap_marks(&parts[1..], &[ChunkPosition::default(); 2]);
        assert_eq!(assembly.part_ranges, [0..4, 6..13]);
    }

    #[test]
    fn without_line_numbers_the_comment_has_no_count() {
        let comment = MediaType::new("text/x-rust").comment_syntax().unwrap();
        let parts = [part("a\n", 0), part("b\n", 9)];
        let text = |positions: [ChunkPosition; 2]| {
            assemble_with_gap_comments(&parts, &positions, comment).text
        };
        assert_eq!(text([ChunkPosition::default(); 2]), "a\n// ... lines left out\nb\n");
        let at = |ordinal| ChunkPosition { ordinal: Some(ordinal), ..ChunkPosition::default() };
        assert_eq!(text([at(3), at(4)]), "a\nb\n");
    }
}
