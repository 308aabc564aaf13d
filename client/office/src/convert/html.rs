//! Pages of HTML in other documents: the chapters of a book and the body of a mail.

use super::ConvertError;
use passage_split::MediaType;

/// The media type of a page.
pub(super) const HTML: &str = "text/html";

/// Elements of HTML that have no end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Returns a page as Markdown.
pub(super) fn markdown(html: &str) -> Result<String, ConvertError> {
    let converted = passage_split::convert(html, &MediaType::new(HTML), None)
        .map_err(|error| ConvertError::TooLarge(error.to_string()))?;
    Ok(converted.map(|converted| converted.text.replace('\0', "")).unwrap_or_default())
}

/// Returns XHTML in the notation of HTML, in which `<a id="x"/>` is a start tag: the text after it would be in the link.
pub(super) fn of_xhtml(xhtml: &str) -> String {
    let mut html = String::with_capacity(xhtml.len());
    let mut rest = xhtml;
    while let Some(start) = rest.find('<') {
        let (before, tags) = rest.split_at(start);
        let (tag, after) = tags.split_at(end(tags));
        html.push_str(before);
        match tag.strip_suffix("/>").filter(|tag| !tag.starts_with("<!")) {
            Some(tag) if !VOID.contains(&name(tag)) => {
                html.extend([tag, "></", name(tag), ">"]);
            }
            _ => html.push_str(tag),
        }
        rest = after;
    }
    html.push_str(rest);
    html
}

fn name(tag: &str) -> &str {
    tag[1..].split(|char: char| char.is_whitespace() || char == '/').next().unwrap_or_default()
}

/// Returns the end of a tag or a comment. An attribute may have the sign that ends a tag.
fn end(tags: &str) -> usize {
    if tags.starts_with("<!--") {
        return tags.find("-->").map_or(tags.len(), |end| end + 3);
    }
    let mut quote = None;
    for (at, byte) in tags.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(begun), byte) if begun == byte => quote = None,
            _ => {}
        }
    }
    tags.len()
}
