//! PDFs whose places alone show headings, accents, columns and marks of footnotes.

use super::documents::*;
use passage_office::{ConvertError, Format, Limits, convert};

fn text(pdf: &[u8]) -> String {
    convert(Format::Pdf, pdf, Limits::default()).unwrap().text
}

fn text_of(page: &[Placed<'_>]) -> String {
    text(&pdf_of(&[page.to_vec()]))
}

/// Returns a PDF of two pages with bookmarks, which are objects from 20: the first in a loop, by all three kinds of targets.
fn pdf_with_bookmarks() -> Vec<u8> {
    let page = |content: usize| {
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {content} 0 R \
             /Resources << /Font << /F 3 0 R >> >> >>"
        )
    };
    let content = |lines: &[(usize, &str)]| {
        let lines = lines.iter().fold(String::new(), |lines, (y, text)| {
            lines + &format!("BT /F 10 Tf 50 {y} Td ({text}) Tj ET\n")
        });
        format!("<< /Length {} >>\nstream\n{lines}endstream", lines.len())
    };
    pdf_of_objects(
        &[
            "<< /Type /Catalog /Pages 2 0 R /Outlines 8 0 R /Dests << /two [5 0 R /Fit] >> \
             /Names << /Dests << /Kids [13 0 R] >> >> >>"
                .to_owned(),
            "<< /Type /Pages /Count 2 /Kids [4 0 R 5 0 R] >>".to_owned(),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
            page(6),
            page(7),
            content(&[
                (700, "1 Setup"),
                (680, "Setup needs a quorum."),
                (640, "1.1 First"),
                (628, "node"),
                (600, "It begins."),
            ]),
            content(&[(700, "Backups. Keep two copies"), (688, "of all."), (660, "A \\(b\\)")]),
            "<< /First 9 0 R >>".to_owned(),
            "<< /Title (Setup) /Dest [4 0 R /XYZ 0 0 0] /First 10 0 R /Next 11 0 R >>".to_owned(),
            "<< /Title <FEFF004600690072007300740020006E006F00640065> /A << /S /GoTo /D (one) >> >>"
                .to_owned(),
            "<< /Title (Backups) /Dest /two /Next 12 0 R >>".to_owned(),
            "<< /Title (No line has this) /Dest [5 0 R] /Next 9 0 R >>".to_owned(),
            "<< /Names [(one) << /D [4 0 R /Fit] >>] /Kids [13 0 R] >>".to_owned(),
        ],
        "",
    )
}

#[test]
fn bookmarks_make_headings_of_lines_in_the_size_of_the_text() {
    assert_eq!(
        text(&pdf_with_bookmarks()),
        "# 1 Setup\n\nSetup needs a quorum.\n\n## 1.1 First node\n\nIt begins.\n\n# Backups.\n\n\
         Keep two copies of all.\n\nA (b)\n"
    );
}

#[test]
fn an_accent_that_is_drawn_over_its_letter_is_a_part_of_it() {
    let text = text_of(&[
        (10.0, 50.0, 700.0, "T"),
        (10.0, 56.0, 700.0, "\\264"),
        (10.0, 56.2, 700.0, "itulo"),
        (10.0, 80.0, 700.0, "and more"),
    ]);
    assert_eq!(text, "Título and more\n");
}

#[test]
fn an_accent_belongs_to_the_letter_under_its_middle_whatever_its_height_and_width() {
    // TeX draws an accent first: wider than a narrow letter, higher over a capital one, in the middle of a wide one.
    let text = text_of(&[
        (10.0, 50.0, 700.0, "Ingenier"),
        (10.0, 84.9, 700.0, "\\264"),
        (10.0, 85.46, 700.0, "ia"),
        (10.0, 100.0, 700.0, "T"),
        (10.0, 106.0, 702.5, "\\264"),
        (10.0, 106.27, 700.0, "ITULO"),
        (10.0, 150.0, 700.0, "a"),
        (10.0, 156.53, 700.0, "~"),
        (10.0, 155.56, 700.0, "O"),
        (14.0, 50.0, 600.0, "\\264"),
        (14.0, 50.4, 596.5, "Indice"),
    ]);
    assert_eq!(text, "Ingeniería TÍTULO aÕ\n\n# Índice\n");
}

