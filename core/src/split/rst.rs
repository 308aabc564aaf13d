/*!
reStructuredText.

A section begins with a line that is underlined, or over- and underlined, with a mark; which mark
means which level is shown by the order in which they first come. Only lines at the margin that
begin a block can be titles, so what is indented, such as directives, literal blocks and quotes,
opens no sections. Directives, comments, lists and tables are one block each.
*/

use super::{
    block::Blocks,
    headed::{self, Headed, Line, Lines, rule},
};

/// Finds the blocks of a document.
pub(super) fn blocks(text: &str) -> Blocks {
    let mut reader = Reader {
        lines: Lines::of(text),
        at: 0,
        found: Headed::new(),
        styles: Vec::new(),
        open_table: false,
    };
    while let Some(line) = reader.line(0) {
        reader.read(line);
    }
    reader.found.finish(text)
}

/// Returns the first title.
pub(super) fn title(text: &str) -> Option<String> {
    headed::title(&blocks(text))
}

/// How a title is marked: the character, and whether there is a line above it too.
type Style = (char, bool);

struct Reader<'t> {
    lines: Lines<'t>,
    /// The line to be read next.
    at: usize,
    found: Headed,
    /// The styles of titles, in the order of their levels.
    styles: Vec<Style>,
    /// Whether a table was met that nothing ends, so that none after it need be sought an end for.
    open_table: bool,
}

impl<'t> Reader<'t> {
    /// Returns a line by how far it is from the next one.
    fn line(&self, ahead: usize) -> Option<Line<'t>> {
        self.lines.get(self.at + ahead)
    }

    /// Reads the block that begins with a line.
    fn read(&mut self, line: Line<'t>) {
        if line.is_blank() {
            self.at += 1;
        } else if line.is_indented() {
            self.found.body(line.start);
            self.skip_indented();
        } else if line.text == ".." || line.text.starts_with(".. ") {
            self.found.body(line.start);
            self.at += 1;
            self.skip_indented();
        } else if is_bullet(line) {
            self.found.body(line.start);
            self.list();
        } else if let Some((title, style, lines)) = self.title() {
            let level = self.level(style);
            self.found.heading(line.start, level, &plain(title));
            self.at += lines;
        } else if is_item(line) {
            self.found.body(line.start);
            self.list();
        } else {
            self.found.body(line.start);
            self.at = self.end_of_table(line).unwrap_or_else(|| self.end_of_paragraph());
        }
    }

    /// Returns the title that begins here, its style, and how many lines it takes.
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

    /// Returns the level of a style, which a style that is new opens below all others.
    fn level(&mut self, style: Style) -> u32 {
        let known = self.styles.iter().position(|known| *known == style);
        let at = known.unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        at as u32 + 1
    }

    /// Goes on behind the lines that are indented or blank.
    fn skip_indented(&mut self) {
        while self.line(0).is_some_and(|line| line.is_blank() || line.is_indented()) {
            self.at += 1;
        }
    }

    /// Goes on behind a list, items parted by blank lines included.
    fn list(&mut self) {
        while let Some(line) = self.line(0).filter(|line| is_item(*line)) {
            if !is_bullet(line) && self.title().is_some() {
                return;
            }
            self.found.item(line.start);
            self.at += 1;
            self.skip_indented();
        }
    }

    fn end_of_paragraph(&self) -> usize {
        let mut rest = self.lines.from(self.at);
        rest.find(|(_, line)| line.is_blank()).map_or(self.lines.len(), |(at, _)| at)
    }

    /// Returns where a table ends whose columns are ruled by `=`, and whose rows may be parted by
    /// blank lines: behind the first such rule that a blank line follows.
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

/// Tells whether a rule is long enough for a title: as long as that, or at least 4.
fn is_long_enough(rule: usize, title: &str) -> bool {
    rule >= 4 || rule >= title.chars().count()
}

/// Tells whether a line begins an item of a list that has no numbers.
fn is_bullet(line: Line<'_>) -> bool {
    let marker = line.text.split_once(' ').map(|(marker, _)| marker);
    matches!(marker, Some("*" | "+" | "-" | "•" | "‣" | "⁃"))
}

/// Tells whether a line begins an item of a list; with a number it may be a title as well.
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

/// Tells whether a line consists of at least two columns of `=`.
fn is_table_rule(line: Line<'_>) -> bool {
    line.text.contains("= ") && line.text.bytes().all(|byte| matches!(byte, b'=' | b' '))
}

/// Returns what a title says, without the marks of literals, roles and emphasis.
fn plain(title: &str) -> String {
    let mut text = String::with_capacity(title.len());
    for part in title.split('`') {
        // A role stands before what it is of, such as `:class:`.
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
    use super::*;

    /// The level and title of each section, and the first words of every other block.
    fn read(text: &str) -> Vec<String> {
        let blocks = blocks(text);
        let ends = blocks.list.iter().skip(1).map(|block| block.start).chain([text.len()]);
        let shown = blocks.list.iter().zip(ends).map(|(block, end)| {
            let line = text[block.start..end].trim().lines().next().unwrap_or("");
            match block.form {
                super::super::block::Form::Heading => {
                    format!("{} {}", block.level, blocks.sections.path(block.section).join(" / "))
                }
                _ => line.to_owned(),
            }
        });
        shown.collect()
    }

    #[test]
    fn the_order_of_marks_tells_the_levels() {
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
    fn what_is_indented_or_no_beginning_opens_no_section() {
        let text = "A\n=\n\n.. note::\n\n   B\n   =\n\ntext::\n\n    C\n    ---\n\nwords\nmore\n----\n\n----\n\nend";
        assert_eq!(read(text), ["1 A", ".. note::", "text::", "C", "words", "----", "end"]);
    }

    #[test]
    fn a_list_and_a_table_are_one_block_each() {
        let text = "- a\n\n- b\n\n  more\n\n1. c\n\n=====  =====\nx      y\n=====  =====\n1      2\n\n3      4\n=====  =====\n\nend\n";
        assert_eq!(read(text), ["- a", "=====  =====", "end"]);
        assert_eq!(blocks(text).items, [0, 5, 18]);
    }

    #[test]
    fn a_table_without_an_end_is_a_paragraph() {
        let text = "== ==\na b\n\n== ==\nc d\n\nend";
        assert_eq!(read(text), ["== ==", "== ==", "end"]);
        assert_eq!(read("== ==\na b\n\nend"), ["== ==", "end"]);
    }

    #[test]
    fn a_title_is_read_without_its_marks() {
        assert_eq!(plain("The ``x`` of :class:`A` in `B`: **now**"), "The x of A in B: now");
        assert_eq!(title("x\n\n\\*args\n======\n").as_deref(), Some("*args"));
        assert_eq!(title("only words\n"), None);
    }

    #[test]
    fn a_title_may_begin_with_a_number_but_not_with_a_bullet() {
        assert_eq!(read("1. A\n====\n\n1. b\n2. c\n\n- d\n---\n"), ["1 1. A", "1. b", "---"]);
    }

    #[test]
    fn short_rules_are_text() {
        assert_eq!(read("Words\n--\n\nmore\n..\n"), ["Words", "more"]);
        assert_eq!(read("\u{feff}Ab\r\n--\r\nx"), ["1 Ab", "x"]);
    }
}
