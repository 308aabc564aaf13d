//! Documents that grow when they are read: bombs of zip, deep elements, loops of objects, huge sheets.

use super::documents::*;
use passage_office::{ConvertError, Format, Limits, convert};

fn refused(format: Format, bytes: &[u8], limits: Limits) -> String {
    match convert(format, bytes, limits) {
        Err(ConvertError::TooLarge(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_package_that_unpacks_to_much_more_than_its_size_is_refused() {
    let limits = Limits { unpacked: 1 << 20, ..Limits::default() };
    let bomb = docx_of(&" ".repeat(2 << 20));
    assert!(bomb.len() < 10_000);
    assert_eq!(refused(Format::Docx, &bomb, limits), "it unpacks to more than 1 MB");
    let sheet = format!("<worksheet>{}</worksheet>", " ".repeat(2 << 20));
    let bomb = archive(&[("[Content_Types].xml", ""), ("xl/worksheets/sheet1.xml", &sheet)]);
    assert_eq!(refused(Format::Xlsx, &bomb, limits), "it unpacks to more than 1 MB");
}

#[test]
fn deep_and_many_elements_are_refused() {
    let deep = docx_of(&"<w:sdt><w:sdtContent>".repeat(1_000_000));
    assert_eq!(refused(Format::Docx, &deep, Limits::default()), "its XML has too many elements");
    let limits = Limits { nodes: 10_000, ..Limits::default() };
    let many = docx_of(&"<w:p/>".repeat(10_000));
    assert_eq!(refused(Format::Docx, &many, limits), "its XML has too many elements");
}

#[test]
fn a_text_longer_than_the_limit_is_refused() {
    let limits = Limits { text: 1 << 20, ..Limits::default() };
    let long = docx_of(&docx_paragraph("", &run(&"word ".repeat(300_000))));
    assert_eq!(refused(Format::Docx, &long, limits), "its text has more than 1 MB");
}

#[test]
fn entities_of_a_document_are_not_expanded() {
    let text = "<!DOCTYPE a [<!ENTITY e \"eeeeeeee\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]>\
        <o:document-content xmlns:o=\"o\" xmlns:t=\"t\"><o:body><o:text><t:p>a&e;&f;b</t:p></o:text></o:body>\
        </o:document-content>";
    let document = archive(&[("content.xml", text)]);
    assert_eq!(convert(Format::Odt, &document, Limits::default()).unwrap().text, "ab\n");
}

#[test]
fn loops_of_pages_and_of_forms_end() {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources \
        << /XObject << /A 5 0 R >> /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>";
    let content = "q BT /F 10 Tf 50 700 Td (One line of text) Tj ET /A Do Q";
    let form = "<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Length 5 /Resources << /XObject << /A 5 0 R >> >> >>";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        // The tree of pages contains itself.
        "<< /Type /Pages /Count 1000000000 /Kids [3 0 R 2 0 R 2 0 R] >>".to_owned(),
        page.to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        // The form draws itself.
        format!("{form}\nstream\n/A Do\nendstream"),
    ];
    let text = convert(Format::Pdf, &pdf_of_objects(&objects, ""), Limits::default()).unwrap().text;
    assert!(text.starts_with("One line of text"), "{text}");
}

#[test]
fn more_pages_than_the_limit_are_refused() {
    let page = vec![(10.0, 50.0, 700.0, "Text")];
    let limits = Limits { pages: 2, ..Limits::default() };
    let reason = refused(Format::Pdf, &pdf_of(&[page.clone(), page.clone(), page]), limits);
    assert_eq!(reason, "it has more than 2 pages, slides or sheets");
}

#[test]
fn cells_that_are_repeated_a_billion_times_are_written_a_few_times() {
    let cell = "<table:table-cell table:number-columns-repeated=\"16384\"><text:p>x</text:p></table:table-cell>";
    let sheet = format!(
        "<office:spreadsheet><table:table table:name=\"a\"><table:table-row table:number-rows-repeated=\"1048576\">\
         {cell}</table:table-row></table:table></office:spreadsheet>"
    );
    let bytes = opendocument("spreadsheet", &sheet);
    let text = convert(Format::Ods, &bytes, Limits::default()).unwrap().text;
    assert!(text.len() < 16 << 20, "{}", text.len());
}

#[test]
fn a_long_cell_that_is_repeated_or_merged_a_million_times_is_refused() {
    let limits = Limits { text: 64 << 20, ..Limits::default() };
    let long = "x".repeat(1 << 20);
    let row = format!(
        "<table:table-row table:number-rows-repeated=\"1000\"><table:table-cell \
         table:number-columns-repeated=\"1000\"><text:p>{long}</text:p></table:table-cell></table:table-row>"
    );
    let sheet = format!(
        "<office:spreadsheet><table:table table:name=\"a\">{row}</table:table></office:spreadsheet>"
    );
    let bytes = opendocument("spreadsheet", &sheet);
    assert_eq!(refused(Format::Ods, &bytes, limits), "its text has more than 64 MB");
    let cell = format!("<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>{long}</t></is></c></row>");
    let bytes = xlsx_of(&cell, "<mergeCells><mergeCell ref=\"A1:BL1000\"/></mergeCells>");
    assert_eq!(refused(Format::Xlsx, &bytes, limits), "its text has more than 64 MB");
}

#[test]
fn a_page_that_the_tree_names_a_hundred_thousand_times_is_read_once() {
    let kids = "3 0 R ".repeat(100_000);
    let content = "BT /F 10 Tf 50 700 Td (One line of text) Tj ET";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Count 100000 /Kids [{kids}] >>"),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources \
         << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ];
    let converted = convert(Format::Pdf, &pdf_of_objects(&objects, ""), Limits::default()).unwrap();
    assert_eq!((&*converted.text, converted.marks.len()), ("One line of text\n", 1));
}

#[test]
fn a_tree_of_pages_that_is_a_hundred_thousand_levels_deep_ends() {
    let count = 100_000;
    let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>".to_owned()];
    objects.extend((2..count).map(|number| {
        format!("<< /Type /Pages /Count 1 /Parent {} 0 R /Kids [{} 0 R] >>", number - 1, number + 1)
    }));
    objects.push("<< /Type /Page /MediaBox [0 0 600 800] >>".to_owned());
    let converted = convert(Format::Pdf, &pdf_of_objects(&objects, ""), Limits::default());
    assert!(converted.is_err(), "{converted:?}");
}

#[test]
fn a_pdf_with_a_password_is_an_error() {
    let key = "00112233445566778899aabbccddeeff".repeat(2);
    let encryption =
        format!("<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{key}> /U <{key}> >>");
    let id = "/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>".to_owned(),
        encryption,
    ];
    let bytes = pdf_of_objects(&objects, &format!("/Encrypt 4 0 R {id}"));
    let error = convert(Format::Pdf, &bytes, Limits::default()).unwrap_err();
    assert_eq!(error, ConvertError::Encrypted);
}
