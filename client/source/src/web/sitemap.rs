//! Sitemaps: the addresses that a site lists, in the format of sitemaps.org.

use flate2::read::MultiGzDecoder;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;
use quick_xml::reader::Reader;
use std::borrow::Cow;
use std::io::Read;

/// The maximum number of addresses of a sitemap, and its largest size in bytes, uncompressed. The protocol
/// defines both.
pub(super) const MAX_ENTRIES: usize = 50_000;
const MAX_BYTES: u64 = 50 << 20;

/// The bytes of a page in which its root element must begin.
const HEAD_BYTES: usize = 4_096;

/// A listed address.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) address: String,
    /// Whether it is another sitemap.
    pub(super) is_sitemap: bool,
}

/// Returns whether a page is a sitemap, by its root element.
pub(super) fn is_sitemap(bytes: &[u8]) -> bool {
    let Ok(decompressed) = decompressed(bytes, HEAD_BYTES as u64) else { return false };
    let head = String::from_utf8_lossy(&decompressed[..decompressed.len().min(HEAD_BYTES)]);
    let mut reader = Reader::from_str(&head);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                return matches!(start.local_name().as_ref(), "urlset" | "sitemapindex");
            }
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// Returns the reason why a list with more entries than the maximum is invalid.
pub(super) fn too_many() -> String {
    "more than 50,000 addresses".into()
}

/// Parses a sitemap. Returns its entries, or the reason why it is invalid.
pub(super) fn entries(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let bytes = decompressed(bytes, MAX_BYTES + 1).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err("larger than 50 MB".into());
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| "not UTF-8")?;
    let mut reader = Reader::from_str(text);
    let mut entries = Vec::new();
    // The names of the open elements. An address is the text of `loc` in `url` or `sitemap`.
    let mut open: Vec<String> = Vec::new();
    let mut address = String::new();
    loop {
        let event = reader
            .read_event()
            .map_err(|_| format!("invalid XML: byte {}", reader.error_position()))?;
        match event {
            Event::Start(start) => {
                open.push(start.local_name().as_ref().to_owned());
                address.clear();
            }
            Event::End(_) => {
                if let [.., parent @ ("url" | "sitemap"), "loc"] = names(&open)[..] {
                    if entries.len() == MAX_ENTRIES {
                        return Err(too_many());
                    }
                    let is_sitemap = parent == "sitemap";
                    entries.push(Entry { address: address.trim().to_owned(), is_sitemap });
                }
                open.pop();
            }
            Event::Text(text) => address.push_str(&text),
            Event::CData(text) => address.push_str(&text),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(char)) => address.push(char),
                Ok(None) => address.push_str(resolve_predefined_entity(&reference).unwrap_or("")),
                Err(_) => {}
            },
            Event::Eof if open.is_empty() => return Ok(entries),
            Event::Eof => return Err("unexpected end".into()),
            _ => {}
        }
    }
}

fn names(open: &[String]) -> Vec<&str> {
    open.iter().map(String::as_str).collect()
}

/// Decompresses bytes that begin as gzip does, up to `limit` bytes.
fn decompressed(bytes: &[u8], limit: u64) -> std::io::Result<Cow<'_, [u8]>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut text = Vec::new();
    MultiGzDecoder::new(bytes).take(limit).read_to_end(&mut text)?;
    Ok(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SITEMAP: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- made by hand -->\n\
        <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:image=\"x\">\n\
        <url>\n <loc>\n https://example.org/a?b=1&amp;c=&#50; </loc><lastmod>2024-01-01</lastmod>\
        <image:image><image:loc>https://example.org/a.png</image:loc></image:image></url>\n\
        <url><loc><![CDATA[https://example.org/b]]></loc></url></urlset>";

    fn addresses(text: &str) -> Result<Vec<String>, String> {
        Ok(entries(text.as_bytes())?.into_iter().map(|entry| entry.address).collect())
    }

    #[test]
    fn a_sitemap_lists_pages_and_an_index_lists_sitemaps() {
        let both = ["https://example.org/a?b=1&c=2", "https://example.org/b"];
        assert!(is_sitemap(SITEMAP.as_bytes()));
        assert_eq!(addresses(SITEMAP).unwrap(), both);
        assert!(!entries(SITEMAP.as_bytes()).unwrap()[0].is_sitemap);

        let index = "<sitemapindex><sitemap><loc>/pages.xml.gz</loc></sitemap></sitemapindex>";
        assert!(is_sitemap(index.as_bytes()));
        let entry = Entry { address: "/pages.xml.gz".into(), is_sitemap: true };
        assert_eq!(entries(index.as_bytes()).unwrap(), [entry]);
    }

    #[test]
    fn a_compressed_sitemap_is_read() {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(SITEMAP.as_bytes()).unwrap();
        let packed = encoder.finish().unwrap();
        assert!(is_sitemap(&packed));
        assert_eq!(entries(&packed).unwrap().len(), 2);
    }

    #[test]
    fn a_page_is_not_a_sitemap_and_an_invalid_sitemap_is_refused() {
        for page in
            ["", "# A\n", "<html><body>urlset</body></html>", "<feed><url/></feed>", "\u{1f}\u{8b}"]
        {
            assert!(!is_sitemap(page.as_bytes()), "{page}");
        }
        assert_eq!(addresses(&SITEMAP[..SITEMAP.len() - 9]).unwrap_err(), "unexpected end");
        assert!(
            addresses("<urlset><url></loc></urlset>")
                .unwrap_err()
                .starts_with("invalid XML: byte ")
        );
        let many = "<url><loc>/</loc></url>".repeat(MAX_ENTRIES + 1);
        let result = addresses(&format!("<urlset>{many}</urlset>")).unwrap_err();
        assert_eq!(result, "more than 50,000 addresses");
    }

    #[test]
    fn entities_are_not_expanded() {
        let text = "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>\
            <urlset><url><loc>/a&e;b</loc></url></urlset>";
        assert_eq!(addresses(text).unwrap(), ["/ab"]);
    }

    proptest! {
        #[test]
        fn no_bytes_cause_a_panic(bytes: Vec<u8>, text in "(<url>|<loc>|</loc>|</url>|<urlset>|</urlset>|&|a|;|#|<!|>|\"){0,20}") {
            let _ = (is_sitemap(&bytes), entries(&bytes).is_ok());
            let _ = (is_sitemap(text.as_bytes()), entries(text.as_bytes()).is_ok());
        }

        #[test]
        fn every_address_is_read_unchanged(addresses in prop::collection::vec("/[a-z0-9/?=&<>'\"]{0,20}", 0..9)) {
            let urls: Vec<_> = addresses.iter()
                .map(|address| format!("<url><loc>{}</loc></url>", quick_xml::escape::escape(address)))
                .collect();
            let urls = urls.join("\n");
            let result = super::tests::addresses(&format!("<urlset>{urls}</urlset>"));
            prop_assert_eq!(result, Ok(addresses));
        }
    }
}
