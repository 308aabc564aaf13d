//! Small documents of each format, written as programs write them. Each has a section "Setup" with the word "quorum".

pub mod xls;

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub use xls::xls;

/// Returns a zip archive.
pub fn archive(members: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

const RELATION: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Returns the relations of a part: id, kind and target of each.
fn relations(relations: &[(&str, &str, &str)]) -> String {
    let mut text = String::from("<Relationships>");
    for (id, kind, target) in relations {
        let mode = if target.contains("://") { " TargetMode=\"External\"" } else { "" };
        let _ = write!(
            text,
            "<Relationship Id=\"{id}\" Type=\"{RELATION}/{kind}\" Target=\"{target}\"{mode}/>"
        );
    }
    text + "</Relationships>"
}

/// Returns a document of Word with this body.
pub fn docx_of(body: &str) -> Vec<u8> {
    let styles = r#"<w:styles xmlns:w="w">
        <w:style w:styleId="T"><w:name w:val="Title"/></w:style>
        <w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
        <w:style w:styleId="Own"><w:name w:val="Chapter"/><w:basedOn w:val="berschrift1"/></w:style>
        <w:style w:styleId="TOC1"><w:name w:val="toc 1"/></w:style></w:styles>"#;
    let numbering = r#"<w:numbering xmlns:w="w">
        <w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl>
        <w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
        <w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>"#;
    let notes = r#"<w:footnotes xmlns:w="w"><w:footnote w:id="-1" w:type="separator"><w:p/></w:footnote>
        <w:footnote w:id="2"><w:p><w:r><w:t>As of 2024.</w:t></w:r></w:p></w:footnote></w:footnotes>"#;
    let document =
        format!("<w:document xmlns:w=\"w\" xmlns:r=\"r\"><w:body>{body}</w:body></w:document>");
    archive(&[
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &relations(&[("a", "officeDocument", "word/document.xml")])),
        ("word/document.xml", &document),
        (
            "word/_rels/document.xml.rels",
            &relations(&[
                ("s", "styles", "styles.xml"),
                ("n", "numbering", "numbering.xml"),
                ("f", "footnotes", "footnotes.xml"),
                ("h", "hyperlink", "https://example.org/a"),
            ]),
        ),
        ("word/styles.xml", styles),
        ("word/numbering.xml", numbering),
        ("word/footnotes.xml", notes),
        ("word/header1.xml", "<w:hdr><w:p><w:r><w:t>Confidential</w:t></w:r></w:p></w:hdr>"),
    ])
}

/// Returns a paragraph of Word.
pub fn docx_paragraph(properties: &str, runs: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>")
}

/// Returns a run of Word.
pub fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

/// Returns a document of Word with a title, sections, a list, a table, a footnote, a link, and what is left out.
pub fn docx() -> Vec<u8> {
    let style = |id: &str| format!("<w:pStyle w:val=\"{id}\"/>");
    let item =
        |level| format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"3\"/></w:numPr>");
    let cell = |properties: &str, text: &str| {
        let paragraph = docx_paragraph("", &run(text));
        format!("<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph}</w:tc>")
    };
    let body = [
        docx_paragraph(&style("T"), &run("Cluster guide")),
        docx_paragraph(&style("TOC1"), &run("Setup 1")),
        docx_paragraph(&style("Own"), &run("Setup")),
        docx_paragraph(
            "",
            &format!(
                "{}<w:hyperlink r:id=\"h\">{}</w:hyperlink>{}<w:r><w:footnoteReference w:id=\"2\"/></w:r>\
                 <w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>",
                run("A quorum needs three nodes &amp; "),
                run("a witness"),
                run(".")
            ),
        ),
        docx_paragraph(&item(0), &run("Install")),
        docx_paragraph(&item(1), &run("Download")),
        docx_paragraph(&item(1), &run("Verify")),
        format!(
            "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>",
            cell("", "Node"),
            cell("", "Port"),
            cell("<w:vMerge w:val=\"restart\"/>", "first"),
            cell("", "5432"),
            cell("<w:vMerge/>", ""),
            cell("", "5433")
        ),
        docx_paragraph("<w:outlineLvl w:val=\"1\"/>", &run("Backups")),
        docx_paragraph("", &run("Keep two.")),
    ];
    docx_of(&body.concat())
}

