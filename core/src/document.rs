/*!
Documents: what is stored of a source, and as what.

A source is a text and a name. Its media type is told, or stands in the name, or shows in how the
text begins; HTML and notebooks are stored as the Markdown that they hold; the title is told, or is
the document's own, or the file's name. All of that is found out here, by one rule for whoever loads
a store, so that the same source is the same rows whichever way it came.
*/

use crate::{Error, Kind, MediaType, SyntaxError, convert, title as title_of};
use serde_json::{Map, Value, json};

/// What is told of documents instead of being found out.
#[derive(Clone, Debug, Default)]
pub struct MetadataOverrides {
    /// What they are.
    pub media_type: Option<MediaType>,
    /// What their chunks are made of.
    pub kind: Option<Kind>,
    /// The title.
    pub title: Option<String>,
    /// The address that relative links in HTML are relative to; for a folder, its own.
    pub base_url: Option<String>,
}

/// A document as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its text: UTF-8 without NUL.
    pub text: String,
    /// What the text is.
    pub media_type: MediaType,
    /// What the source is, if the text was converted from it.
    pub source_media_type: Option<MediaType>,
    /// What its chunks are made of.
    pub kind: Kind,
    /// Its title for people.
    pub title: Option<String>,
}

impl MetadataOverrides {
    /// Returns what a document is by what is told and by its name; `None` leaves it to the text.
    pub fn media_type(&self, uri: &str) -> Option<MediaType> {
        self.media_type.clone().or_else(|| MediaType::from_path(uri))
    }

    /// Makes a document of a source; `inside` is where that lies in the folder that was named, if
    /// it was found in one.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InvalidNotebook`] with the place if it is given as a notebook and is none, and
    /// [`Error::PageTooLarge`] or [`Error::PageTooComplex`] for a page of HTML that is too large.
    pub fn build_document(
        &self,
        text: String,
        uri: &str,
        inside: Option<&str>,
    ) -> Result<Document, Error> {
        let media_type = self.media_type(uri).unwrap_or_else(|| MediaType::detect(uri, &text));
        let converted = convert(&text, &media_type, self.base(uri, inside).as_deref())?;
        let (text, stored, own_title) = match converted {
            Some(converted) => (converted.text, converted.media_type, converted.title),
            None => (text, media_type.clone(), None),
        };
        let document = self.made(text, stored, own_title, uri);
        let source_media_type = (document.media_type != media_type).then_some(media_type);
        Ok(Document { source_media_type, ..document })
    }

    /// Makes a document of a text that is stored as it is, whatever its media type.
    pub fn build_document_verbatim(&self, text: String, uri: &str) -> Document {
        let media_type = self.media_type(uri).unwrap_or_else(|| MediaType::detect(uri, &text));
        self.made(text, media_type, None, uri)
    }

    fn made(
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

    /// Returns the address of a document: below that of its folder, or the uri if it is one.
    fn base(&self, uri: &str, inside: Option<&str>) -> Option<String> {
        match (&self.base_url, inside) {
            (Some(base), Some(inside)) => Some(format!("{}/{inside}", base.trim_end_matches('/'))),
            (Some(base), None) => Some(base.clone()),
            (None, _) => {
                let is_address = uri.starts_with("https://") || uri.starts_with("http://");
                is_address.then(|| uri.to_owned())
            }
        }
    }
}

/// Returns what is stored of a document beside its text: what is told, and where the text is not
/// what its media type says.
pub fn document_metadata(told: &Map<String, Value>, syntax_error: Option<SyntaxError>) -> Value {
    let mut metadata = told.clone();
    if let Some(SyntaxError { line, column }) = syntax_error {
        let place = json!({ "line": line, "column": column });
        metadata.entry("syntax_error").or_insert(place);
    }
    Value::Object(metadata)
}

/// Returns what is stored of a chunk beside its text: the names that the imports in it bind.
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
    fn html_is_stored_as_markdown_and_says_what_it_was() {
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
    fn what_is_told_goes_before_what_is_found() {
        let overrides = MetadataOverrides {
            media_type: Some(MediaType::PLAIN),
            kind: Some(Kind::Data),
            title: Some("Told".into()),
            base_url: None,
        };
        let document = document(&overrides, "# Own\n", "a.md");
        assert_eq!(document.media_type, MediaType::PLAIN);
        assert_eq!((document.kind, document.title.as_deref()), (Kind::Data, Some("Told")));
        assert_eq!(document.source_media_type, None);
    }

    #[test]
    fn a_title_is_the_documents_own_or_the_name_of_its_file() {
        let title =
            |text: &str, uri: &str| document(&MetadataOverrides::default(), text, uri).title;
        assert_eq!(title("# Own\n", "docs/a.md").as_deref(), Some("Own"));
        assert_eq!(title("no heading\n", "docs/a.md").as_deref(), Some("a.md"));
        assert_eq!(title("no heading\n", ""), None);
    }

    #[test]
    fn a_name_that_says_nothing_leaves_it_to_the_text() {
        let document =
            document(&MetadataOverrides::default(), "#!/usr/bin/env python3\npass\n", "bin/tool");
        assert_eq!(document.media_type, MediaType::new("text/x-python"));
    }

    #[test]
    fn metadata_tells_of_a_syntax_error_unless_it_says_so_itself() {
        let place = Some(SyntaxError { line: 2, column: 7 });
        let told = Map::from_iter([("a".to_owned(), json!(1))]);
        assert_eq!(document_metadata(&told, None), json!({"a": 1}));
        let both = json!({"a": 1, "syntax_error": {"line": 2, "column": 7}});
        assert_eq!(document_metadata(&told, place), both);
        let told = Map::from_iter([("syntax_error".to_owned(), Value::Null)]);
        assert_eq!(document_metadata(&told, place), json!({"syntax_error": null}));
    }
}
