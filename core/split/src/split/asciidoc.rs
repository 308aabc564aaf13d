/*!
`AsciiDoc`.

A section begins with `=` to `======`, where the document's title has level 1, or with an underlined
title as in old documents. Two equal delimiters enclose one block, which includes the attributes and
the title before it. So listings open no sections, and neither do discrete headings.

The splitter reads one file alone. An include, and a condition such as `ifdef::`, is a block of its own
line, which stays in the text.
*/

mod tables;

use crate::links;

use super::{
    block_builder::{self, BlockBuilder, Line, Lines, rule},
    blocks::Blocks,
    titles::visible,
};

/// The underlines of two-line titles, from level 1 on.
const UNDERLINES: [char; 5] = ['=', '-', '~', '^', '+'];

/// Finds the blocks of a document.
pub(super) fn blocks(text: &str) -> Blocks {
    let mut reader = AsciidocReader { lines: Lines::of(text), at: 0, builder: BlockBuilder::new() };
    while let Some(line) = reader.line(0) {
        if line.is_blank() {
            reader.at += 1;
        } else {
            reader.read(line.start);
        }
    }
    Blocks { links: links::asciidoc::links(text), ..reader.builder.finish(text) }
}

/// Returns the title of the document, else of its first section.
pub(super) fn title(text: &str) -> Option<String> {
    block_builder::title(&blocks(text))
}

struct AsciidocReader<'t> {
    lines: Lines<'t>,
    /// The index of the next line.
    at: usize,
    builder: BlockBuilder,
}

impl<'t> AsciidocReader<'t> {
    /// Returns a line by its distance from the next one.
    fn line(&self, ahead: usize) -> Option<Line<'t>> {
        self.lines.get(self.at + ahead)
    }

    /// Reads the block at an offset, with its attributes and its title.
    fn read(&mut self, start: usize) {
        let mut discrete = false;
        let first = self.at;
        while let Some(line) = self.line(0).filter(|line| is_block_metadata(*line)) {
            discrete |= line.text.contains("discrete") || line.text.contains("float");
            self.at += 1;
        }
        let Some(line) = self.line(0).filter(|line| !line.is_blank()) else {
            self.builder.body(start);
            return;
        };
        if is_directive(line) {
            self.builder.body(start);
            self.at += 1;
            return;
        }
        if let Some((level, title, lines)) = self.title(line) {
            if discrete {
                self.builder.body(start);
            } else {
                self.builder.heading(start, level, &plain(title));
            }
            self.at += lines;
            return;
        }
        self.builder.body(start);
        if is_table(line) {
            let attributes = (first..self.at).filter_map(|at| self.lines.get(at));
            let attributes: Vec<&str> = attributes.map(|line| line.text).collect();
            self.table(line, &attributes.join(","));
        } else if is_delimiter(line) {
            self.delimited(line);
        } else if is_item(line) {
            self.builder.item(line.start);
            self.at += 1;
            self.list();
        } else {
            self.at += 1;
            while self.line(0).is_some_and(|line| {
                !line.is_blank()
                    && !is_delimiter(line)
                    && !is_directive(line)
                    && !line.text.starts_with('[')
            }) {
                self.at += 1;
            }
        }
    }

    /// Returns the level and text of the title that a line begins, and the number of its lines.
    fn title(&self, line: Line<'t>) -> Option<(u32, &'t str, usize)> {
        let mark = line.text.chars().next().filter(|mark| matches!(mark, '=' | '#'));
        if let Some(mark) = mark {
            let rest = line.text.trim_start_matches(mark);
            let level = line.text.len() - rest.len();
            let title = rest.strip_prefix(' ').map(str::trim).filter(|title| !title.is_empty());
            return title.filter(|_| level <= 6).map(|title| (level as u32, title, 1));
        }
        let (mark, length) = rule(self.line(1)?)?;
        let level = UNDERLINES.iter().position(|known| *known == mark)?;
        let fits = length.abs_diff(line.text.chars().count()) <= 1 && length > 1;
        let words = line.text.starts_with(|char: char| char.is_alphanumeric());
        (fits && words).then_some((level as u32 + 1, line.text, 2))
    }

    /// Skips a delimited block; an unclosed one extends to the end of the document.
    fn delimited(&mut self, delimiter: Line<'t>) {
        self.at += 1;
        // Only the opening fence names a language.
        let closing = if delimiter.text.starts_with("```") { "```" } else { delimiter.text };
        while let Some(line) = self.line(0) {
            self.at += 1;
            if line.text == closing {
                break;
            }
        }
    }

    /// Skips a table, and records its rows. Its chunks repeat its header.
    fn table(&mut self, delimiter: Line<'t>, attributes: &str) {
        let begin = self.at + 1;
        self.delimited(delimiter);
        let closes = self.lines.get(self.at - 1).is_some_and(|line| line.text == delimiter.text);
        let end = self.at - usize::from(closes && self.at - 1 > begin);
        let lines = (begin..end).filter_map(|at| self.lines.get(at));
        let table = tables::read(lines, &delimiter.text[..1], attributes);
        if let Some((header, rows)) = table.header {
            self.builder.table(header, rows);
        }
        table.rows.into_iter().for_each(|row| self.builder.item(row));
    }

    /// Skips a list after its first line: items separated by blank lines, and blocks that `+` attaches
    /// to them.
    fn list(&mut self) {
        while let Some(line) = self.line(0) {
            let before = self.at.checked_sub(1).and_then(|before| self.lines.get(before));
            let tied = before.is_some_and(|before| before.text == "+");
            if is_delimiter(line) && tied {
                self.delimited(line);
            } else if line.is_blank() {
                match self.lines.from(self.at).find(|(_, line)| !line.is_blank()) {
                    Some((next, line)) if is_item(line) || line.is_indented() => self.at = next,
                    _ => return,
                }
            } else if is_delimiter(line)
                || is_directive(line)
                || (line.text.starts_with('[') && !tied)
            {
                return;
            } else {
                if is_item(line) {
                    self.builder.item(line.start);
                }
                self.at += 1;
            }
        }
    }
}

