//! The Content-Type of a page: what it says about the media type and the encoding.

use encoding_rs::Encoding;
use passage_split::MediaType;
use reqwest::Url;

/// Types that servers send if they do not know the type.
const UNSPECIFIC: [&str; 4] = ["text/plain", "application/octet-stream", "binary/octet-stream", ""];

/// Types of pages that are not documents.
const BINARY: [&str; 4] = ["image/", "audio/", "video/", "font/"];
const BINARY_APPLICATIONS: [&str; 3] = ["application/zip", "application/gzip", "application/wasm"];

/// Returns whether pages of a type are not documents.
pub(super) fn is_binary(media_type: &MediaType) -> bool {
    let name = media_type.name();
    // SVG images are text.
    media_type.structure() == name
        && (BINARY.iter().any(|begin| name.starts_with(begin))
            || BINARY_APPLICATIONS.contains(&name))
}

/// Returns the type that the server sends, or that of the file name if the server does not know it.
pub(super) fn media_type(sent: MediaType, url: &Url) -> Option<MediaType> {
    let is_unspecific = UNSPECIFIC.contains(&sent.name());
    let named = MediaType::from_path(url.path());
    match named {
        Some(named) if is_unspecific => Some(named),
        _ => sent.is_known().then_some(sent),
    }
}

/// Returns the encoding that a Content-Type names.
pub(super) fn charset(content_type: Option<&str>) -> Option<&'static Encoding> {
    let parameters = content_type?.split(';').skip(1);
    let mut charset = parameters.filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    charset.find_map(|name| Encoding::for_label(name.as_bytes()))
}
