/*!
Documents: the text and the properties that a store keeps of a source.

A source is a text with a uri. Its media type comes from an override, else from the uri, else from the text.
HTML and notebooks are converted to Markdown. The title comes from an override, else from the document, else
from the file name. The client and SQL's `ingest` share these rules, so both write the same rows.

Its twin in SQL is `sql/edition/functions/split.sql`.
*/

use crate::{Error, Kind, MediaType, SyntaxError, convert, title as title_of};
use serde_json::{Map, Value, json};

/// Properties of documents that replace the detected ones; `None` means detect.
///
/// ```
/// use passage_split::{MediaType, MetadataOverrides};
///
/// let overrides = MetadataOverrides { title: Some("Manual".into()), ..MetadataOverrides::default() };
/// let document = overrides.build_document("# Setup\n".into(), "docs/setup.md", None)?;
/// assert_eq!(document.media_type, MediaType::MARKDOWN);
/// assert_eq!(document.title.as_deref(), Some("Manual"));
/// # Ok::<(), passage_split::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MetadataOverrides {
    /// The media type.
    pub media_type: Option<MediaType>,
    /// The kind of their chunks.
    pub kind: Option<Kind>,
    /// The title.
    pub title: Option<String>,
    /// The base address of relative links in HTML; for a folder, the address of the folder.
    pub base_url: Option<String>,
    /// The name of the encoding of texts that are not UTF-8 and declare no encoding.
    pub encoding: Option<String>,
}

/// A document as a store keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The text, UTF-8 without NUL.
    pub text: String,
    /// The media type of the text.
    pub media_type: MediaType,
    /// The media type of the source, if the text was converted.
    pub source_media_type: Option<MediaType>,
    /// The kind of its chunks.
    pub kind: Kind,
    /// The title.
    pub title: Option<String>,
}

impl MetadataOverrides {
    /// Returns the media type from the override or the uri; `None` if only the text can tell.
    pub fn media_type(&self, uri: &str) -> Option<MediaType> {
        self.media_type.clone().or_else(|| MediaType::from_path(uri))
    }

    /// Builds a document from a source, and converts HTML and notebooks to Markdown.
    ///
    /// `relative_path` is the path within the loaded folder, if the source comes from one; it is appended
    /// to the base address.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InvalidNotebook`] with line and column for an invalid notebook, and
    /// [`Error::PageTooLarge`] or [`Error::PageTooComplex`] for HTML beyond the bounds.
    pub fn build_document(
        &self,
        text: String,
        uri: &str,
        relative_path: Option<&str>,
    ) -> Result<Document, Error> {
        let media_type = self.media_type(uri).unwrap_or_else(|| MediaType::detect(uri, &text));
        let converted = convert(&text, &media_type, self.base(uri, relative_path).as_deref())?;
        let (text, stored, own_title) = match converted {
            Some(converted) => (converted.text, converted.media_type, converted.title),
            None => (text, media_type.clone(), None),
        };
        let document = self.build(text, stored, own_title, uri);
        let source_media_type = (document.media_type != media_type).then_some(media_type);
        Ok(Document { source_media_type, ..document })
    }

    /// Builds a document from a text without conversion.
    pub fn build_document_verbatim(&self, text: String, uri: &str) -> Document {
        let media_type = self.media_type(uri).unwrap_or_else(|| MediaType::detect(uri, &text));
        self.build(text, media_type, None, uri)
    }

    fn build(
        &self,
        text: String,
        media_type: MediaType,
        own_title: Option<String>,
        uri: &str,
    ) -> Document {
        let name = || uri.rsplit('/').next().map(ToOwned::to_owned).filter(|name| !name.is_empty());
        let title = self.title.clone().or(own_title);
        let title = title.or_else(|| title_of(&text, &media_type)).or_else(name);
        let kind = self.kind.unwrap_or_else(|| Kind::detect(uri, &media_type));
        Document { text, media_type, source_media_type: None, kind, title }
    }

    /// Returns the base address of a document: below that of its folder, else a web uri.
    fn base(&self, uri: &str, relative_path: Option<&str>) -> Option<String> {
        match (&self.base_url, relative_path) {
            (Some(base), Some(path)) => Some(format!("{}/{path}", base.trim_end_matches('/'))),
            (Some(base), None) => Some(base.clone()),
            (None, _) => {
                let is_address = uri.starts_with("https://") || uri.starts_with("http://");
                is_address.then(|| uri.to_owned())
            }
        }
    }
}

