/*!
reStructuredText.

A section begins with a title that is underlined, or overlined and underlined, with one mark. The
marks get their levels in the order in which they first occur. Only an unindented line at the
beginning of a block can be a title. So indented text, such as directives, literal blocks and quotes,
opens no sections. Directives, comments, lists and tables are one block each. The splitter reads one
file alone, so an included file stays the text of its directive.
*/

mod tables;

use crate::links;

use super::{
    block_builder::{self, BlockBuilder, Line, Lines, rule},
    blocks::Blocks,
    titles::visible,
};

use tables::{Table, is_table_rule};

/// Finds the blocks of a document.
pub(super) fn blocks(text: &str) -> Blocks {
    let mut reader = RstReader {
        lines: Lines::of(text),
        at: 0,
        builder: BlockBuilder::new(),
        styles: Vec::new(),
        open_table: false,
    };
    while let Some(line) = reader.line(0) {
        reader.read(line);
    }
    Blocks { links: links::rst::links(text), ..reader.builder.finish(text) }
}

/// Returns the first title.
pub(super) fn title(text: &str) -> Option<String> {
    block_builder::title(&blocks(text))
}

/// The style of a title: the mark, and whether the title is overlined too.
type Style = (char, bool);

struct RstReader<'t> {
    lines: Lines<'t>,
    /// The index of the next line.
    at: usize,
    builder: BlockBuilder,
    /// The styles of titles, by level.
    styles: Vec<Style>,
    /// Whether a table without an end was found. Then no later table has an end either.
    open_table: bool,
}

impl<'t> RstReader<'t> {
    /// Returns a line by its distance from the next one.
    fn line(&self, ahead: usize) -> Option<Line<'t>> {
        self.lines.get(self.at + ahead)
    }

    /// Reads the block that begins with a line.
    fn read(&mut self, line: Line<'t>) {
        if line.is_blank() {
            self.at += 1;
        } else if line.is_indented() {
            self.builder.body(line.start);
            self.skip_indented();
        } else if line.text == ".." || line.text.starts_with(".. ") {
            self.builder.body(line.start);
            let begin = self.at;
            self.at += 1;
            self.skip_indented();
            self.table(tables::directive(&self.lines, begin, self.at));
        } else if is_bullet(line) {
            self.builder.body(line.start);
            self.list();
        } else if let Some((title, style, lines)) = self.title() {
            let level = self.level(style);
            self.builder.heading(line.start, level, &plain(&visible(title)));
            self.at += lines;
        } else if is_item(line) {
            self.builder.body(line.start);
            self.list();
        } else {
            self.builder.body(line.start);
            let begin = self.at;
            self.at = self.end_of_table(line).unwrap_or_else(|| self.end_of_paragraph());
            self.table(tables::ruled(&self.lines, begin, self.at));
        }
    }

    /// Records the rows of a table, and the header that its chunks repeat.
    fn table(&mut self, table: Table) {
        if let Some((header, rows)) = table.header {
            self.builder.table(header, rows);
        }
        table.rows.into_iter().for_each(|row| self.builder.item(row));
    }

    /// Returns the title at the next line, its style, and the number of its lines.
    fn title(&self) -> Option<(&'t str, Style, usize)> {
        let first = self.line(0)?;
        let second = self.line(1).filter(|line| !line.is_blank())?;
        if let Some(above) = rule(first) {
            let below = rule(self.line(2)?)?;
            let title = second.text.trim_start();
            let fits = above == below && is_long_enough(above.1, title);
            return fits.then_some((title, (above.0, true), 3));
        }
        let (mark, length) = rule(second).filter(|_| !matches!(second.text, "::" | ".."))?;
        is_long_enough(length, first.text).then_some((first.text, (mark, false), 2))
    }

    /// Returns the level of a style; a new style gets the next deeper level.
    fn level(&mut self, style: Style) -> u32 {
        let known = self.styles.iter().position(|known| *known == style);
        let at = known.unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        at as u32 + 1
    }

    /// Skips the indented and blank lines.
    fn skip_indented(&mut self) {
        while self.line(0).is_some_and(|line| line.is_blank() || line.is_indented()) {
            self.at += 1;
        }
    }

    /// Skips a list, including items separated by blank lines.
    fn list(&mut self) {
        while let Some(line) = self.line(0).filter(|line| is_item(*line)) {
            if !is_bullet(line) && self.title().is_some() {
                return;
            }
            self.builder.item(line.start);
            self.at += 1;
            self.skip_indented();
        }
    }

    fn end_of_paragraph(&self) -> usize {
        let mut rest = self.lines.from(self.at);
        rest.find(|(_, line)| line.is_blank()).map_or(self.lines.len(), |(at, _)| at)
    }

    /// Returns the line after a simple table, whose columns are ruled by `=`.
    ///
    /// Blank lines may separate its rows, so it ends at the first rule that a blank line follows.
    fn end_of_table(&mut self, line: Line<'_>) -> Option<usize> {
        if self.open_table || !is_table_rule(line) {
            return None;
        }
        let is_end = |at: usize, line| {
            is_table_rule(line) && self.lines.get(at + 1).is_none_or(Line::is_blank)
        };
        let end = self.lines.from(self.at + 1).find(|(at, line)| is_end(*at, *line));
        self.open_table = end.is_none();
        end.map(|(at, _)| at + 1)
    }
}