/// Returns a presentation of two slides, the first with speaker notes.
pub fn pptx() -> Vec<u8> {
    let shape = |kind: &str, paragraphs: &str| {
        format!(
            "<p:sp><p:nvSpPr><p:nvPr><p:ph type=\"{kind}\"/></p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"
        )
    };
    let text = |level: usize, text: &str| {
        format!("<a:p><a:pPr lvl=\"{level}\"/><a:r><a:t>{text}</a:t></a:r></a:p>")
    };
    let slide = |shapes: &str| {
        format!(
            "<p:sld xmlns:p=\"p\" xmlns:a=\"a\"><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
    };
    let first = slide(
        &[
            shape("title", &text(0, "Setup")),
            shape("body", &[text(0, "A quorum of three"), text(1, "and a witness")].concat()),
            shape("sldNum", &text(0, "1")),
        ]
        .concat(),
    );
    let table = "<p:graphicFrame><a:graphic><a:graphicData><a:tbl>\
        <a:tr><a:tc><a:txBody><a:p><a:r><a:t>Node</a:t></a:r></a:p></a:txBody></a:tc>\
        <a:tc><a:txBody><a:p><a:r><a:t>Port</a:t></a:r></a:p></a:txBody></a:tc></a:tr>\
        <a:tr><a:tc><a:txBody><a:p><a:r><a:t>first</a:t></a:r></a:p></a:txBody></a:tc>\
        <a:tc><a:txBody><a:p><a:r><a:t>5432</a:t></a:r></a:p></a:txBody></a:tc></a:tr>\
        </a:tbl></a:graphicData></a:graphic></p:graphicFrame>";
    let notes = slide(&shape("body", &text(0, "Mention the costs.")));
    archive(&[
        ("[Content_Types].xml", "<Types/>"),
        (
            "ppt/presentation.xml",
            "<p:presentation xmlns:p=\"p\" xmlns:r=\"r\"><p:sldIdLst><p:sldId id=\"256\" r:id=\"b\"/>\
             <p:sldId id=\"257\" r:id=\"a\"/></p:sldIdLst></p:presentation>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            &relations(&[("a", "slide", "slides/slide1.xml"), ("b", "slide", "slides/slide2.xml")]),
        ),
        ("ppt/slides/slide1.xml", &slide(table)),
        ("ppt/slides/slide2.xml", &first),
        (
            "ppt/slides/_rels/slide2.xml.rels",
            &relations(&[("n", "notesSlide", "../notesSlides/notesSlide1.xml")]),
        ),
        ("ppt/notesSlides/notesSlide1.xml", &notes),
    ])
}

/// Returns a workbook with a table, and another one below it. A cell in the last row of the sheet is empty but styled.
pub fn xlsx() -> Vec<u8> {
    let text = |cell: &str, text: &str| {
        format!("<c r=\"{cell}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
    };
    let rows = [
        format!("<row r=\"2\">{}{}</row>", text("B2", "Node"), text("C2", "Port")),
        format!("<row r=\"3\">{}<c r=\"C3\"><v>5432</v></c></row>", text("B3", "quorum")),
        format!("<row r=\"6\">{}</row>", text("B6", "Total: 1")),
        "<row r=\"1048576\"><c r=\"XFD1048576\" s=\"0\"/></row>".to_owned(),
    ];
    xlsx_of(&rows.concat(), "")
}

/// Returns a workbook with a sheet of these rows, and with elements that follow them.
pub fn xlsx_of(rows: &str, after: &str) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    archive(&[
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &relations(&[("a", "officeDocument", "xl/workbook.xml")])),
        (
            "xl/workbook.xml",
            &format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{RELATION}\"><sheets><sheet name=\"Setup\" sheetId=\"1\" r:id=\"a\"/>\
                 </sheets></workbook>"
            ),
        ),
        ("xl/_rels/workbook.xml.rels", &relations(&[("a", "worksheet", "worksheets/sheet1.xml")])),
        (
            "xl/worksheets/sheet1.xml",
            &format!(
                "<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData>{after}</worksheet>"
            ),
        ),
    ])
}

/// Returns a document of `OpenDocument` with this body.
pub fn opendocument(kind: &str, body: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content xmlns:office=\"o\" xmlns:text=\"t\" xmlns:table=\"b\" xmlns:draw=\"d\" \
         xmlns:presentation=\"p\" xmlns:xlink=\"x\"><office:body>{body}</office:body></office:document-content>"
    );
    let media_type = format!("application/vnd.oasis.opendocument.{kind}");
    archive(&[("mimetype", &media_type), ("content.xml", &content)])
}

