//! Hostile documents of XML, INI and Java's properties.

use crate::invariants::splitting::{find_repeated_section, find_violation};
use passage_split::{Characters, ChunkLimits, MediaType, SplitDocument, SplitOptions, split};
use std::fmt::Write;

const XML: &str = "application/xml";
const INI: &str = "text/x-ini";
const PROPERTIES: &str = "text/x-java-properties";

fn checked<'t>(text: &'t str, media_type: &str) -> SplitDocument<'t> {
    let media_type = MediaType::new(media_type);
    let options =
        SplitOptions { title: Some("Title"), ..SplitOptions::new(ChunkLimits::CHARACTERS) };
    let document = split(text, &media_type, &options, &Characters).unwrap();
    let violation = find_violation(text, &document.chunks, ChunkLimits::CHARACTERS, &Characters);
    assert_eq!(violation, None);
    assert_eq!(find_repeated_section(&media_type, &document.chunks), None);
    document
}

#[test]
fn ten_megabytes_of_each_pattern_are_split() {
    let many = |begin: &str, part: &str, end: &str| {
        [begin, &part.repeat(10_000_000 / part.len()), end].concat()
    };
    for (media_type, text) in [
        (XML, many("<a>", "<b/>", "</a>")),
        (XML, many("<a>", "<b>x</b>\n", "</a>")),
        (XML, many("<a>", "words &b; ", "</a>")),
        (XML, many("<a>", " ", "</a>")),
        (XML, many("<a b=\"", "x<>", "\"/>")),
        (XML, many("<a", " b=''", "/>")),
        (XML, many("<", "a", "/>")),
        (XML, many("<a>", "<!---->", "</a>")),
        (XML, many("<a><!--", "- <b>", "--></a>")),
        (XML, many("<a>", "<![CDATA[]]>", "</a>")),
        (XML, many("<a><![CDATA[", "]<b>", "]]></a>")),
        (XML, many("<a>", "<?b?>", "</a>")),
        (XML, many("<!DOCTYPE a [", "<!ENTITY b \"]>\">", "]><a/>")),
        (XML, many("<!DOCTYPE a [<!--", "]>", "-->]><a/>")),
        (INI, many("", "[a]\n", "")),
        (INI, many("", "a=\n", "")),
        (INI, many("", "[a]\n;\nb=c\n", "")),
        (INI, many("a=", "x ", "")),
        (INI, many("a=\n", " b\n", "")),
        (INI, many("a=\n", "}\n", "")),
        (INI, many("[", "] ", "")),
        (INI, many("", "a = b \\\n", "")),
        (PROPERTIES, many("", "a=b\n", "")),
        (PROPERTIES, many("a=", "\\\n", "")),
        (PROPERTIES, many("", "a\\ ", "")),
        (PROPERTIES, many("", "!\n", "")),
    ] {
        let document = checked(&text, media_type);
        assert_eq!(document.syntax_error, None, "{media_type} {text:.40}");
        let titles = document.chunks.iter().flat_map(|chunk| &chunk.section);
        assert!(titles.max_by_key(|title| title.len()).is_none_or(|title| title.len() < 4_000));
        assert!(document.chunks.iter().all(|chunk| chunk.preamble.len() < 4_000));
    }
    for text in ["<a>".repeat(3_000_000), "<".repeat(10_000_000), many("<a b=\"", "x", "")] {
        assert!(checked(&text, XML).syntax_error.is_some());
    }
}

#[test]
fn depth_needs_neither_stack_nor_quadratic_time() {
    let text = "<a>".repeat(1_000_000) + "x" + &"</a>".repeat(1_000_000);
    let document = checked(&text, XML);
    assert_eq!(document.syntax_error, None);
    assert!(document.chunks.iter().all(|chunk| chunk.section.len() <= 64));
    // The innermost element has no elements inside, and does not count.
    let deeper = format!("<a><a>{text}</a></a>");
    assert_eq!(checked(&deeper, XML).syntax_error.unwrap().column, 3_000_001);
}

#[test]
fn entities_are_text_and_never_expanded() {
    let mut text =
        String::from("<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY lol \"lol\">\n");
    for number in 1..=9 {
        let before = number - 1;
        let name = if before == 0 { "&lol;".to_owned() } else { format!("&lol{before};") };
        writeln!(text, "<!ENTITY lol{number} \"{}\">", name.repeat(10)).unwrap();
    }
    text += "<!ENTITY file SYSTEM \"file:///etc/passwd\">\n]>\n<lolz><a>&lol9;</a><b>&file;</b></lolz>\n";
    let document = checked(&text, XML);
    assert_eq!(document.syntax_error, None);
    let contents: String = document.chunks.iter().map(|chunk| chunk.content).collect();
    assert_eq!(contents, text);
    assert!(document.chunks.iter().all(|chunk| chunk.preamble.len() < 200));
}