/// Returns whether a rule is long enough for a title: as long as the title, or at least 4.
fn is_long_enough(rule: usize, title: &str) -> bool {
    rule >= 4 || rule >= title.chars().count()
}

/// Returns whether a line begins an item of an unnumbered list.
fn is_bullet(line: Line<'_>) -> bool {
    let marker = line.text.split_once(' ').map(|(marker, _)| marker);
    matches!(marker, Some("*" | "+" | "-" | "•" | "‣" | "⁃"))
}

/// Returns whether a line begins an item of a list. A numbered one may be a title as well.
fn is_item(line: Line<'_>) -> bool {
    if is_bullet(line) {
        return true;
    }
    let Some((marker, _)) = line.text.split_once(' ') else { return false };
    let number = marker.strip_prefix('(').unwrap_or(marker).strip_suffix(['.', ')']);
    number.is_some_and(|number| {
        let letter = number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_alphabetic());
        number == "#"
            || letter
            || (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// Returns a title without the markup of literals, roles and emphasis.
fn plain(title: &str) -> String {
    let mut text = String::with_capacity(title.len());
    for part in title.split('`') {
        // A role such as `:class:` precedes its text.
        let role = part.rfind(':').filter(|end| *end + 1 == part.len());
        let begin = role.and_then(|end| part[..end].rfind(':'));
        let name = begin.zip(role).map(|(begin, end)| &part[begin + 1..end]);
        let is_role = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        match name {
            Some(name) if is_role(name) => text.push_str(&part[..begin.unwrap_or(0)]),
            _ => text.push_str(part),
        }
    }
    text.replace("**", "").replace('\\', "")
}

#[cfg(test)]
mod tests {
    use super::{super::blocks::Form, *};

    /// Returns the level and title of each section, and the first line of every other block.
    fn read(text: &str) -> Vec<String> {
        let blocks = blocks(text);
        let ends = blocks.list.iter().skip(1).map(|block| block.start).chain([text.len()]);
        let shown = blocks.list.iter().zip(ends).map(|(block, end)| {
            let line = text[block.start..end].trim().lines().next().unwrap_or("");
            match block.form {
                Form::Heading => {
                    format!("{} {}", block.level, blocks.sections.path(block.section).join(" / "))
                }
                _ => line.to_owned(),
            }
        });
        shown.collect()
    }

    /// Returns the offsets of the items.
    fn items(text: &str) -> Vec<usize> {
        blocks(text).items.into_iter().map(|item| item.at).collect()
    }

    #[test]
    fn the_order_of_marks_decides_the_levels() {
        let text = "====\nBook\n====\n\nOne\n====\n\na\n\nTwo\n----\n\nb\n\nThree\n=====\n\nc\n\n====\nEnd\n====\n";
        let expected = [
            "1 Book",
            "2 Book / One",
            "a",
            "3 Book / One / Two",
            "b",
            "2 Book / Three",
            "c",
            "1 End",
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn indented_lines_and_continued_paragraphs_open_no_section() {
        let text = "A\n=\n\n.. note::\n\n   B\n   =\n\ntext::\n\n    C\n    ---\n\nwords\nmore\n----\n\n----\n\nend";
        assert_eq!(read(text), ["1 A", ".. note::", "text::", "C", "words", "----", "end"]);
    }

    #[test]
    fn a_list_and_a_table_are_one_block_each() {
        let text = "- a\n\n- b\n\n  more\n\n1. c\n\n=====  =====\nx      y\n=====  =====\n1      2\n\n3      4\n=====  =====\n\nend\n";
        assert_eq!(read(text), ["- a", "=====  =====", "end"]);
        assert_eq!(items(text), [0, 5, 18, 59, 69]);
    }

    #[test]
    fn a_table_without_an_end_is_a_paragraph() {
        let text = "== ==\na b\n\n== ==\nc d\n\nend";
        assert_eq!(read(text), ["== ==", "== ==", "end"]);
        assert_eq!(read("== ==\na b\n\nend"), ["== ==", "end"]);
    }

    #[test]
    fn titles_have_no_markup() {
        assert_eq!(plain("The ``x`` of :class:`A` in `B`: **now**"), "The x of A in B: now");
        assert_eq!(title("x\n\n\\*args\n======\n").as_deref(), Some("*args"));
        assert_eq!(title("only words\n"), None);
    }

    #[test]
    fn a_title_may_begin_with_a_number_but_not_with_a_bullet() {
        assert_eq!(read("1. A\n====\n\n1. b\n2. c\n\n- d\n---\n"), ["1 1. A", "1. b", "---"]);
    }

    #[test]
    fn an_include_is_text_and_hides_no_title() {
        let text = "A\n=\n\n.. include:: b.rst\n   :start-line: 2\nC\n-\n\nc\n\n.. include:: d.rst\n\nE\n-\n";
        let expected =
            ["1 A", ".. include:: b.rst", "2 A / C", "c", ".. include:: d.rst", "2 A / E"];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn short_rules_are_text() {
        assert_eq!(read("Words\n--\n\nmore\n..\n"), ["Words", "more"]);
        assert_eq!(read("\u{feff}Ab\r\n--\r\nx"), ["1 Ab", "x"]);
    }
}