/// Returns a text of `OpenDocument` with a list, a footnote, a link and a table.
pub fn odt() -> Vec<u8> {
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let row = |cells: &str| format!("<table:table-row>{cells}</table:table-row>");
    opendocument(
        "text",
        &[
            "<office:text><text:h text:outline-level=\"1\">Setup</text:h>\
             <text:p>A quorum<text:s/>needs <text:a xlink:href=\"https://example.org/a\">nodes</text:a>.\
             <text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>As of 2024.</text:p>\
             </text:note-body></text:note></text:p><text:list><text:list-item><text:p>Install</text:p><text:list>\
             <text:list-item><text:p>Download</text:p></text:list-item></text:list></text:list-item></text:list>\
             <table:table table:name=\"a\">",
            &row(&[cell("Node"), cell("Port")].concat()),
            &row(&[cell("first"), cell("5432")].concat()),
            "</table:table></office:text>",
        ]
        .concat(),
    )
}

/// Returns a presentation of `OpenDocument` with a slide and its notes.
pub fn odp() -> Vec<u8> {
    let frame = |class: &str, text: &str| {
        format!(
            "<draw:frame presentation:class=\"{class}\"><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"
        )
    };
    let slide =
        [frame("title", "Setup"), frame("outline", "A quorum of three"), frame("footer", "7")];
    let notes = frame("notes", "Mention the costs.");
    opendocument(
        "presentation",
        &format!(
            "<office:presentation><draw:page>{}<presentation:notes>{notes}</presentation:notes></draw:page>\
             </office:presentation>",
            slide.concat()
        ),
    )
}

/// Returns a spreadsheet of `OpenDocument`, whose last cells are repeated to the end of the sheet.
pub fn ods() -> Vec<u8> {
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let row = |cells: &str| format!("<table:table-row>{cells}</table:table-row>");
    let empty = "<table:table-cell table:number-columns-repeated=\"16382\"/>";
    opendocument(
        "spreadsheet",
        &[
            "<office:spreadsheet><table:table table:name=\"Setup\">",
            &row(&[cell("Node"), cell("Port"), empty.to_owned()].concat()),
            &row(&[cell("quorum"), cell("5432")].concat()),
            "<table:table-row table:number-rows-repeated=\"1048574\"><table:table-cell \
             table:number-columns-repeated=\"16384\"/></table:table-row></table:table></office:spreadsheet>",
        ]
        .concat(),
    )
}

/// Returns a book of two chapters, whose spine has another order than its list.
pub fn epub() -> Vec<u8> {
    let chapter = |title: &str, text: &str| {
        format!(
            "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>{title}</title></head>\
            <body><h1>{title}</h1><p>{text}</p></body></html>"
        )
    };
    archive(&[
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            "<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>",
        ),
        (
            "OEBPS/book.opf",
            "<package xmlns:dc=\"dc\"><metadata><dc:title>Cluster guide</dc:title></metadata><manifest>\
             <item id=\"b\" href=\"chapter%202.xhtml\" media-type=\"application/xhtml+xml\"/>\
             <item id=\"a\" href=\"chapter1.xhtml\" media-type=\"application/xhtml+xml\"/>\
             <item id=\"c\" href=\"toc.xhtml\" media-type=\"application/xhtml+xml\"/></manifest>\
             <spine><itemref idref=\"c\"/><itemref idref=\"a\"/><itemref idref=\"b\"/></spine>\
             <guide><reference type=\"toc\" href=\"toc.xhtml\"/></guide></package>",
        ),
        ("OEBPS/toc.xhtml", &chapter("Contents", "1. Setup 2. Backups")),
        ("OEBPS/chapter 2.xhtml", &chapter("Backups", "Keep two copies of all that you need.")),
        ("OEBPS/chapter1.xhtml", &chapter("Setup", "A quorum needs three nodes and a witness.")),
    ])
}

