//! Which kind of chunk a document is made of (seed 002).

use super::MediaType;
use crate::Kind;

/// The folders, and the files without their extension, that hold references by their name.
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
    /// Returns the kind of a document's chunks by its media type and where it lies.
    ///
    /// Code and data are what their type says. Prose is [`ApiReference`](Kind::ApiReference)
    /// where a folder or the file itself is called so, as in `docs/api/fs.html`,
    /// `https://example.org/reference/types` or `reference.md`; a host name does not count.
    ///
    /// # Source
    ///
    /// The content types of *Adjacent Chunk Retrieval* (seed 002), which leaves open how a
    /// reference is known.
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
    fn a_reference_is_known_by_where_it_lies() {
        let of = |uri: &str, media_type: &str| Kind::detect(uri, &MediaType::new(media_type));
        for uri in [
            "docs/api/fs.html",
            "https://a.org/Reference/types?x=y",
            "api-reference.md",
            "C:\\man\\ls.txt",
        ] {
            assert_eq!(of(uri, "text/markdown"), Kind::ApiReference, "{uri}");
        }
        for uri in [
            "docs/guide.md",
            "https://api/guide",
            "https://reference",
            "rapid/api.d/x.md",
            "a#/api/",
        ] {
            assert_eq!(of(uri, "text/markdown"), Kind::Prose, "{uri}");
        }
        assert_eq!(of("src/api/mod.rs", "text/x-rust"), Kind::Code);
        assert_eq!(of("api/openapi.json", "application/json"), Kind::Data);
    }
}
