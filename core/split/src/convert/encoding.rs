/*!
The encoding of a text: a byte order mark shows it, HTML and XML declare it, and a caller may name it for all others.

`byte order mark, else declaration, else UTF-8 if the bytes are valid, else the encoding that the caller names`

A text in UTF-8 stays UTF-8 when the caller names another encoding, because a folder has both. Encodings whose bytes are
valid UTF-8, such as UTF-16 without a mark and ISO-2022, show themselves by control characters.
*/

#[cfg(feature = "html")]
use super::charset;
use super::decoded::{DecodeError, DecodedText, UTF_8};
use crate::MediaType;
use std::borrow::Cow;

/// Decodes the bytes of a document. `named` is a name of the [Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels)
/// for bytes that are not UTF-8 and declare nothing.
///
/// HTML without a declaration that is not UTF-8 is windows-1252, as in browsers. Without the feature `html`, all documents are
/// UTF-8.
///
/// ```
/// use passage_split::{MediaType, decode};
///
/// assert_eq!(decode(b"text", &MediaType::PLAIN, None)?.text, "text");
/// assert!(decode(b"caf\xe9", &MediaType::PLAIN, None).is_err());
/// # #[cfg(feature = "html")]
/// assert_eq!(decode(b"\xff\xfea\0", &MediaType::PLAIN, None)?.encoding, "UTF-16LE");
/// # Ok::<(), passage_split::DecodeError>(())
/// ```
///
/// # Errors
///
/// Returns an error if the bytes are not in the encoding. HTML never fails.
pub fn decode<'b>(
    bytes: &'b [u8],
    media_type: &MediaType,
    named: Option<&str>,
) -> Result<DecodedText<'b>, DecodeError> {
    #[cfg(feature = "html")]
    {
        let is_page = media_type.structure() == "text/html";
        if let Some(decoded) = charset::marked(bytes).filter(|decoded| decoded.is_ok() || !is_page)
        {
            return decoded;
        }
        if is_page {
            return Ok(charset::decode_page(bytes, named));
        }
        if let Some(encoding) = charset::declared_by_xml(bytes) {
            return charset::strictly(bytes, encoding);
        }
        if let Some(encoding) = named.and_then(charset::of_name)
            && (has_controls(bytes) || std::str::from_utf8(bytes).is_err())
        {
            return charset::strictly(bytes, encoding);
        }
    }
    let _ = (media_type, named);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(DecodedText { text: Cow::Borrowed(text), encoding: UTF_8 }),
        Err(error) => Err(DecodeError { encoding: UTF_8, offset: Some(error.valid_up_to()) }),
    }
}

/// Returns the standard name of an encoding, or `None` if it is unknown.
///
/// ```
/// # #[cfg(feature = "html")]
/// assert_eq!(passage_split::encoding_name("sjis"), Some("Shift_JIS"));
/// assert_eq!(passage_split::encoding_name("klingon"), None);
/// ```
pub fn encoding_name(label: &str) -> Option<&'static str> {
    #[cfg(feature = "html")]
    return charset::of_name(label).map(encoding_rs::Encoding::name);
    #[cfg(not(feature = "html"))]
    return label.eq_ignore_ascii_case(UTF_8).then_some(UTF_8);
}

/// Returns whether bytes have NUL, as UTF-16 has, or an escape, as ISO-2022 has.
#[cfg(feature = "html")]
fn has_controls(bytes: &[u8]) -> bool {
    memchr::memchr2(0, 0x1b, bytes).is_some()
}

#[cfg(all(test, feature = "html"))]
mod tests {
    use super::*;

    fn decoded<'b>(bytes: &'b [u8], named: Option<&str>) -> Result<DecodedText<'b>, DecodeError> {
        decode(bytes, &MediaType::PLAIN, named)
    }

    #[test]
    fn a_byte_order_mark_shows_the_encoding_of_any_text() {
        for (bytes, encoding) in [
            (&b"\xff\xfea\0\xe4\0"[..], "UTF-16LE"),
            (b"\xfe\xff\0a\0\xe4", "UTF-16BE"),
            (b"\xff\xfe\0\0a\0\0\0\xe4\0\0\0", "UTF-32LE"),
            (b"\0\0\xfe\xff\0\0\0a\0\0\0\xe4", "UTF-32BE"),
        ] {
            let decoded = decoded(bytes, Some("sjis")).unwrap();
            assert_eq!((&*decoded.text, decoded.encoding), ("aä", encoding));
        }
        for cut in [&b"\xff\xfea\0\xe4"[..], b"\xff\xfe\0\0a\0\0", b"\xff\xfe\0\xd8a\0"] {
            assert!(decoded(cut, None).is_err(), "{cut:?}");
        }
    }

    #[test]
    fn a_page_with_invalid_bytes_is_read() {
        let page = decode(b"\xff\xfe\0\xd8a\0", &MediaType::new("text/html"), None).unwrap();
        assert_eq!((&*page.text, page.encoding), ("\u{fffd}a", "UTF-16LE"));
    }

    #[test]
    fn xml_declares_its_encoding() {
        let xml = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a>K\xf6ln</a>";
        let decoded = decode(xml, &MediaType::new("application/xml"), None).unwrap();
        assert!(decoded.text.ends_with("<a>Köln</a>"));
        assert_eq!(decoded.encoding, "windows-1252");
        let xml = b"<?xml version=\"1.0\" encoding=\"Shift_JIS\"?>\n<a>\x82</a>";
        let error = decode(xml, &MediaType::new("application/xml"), None).unwrap_err();
        assert_eq!(error.to_string(), "not Shift_JIS");
    }

    #[test]
    fn a_named_encoding_is_for_bytes_that_are_not_utf_8() {
        let text = |bytes: &'static [u8], named| decoded(bytes, Some(named)).unwrap().text;
        assert_eq!(text(b"\x93\xfa\x96\x7b", "sjis"), "日本");
        assert_eq!(text("日本".as_bytes(), "sjis"), "日本");
        assert_eq!(text(b"\x1b$BF|K\\\x1b(B", "iso-2022-jp"), "日本");
        assert_eq!(text(b"a\0b\0", "utf-16le"), "ab");
        let error = decoded(b"a\n\x93", Some("sjis")).unwrap_err();
        assert_eq!(error, DecodeError { encoding: "Shift_JIS", offset: None });
    }
}
