/*!
INI and Java's properties: units are sections and keys.

A line `[name]` opens a section, which extends to the next one. A key has the section of its name,
below the section that it is in. Comments before a section or a key belong to it. But comments in a section
that a blank line separates from the next section stay in their own, because they may be keys that are off.

INI has no standard, so no line is an error. A value goes on at the next line if that one is indented
further than its key, if it has brackets alone, or if the line before ends in a blank and a backslash. A
quote that opens a value and does not close on its line continues it up to the line that closes it.
So a block in braces, as in the settings of many servers, is one value. Without an equals sign, a
colon or the first blank ends a key.

Properties have no sections. A backslash at the end of a line continues the value.
*/

use super::{
    plain::lines,
    units::{Title, Units},
};
use crate::{SyntaxError, Unit, interrupt};
use std::iter::Peekable;

/// Finds the units of an INI document.
#[expect(clippy::unnecessary_wraps, reason = "a parser of units may fail")]
pub(super) fn units(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    read(text, units, Dialect::Ini);
    Ok(())
}

/// Finds the units of a document of properties.
#[expect(clippy::unnecessary_wraps, reason = "a parser of units may fail")]
pub(super) fn properties(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    read(text, units, Dialect::Properties);
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Ini,
    Properties,
}

fn read(text: &str, units: &mut Units<'_>, dialect: Dialect) {
    let mut lines = lines(text).peekable();
    // The end of the last entry, and that of the last line.
    let (mut entry, mut at) = (0, 0);
    let mut in_section = false;
    // The end of the last blank line after a comment.
    let mut comments = 0;
    while let Some(line) = lines.next() {
        at += line.len();
        let words = line.trim_start_matches('\u{feff}').trim();
        if words.is_empty() && at > entry + line.len() {
            comments = at;
        }
        if words.is_empty() || dialect.is_comment(words) {
            continue;
        }
        if let Some(name) = dialect.section(words) {
            if in_section {
                entry = entry.max(comments);
                units.close(entry);
            }
            units.open(entry, name, Unit::Container);
            in_section = true;
        } else {
            at += match quote_of_value(text, at, line) {
                Some(rest) => skip(rest, &mut lines),
                None => dialect.rest_of_value(line, &mut lines),
            };
            at += blanks(&mut lines);
            units.value(entry..at, Title::Key(dialect.key(words)));
        }
        entry = at;
    }
    if in_section {
        units.close(text.len());
    }
}

impl Dialect {
    fn is_comment(self, words: &str) -> bool {
        let marks = if self == Dialect::Ini { [';', '#'] } else { ['!', '#'] };
        words.starts_with(marks)
    }

    /// Returns the name in a line that opens a section; only a comment may follow it.
    fn section(self, words: &str) -> Option<&str> {
        let inside = words.strip_prefix('[').filter(|_| self == Dialect::Ini)?;
        let is_end = |end: &usize| {
            interrupt::poll();
            let rest = inside[end + 1..].trim_start();
            rest.is_empty() || rest.starts_with([';', '#'])
        };
        let end = memchr::memchr_iter(b']', inside.as_bytes()).find(is_end)?;
        Some(inside[..end].trim())
    }

    /// Returns the key in a line.
    fn key(self, words: &str) -> &str {
        if self == Dialect::Properties {
            let mut is_escaped = false;
            let is_end = |char: char| {
                let is_end = !is_escaped && (char.is_whitespace() || matches!(char, '=' | ':'));
                is_escaped = char == '\\' && !is_escaped;
                is_end
            };
            return words.find(is_end).map_or(words, |end| &words[..end]);
        }
        // Files of environment variables are shell scripts too.
        let words = words.strip_prefix("export ").map_or(words, str::trim_start);
        let named = words.split_once('=').or_else(|| words.split_once(": "));
        let named = named.map(|(key, _)| key.trim_end()).or_else(|| words.strip_suffix(':'));
        named.unwrap_or_else(|| words.split_whitespace().next().unwrap_or(words))
    }

    /// Skips the lines that continue the value of a line, and returns their length.
    fn rest_of_value<'t>(
        self,
        first: &'t str,
        lines: &mut Peekable<impl Iterator<Item = &'t str>>,
    ) -> usize {
        let depth = indent(first);
        let (mut before, mut length) = (first, 0);
        while let Some(line) = lines.next_if(|line| self.goes_on(before, line, depth)) {
            length += line.len();
            before = line;
        }
        length
    }

    /// Returns whether a line continues the value of the line before, whose key is indented by `depth`.
    fn goes_on(self, before: &str, line: &str, depth: usize) -> bool {
        let (before, words) = (before.trim_end_matches(['\r', '\n']), line.trim());
        if self == Dialect::Properties {
            return (before.len() - before.trim_end_matches('\\').len()) % 2 == 1;
        }
        before.ends_with(" \\")
            || (!words.is_empty() && indent(line) > depth)
            || (!words.is_empty()
                && words.bytes().all(|byte| matches!(byte, b'}' | b']' | b')' | b';' | b',')))
    }
}