/// Returns a PDF of a page with a bitmap font, whose glyphs have these names.
fn pdf_with_bitmaps(names: &str) -> Vec<u8> {
    let content = "BT /F 10 Tf 50 700 Td (o\\016ce \\034nds \\025 50) Tj ET";
    pdf_of_objects(
        &[
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Count 1 /Kids [4 0 R] >>".to_owned(),
            format!(
                "<< /Type /Font /Subtype /Type3 /FontMatrix [0.01 0 0 0.01 0 0] /FontBBox [0 0 60 60] /Resources << >> \
                 /FirstChar 14 /LastChar 119 /Widths [{}] /CharProcs << /a111 6 0 R >> \
                 /Encoding << /Type /Encoding /Differences [{names}] >> >>",
                "50 ".repeat(106)
            ),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R \
             /Resources << /Font << /F 3 0 R >> >> >>"
                .to_owned(),
            format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
            "<< /Length 7 >>\nstream\n50 0 d0\nendstream".to_owned(),
        ],
        "",
    )
}

#[test]
fn letters_of_bitmap_fonts_of_tex_are_known_by_their_codes() {
    let names = |name: fn(u8) -> String| {
        (14..120).fold(String::from("14"), |names, code| names + &name(code))
    };
    for name in [|code| format!(" /a{code}"), |code| format!(" /#{code:02X}")] {
        assert_eq!(text(&pdf_with_bitmaps(&names(name))), "office finds – 50\n");
    }
    // Codes say nothing in a font whose names do not repeat them.
    let names = names(|code| format!(" /g{code}"));
    let error = convert(Format::Pdf, &pdf_with_bitmaps(&names), Limits::default());
    assert_eq!(error.unwrap_err(), ConvertError::NoText);
}

#[test]
fn a_line_that_begins_with_the_mark_of_a_footnote_is_one_line() {
    let text = text_of(&[
        (6.0, 50.0, 704.0, "1"),
        (10.0, 53.5, 700.0, "This is"),
        (10.0, 86.0, 700.0, "a footnote."),
    ]);
    assert_eq!(text, "1This is a footnote.\n");
}

#[test]
fn columns_that_a_file_has_line_by_line_are_read_one_after_the_other() {
    let left = [
        "A quorum needs three of the nodes",
        "that the cluster has, and each of",
        "these is a member of it from the",
        "moment at which the other members",
        "have written its name in the list",
        "of nodes. It ends here.",
        "Another paragraph of this column",
    ];
    let right = [
        "Backups are made every night by a",
        "node that is not the leader. They",
        "are kept for a month, and one for",
        "each month is kept for ten years.",
        "A restore reads the backup and in",
        "addition all later segments, till",
        "the time that somebody names.",
    ];
    let mut page = vec![(
        10.0,
        50.0,
        740.0,
        "A title over both of the columns, which is as wide as they are together",
    )];
    for (line, (left, right)) in left.iter().zip(right).enumerate() {
        let y = 700.0 - 12.0 * line as f64;
        page.extend([(10.0, 50.0, y, *left), (10.0, 250.0, y, right)]);
    }
    page.push((
        10.0,
        50.0,
        560.0,
        "A line at the end that is as wide as both of the columns are together.",
    ));
    let text = text_of(&page);
    let paragraph = |lines: &[&str]| lines.join(" ");
    let expected = [
        "A title over both of the columns, which is as wide as they are together",
        &paragraph(&left),
        &paragraph(&right),
        "A line at the end that is as wide as both of the columns are together.\n",
    ];
    assert_eq!(text, expected.join("\n\n"));
}

#[test]
fn numbers_through_a_document_without_bookmarks_make_headings_in_the_size_of_the_text() {
    let line = |y: f64, text: &'static str| (10.0, 50.0, y, text);
    let pages = [
        vec![
            (16.0, 50.0, 740.0, "Cluster guide"),
            line(700.0, "1. Setup"),
            line(688.0, "A quorum needs three nodes. They are"),
            line(676.0, "2. Members of a cluster and not more"),
            line(650.0, "1.1. First nodes. Each of them"),
            line(638.0, "writes its name."),
        ],
        vec![
            line(700.0, "2. Backups"),
            line(688.0, "Each night a node does this:"),
            line(670.0, "1. Copy all"),
            line(658.0, "2. Keep two"),
            line(646.0, "3. Delete others"),
            line(620.0, "3. Restore"),
            line(608.0, "A restore reads a backup."),
        ],
    ];
    assert_eq!(
        text(&pdf_of(&pages)),
        "# Cluster guide\n\n## 1. Setup\n\nA quorum needs three nodes. They are 2. Members of a cluster and not more\n\n\
         ### 1.1. First nodes.\n\nEach of them writes its name.\n\n## 2. Backups\n\nEach night a node does this:\n\n\
         1. Copy all 2. Keep two 3. Delete others\n\n## 3. Restore\n\nA restore reads a backup.\n"
    );
}

