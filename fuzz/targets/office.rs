/*!
Documents that are not text: converted whole, and XML as the part of a package.

The first byte chooses the format, or the part. The fuzzer does not find a valid zip archive, so it writes a part, and the
target packs it.
*/

#![no_main]

use passage_office::{Format, Limits, convert};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The parts that the fuzzer writes, each with the format of its package.
const PARTS: [(Format, &str); 9] = [
    (Format::Docx, "word/document.xml"),
    (Format::Docx, "word/styles.xml"),
    (Format::Docx, "word/numbering.xml"),
    (Format::Pptx, "ppt/slides/slide1.xml"),
    (Format::Pptx, "ppt/presentation.xml"),
    (Format::Xlsx, "xl/worksheets/sheet1.xml"),
    (Format::Odt, "content.xml"),
    (Format::Ods, "content.xml"),
    (Format::Epub, "book.opf"),
];

/// The other parts, without which a package is not read.
const OTHERS: [(&str, &str); 8] = [
    ("_rels/.rels", "<a><Relationship Id='a' Type='/officeDocument' Target='xl/workbook.xml'/></a>"),
    ("word/document.xml", "<a><body><p><pPr><pStyle val='s'/></pPr><r><t>text</t></r></p></body></a>"),
    (
        "word/_rels/document.xml.rels",
        "<a><Relationship Id='s' Type='/styles' Target='styles.xml'/><Relationship Id='n' Type='/numbering' \
         Target='numbering.xml'/></a>",
    ),
    ("ppt/presentation.xml", "<a xmlns:r='r'><sldIdLst><sldId r:id='a'/></sldIdLst></a>"),
    (
        "ppt/_rels/presentation.xml.rels",
        "<a><Relationship Id='a' Type='/slide' Target='slides/slide1.xml'/></a>",
    ),
    ("xl/workbook.xml", "<workbook xmlns:r='r'><sheets><sheet name='A' sheetId='1' r:id='a'/></sheets></workbook>"),
    (
        "xl/_rels/workbook.xml.rels",
        "<a><Relationship Id='a' Type='/worksheet' Target='worksheets/sheet1.xml'/></a>",
    ),
    ("META-INF/container.xml", "<a><rootfiles><rootfile full-path='book.opf'/></rootfiles></a>"),
];

libfuzzer_sys::fuzz_target!(init: ignore_panics_of_parsers(), |input: &[u8]| {
    let Some((choice, document)) = input.split_first() else { return };
    let choice = usize::from(*choice);
    let limits = Limits { unpacked: 1 << 20, nodes: 50_000, depth: 100, text: 1 << 20, pages: 200 };
    let converted = match choice.checked_sub(Format::ALL.len()) {
        // calamine allocates the rectangle of a sheet's cells, which only the limit of the client's child process bounds.
        None if Format::ALL[choice] == Format::Xls => return,
        None => convert(Format::ALL[choice], document, limits),
        Some(part) => {
            let (format, part) = PARTS[part % PARTS.len()];
            convert(format, &package(part, document), limits)
        }
    };
    let Ok(converted) = converted else { return };
    assert!(!converted.text.contains('\0'));
    let starts: Vec<usize> = converted.marks.iter().map(|mark| mark.start).collect();
    assert!(starts.is_sorted());
    assert!(starts.iter().all(|start| converted.text.is_char_boundary(*start)));
});

/// Aborts only at panics of this repository. `convert` catches those of other crates, such as debug assertions of
/// mail-parser, and reports a damaged document.
fn ignore_panics_of_parsers() {
    let abort = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic.location().is_some_and(|place| place.file().contains("/registry/")) {
            abort(panic);
        }
    }));
}

fn package(part: &str, content: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let others = OTHERS.iter().filter(|(name, _)| *name != part);
    let others = others.map(|(name, content)| (*name, content.as_bytes()));
    for (name, content) in others.chain([(part, content)]) {
        let options = SimpleFileOptions::default();
        archive.start_file(name, options).expect("memory accepts a member");
        archive.write_all(content).expect("memory accepts any bytes");
    }
    archive.finish().expect("memory accepts any bytes").into_inner()
}
