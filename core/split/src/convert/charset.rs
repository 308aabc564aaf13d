//! The encoding of HTML, which a page declares itself.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// The bytes of a page that are searched for the declaration.
const HEAD_BYTES: usize = 1_024;

/// Decodes the bytes of a page. Invalid sequences become `\u{fffd}`.
///
/// # Source
///
/// The HTML standard, *determining the character encoding*, without the guess by frequencies.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    let declared = declared(&bytes[..bytes.len().min(HEAD_BYTES)]);
    // The declaration was readable as ASCII, so the page is not UTF-16.
    let declared = declared.map(|encoding| match encoding {
        encoding if encoding == UTF_16BE || encoding == UTF_16LE => UTF_8,
        encoding => encoding,
    });
    match declared {
        Some(encoding) if encoding != UTF_8 => encoding.decode_without_bom_handling(bytes).0,
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            // A page that declares UTF-8 is UTF-8, except for a few bytes.
            Err(_) if declared.is_some() => UTF_8.decode_without_bom_handling(bytes).0,
            Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
        },
    }
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
