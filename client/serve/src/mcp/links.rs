//! The result of the tool `links`.

use super::results::single_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Links of a document or a chunk, or those that lead to it.
#[derive(Serialize, JsonSchema)]
pub(super) struct LinkList {
    /// The links, in the order of their documents.
    pub(super) links: Vec<ListedLink>,
    /// The offset with which to call the tool for more; null if there are no more.
    pub(super) next_offset: Option<u32>,
}

/// A link.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListedLink {
    /// Link, wiki, reference, import or include.
    kind: String,
    /// The text of the link.
    text: String,
    /// The uri of the document with the link.
    from_uri: Option<String>,
    /// The chunk with the link.
    from_chunk: String,
    /// The uri of the document that it leads to, or the target as written.
    to_uri: Option<String>,
    /// The anchor or the heading.
    to_section: Option<String>,
    /// The chunk that it leads to; null if the store lacks the document or the section.
    to_chunk: Option<String>,
    #[serde(skip)]
    line: String,
}

/// A row of `links` or `backlinks`.
#[derive(Deserialize)]
pub(super) struct LinkRow {
    kind: String,
    text: String,
    from_chunk: String,
    from_uri: Option<String>,
    to_chunk: Option<String>,
    to_document: Option<String>,
    to_uri: Option<String>,
    to_section: Option<String>,
}

impl ListedLink {
    /// Makes a link of a row. Its line names the other end: the target, or the document with the link.
    pub(super) fn new(row: LinkRow, is_backlink: bool) -> Self {
        let LinkRow { kind, text, from_chunk, from_uri, to_chunk, to_uri, to_section, .. } = row;
        let uri = if is_backlink { &from_uri } else { &to_uri };
        let mut line = single_line(uri.as_deref().unwrap_or("(no uri)"));
        let section = to_section.as_deref().unwrap_or_default();
        if !is_backlink && !section.is_empty() {
            let _ = write!(line, "#{}", single_line(section));
        }
        if !text.is_empty() {
            let _ = write!(line, " ({})", single_line(&text));
        }
        let chunk = if is_backlink { Some(&from_chunk) } else { to_chunk.as_ref() };
        match (chunk, row.to_document) {
            (Some(chunk), _) => {
                let _ = write!(line, " chunk_id {chunk}");
            }
            (None, Some(_)) => line.push_str(" the document has no such section"),
            (None, None) => line.push_str(" not in the store"),
        }
        line.push('\n');
        Self { kind, text, from_uri, from_chunk, to_uri, to_section, to_chunk, line }
    }

    /// Returns the line of the list.
    pub(super) fn line(&self) -> &str {
        &self.line
    }
}

impl LinkList {
    pub(super) fn text(&self) -> String {
        if self.links.is_empty() {
            return "No links.\n".to_owned();
        }
        let mut text: String = self.links.iter().map(ListedLink::line).collect();
        if let Some(offset) = self.next_offset {
            let _ = writeln!(text, "More links follow: call again with offset {offset}.");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_names_the_other_end_and_whether_it_exists() {
        let row = |to_chunk: Option<&str>, to_document: Option<&str>| -> LinkRow {
            serde_json::from_value(json!({
                "kind": "link", "text": "a\nb", "from_chunk": "f", "from_uri": "from.md", "to_chunk": to_chunk,
                "to_document": to_document, "to_uri": "to.md", "to_section": "s",
            }))
            .unwrap()
        };
        let line = |row, is_backlink| ListedLink::new(row, is_backlink).line;
        assert_eq!(line(row(Some("t"), Some("d")), false), "to.md#s (a b) chunk_id t\n");
        assert_eq!(line(row(Some("t"), Some("d")), true), "from.md (a b) chunk_id f\n");
        assert_eq!(
            line(row(None, Some("d")), false),
            "to.md#s (a b) the document has no such section\n"
        );
        assert_eq!(line(row(None, None), false), "to.md#s (a b) not in the store\n");
    }
}