/// Returns whether a line has the attributes or the title of the next block.
fn is_block_metadata(line: Line<'_>) -> bool {
    let text = line.text;
    (text.starts_with('[') && text.ends_with(']'))
        || (text.starts_with('.') && !text[1..].starts_with(['.', ' ']) && text.len() > 1)
}

/// Returns whether a line opens a table.
fn is_table(line: Line<'_>) -> bool {
    line.text.len() == 4 && line.text.ends_with("===") && !line.text.starts_with('=')
}

/// Returns whether a line includes another file, or begins or ends a condition.
fn is_directive(line: Line<'_>) -> bool {
    let names = ["include::", "ifdef::", "ifndef::", "ifeval::", "endif::"];
    line.text.ends_with(']') && names.iter().any(|name| line.text.starts_with(name))
}

/// Returns whether a line opens a block that ends with an equal line.
fn is_delimiter(line: Line<'_>) -> bool {
    if matches!(line.text, "--" | "|===" | ",===" | ":===" | "!===") {
        return true;
    }
    if let Some(language) = line.text.strip_prefix("```") {
        return !language.contains(['`', ' ']);
    }
    rule(line).is_some_and(|(mark, length)| {
        length >= 4 && matches!(mark, '-' | '.' | '=' | '*' | '_' | '+' | '/')
    })
}

/// Returns whether a line begins an item of a list or a definition.
fn is_item(line: Line<'_>) -> bool {
    let text = line.text.trim_start();
    if ["::", ":::", "::::", ";;"].iter().any(|end| text.ends_with(end)) {
        return true;
    }
    let Some((marker, rest)) = text.split_once(' ') else { return false };
    if rest.is_empty() {
        return false;
    }
    let repeated = |mark: u8| marker.len() <= 5 && marker.bytes().all(|byte| byte == mark);
    let digits =
        |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = marker.strip_suffix('.').is_some_and(digits);
    let callout = marker.strip_prefix('<').and_then(|marker| marker.strip_suffix('>'));
    let callout = callout.is_some_and(|number| number == "." || digits(number));
    let defined = text.contains(":: ") || text.contains(";; ");
    marker == "-" || repeated(b'*') || repeated(b'.') || numbered || callout || defined
}

