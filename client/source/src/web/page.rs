//! A page as a document: its media type and its encoding.

use super::address::uri;
use super::content_type::{charset, is_binary, media_type};
use super::fetch::Body;
use crate::{Content, Error, SourceDocument, SourceEntry, SourceMetadata};
use encoding_rs::Encoding;
use passage_split::MediaType;
use reqwest::Url;
use std::path::PathBuf;

/// Makes a document of a page. A page that is not text is skipped if it was `listed` in a list, or a link leads to it.
pub(super) fn entry(
    requested: &Url,
    url: &Url,
    body: Body,
    listed: bool,
) -> Result<SourceEntry, Error> {
    let uri = uri(requested);
    let essence = MediaType::new(body.content_type.as_deref().unwrap_or_default());
    if is_binary(&essence) {
        if listed {
            return Ok(SourceEntry::Skipped(PathBuf::from(uri)));
        }
        return Err(Error::NotText { url: uri, media_type: essence.name().to_owned() });
    }
    let source_metadata = Box::new(SourceMetadata {
        media_type: media_type(essence, url),
        base_url: (requested != url).then(|| super::address::uri(url)),
        validators: Some(body.validators),
        ..SourceMetadata::default()
    });
    let content = match charset(body.content_type.as_deref()) {
        Some(encoding) => decoded(encoding, body.bytes),
        None => Content::Bytes(body.bytes),
    };
    let origin = PathBuf::from(&uri);
    Ok(SourceEntry::Document(SourceDocument {
        uri,
        inside: None,
        origin,
        content,
        source_metadata,
    }))
}

/// Decodes a page in the encoding that its server names. This encoding takes precedence over the
/// one that the page names. If it is wrong, the page is decoded later as a file is.
fn decoded(encoding: &'static Encoding, bytes: Vec<u8>) -> Content {
    if encoding == encoding_rs::UTF_8 {
        return match String::from_utf8(bytes) {
            Ok(text) => Content::Text(text),
            Err(error) => Content::Bytes(error.into_bytes()),
        };
    }
    match encoding.decode(&bytes) {
        (text, _, false) => Content::Text(text.into_owned()),
        (_, _, true) => Content::Bytes(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Validators;

    fn document(content_type: &str, address: &str, bytes: &[u8]) -> Result<SourceDocument, String> {
        let url = Url::parse(address).unwrap();
        let content_type = Some(content_type.to_owned());
        let body = Body { bytes: bytes.to_vec(), content_type, validators: Validators::default() };
        match entry(&url, &url, body, false) {
            Ok(SourceEntry::Document(document)) => Ok(document),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_server_names_the_media_type_unless_it_does_not_know_it() {
        let media_type = |content_type, address| {
            let document = document(content_type, address, b"x").unwrap();
            document.source_metadata.media_type.map(|media_type| media_type.name().to_owned())
        };
        let md = "https://example.org/a.md";
        assert_eq!(
            media_type("text/html; charset=utf-8", "https://example.org/a.php").as_deref(),
            Some("text/html")
        );
        assert_eq!(media_type("text/plain; charset=utf-8", md).as_deref(), Some("text/markdown"));
        assert_eq!(media_type("application/octet-stream", md).as_deref(), Some("text/markdown"));
        assert_eq!(media_type("text/plain", "https://example.org/").as_deref(), Some("text/plain"));
        assert_eq!(media_type("application/x-nobody-knows", "https://example.org/"), None);
        assert_eq!(
            media_type("image/svg+xml", "https://example.org/").as_deref(),
            Some("image/svg+xml")
        );
        assert_eq!(
            document("image/png", md, b"x").unwrap_err(),
            format!("{md} is not text but image/png")
        );
    }

    #[test]
    fn a_page_is_decoded_in_the_encoding_that_its_server_names() {
        let content = |content_type, bytes| {
            document(content_type, "https://example.org/", bytes).unwrap().content
        };
        let text = |text: &str| Content::Text(text.into());
        assert_eq!(content("text/html; Charset=\"ISO-8859-1\"", b"caf\xe9"), text("caf\u{e9}"));
        assert_eq!(content("text/html; charset=utf-8", "caf\u{e9}".as_bytes()), text("caf\u{e9}"));
        assert_eq!(
            content("text/html; charset=utf-8", b"caf\xe9"),
            Content::Bytes(b"caf\xe9".to_vec())
        );
        assert_eq!(content("text/html; charset=klingon", b"x"), Content::Bytes(b"x".to_vec()));
    }
}