/// Returns the number of bytes after a line, up to the end of the line that closes the quote which opens the value of
/// the line. Returns `None` if there is none, or if it closes on its line or far away.
fn quote_of_value(text: &str, at: usize, line: &str) -> Option<usize> {
    const MAX_VALUE: usize = 1 << 16;
    let (_, value) = line.split_once('=')?;
    let value = value.trim_start();
    let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''))?;
    if value[1..].contains(quote) {
        return None;
    }
    let after = &text[at..text.floor_char_boundary(text.len().min(at + MAX_VALUE))];
    let close = after.find(quote)?;
    Some(close + lines(&after[close..]).next().map_or(0, str::len))
}

/// Skips lines of a total length, and returns it.
fn skip<'t>(length: usize, lines: &mut Peekable<impl Iterator<Item = &'t str>>) -> usize {
    let mut skipped = 0;
    while skipped < length
        && let Some(line) = lines.next()
    {
        skipped += line.len();
    }
    skipped
}

/// Skips blank lines, and returns their length.
fn blanks<'t>(lines: &mut Peekable<impl Iterator<Item = &'t str>>) -> usize {
    let blank = || lines.next_if(|line| line.trim().is_empty()).map(str::len);
    std::iter::from_fn(blank).sum()
}

/// Returns the number of bytes of white space before a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use crate::{Characters, ChunkLimits, MediaType, SplitOptions, split};

    /// Returns the section and the content of each chunk, with limits that merge nothing.
    fn chunks<'t>(text: &'t str, media_type: &str) -> Vec<(String, &'t str)> {
        let limits = ChunkLimits { min: 0, preferred: 1, max: 60, window: 60 };
        let options = SplitOptions::new(limits);
        let document = split(text, &MediaType::new(media_type), &options, &Characters).unwrap();
        let chunks = document.chunks.iter();
        chunks.map(|chunk| (chunk.section.join("/"), chunk.content)).collect()
    }

    fn sections(text: &str, media_type: &str) -> Vec<String> {
        chunks(text, media_type).into_iter().map(|(section, _)| section).collect()
    }

    #[test]
    fn sections_and_keys_have_their_names() {
        let text = "; about\nroot = 1\n\n# of a\n[remote \"a\"] ; x\n\turl = b=c\n\n\tfetch = d ; this line is long enough\n[[e]]\nPort 22\n";
        let expected = [
            ("root", "; about\nroot = 1\n\n"),
            ("remote \"a\"", "# of a\n[remote \"a\"] ; x\n"),
            ("remote \"a\"/url", "\turl = b=c\n\n"),
            ("remote \"a\"/fetch", "\tfetch = d ; this line is long enough\n"),
            ("[e]", "[[e]]\nPort 22\n"),
        ];
        let expected = expected.map(|(section, content)| (section.to_owned(), content));
        assert_eq!(chunks(text, "text/x-ini"), expected);
    }

    #[test]
    fn a_value_may_have_several_lines() {
        let text = "[options]\ninstall =\n    a>=1\n    b=2\nnext: 3\nserver {\n  listen 80;\n}\npath=C:\\\nlast = 1 \\\n2\n";
        let text = text.to_owned() + &"# filler\n".repeat(4);
        let sections = sections(&text, "text/x-ini");
        let expected = ["options", "install", "next", "server", "path", "last"];
        for (section, name) in sections.iter().zip(expected) {
            assert!(section.ends_with(name), "{sections:?}");
        }
    }

    #[test]
    fn a_comment_before_a_blank_line_stays_in_its_section() {
        let text = "[Date]\n; Zone of the dates\n;date.timezone =\n\n; Mail\n[mail]\nport = 25\n";
        let expected = [
            ("Date", "[Date]\n; Zone of the dates\n;date.timezone =\n\n"),
            ("mail", "; Mail\n[mail]\nport = 25\n"),
        ];
        let expected = expected.map(|(section, content)| (section.to_owned(), content));
        assert_eq!(chunks(text, "text/x-ini"), expected);
    }

    #[test]
    fn a_quoted_value_may_have_several_lines() {
        let text =
            "A=1\nMULTI=\"line 1 of some\nline 2=x\"\nexport B='its'\nC=\"open\nD=2\n".to_owned();
        let chunks = chunks(&text, "text/x-ini");
        let multi = chunks.iter().find(|(section, _)| section == "MULTI");
        assert_eq!(
            multi.map(|(_, content)| *content),
            Some("MULTI=\"line 1 of some\nline 2=x\"\n")
        );
        assert!(chunks.iter().any(|(_, content)| content.ends_with("D=2\n")), "{chunks:?}");
    }

    #[test]
    fn properties_have_keys_but_no_sections() {
        let text =
            "! about\na.b=1\\\n  [c]\\\\\n[d]: e\nf\\ g h\ni\n".to_owned() + &"#\n".repeat(20);
        let expected = ["a.b", "[d]", "f\\ g", "i", ""];
        assert_eq!(sections(&text, "text/x-java-properties"), expected);
    }
}
