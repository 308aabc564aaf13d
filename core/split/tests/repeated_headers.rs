//! Later chunks of tables and fences repeat the line that gives them their meaning.

use passage_split::{Characters, Chunk, ChunkLimits, MediaType, SplitOptions, split};

const LIMITS: ChunkLimits = ChunkLimits { min: 60, preferred: 160, max: 240, window: 400 };

fn chunks<'t>(text: &'t str, media_type: &str) -> Vec<Chunk<'t>> {
    split(text, &MediaType::new(media_type), &SplitOptions::new(LIMITS), &Characters)
        .unwrap()
        .chunks
}

/// Asserts that the chunks after the first begin with a row, and have a header in their preambles.
fn assert_rows(text: &str, media_type: &str, header: &str, begin: &str) {
    let chunks = chunks(text, media_type);
    assert!(chunks.len() > 3, "{} chunks", chunks.len());
    for chunk in &chunks[1..] {
        assert!(chunk.preamble.ends_with(header), "{:?} has {:?}", chunk.content, chunk.preamble);
        assert!(chunk.content.trim_start().starts_with(begin), "{:?}", chunk.content);
    }
}

fn rows(row: impl Fn(usize) -> String) -> String {
    (10..40).map(row).collect()
}

#[test]
fn rows_of_markdown_repeat_the_first_row_also_in_lists_and_quotes() {
    let head = "| key | note |\n| --- | --- |\n";
    let table =
        format!("{head}{}", rows(|at| format!("| k{at} | a note about key number {at} |\n")));
    assert_rows(&format!("# T\n\n{table}"), "text/markdown", "| key | note |", "| k");
    let listed = format!("1. Read:\n\n   {}", table.trim_end().replace('\n', "\n   "));
    assert_rows(&listed, "text/markdown", "| key | note |", "| k");
    let quoted = format!("> {}", table.trim_end().replace('\n', "\n> "));
    assert_rows(&quoted, "text/markdown", "| key | note |", "> | k");
    let bare = format!(
        "key | note\n--- | ---\n{}",
        rows(|at| format!("k{at} | a note about key number {at}\n"))
    );
    assert_rows(&bare, "text/markdown", "key | note", "k");
}

#[test]
fn rows_of_asciidoc_and_rst_are_not_cut_and_repeat_the_header() {
    let cells = rows(|at| format!("|E{at}\n|class {at}\n|The gateway could not forward it.\n\n"));
    let adoc = format!("= T\n\n[options=\"header\"]\n|===\n|Code |Class |Meaning\n\n{cells}|===\n");
    assert_rows(&adoc, "text/x-asciidoc", "|Code |Class |Meaning", "|E");
    let items =
        rows(|at| format!("   * - limit-{at}\n     - {at}\n     - Highest number of items.\n"));
    let list = format!(
        "T\n=\n\n.. list-table:: L\n   :header-rows: 1\n\n   * - Name\n     - Limit\n     - Meaning\n{items}"
    );
    assert_rows(&list, "text/x-rst", "* - Name - Limit - Meaning", "* - limit");
    let lines = rows(|at| format!("| cell a{at} | cell b{at} |\n+----------+----------+\n"));
    let grid = format!(
        "T\n=\n\n+----------+----------+\n| Header A | Header B |\n+==========+==========+\n{lines}"
    );
    assert_rows(&grid, "text/x-rst", "| Header A | Header B |", "| cell");
}

#[test]
fn records_repeat_the_names_of_columns_below_titles() {
    let records = rows(|at| format!("shop {at};2025-{at};a place in the city;{at}\n"));
    for above in ["", "sep=;\n", "Report: sales;;;\n;;;\n"] {
        let text = format!("{above}shop;month;place;total\n{records}");
        assert_rows(&text, "text/csv", "shop;month;place;total", "shop ");
    }
}

#[test]
fn lines_of_a_fence_repeat_its_opening() {
    let text = format!(
        "# T\n\nRun:\n\n```sh\n{}```\n\nDone.\n",
        "run --with an --option of=this\n".repeat(30)
    );
    let chunks = chunks(&text, "text/markdown");
    let inside: Vec<_> = chunks.iter().filter(|chunk| chunk.content.starts_with("run ")).collect();
    assert!(inside.len() > 2);
    assert!(inside.iter().all(|chunk| chunk.preamble == "T\n```sh"));
    assert!(!chunks[0].preamble.contains("```"));
}
