/*!
Documents: what is stored of a source, and as what.

A source is bytes and a name. Its media type is told, or stands in the name, or shows in how it
begins; HTML and notebooks are stored as the Markdown that they hold; the title is told, or is the
document's own, or the file's name. All of that is found out here, so that whoever splits or stores
a document need not know where it came from.
*/

use crate::{Error, source};
use passage_core::{Kind, MediaType, convert, title as title_of};
use std::path::Path;

/// What is told of documents instead of being found out.
#[derive(Clone, Debug, Default)]
pub struct Reading {
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

impl Reading {
    /// Reads a document from the bytes of a file; `inside` is where that lies in the folder that
    /// was named, if it was found in one.
    ///
    /// # Errors
    ///
    /// If it is no text, or not at all what its media type says where that has to be converted.
    pub fn read(
        &self,
        bytes: Vec<u8>,
        path: &Path,
        uri: &str,
        inside: Option<&str>,
    ) -> Result<Document, Error> {
        let told = self.media_type.clone().or_else(|| MediaType::of_file(uri));
        let text = source::text(bytes, path, told.as_ref())?;
        self.read_text(text, path, uri, inside)
    }

    /// Reads a document from a text, as [`read`](Self::read) does from bytes.
    ///
    /// # Errors
    ///
    /// If it holds a NUL, or is not at all what its media type says where that has to be converted.
    pub fn read_text(
        &self,
        text: String,
        path: &Path,
        uri: &str,
        inside: Option<&str>,
    ) -> Result<Document, Error> {
        let text = source::without_nul(text, path)?;
        let told = self.media_type.clone().or_else(|| MediaType::of_file(uri));
        let media_type = told.unwrap_or_else(|| MediaType::of(uri, &text));
        let base = self.base(uri, inside);
        let converted =
            convert(&text, &media_type, base.as_deref()).map_err(|error| match error {
                passage_core::Error::Notebook { line, column } => {
                    source::Error::Notebook { path: path.to_owned(), line, column }.into()
                }
                other => Error::from(other),
            })?;
        let (text, stored, own_title) = match converted {
            Some(converted) => (converted.text, converted.media_type, converted.title),
            None => (text, media_type.clone(), None),
        };
        // Markdown may be longer than what it was made of.
        if text.len() > source::MOST_BYTES {
            return Err(source::Error::TooLarge { path: path.to_owned() }.into());
        }
        let title = self.title.clone().or(own_title);
        let title = title.or_else(|| title_of(&text, &stored)).or_else(|| name(uri));
        Ok(Document {
            kind: self.kind.unwrap_or_else(|| Kind::of(uri, &stored)),
            source_media_type: (stored != media_type).then_some(media_type),
            media_type: stored,
            text,
            title,
        })
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

/// Returns the name of a document: what its uri ends with.
pub(crate) fn name(uri: &str) -> Option<String> {
    uri.rsplit('/').next().map(ToOwned::to_owned).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reading: &Reading, bytes: &str, uri: &str) -> Document {
        let inside = uri.split_once('/').map(|(_, inside)| inside);
        reading.read(bytes.into(), Path::new(uri), uri, inside).unwrap()
    }

    #[test]
    fn html_is_stored_as_markdown_and_says_what_it_was() {
        let reading =
            Reading { base_url: Some("https://example.org/b/".into()), ..Reading::default() };
        let html = "<title>T</title><main><h1>One</h1><p><a href=x.html>x</a></main>";
        let document = read(&reading, html, "docs/api/a.html");
        assert_eq!(document.media_type, MediaType::MARKDOWN);
        assert_eq!(document.source_media_type, Some(MediaType::new("text/html")));
        assert_eq!(document.kind, Kind::ApiReference);
        assert!(document.text.starts_with("# One\n"));
        assert!(document.text.contains("(https://example.org/b/api/x.html)"), "{}", document.text);
    }

    #[test]
    fn what_is_told_goes_before_what_is_found() {
        let reading = Reading {
            media_type: Some(MediaType::PLAIN),
            kind: Some(Kind::Data),
            title: Some("Told".into()),
            base_url: None,
        };
        let document = read(&reading, "# Own\n", "a.md");
        assert_eq!(document.media_type, MediaType::PLAIN);
        assert_eq!((document.kind, document.title.as_deref()), (Kind::Data, Some("Told")));
        assert_eq!(document.source_media_type, None);
    }

    #[test]
    fn a_title_is_the_documents_own_or_the_name_of_its_file() {
        let title = |text: &str, uri: &str| read(&Reading::default(), text, uri).title;
        assert_eq!(title("# Own\n", "docs/a.md").as_deref(), Some("Own"));
        assert_eq!(title("no heading\n", "docs/a.md").as_deref(), Some("a.md"));
    }

    #[test]
    fn a_name_that_says_nothing_leaves_it_to_the_text() {
        let document = read(&Reading::default(), "#!/usr/bin/env python3\npass\n", "bin/tool");
        assert_eq!(document.media_type, MediaType::new("text/x-python"));
    }
}
