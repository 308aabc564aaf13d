//! Detection of the kind of a document's chunks (seed 002).

use super::MediaType;
use crate::Kind;

/// The names of folders, and of files without extension, that contain API references.
const REFERENCES: [&str; 14] = [
    "api",
    "apis",
    "api-docs",
    "api-reference",
    "api_docs",
    "api_reference",
    "apidoc",
    "apidocs",
    "apireference",
    "javadoc",
    "man",
    "ref",
    "reference",
    "references",
];

impl Kind {
    /// Returns the kind of a document's chunks from its media type and its uri.
    ///
    /// The media type decides code and data. Prose is [`ApiReference`](Kind::ApiReference) if a folder or the
    /// file has such a name, as in `docs/api/fs.html`, `https://example.org/reference/types` or
    /// `reference.md`. Host names do not count.
    ///
    /// ```
    /// use passage_split::{Kind, MediaType};
    ///
    /// assert_eq!(Kind::detect("docs/api/fs.md", &MediaType::MARKDOWN), Kind::ApiReference);
    /// ```
    ///
    /// # Source
    ///
    /// The content types of *Adjacent Chunk Retrieval* (seed 002), which does not define
    /// how to detect a reference.
    pub fn detect(uri: &str, media_type: &MediaType) -> Self {
        let kind = media_type.kind();
        if kind != Kind::Prose {
            return kind;
        }
        let path = uri.split(['?', '#']).next().unwrap_or(uri);
        let path = path
            .split_once("://")
            .map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
        let mut parts = path.rsplit(['/', '\\']);
        let file = parts.next().unwrap_or("");
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let is_reference =
            |part: &str| REFERENCES.iter().any(|name| part.eq_ignore_ascii_case(name));
        if is_reference(stem) || parts.any(is_reference) { Kind::ApiReference } else { kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_reference_is_detected_by_its_path() {
        let detected = |uri: &str, media_type: &str| Kind::detect(uri, &MediaType::new(media_type));
        for uri in [
            "docs/api/fs.html",
            "https://a.org/Reference/types?x=y",
            "api-reference.md",
            "C:\\man\\ls.txt",
        ] {
            assert_eq!(detected(uri, "text/markdown"), Kind::ApiReference, "{uri}");
        }
        for uri in [
            "docs/guide.md",
            "https://api/guide",
            "https://reference",
            "rapid/api.d/x.md",
            "a#/api/",
        ] {
            assert_eq!(detected(uri, "text/markdown"), Kind::Prose, "{uri}");
        }
        assert_eq!(detected("src/api/mod.rs", "text/x-rust"), Kind::Code);
        assert_eq!(detected("api/openapi.json", "application/json"), Kind::Data);
    }
}
