//! The encodings that bytes show or declare.

use super::decoded::{DecodeError, DecodedText};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;
use std::str::Utf8Error;

/// The bytes of a page that are searched for the declaration.
const HEAD_BYTES: usize = 1_024;

/// Decodes a text that begins with a byte order mark; `None` for one in UTF-8, which keeps its mark, and for all others.
pub(super) fn marked(bytes: &[u8]) -> Option<Result<DecodedText<'_>, DecodeError>> {
    // The mark of UTF-32LE begins with that of UTF-16LE.
    for (mark, name, char) in UTF_32 {
        if let Some(rest) = bytes.strip_prefix(&mark) {
            return Some(utf_32(rest, name, char));
        }
    }
    let (encoding, mark) = Encoding::for_bom(bytes).filter(|(encoding, _)| *encoding != UTF_8)?;
    Some(strictly(&bytes[mark..], encoding))
}

/// The marks of UTF-32, which the Encoding Standard does not have.
#[expect(clippy::type_complexity, reason = "a table of three columns")]
const UTF_32: [([u8; 4], &str, fn([u8; 4]) -> u32); 2] = [
    ([0xff, 0xfe, 0, 0], "UTF-32LE", u32::from_le_bytes),
    ([0, 0, 0xfe, 0xff], "UTF-32BE", u32::from_be_bytes),
];

fn utf_32<'b>(
    bytes: &'b [u8],
    encoding: &'static str,
    number: fn([u8; 4]) -> u32,
) -> Result<DecodedText<'b>, DecodeError> {
    let (units, rest) = bytes.as_chunks::<4>();
    let text: Option<String> = units.iter().map(|unit| char::from_u32(number(*unit))).collect();
    match text.filter(|_| rest.is_empty()) {
        Some(text) => Ok(DecodedText { text: Cow::Owned(text), encoding }),
        None => Err(DecodeError { encoding, offset: None }),
    }
}

/// Decodes a text, and refuses invalid sequences.
pub(super) fn strictly<'b>(
    bytes: &'b [u8],
    encoding: &'static Encoding,
) -> Result<DecodedText<'b>, DecodeError> {
    let name = encoding.name();
    if encoding == UTF_8 {
        let text = std::str::from_utf8(bytes);
        let error =
            |error: Utf8Error| DecodeError { encoding: name, offset: Some(error.valid_up_to()) };
        return text
            .map(|text| DecodedText { text: Cow::Borrowed(text), encoding: name })
            .map_err(error);
    }
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes);
    let text = text.ok_or(DecodeError { encoding: name, offset: None })?;
    Ok(DecodedText { text, encoding: name })
}

/// Returns the encoding with a name of the Encoding Standard.
pub(super) fn of_name(name: &str) -> Option<&'static Encoding> {
    Encoding::for_label(name.as_bytes())
}

/// Returns the encoding that an XML declaration names. The declaration is readable as ASCII, so it is not UTF-16.
pub(super) fn declared_by_xml(bytes: &[u8]) -> Option<&'static Encoding> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let end = head.starts_with(b"<?xml").then(|| find(head, b"?>"))??;
    named(&head[..end].to_ascii_lowercase(), b"encoding").map(ascii_compatible)
}

/// Decodes the bytes of a page. Invalid sequences become `\u{fffd}`. `given` is a name for pages that declare nothing.
///
/// # Source
///
/// The HTML standard, *determining the character encoding*, without the guess by frequencies.
pub(super) fn decode_page<'b>(bytes: &'b [u8], given: Option<&str>) -> DecodedText<'b> {
    let decoded =
        |encoding: &'static Encoding, text| DecodedText { text, encoding: encoding.name() };
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return decoded(encoding, encoding.decode_without_bom_handling(&bytes[mark..]).0);
    }
    let declared = declared(&bytes[..bytes.len().min(HEAD_BYTES)]).map(ascii_compatible);
    match declared {
        Some(encoding) if encoding != UTF_8 => {
            decoded(encoding, encoding.decode_without_bom_handling(bytes).0)
        }
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => decoded(UTF_8, Cow::Borrowed(text)),
            // A page that declares UTF-8 is UTF-8, except for a few bytes.
            Err(_) if declared.is_some() => {
                decoded(UTF_8, UTF_8.decode_without_bom_handling(bytes).0)
            }
            Err(_) => {
                let encoding = given.and_then(of_name).unwrap_or(WINDOWS_1252);
                decoded(encoding, encoding.decode_without_bom_handling(bytes).0)
            }
        },
    }
}

/// Returns the encoding of a declaration. It was readable as ASCII, so the text is not UTF-16.
fn ascii_compatible(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding }
}

/// Finds the encoding that a `<meta>` element or an XML declaration names.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.to_ascii_lowercase();
    let mut rest = &head[..];
    if rest.starts_with(b"<?xml") {
        let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
        if let Some(encoding) = named(&rest[..end], b"encoding") {
            return Some(encoding);
        }
    }
    while let Some(at) = find(rest, b"<") {
        rest = &rest[at + 1..];
        if rest.starts_with(b"!--") {
            rest = &rest[find(rest, b"-->").unwrap_or(rest.len())..];
        } else if rest.starts_with(b"meta") {
            let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
            if let Some(encoding) = named(&rest[..end], b"charset") {
                return Some(encoding);
            }
            rest = &rest[end..];
        }
    }
    None
}

/// Finds the encoding behind `key=`, with optional quotes and spaces.
fn named(element: &[u8], key: &[u8]) -> Option<&'static Encoding> {
    let mut rest = element;
    while let Some(at) = find(rest, key) {
        rest = rest[at + key.len()..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
            let ends = |byte: &u8| matches!(byte, b'"' | b'\'' | b';' | b'/' | b'?' | b' ');
            let end = value.iter().position(ends).unwrap_or(value.len());
            return Encoding::for_label(&value[..end]);
        }
    }
    None
}

fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Cow<'_, str> {
        decode_page(bytes, None).text
    }

    #[test]
    fn a_byte_order_mark_has_priority() {
        assert_eq!(decode(b"\xef\xbb\xbf<meta charset=latin1>\xc3\xa4"), "<meta charset=latin1>ä");
        assert_eq!(decode(b"\xff\xfea\0\xe4\0"), "aä");
    }

    #[test]
    fn a_declared_encoding_is_used() {
        for head in [
            "<meta charset='iso-8859-2'>",
            "<META HTTP-EQUIV=Content-Type CONTENT=\"text/html; charset=ISO-8859-2\">",
            "<!-- <meta charset=utf-8> --><meta name=a><meta charset = iso-8859-2 />",
            "<?xml version=\"1.0\" encoding=\"iso-8859-2\"?>",
        ] {
            let bytes = [head.as_bytes(), b"\xb3"].concat();
            assert!(decode(&bytes).ends_with('ł'), "{head}");
        }
        assert_eq!(decode(b"<meta charset=utf-16>\xc3\xa4"), "<meta charset=utf-16>ä");
    }

    #[test]
    fn undeclared_pages_are_utf_8_or_windows_1252() {
        assert_eq!(decode("<p>ä€".as_bytes()), "<p>ä€");
        assert_eq!(decode(b"<p>\xe4\x80"), "<p>ä€");
        assert_eq!(decode(b"<meta charset=utf-8>\xe4!"), "<meta charset=utf-8>\u{fffd}!");
        let far = [" ".repeat(1_030).as_bytes(), b"<meta charset=koi8-r>\xc1"].concat();
        assert!(decode(&far).ends_with('Á'));
    }
}