/// Returns a document of Rich Text with a header, a style, a table and letters in three notations.
pub fn rtf() -> Vec<u8> {
    br"{\rtf1\ansi\ansicpg1250{\fonttbl{\f0 Arial;}}{\stylesheet{\s0 Normal;}{\s1 heading 1;}}{\info{\title Cluster guide}}
{\header Confidential\par}{\*\unknown left out}
\pard\s1 Setup\par
\pard A quorum \endash  see \ldblquote Nodes\rdblquote  \'96 needs \'bf\'f3\'b3w, \u26085? and \u-10179?\u-8704?.\par
\trowd\intbl Node\cell Port\cell\row \trowd\intbl first\cell 5432\cell\row
\pard Keep \{two\}.{\v hidden}\par}"
        .to_vec()
}

/// Returns a mail with a body in two forms, an encoded subject and an attachment.
pub fn eml() -> Vec<u8> {
    "From: Ada <ada@example.org>\r\nTo: team@example.org\r\nSubject: =?utf-8?Q?Setup?=\r\n\
     Date: Mon, 1 Jan 2024 10:00:00 +0000\r\nMIME-Version: 1.0\r\n\
     Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n\
     --c\r\nContent-Type: text/plain\r\n\r\nA quorum needs three nodes.\r\n\
     --c\r\nContent-Type: text/html\r\n\r\n<p>A quorum needs <b>three</b> nodes.</p>\r\n--c--\r\n\
     --b\r\nContent-Type: application/pdf; name=plan.pdf\r\nContent-Disposition: attachment; filename=plan.pdf\r\n\
     Content-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n--b--\r\n"
        .into()
}

/// Returns a mailbox of two messages.
pub fn mbox() -> Vec<u8> {
    "From ada@example.org Mon Jan  1 10:00:00 2024\nFrom: ada@example.org\nSubject: Setup\n\nA quorum needs three.\n\n\
     From bob@example.org Mon Jan  1 11:00:00 2024\nFrom: bob@example.org\nSubject: Re: Setup\n\n>From here, four.\n"
        .into()
}

/// A text on a page of a PDF: size, distance from the left and from the bottom, and the text.
pub type Placed<'t> = (f64, f64, f64, &'t str);

/// Returns a PDF with these pages.
pub fn pdf_of(pages: &[Vec<Placed<'_>>]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for (number, page) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R \
             /Resources << /Font << /F 3 0 R >> >> >>",
            5 + 2 * number
        ));
        let mut content = String::new();
        for (size, x, y, text) in page {
            let _ = writeln!(content, "BT /F {size} Tf {x} {y} Td ({text}) Tj ET");
        }
        objects.push(format!("<< /Length {} >>\nstream\n{content}endstream", content.len()));
    }
    pdf_of_objects(&objects, "")
}

/// Returns a PDF with these objects, the first of which is its catalog.
pub fn pdf_of_objects(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut pdf = String::from("%PDF-1.7\n");
    let mut offsets = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        offsets.push(pdf.len());
        let _ = write!(pdf, "{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let start = pdf.len();
    let size = objects.len() + 1;
    let _ = write!(pdf, "xref\n0 {size}\n0000000000 65535 f \n");
    for offset in offsets {
        let _ = writeln!(pdf, "{offset:010} 00000 n ");
    }
    let _ = write!(
        pdf,
        "trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n"
    );
    pdf.into_bytes()
}

/// Returns a PDF of three pages with a header, headings, a hyphenated paragraph, a list and a table.
pub fn pdf() -> Vec<u8> {
    let header = (8.0, 50.0, 780.0, "Cluster guide, draft");
    let mut pages = vec![
        vec![
            header,
            (20.0, 50.0, 700.0, "Setup"),
            (10.0, 50.0, 670.0, "A quorum needs three nodes, and each of them is a mem-"),
            (10.0, 50.0, 658.0, "ber of the cluster."),
            (10.0, 50.0, 630.0, "\\225 Install the server on all of the nodes."),
        ],
        vec![
            header,
            (14.0, 50.0, 700.0, "Ports"),
            (10.0, 50.0, 670.0, "Node"),
            (10.0, 200.0, 670.0, "Port"),
            (10.0, 50.0, 655.0, "first"),
            (10.0, 200.0, 655.0, "5432"),
            (10.0, 50.0, 640.0, "second"),
            (10.0, 200.0, 640.0, "5433"),
        ],
        vec![header, (10.0, 50.0, 700.0, "The last page has a sentence of its own.")],
    ];
    for (page, number) in pages.iter_mut().zip(["1", "2", "3"]) {
        page.push((8.0, 300.0, 20.0, number));
    }
    pdf_of(&pages)
}
