//! A page as a document: what its server says it is, and in which characters.

use super::fetch::Body;
use super::uri;
use crate::source::{Content, Error, Found, Item, Told};
use encoding_rs::Encoding;
use passage_core::MediaType;
use reqwest::Url;
use std::path::PathBuf;

/// Types that servers give for want of a better one.
const VAGUE: [&str; 4] = ["text/plain", "application/octet-stream", "binary/octet-stream", ""];

/// Types of what is no text.
const BINARY: [&str; 4] = ["image/", "audio/", "video/", "font/"];
const BINARY_APPLICATIONS: [&str; 4] =
    ["application/pdf", "application/zip", "application/gzip", "application/wasm"];

/// Makes a document of a page; if it was `listed` and is no text, it is passed over.
pub(super) fn found(asked: &Url, url: &Url, body: Body, listed: bool) -> Result<Found, Error> {
    let uri = uri(asked);
    let essence = MediaType::new(body.content_type.as_deref().unwrap_or_default());
    if is_binary(&essence) {
        if listed {
            return Ok(Found::Skipped(PathBuf::from(uri)));
        }
        return Err(Error::NotText { url: uri, media_type: essence.name().to_owned() });
    }
    let told = Told {
        media_type: media_type(essence, url),
        base_url: (asked != url).then(|| super::uri(url)),
        validators: Some(body.validators),
        ..Told::default()
    };
    let content = match charset(body.content_type.as_deref()) {
        Some(encoding) => decoded(encoding, body.bytes),
        None => Content::Bytes(body.bytes),
    };
    let origin = PathBuf::from(&uri);
    Ok(Found::Item(Item { uri, inside: None, origin, content, told: Box::new(told) }))
}

fn is_binary(media_type: &MediaType) -> bool {
    let name = media_type.name();
    // Pictures in SVG are text.
    media_type.structure() == name
        && (BINARY.iter().any(|begin| name.starts_with(begin))
            || BINARY_APPLICATIONS.contains(&name))
}

/// The type that a server gives, unless it says too little and the address says more.
fn media_type(told: MediaType, url: &Url) -> Option<MediaType> {
    let is_vague = VAGUE.contains(&told.name());
    let named = MediaType::from_path(url.path());
    match named {
        Some(named) if is_vague => Some(named),
        _ => told.is_known().then_some(told),
    }
}

/// The encoding that a Content-Type names.
fn charset(content_type: Option<&str>) -> Option<&'static Encoding> {
    let parameters = content_type?.split(';').skip(1);
    let mut charset = parameters.filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    charset.find_map(|name| Encoding::for_label(name.as_bytes()))
}

/// Decodes a page by what its server says, which goes before what it says itself; if that is
/// untrue, it is read as a file would be.
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
    use crate::source::Validators;

    fn item(content_type: &str, address: &str, bytes: &[u8]) -> Result<Item, String> {
        let url = Url::parse(address).unwrap();
        let content_type = Some(content_type.to_owned());
        let body = Body { bytes: bytes.to_vec(), content_type, validators: Validators::default() };
        match found(&url, &url, body, false) {
            Ok(Found::Item(item)) => Ok(item),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_server_says_what_a_page_is_unless_it_does_not_know() {
        let told = |content_type, address| {
            let item = item(content_type, address, b"x").unwrap();
            item.told.media_type.map(|media_type| media_type.name().to_owned())
        };
        let md = "https://example.org/a.md";
        assert_eq!(
            told("text/html; charset=utf-8", "https://example.org/a.php").as_deref(),
            Some("text/html")
        );
        assert_eq!(told("text/plain; charset=utf-8", md).as_deref(), Some("text/markdown"));
        assert_eq!(told("application/octet-stream", md).as_deref(), Some("text/markdown"));
        assert_eq!(told("text/plain", "https://example.org/").as_deref(), Some("text/plain"));
        assert_eq!(told("application/x-nobody-knows", "https://example.org/"), None);
        assert_eq!(told("image/svg+xml", "https://example.org/").as_deref(), Some("image/svg+xml"));
        assert_eq!(
            item("image/png", md, b"x").unwrap_err(),
            format!("{md} is no text but image/png")
        );
    }

    #[test]
    fn a_page_is_decoded_by_what_its_server_says() {
        let content = |content_type, bytes| {
            item(content_type, "https://example.org/", bytes).unwrap().content
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
