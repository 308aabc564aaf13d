//! Front matter: YAML or TOML before the text of a Markdown document.

use crate::split::plain::lines;

/// Returns the end of the front matter of a text, if it has one.
///
/// Front matter is enclosed by two lines `---` or two lines `+++`. The first of them is the first line
/// of the text, and no blank line follows it. YAML may also end with `...`.
pub(super) fn end(text: &str) -> Option<usize> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = lines(body);
    let first = lines.next()?;
    let mark = first.trim_end();
    if !matches!(mark, "---" | "+++") {
        return None;
    }
    let mut end = text.len() - body.len() + first.len();
    for (number, line) in lines.enumerate() {
        end += line.len();
        let line = line.trim_end();
        if number == 0 && line.is_empty() {
            return None;
        }
        if line == mark || (line == "..." && mark == "---") {
            return Some(end);
        }
    }
    None
}

/// Returns the title of front matter, which must be on one line, without its quotes.
pub(super) fn title(front_matter: &str) -> Option<&str> {
    lines(front_matter).find_map(|line| {
        let rest = line.strip_prefix("title")?.trim_start();
        let value = rest.strip_prefix([':', '='])?.trim();
        let value = match value.as_bytes().first()? {
            quote @ (b'"' | b'\'') => value[1..].split(*quote as char).next()?.trim(),
            // Anchors, lists, tables and scalars of several lines are not titles.
            b'|' | b'>' | b'[' | b'{' | b'&' | b'*' | b'!' => return None,
            _ => value.split(" #").next()?.trim_end(),
        };
        (!value.is_empty()).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_at_the_beginning_and_closed() {
        assert_eq!(end("---\na: 1\n---\ntext"), Some(13));
        assert_eq!(end("\u{feff}---\r\na: 1\r\n...\r\ntext"), Some(19));
        assert_eq!(end("+++\na = 1\n+++"), Some(13));
        assert_eq!(end("---\na: 1\n"), None);
        assert_eq!(end("---\n\ntext\n\n---\n"), None);
        assert_eq!(end("text\n---\na: 1\n---\n"), None);
    }

    #[test]
    fn a_title_is_found_with_any_quotes() {
        assert_eq!(title("---\ntitle: Getting started # now\n---\n"), Some("Getting started"));
        assert_eq!(title("a: b\r\ntitle: \"A: b\"\r\n"), Some("A: b"));
        assert_eq!(title("title = 'C# in depth'"), Some("C# in depth"));
        assert_eq!(title("titles: a\nsub:\n  title: b\ntitle: >\n  c\n"), None);
        assert_eq!(title("title:\n"), None);
    }
}
