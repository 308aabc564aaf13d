//! The parts of a component: elements at the top, and the text between them.

use crate::interrupt;
use memchr::memmem;
use std::ops::Range;

/// A part of a component.
pub(super) struct Part {
    /// Its bytes, with its tags and the blank lines after it.
    pub(super) bytes: Range<usize>,
    /// The bytes between its tags.
    pub(super) content: Range<usize>,
    pub(super) title: String,
    /// The media type of its content, if a parser reads it.
    pub(super) media_type: Option<&'static str>,
}

/// Returns the parts of a text, in order.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let (mut parts, mut at) = (Vec::new(), 0);
    if let Some(content) = front_matter(text) {
        let end = next_line(text, content.end);
        parts.push(part(text, 0..end, content, "script", Some("text/x-typescript")));
        at = end;
    }
    let mut outside = at;
    while let Some((element, content, tag)) = next_element(text, at) {
        interrupt::poll();
        add_markup(text, outside..element.start, &mut parts);
        let name = name(tag);
        let language = language(tag);
        let media_type = match (name, language) {
            ("script", "ts" | "typescript") => Some("text/x-typescript"),
            ("script", "tsx") => Some("text/x-tsx"),
            ("script", _) => Some("text/javascript"),
            ("style", "" | "css" | "postcss") => Some("text/css"),
            _ => None,
        };
        at = next_line(text, element.end);
        parts.push(part(text, element.start..at, content, name, media_type));
        outside = at;
    }
    add_markup(text, outside..text.len(), &mut parts);
    parts
}

fn part(
    text: &str,
    bytes: Range<usize>,
    content: Range<usize>,
    title: &str,
    media_type: Option<&'static str>,
) -> Part {
    let blank = text[bytes.end..].len() - text[bytes.end..].trim_start().len();
    Part { bytes: bytes.start..bytes.end + blank, content, title: title.to_owned(), media_type }
}

/// Adds the text between two elements as a part of the template, unless it is blank.
fn add_markup(text: &str, bytes: Range<usize>, parts: &mut Vec<Part>) {
    if !text[bytes.clone()].trim().is_empty() {
        parts.push(Part {
            content: bytes.clone(),
            bytes,
            title: "template".to_owned(),
            media_type: None,
        });
    }
}

/// Returns the script between two lines `---` at the beginning.
fn front_matter(text: &str) -> Option<Range<usize>> {
    let first = text.trim_start_matches(['\u{feff}', '\n', '\r']);
    let rest = first.strip_prefix("---").filter(|rest| rest.starts_with(['\n', '\r']))?;
    let start = text.len() - rest.len();
    let end = memmem::find_iter(rest.as_bytes(), "\n---").find(|at| {
        let after = &rest[at + 4..];
        after.is_empty() || after.starts_with(['\n', '\r'])
    })?;
    Some(start..start + end + 1)
}

/// Returns the next script, style, template or block of its own kind that begins a line without indentation: its bytes,
/// its content and its opening tag.
fn next_element(text: &str, from: usize) -> Option<(Range<usize>, Range<usize>, &str)> {
    for start in memchr::memchr_iter(b'<', &text.as_bytes()[from..]).map(|at| from + at) {
        interrupt::poll();
        let begins_line = start == 0 || text[..start].ends_with(['\n', '\r', '\u{feff}']);
        let name = name(&text[start..]);
        if !begins_line || !matches!(name, "script" | "style" | "template" | "i18n" | "docs") {
            continue;
        }
        let open = start + memchr::memchr(b'>', &text.as_bytes()[start..])? + 1;
        let tag = &text[start..open];
        if tag.ends_with("/>") {
            return Some((start..open, open..open, tag));
        }
        let close = format!("</{name}");
        // A template may have others inside, whose ends are indented.
        let ends = memmem::find_iter(&text.as_bytes()[open..], &close).map(|at| open + at);
        let ends: Vec<usize> = ends.take(1_000).collect();
        let is_outer = |at: &usize| text[..*at].ends_with(['\n', '\r']);
        let outer = ends.iter().copied().find(is_outer).or_else(|| ends.last().copied());
        // Without an end the rest is a part of it.
        let end = outer.unwrap_or(text.len());
        let after =
            memchr::memchr(b'>', &text.as_bytes()[end..]).map_or(text.len(), |at| end + at + 1);
        return Some((start..after, open..end, tag));
    }
    None
}

/// Returns the name of the tag that a text begins with.
fn name(text: &str) -> &str {
    let name = text.strip_prefix('<').unwrap_or_default();
    let end = name.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(name.len());
    &name[..end]
}

/// Returns the value of the attribute `lang`.
fn language(tag: &str) -> &str {
    let value = tag.split_once("lang=").map_or("", |(_, value)| value);
    value.trim_start_matches(['"', '\'']).split(['"', '\'', ' ', '>']).next().unwrap_or_default()
}

fn next_line(text: &str, at: usize) -> usize {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]);
    let line = end.map_or(text.len(), |end| at + end + 1);
    if text[at..line].trim_start_matches('-').trim().is_empty() { line } else { at }
}
