//! A writer of Markdown: blocks apart by blank lines, and text that its reader does not take as markup.

use super::table::{Table, TableText};
use super::{ConvertError, Converted, Limits};
use passage_split::{Place, PlaceMark};
use std::fmt::Write;

/// The deepest heading of Markdown.
const MAX_LEVEL: usize = 6;

/// The deepest list that is written. Deeper items are at that depth.
const MAX_DEPTH: usize = 12;

/// Markdown that is being written.
pub(super) struct Markdown {
    text: String,
    marks: Vec<PlaceMark>,
    /// The depth of the list that the last block belongs to, 0 outside of lists.
    in_list: usize,
    limits: Limits,
}

/// The mark of a list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bullet {
    Dash,
    Number(usize),
}

impl Markdown {
    pub(super) fn new(limits: Limits) -> Self {
        Self { text: String::new(), marks: Vec::new(), in_list: 0, limits }
    }

    /// Marks that a page, a slide or a sheet begins.
    pub(super) fn begin(&mut self, place: Place) -> Result<(), ConvertError> {
        self.marks.push(PlaceMark { start: self.text.len(), place });
        self.limits.check_pages(self.marks.len())
    }

    /// Writes a heading of a level from 1. `inline` is text that [`escaped`] has made.
    pub(super) fn heading(&mut self, level: usize, inline: &str) -> Result<(), ConvertError> {
        let title = inline.split_whitespace().collect::<Vec<_>>().join(" ");
        if title.is_empty() {
            return Ok(());
        }
        self.block(&format!("{} {title}", "#".repeat(level.clamp(1, MAX_LEVEL))))
    }

    /// Writes a paragraph. Lines stay lines.
    pub(super) fn paragraph(&mut self, inline: &str) -> Result<(), ConvertError> {
        let lines = lines(inline);
        if lines.is_empty() { Ok(()) } else { self.block(&lines.join("\n")) }
    }

    /// Writes an item of a list. `depth` is 0 for the outermost list.
    pub(super) fn item(
        &mut self,
        depth: usize,
        bullet: Bullet,
        inline: &str,
    ) -> Result<(), ConvertError> {
        let lines = lines(inline);
        if lines.is_empty() {
            return Ok(());
        }
        let depth = depth.min(MAX_DEPTH).min(self.in_list);
        let indent = " ".repeat(depth * 3);
        let bullet = match bullet {
            Bullet::Dash => "-".to_owned(),
            Bullet::Number(number) => format!("{number}."),
        };
        let separator = if self.in_list > 0 { "\n" } else { "\n\n" };
        if !self.text.is_empty() {
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str(separator);
        }
        let _ = write!(self.text, "{indent}{bullet} {}", lines.join(&format!("\n{indent}   ")));
        self.text.push('\n');
        self.in_list = depth + 1;
        self.limits.check_text(self.text.len())
    }

    /// Writes a table.
    pub(super) fn table(&mut self, table: Table) -> Result<(), ConvertError> {
        match table.into_text() {
            TableText::Block(text) => self.block(&text),
            TableText::Paragraphs(paragraphs) => {
                paragraphs.iter().try_for_each(|paragraph| self.paragraph(paragraph))
            }
        }
    }

    /// Writes a block of Markdown.
    pub(super) fn block(&mut self, text: &str) -> Result<(), ConvertError> {
        if !self.text.is_empty() {
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str("\n\n");
        }
        self.text.push_str(text.trim_end());
        self.text.push('\n');
        self.in_list = 0;
        self.limits.check_text(self.text.len())
    }

    /// Writes Markdown that a part of the document is already.
    pub(super) fn block_unless_empty(&mut self, text: &str) -> Result<(), ConvertError> {
        if text.trim().is_empty() { Ok(()) } else { self.block(text) }
    }

    /// Returns the Markdown with its title.
    pub(super) fn finish(self, title: Option<String>) -> Converted {
        let Self { text, mut marks, .. } = self;
        // The blank line before a block belongs to the block before it.
        for mark in &mut marks {
            let rest = &text[mark.start..];
            mark.start += rest.len() - rest.trim_start().len();
        }
        let title = title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
        Converted { text, title: title.filter(|title| !title.is_empty()), marks }
    }
}

