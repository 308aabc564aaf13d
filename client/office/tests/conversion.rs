//! Conversion of a document of each format, of hostile ones, and of those that have no text.

#[path = "conversion/documents.rs"]
mod documents;
#[path = "conversion/hostile.rs"]
mod hostile;
#[path = "conversion/pages.rs"]
mod pages;

use documents::*;
use passage_office::{ConvertError, Converted, Format, Limits, convert};
use passage_split::{Place, PlaceMark};

/// Converts a document that shows its format.
fn converted(bytes: &[u8]) -> Converted {
    let format = Format::recognize("", bytes).expect("the content shows its format");
    convert(format, bytes, Limits::default()).unwrap()
}

fn places(converted: &Converted) -> Vec<(&str, Place)> {
    let line = |mark: &PlaceMark| converted.text[mark.start..].lines().next().unwrap_or_default();
    converted.marks.iter().map(|mark| (line(mark), mark.place.clone())).collect()
}

#[test]
fn word_keeps_headings_lists_tables_notes_and_links() {
    let converted = converted(&docx());
    assert_eq!(converted.title.as_deref(), Some("Cluster guide"));
    assert_eq!(
        converted.text,
        "# Cluster guide\n\n# Setup\n\nA quorum needs three nodes & [a witness](https://example.org/a).[^2]\n\n\
         - Install\n   1. Download\n   2. Verify\n\n| Node | Port |\n| --- | --- |\n| first | 5432 |\n| first | 5433 |\n\n\
         ## Backups\n\nKeep two.\n\n[^2]: As of 2024.\n"
    );
}

#[test]
fn powerpoint_keeps_the_order_of_slides_and_their_notes() {
    let converted = converted(&pptx());
    assert_eq!(
        converted.text,
        "# Setup\n\n- A quorum of three\n   - and a witness\n\n## Notes\n\nMention the costs.\n\n# Slide 2\n\n\
         | Node | Port |\n| --- | --- |\n| first | 5432 |\n"
    );
    let expected = [("# Setup", Place::Slide(1)), ("# Slide 2", Place::Slide(2))];
    assert_eq!(places(&converted), expected);
}

#[test]
fn excel_keeps_sheets_and_the_tables_on_them() {
    let converted = converted(&xlsx());
    assert_eq!(
        converted.text,
        "# Setup\n\n| Node | Port |\n| --- | --- |\n| quorum | 5432 |\n\nTotal: 1\n"
    );
    assert_eq!(places(&converted), [("# Setup", Place::Sheet("Setup".into()))]);
}

#[test]
fn excel_of_the_old_format_keeps_sheets_too() {
    let converted = converted(&xls());
    assert_eq!(converted.text, "# Setup\n\n| Node | Port |\n| --- | --- |\n| quorum | 5432 |\n");
    assert_eq!(places(&converted), [("# Setup", Place::Sheet("Setup".into()))]);
}

#[test]
fn opendocument_keeps_what_word_powerpoint_and_excel_keep() {
    assert_eq!(
        converted(&odt()).text,
        "# Setup\n\nA quorum needs [nodes](https://example.org/a).[^1]\n\n- Install\n   - Download\n\n\
         | Node | Port |\n| --- | --- |\n| first | 5432 |\n\n[^1]: As of 2024.\n"
    );
    let slides = converted(&odp());
    assert_eq!(slides.text, "# Setup\n\nA quorum of three\n\n## Notes\n\nMention the costs.\n");
    assert_eq!(places(&slides), [("# Setup", Place::Slide(1))]);
    let sheets = converted(&ods());
    assert_eq!(sheets.text, "# Setup\n\n| Node | Port |\n| --- | --- |\n| quorum | 5432 |\n");
    assert_eq!(places(&sheets), [("# Setup", Place::Sheet("Setup".into()))]);
}

#[test]
fn a_book_has_its_chapters_in_reading_order() {
    let converted = converted(&epub());
    assert_eq!(converted.title.as_deref(), Some("Cluster guide"));
    assert_eq!(
        converted.text,
        "# Setup\n\nA quorum needs three nodes and a witness.\n\n\
         # Backups\n\nKeep two copies of all that you need.\n"
    );
}