#[test]
fn letters_that_are_spaced_out_are_one_word_on_a_page_with_spaces() {
    let text = text_of(&[
        (10.0, 50.0, 700.0, "of com"),
        // 1.5 points after "com", less than the narrowest space.
        (10.0, 50.0 + 5.56 + 2.78 + 2.78 + 5.0 + 5.56 + 8.33 + 1.5, 700.0, "plex"),
        (10.0, 150.0, 680.0, "text"),
    ]);
    assert_eq!(text, "of complex\n\ntext\n");
}

#[test]
fn a_paragraph_in_large_letters_is_not_a_heading() {
    let small =
        "Most of the text has small letters, as the cells of tables or the notes of pages have.";
    let large = "This font has features, which are described here.";
    let text = text_of(&[
        (12.0, 50.0, 740.0, "Features"),
        (12.0, 50.0, 710.0, large),
        (12.0, 50.0, 696.0, "Some of them have values."),
        (8.0, 50.0, 600.0, small),
        (8.0, 50.0, 500.0, small),
    ]);
    let prose = format!("# Features\n\n{large} Some of them have values.\n\n{small}");
    assert!(text.starts_with(&prose), "{text}");
}

#[test]
fn a_row_with_cells_close_to_each_other_divides_a_table_and_no_more() {
    let mut page = vec![];
    for (line, name) in
        ["one", "two", "three", "a name that nearly reaches the value", "five", "six", "seven"]
            .into_iter()
            .enumerate()
    {
        let y = 700.0 - 12.0 * line as f64;
        page.extend([(10.0, 50.0, y, name), (10.0, 220.0, y, "value")]);
    }
    let text = text_of(&page);
    assert!(
        text.contains(
            "reaches the value value\n\n| five | value |\n| --- | --- |\n| six | value |"
        ),
        "{text}"
    );
}

#[test]
fn a_table_with_long_cells_stays_a_table() {
    let mut page = vec![];
    for line in 0..8 {
        let y = 700.0 - 14.0 * f64::from(line);
        page.push((
            10.0,
            50.0,
            y,
            ["a name", "another name of a thing", "the longest name of all these"]
                [line as usize % 3],
        ));
        page.push((10.0, 250.0, y, "the meaning of this name"));
    }
    let text = text_of(&page);
    assert!(text.starts_with("| a name | the meaning of this name |\n| --- | --- |\n"), "{text}");
}

#[test]
fn headers_and_numbers_are_left_out_on_paper_with_marks_for_cutting() {
    // Left and right pages of an article of five, whose text is in the middle of larger paper.
    let pages: Vec<Vec<Placed<'_>>> = ["361", "362", "363", "364", "365"]
        .iter()
        .enumerate()
        .map(|(page, number)| {
            let header = ["Nitric oxide of footballers", "SAYGIN, O"][page % 2];
            vec![
                (8.0, 150.0, 620.0, header),
                (10.0, 150.0, 580.0, ["One", "Two", "Three", "Four", "Five"][page]),
                (10.0, 150.0, [400.0, 388.0, 376.0, 364.0, 352.0][page], "The text of this page."),
                (8.0, 300.0, 180.0, *number),
            ]
        })
        .collect();
    let text = text(&pdf_of(&pages));
    assert!(
        !text.contains("SAYGIN") && !text.contains("footballers") && !text.contains("36"),
        "{text}"
    );
    assert_eq!(text.matches("The text of this page.").count(), 5);
}

#[test]
fn a_heading_and_a_number_that_begin_scattered_pages_are_kept() {
    let text = "A page has many words of a text that is smaller than its heading.";
    let pages: Vec<Vec<Placed<'_>>> = (0..24)
        .map(|page| match page % 6 {
            0 => vec![
                (14.0, 50.0, 700.0, "See also"),
                (10.0, 50.0, 680.0, "7"),
                (10.0, 50.0, 100.0, text),
            ],
            _ => vec![(10.0, 50.0, 600.0, text), (10.0, 50.0, [80.0, 90.0][page % 2], text)],
        })
        .collect();
    let text = self::text(&pdf_of(&pages));
    assert_eq!(
        (text.matches("# See also").count(), text.matches("\n7\n").count()),
        (4, 4),
        "{text}"
    );
}