/// Returns the metadata of a document: the given object, plus `syntax_error` with line and column.
///
/// A `syntax_error` in the given object takes precedence.
///
/// ```
/// use passage_split::{SyntaxError, document_metadata};
///
/// let error = SyntaxError { line: 2, column: 7 };
/// let metadata = document_metadata(&serde_json::Map::new(), Some(error));
/// assert_eq!(metadata["syntax_error"]["line"], 2);
/// ```
pub fn document_metadata(given: &Map<String, Value>, syntax_error: Option<SyntaxError>) -> Value {
    let mut metadata = given.clone();
    if let Some(SyntaxError { line, column }) = syntax_error {
        let position = json!({ "line": line, "column": column });
        metadata.entry("syntax_error").or_insert(position);
    }
    Value::Object(metadata)
}

/// Returns the metadata of a chunk: `imports`, the names that its imports bind, unless empty.
///
/// ```
/// assert_eq!(passage_split::chunk_metadata(&["fs".into()])["imports"][0], "fs");
/// ```
pub fn chunk_metadata(imports: &[String]) -> Value {
    match imports {
        [] => json!({}),
        imports => json!({ "imports": imports }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(overrides: &MetadataOverrides, text: &str, uri: &str) -> Document {
        let inside = uri.split_once('/').map(|(_, inside)| inside);
        overrides.build_document(text.into(), uri, inside).unwrap()
    }

    #[cfg(feature = "html")]
    #[test]
    fn html_is_stored_as_markdown_with_its_source_media_type() {
        let overrides = MetadataOverrides {
            base_url: Some("https://example.org/b/".into()),
            ..MetadataOverrides::default()
        };
        let html = "<title>T</title><main><h1>One</h1><p><a href=x.html>x</a></main>";
        let document = document(&overrides, html, "docs/api/a.html");
        assert_eq!(document.media_type, MediaType::MARKDOWN);
        assert_eq!(document.source_media_type, Some(MediaType::new("text/html")));
        assert_eq!(document.kind, Kind::ApiReference);
        assert!(document.text.starts_with("# One\n"));
        assert!(document.text.contains("(https://example.org/b/api/x.html)"), "{}", document.text);
    }

    #[test]
    fn overrides_take_precedence_over_detection() {
        let overrides = MetadataOverrides {
            media_type: Some(MediaType::PLAIN),
            kind: Some(Kind::Data),
            title: Some("Told".into()),
            ..Default::default()
        };
        let document = document(&overrides, "# Own\n", "a.md");
        assert_eq!(document.media_type, MediaType::PLAIN);
        assert_eq!((document.kind, document.title.as_deref()), (Kind::Data, Some("Told")));
        assert_eq!(document.source_media_type, None);
    }

    #[test]
    fn the_title_is_the_documents_own_or_the_file_name() {
        let title =
            |text: &str, uri: &str| document(&MetadataOverrides::default(), text, uri).title;
        assert_eq!(title("# Own\n", "docs/a.md").as_deref(), Some("Own"));
        assert_eq!(title("no heading\n", "docs/a.md").as_deref(), Some("a.md"));
        assert_eq!(title("no heading\n", ""), None);
    }

    #[test]
    fn without_an_extension_the_text_decides_the_media_type() {
        let document =
            document(&MetadataOverrides::default(), "#!/usr/bin/env python3\npass\n", "bin/tool");
        assert_eq!(document.media_type, MediaType::new("text/x-python"));
    }

    #[test]
    fn a_given_syntax_error_takes_precedence() {
        let error = Some(SyntaxError { line: 2, column: 7 });
        let given = Map::from_iter([("a".to_owned(), json!(1))]);
        assert_eq!(document_metadata(&given, None), json!({"a": 1}));
        let both = json!({"a": 1, "syntax_error": {"line": 2, "column": 7}});
        assert_eq!(document_metadata(&given, error), both);
        let given = Map::from_iter([("syntax_error".to_owned(), Value::Null)]);
        assert_eq!(document_metadata(&given, error), json!({"syntax_error": null}));
    }
}