#[test]
fn rich_text_keeps_headings_tables_and_letters_of_its_code_page() {
    let converted = converted(&rtf());
    assert_eq!(converted.title.as_deref(), Some("Cluster guide"));
    assert_eq!(
        converted.text,
        "# Setup\n\nA quorum – see “Nodes” – needs żółw, 日 and 😀.\n\n\
         | Node | Port |\n| --- | --- |\n| first | 5432 |\n\nKeep {two}.\n"
    );
}

#[test]
fn a_mail_has_its_header_its_text_once_and_the_names_of_attachments() {
    let mail = convert(Format::Eml, &eml(), Limits::default()).unwrap();
    assert_eq!(mail.title.as_deref(), Some("Setup"));
    assert_eq!(
        mail.text,
        "# Setup\n\n- From: Ada (ada@example.org)\n- To: team@example.org\n- Date: 2024-01-01T10:00:00Z\n\
         - Attachments: plan.pdf\n\nA quorum needs **three** nodes.\n"
    );
    let mailbox = convert(Format::Mbox, &mbox(), Limits::default()).unwrap().text;
    assert!(
        mailbox.contains("\n\n# Re: Setup\n\n- From: bob@example.org\n\nFrom here, four.\n"),
        "{mailbox}"
    );
}

#[test]
fn a_mail_in_an_east_asian_charset_and_one_without_a_subtype_keep_their_text() {
    let text = |mail: &[u8]| convert(Format::Eml, mail, Limits::default()).unwrap().text;
    let subject = b"From: a@example.org\nSubject: =?GB2312?B?1tDOxA==?=\nContent-Type: text/plain; charset=gb2312\n\n\xd6\xd0\n";
    assert_eq!(text(subject), "# 中文\n\n- From: a@example.org\n\n中\n");
    let plain = b"From: a@example.org\nSubject: S\nContent-Type: text; charset=us-ascii\n\nA quorum.\n\nMore.\n";
    assert_eq!(text(plain), "# S\n\n- From: a@example.org\n\nA quorum.\n\nMore.\n");
}

#[test]
fn a_mail_of_html_is_decoded_once_and_groups_keep_their_names() {
    let mail = b"From: a@example.org\nTo: undisclosed-recipients:;\nCc: Staff: b@example.org, c@example.org;\nSubject: S\n\
        Content-Type: text/html; charset=koi8-r\n\n<html><head><meta charset=\"koi8-r\"></head><body><p>\xeb\xd7\xcf\xd2\xd5\xcd</p></body></html>\n";
    let text = convert(Format::Eml, mail, Limits::default()).unwrap().text;
    assert_eq!(
        text,
        "# S\n\n- From: a@example.org\n- To: undisclosed-recipients\n- Cc: Staff: b@example.org, c@example.org\n\n\
         Кворум\n"
    );
}