/// Returns the lines with single spaces, protected against a reading as a heading, a list or a quote.
fn lines(inline: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines = inline.lines().map(words).filter(|line| !line.is_empty());
    lines.map(|line| if begins_as_block(&line) { format!("\\{line}") } else { line }).collect()
}

/// Returns whether Markdown reads the first characters of a line as the beginning of another block.
fn begins_as_block(line: &str) -> bool {
    let mark = line.split(' ').next().unwrap_or_default();
    let is_only = |char: char| !mark.is_empty() && mark.chars().all(|other| other == char);
    matches!(mark, "-" | "+" | "*")
        || (is_only('#') && mark.len() <= MAX_LEVEL)
        || line.starts_with('>')
        || line.starts_with("```")
        || line.starts_with("~~~")
        || (line.len() >= 2
            && ['-', '=', '*', '_'].iter().any(|char| line.chars().all(|other| other == *char)))
}

/// Returns text as inline Markdown: what could be an element of HTML is not.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let begins_element =
            |next: &char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?');
        if char == '<' && chars.peek().is_some_and(begins_element) {
            escaped.push('\\');
        }
        // PostgreSQL does not store NUL, and other control characters have no meaning in a text.
        if !char.is_control() || matches!(char, '\n' | '\t') {
            escaped.push(char);
        }
    }
    escaped
}

/// Returns a link, or only its text if the address is not one of the web or of mail.
pub(super) fn link(inline: &str, address: &str) -> String {
    let is_useful = ["http://", "https://", "mailto:", "ftp://"]
        .iter()
        .any(|scheme| address.starts_with(scheme));
    let text = inline.trim();
    if !is_useful || text.is_empty() || text.contains(['[', ']']) {
        return inline.to_owned();
    }
    let address: String = address
        .chars()
        .map(|char| match char {
            '(' => "%28".into(),
            ')' => "%29".into(),
            char if char.is_whitespace() => "%20".into(),
            char => char.to_string(),
        })
        .collect();
    let (before, rest) = inline.split_at(inline.len() - inline.trim_start().len());
    let after = &rest[rest.trim_end().len()..];
    format!("{before}[{text}]({address}){after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Markdown)) -> String {
        let mut markdown = Markdown::new(Limits::default());
        write(&mut markdown);
        markdown.finish(None).text
    }

    #[test]
    fn text_that_looks_like_markup_stays_text() {
        let text = written(|markdown| {
            markdown
                .paragraph(&escaped("# no heading\n- no item\n<b>no tag</b> 1 < 2\n---"))
                .unwrap();
        });
        assert_eq!(text, "\\# no heading\n\\- no item\n\\<b>no tag\\</b> 1 < 2\n\\---\n");
    }

    #[test]
    fn a_table_of_one_column_is_paragraphs_and_no_heading() {
        let rows = [["# of nodes"], ["- three"]].map(|row| row.map(String::from).to_vec());
        let text = written(|markdown| markdown.table(Table { rows: rows.to_vec() }).unwrap());
        assert_eq!(text, "\\# of nodes\n\n\\- three\n");
    }

    #[test]
    fn items_of_a_list_touch_and_nest_by_three_spaces() {
        let text = written(|markdown| {
            markdown.paragraph("Before").unwrap();
            // A list cannot begin at depth 4.
            markdown.item(4, Bullet::Number(1), "one").unwrap();
            markdown.item(1, Bullet::Dash, "inner\nline").unwrap();
            markdown.item(0, Bullet::Number(2), "two").unwrap();
            markdown.heading(9, "After\n it").unwrap();
        });
        assert_eq!(text, "Before\n\n1. one\n   - inner\n      line\n2. two\n\n###### After it\n");
    }

    #[test]
    fn a_link_has_an_address_that_ends_at_its_bracket() {
        assert_eq!(link("a ", "https://e.org/b_(c)"), "[a](https://e.org/b_%28c%29) ");
        assert_eq!(link("a", "#mark"), "a");
    }
}