/// Returns a title without anchors and the markup of code and emphasis.
fn plain(title: &str) -> String {
    let mut text = title;
    while let Some((_, rest)) = text.strip_prefix("[[").and_then(|rest| rest.split_once("]]")) {
        text = rest.trim_start();
    }
    while let Some((rest, _)) = text.strip_suffix("]]").and_then(|rest| rest.rsplit_once("[[")) {
        text = rest.trim_end();
    }
    visible(text).replace(['`', '*'], "")
}

#[cfg(test)]
mod tests {
    use super::{super::blocks::Form, *};

    /// Returns the level and titles of each heading, and the first line of every other block.
    fn read(text: &str) -> Vec<String> {
        let blocks = blocks(text);
        let ends = blocks.list.iter().skip(1).map(|block| block.start).chain([text.len()]);
        let shown = blocks.list.iter().zip(ends).map(|(block, end)| match block.form {
            Form::Heading => {
                format!("{} {}", block.level, blocks.sections.path(block.section).join(" / "))
            }
            _ => text[block.start..end].trim().lines().next().unwrap_or("").to_owned(),
        });
        shown.collect()
    }

    /// Returns the offsets of the items.
    fn items(text: &str) -> Vec<usize> {
        blocks(text).items.into_iter().map(|item| item.at).collect()
    }

    #[test]
    fn equals_signs_decide_the_level() {
        let text =
            "= Book\nAuthor <a@b>\n:toc:\n\n[[one]]\n== One `x`\n\na\n\n=== Two\nb\n\n== Three\n";
        let expected = [
            "1 Book",
            "Author <a@b>",
            "2 Book / One x",
            "a",
            "3 Book / One x / Two",
            "b",
            "2 Book / Three",
        ];
        assert_eq!(read(text), expected);
        assert_eq!(title(text).as_deref(), Some("Book"));
    }

    #[test]
    fn titles_have_no_anchors() {
        assert_eq!(plain("[[a]] [[b]]With id [[c]]"), "With id");
        assert_eq!(plain("An array[[0]] of"), "An array[[0]] of");
    }

    #[test]
    fn old_style_titles_are_underlined() {
        let text = "git-add(1)\n==========\n\nNAME\n----\ngit-add - Add\n\nDEEP\n~~~~\n";
        let expected =
            ["1 git-add(1)", "2 git-add(1) / NAME", "git-add - Add", "3 git-add(1) / NAME / DEEP"];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn delimited_blocks_open_no_section() {
        for mark in ["----", "....", "====", "****", "____", "++++", "////", "--", "|===", "```"] {
            let text = format!(
                "= A\n\n[source]\n.Title\n{mark}\n== no\n\n{mark}x\n\n== no\n{mark}\n== B\n"
            );
            let blocks = read(&text);
            assert_eq!(blocks, ["1 A", "[source]", "2 A / B"], "{mark}");
        }
        assert_eq!(read("== A\n----\n== no\n\n== no\n"), ["2 A", "----"]);
        assert_eq!(read("a\n== no\n\n[discrete]\n== no\n"), ["a", "[discrete]"]);
    }

    #[test]
    fn an_include_is_text_and_hides_no_title() {
        let text = "= A\n\ninclude::a.adoc[leveloffset=+1]\n== B\nb\nifdef::c[]\n== C\n* c\nendif::c[]\n== D\n";
        let expected = [
            "1 A",
            "include::a.adoc[leveloffset=+1]",
            "2 A / B",
            "b",
            "ifdef::c[]",
            "2 A / C",
            "* c",
            "endif::c[]",
            "2 A / D",
        ];
        assert_eq!(read(text), expected);
        assert_eq!(read("----\ninclude::a.rs[]\n== no\n----\n"), ["----"]);
    }

    #[test]
    fn a_list_and_its_attached_blocks_are_one_block() {
        let text = "* a\n+\n----\ncode\n\n* no item\n----\n\n** b\n\nterm:: c\n\nwords\n";
        assert_eq!(read(text), ["* a", "words"]);
        assert_eq!(items(text), [0, 33, 39]);
        assert_eq!(read("[a]b:: c\n\nd:: e\n"), ["[a]b:: c"]);
    }
}