#[test]
fn rich_text_in_the_font_symbol_and_in_fonts_of_other_scripts_has_their_letters() {
    let rtf = br"{\rtf1\ansi{\fonttbl{\f0\fswiss Arial;}{\f2\froman\fcharset2{\*\panose 05050102010706020507}Symbol;}{\f3\fcharset204 Arial Cyr;}}
\pard\f0 An angle {\f2 a + \'70 \u-3999?} and {\f3 \'c0}.\par}";
    let text = convert(Format::Rtf, rtf, Limits::default()).unwrap().text;
    assert_eq!(text, "An angle α + π α and А.\n");
}

#[test]
fn empty_elements_of_a_chapter_end_at_once() {
    let book = archive(&[
        (
            "META-INF/container.xml",
            "<container><rootfiles><rootfile full-path=\"book.opf\"/></rootfiles></container>",
        ),
        (
            "book.opf",
            "<package><manifest><item id=\"a\" href=\"a.html\" media-type=\"application/xhtml+xml\"/></manifest>\
             <spine><itemref idref=\"a\"/></spine></package>",
        ),
        (
            "a.html",
            "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/><script src='a>b.js'/></head><body><!-- <i/> -->\
             <h1><a id=\"x\" title=\"a/>b\"/>Setup</h1><p>First.<br/>Second 1/2.</p><div class=\"toc\"/><p><em/>Third.</p></body></html>",
        ),
    ]);
    let text = convert(Format::Epub, &book, Limits::default()).unwrap().text;
    assert_eq!(text, "# Setup\n\nFirst.  \nSecond 1/2.\n\nThird.\n");
}

#[test]
fn a_pdf_has_headings_by_size_and_neither_headers_nor_numbers_of_pages() {
    let converted = converted(&pdf());
    assert_eq!(
        converted.text,
        "# Setup\n\nA quorum needs three nodes, and each of them is a member of the cluster.\n\n\
         - Install the server on all of the nodes.\n\n## Ports\n\n\
         | Node | Port |\n| --- | --- |\n| first | 5432 |\n| second | 5433 |\n\n\
         The last page has a sentence of its own.\n"
    );
    let page = |number| Place::Page(number);
    let last = "The last page has a sentence of its own.";
    assert_eq!(places(&converted), [("# Setup", page(1)), ("## Ports", page(2)), (last, page(3))]);
}

#[test]
fn documents_without_text_and_encrypted_ones_are_errors() {
    let error = |format, bytes: &[u8]| convert(format, bytes, Limits::default()).unwrap_err();
    assert_eq!(error(Format::Pdf, &pdf_of(&[vec![], vec![]])), ConvertError::NoText);
    let compound = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    assert_eq!(error(Format::Docx, &compound), ConvertError::Encrypted);
    let manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>";
    let encrypted = archive(&[("META-INF/manifest.xml", manifest), ("content.xml", "x")]);
    assert_eq!(error(Format::Odt, &encrypted), ConvertError::Encrypted);
    assert_eq!(error(Format::Doc, &compound), ConvertError::Unsupported);
}

#[test]
fn damaged_documents_are_errors_and_no_cut_of_a_document_is_a_panic() {
    let documents = [
        (Format::Docx, docx()),
        (Format::Pptx, pptx()),
        (Format::Xlsx, xlsx()),
        (Format::Odt, odt()),
        (Format::Ods, ods()),
        (Format::Epub, epub()),
        (Format::Rtf, rtf()),
        (Format::Pdf, pdf()),
        (Format::Eml, eml()),
        (Format::Mbox, mbox()),
        (Format::Xls, vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]),
    ];
    for (format, bytes) in documents {
        for cut in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
            let _ = convert(format, &bytes[..cut], Limits::default());
            let mut changed = bytes.clone();
            changed[cut] ^= 0x55;
            let _ = convert(format, &changed, Limits::default());
        }
        // Any bytes are text in these.
        let is_mail = matches!(format, Format::Eml | Format::Mbox | Format::Rtf);
        let error = convert(format, b"no document", Limits::default());
        assert!(is_mail || matches!(error, Err(ConvertError::Damaged(_))), "{format}: {error:?}");
    }
}

#[test]
fn a_document_on_which_a_parser_panics_is_damaged() {
    // A record ends in the middle of a number.
    let cuts = 1..xls::workbook().len();
    let errors: Vec<_> = cuts
        .map(|cut| xls::compound_file("Workbook", &xls::workbook()[..cut]))
        .filter_map(|workbook| convert(Format::Xls, &workbook, Limits::default()).err())
        .collect();
    let failed = ConvertError::Damaged("its parser has failed".into());
    assert!(errors.contains(&failed), "{errors:?}");
}

#[test]
fn a_workbook_whose_sectors_form_a_circle_is_damaged() {
    let mut workbook = xls();
    // The second entry in the table of sectors, in sector 0, is the next one of the directory.
    workbook[512 + 4..][..4].copy_from_slice(&1_u32.to_le_bytes());
    let error = convert(Format::Xls, &workbook, Limits::default()).unwrap_err();
    assert!(matches!(&error, ConvertError::Damaged(why) if why.contains("sector")), "{error:?}");
}
