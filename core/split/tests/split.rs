//! Chunks of prose: their contents, sections and preambles.

use passage_split::Error;
use passage_split::{
    Characters, Chunk, ChunkLimits, Kind, MediaType, Sizer, SplitOptions, split, title,
};

/// Limits that merge nothing except headings with their bodies.
const APART: ChunkLimits = ChunkLimits { min: 0, preferred: 1, max: 1_000, window: 5_000 };

fn markdown(text: &str, limits: ChunkLimits) -> Vec<Chunk<'_>> {
    let options = SplitOptions::new(limits);
    split(text, &MediaType::MARKDOWN, &options, &Characters).unwrap().chunks
}

fn plain(text: &str, limits: ChunkLimits) -> Vec<Chunk<'_>> {
    let options = SplitOptions::new(limits);
    split(text, &MediaType::PLAIN, &options, &Characters).unwrap().chunks
}

fn contents<'t>(chunks: &[Chunk<'t>]) -> Vec<&'t str> {
    chunks.iter().map(|chunk| chunk.content).collect()
}

/// Returns the level and section of each chunk.
fn sections(chunks: &[Chunk<'_>]) -> Vec<(u32, String)> {
    chunks.iter().map(|chunk| (chunk.level, chunk.section.join(" / "))).collect()
}

fn section(level: u32, section: &str) -> (u32, String) {
    (level, section.to_owned())
}

#[test]
fn seed_001_headings_open_sections() {
    let text = "Plain text content\n\n# Chapter 1\n\na\n\n## Section 1.1\n\nb\n\n\
        ### Subsection 1.1.1\n\nc\n";
    let chunks = markdown(text, APART);
    let expected = [
        section(0, ""),
        section(1, "Chapter 1"),
        section(2, "Chapter 1 / Section 1.1"),
        section(3, "Chapter 1 / Section 1.1 / Subsection 1.1.1"),
    ];
    assert_eq!(sections(&chunks), expected);
    assert_eq!(chunks[1].content, "# Chapter 1\n\na\n\n");
}

#[test]
fn a_skipped_level_adds_no_empty_title() {
    let chunks = markdown("# A\n\na\n\n### B\n\nb\n\n## C\n\nc\n\n# D\n\nd\n", APART);
    assert_eq!(
        sections(&chunks),
        [section(1, "A"), section(3, "A / B"), section(2, "A / C"), section(1, "D")]
    );
}

#[test]
fn setext_and_indented_headings_open_sections() {
    let chunks = markdown("A *b*\n=====\n\na\n\n   ## C `d` ##\n\nc\n\nE\n---\ne\n", APART);
    assert_eq!(
        sections(&chunks),
        [section(1, "A b"), section(2, "A b / C d"), section(2, "A b / E")]
    );
    assert_eq!(chunks[1].content, "   ## C `d` ##\n\nc\n\n");
}

#[test]
fn only_outermost_headings_open_sections() {
    let inner = "> # quote\n\n- # item\n\n```\n# fence\n```\n\n<div>\n# html\n</div>\n\n\
        [^1]: # note\n\n    # code\n\ntext [^1]\n";
    let text = format!("# A\n\n{inner}");
    for chunk in markdown(&text, APART) {
        assert_eq!(chunk.section, ["A"], "{:?}", chunk.content);
    }
}

#[test]
fn equal_headings_are_numbered() {
    let chunks = markdown("# A\n\na\n\n## X\n\nb\n\n## X\n\nc\n\n# A\n\n## X\n\nd\n", APART);
    let sections: Vec<String> = chunks.iter().map(|chunk| chunk.section.join(" / ")).collect();
    assert_eq!(sections, ["A", "A / X", "A / X (2)", "A (2) / X"]);
}

#[test]
fn an_empty_heading_has_an_empty_title() {
    let chunks = markdown("#\n\na\n\n## B\n\nb\n", APART);
    assert_eq!(chunks[0].section, [""]);
    assert_eq!(chunks[1].section, ["", "B"]);
}

#[test]
fn a_title_excludes_its_anchor_and_includes_other_braces() {
    let chunks = markdown("# A {#a}\n\na\n\n# fn main() {}\n\nb\n", APART);
    assert_eq!(chunks[0].section, ["A"]);
    assert_eq!(chunks[1].section, ["fn main() {}"]);
}

#[test]
fn a_heading_stays_with_its_body() {
    let body = "word ".repeat(190);
    let text = format!("{body}\n\n## A\n\n### B\n\n{body}\n");
    let chunks = markdown(&text, ChunkLimits::CHARACTERS);
    assert_eq!(chunks.len(), 2);
    assert!(chunks[1].content.starts_with("## A\n\n### B\n\nword"));
    assert_eq!(sections(&chunks)[1], section(2, "A / B"));
}

#[test]
fn a_heading_stays_with_the_first_part_of_a_cut_body() {
    let text = format!("# {}\n\n\n{}", "title ".repeat(30), "word ".repeat(1_000));
    let chunks = markdown(&text, ChunkLimits::CHARACTERS);
    assert!(chunks[0].content.contains("\n\n\nword word"));
    assert!(chunks.iter().all(|chunk| chunk.section.len() == 1));
}

#[test]
fn small_siblings_share_a_chunk_in_the_section_of_their_parent() {
    // The three have their common section; merging pair by pair would give that of the last.
    let text = "# A\n\n### B\n\nb\n\n### C\n\nc\n\n### D\n\nd\n";
    assert_eq!(sections(&markdown(text, ChunkLimits::CHARACTERS)), [section(1, "A")]);
}

#[test]
fn each_question_of_a_short_faq_is_a_chunk_of_its_section() {
    let mut text = String::from("# FAQ\n\n");
    for number in 1..=8 {
        text.extend(["## Question ", &number.to_string(), "?\n\nA short answer.\n\n"]);
    }
    for limits in [ChunkLimits::CHARACTERS, ChunkLimits::WORDPIECES] {
        let chunks = markdown(&text, limits);
        assert_eq!(chunks.len(), 8);
        for (chunk, number) in chunks.iter().zip(1..) {
            assert_eq!(chunk.section, ["FAQ".to_owned(), format!("Question {number}?")]);
        }
    }
}

#[test]
fn a_section_of_level_2_is_not_merged_into_siblings_of_level_3() {
    let text = "# A\n\n### B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n\n### E\n\ne\n";
    let expected = [section(1, "A"), section(2, "A / D / E")];
    assert_eq!(sections(&markdown(text, ChunkLimits::CHARACTERS)), expected);
}

#[test]
fn unrelated_sections_of_level_1_and_2_are_not_merged() {
    let text = "# A\n\na\n\n# B\n\nb\n";
    assert_eq!(
        sections(&markdown(text, ChunkLimits::CHARACTERS)),
        [section(1, "A"), section(1, "B")]
    );
    let body = "word ".repeat(45);
    let text = format!("# A\n\n### B\n\n{body}\n\n### C\n\nc\n");
    assert_eq!(sections(&markdown(&text, ChunkLimits::CHARACTERS)), [section(1, "A")]);
}

#[test]
fn blocks_above_the_minimum_are_not_merged_beyond_the_preferred_size() {
    let text = format!("{}\n\n{}\n", "a".repeat(350), "b".repeat(350));
    assert_eq!(markdown(&text, ChunkLimits::CHARACTERS).len(), 2);
    let text = format!("{}\n\n{}\n", "a".repeat(350), "b".repeat(240));
    assert_eq!(markdown(&text, ChunkLimits::CHARACTERS).len(), 1);
    // The rest of a block may be below the minimum.
    let text = format!("{}\n\n{}\n", "a".repeat(600), "b".repeat(100));
    assert_eq!(markdown(&text, ChunkLimits::CHARACTERS).len(), 1);
}

#[test]
fn a_fence_that_fits_is_not_cut() {
    let fence = format!("```\n{}```\n", "code\n\n".repeat(160));
    let text = format!("{}\n\n{fence}\ntext\n", "word ".repeat(20));
    let chunks = markdown(&text, ChunkLimits::CHARACTERS);
    assert!(chunks.iter().any(|chunk| chunk.content.contains(&fence)), "{:?}", contents(&chunks));
}

#[test]
fn a_long_fence_is_cut_between_lines_into_even_parts() {
    let text = format!("```rust\n{}```\n", "let x = y; // twenty\n".repeat(60));
    let chunks = markdown(&text, ChunkLimits::CHARACTERS);
    for chunk in &chunks {
        assert!(chunk.content.ends_with('\n'));
        assert!((350..=650).contains(&chunk.size), "{}", chunk.size);
    }
}

#[test]
fn a_line_that_fits_is_not_cut_with_uneven_lines_around_it() {
    // Lines of one, two or three bytes per character: the average does not decide what fits.
    for wide in ["é", "漢"].map(|wide| wide.repeat(900)) {
        let narrow = "let x = y;\n";
        let text = format!("```\n{}{wide}\n{}```\n", narrow.repeat(50), narrow.repeat(1_000));
        let chunks = markdown(&text, ChunkLimits::CHARACTERS);
        assert!(chunks.iter().any(|chunk| chunk.content.contains(&wide)));
        assert!(chunks.iter().all(|chunk| chunk.content.ends_with('\n')));
    }
}

#[test]
fn an_unclosed_fence_extends_to_the_end() {
    let chunks = markdown("# A\n\n```\n# no heading\n\ntext", ChunkLimits::CHARACTERS);
    assert_eq!(sections(&chunks), [section(1, "A")]);
}

#[test]
fn a_quote_is_cut_between_its_paragraphs() {
    let text = "> A line of a quote.\n> And another one without an end\n>\n".repeat(40);
    for chunk in markdown(&text, ChunkLimits::CHARACTERS) {
        assert!(chunk.content.starts_with("> A line") && chunk.content.ends_with("end\n>\n"));
    }
}

#[test]
fn a_list_is_cut_between_items() {
    let items: String = [300, 600, 120, 700]
        .map(|size| format!("- {}\n  {}\n", "a".repeat(size / 2), "b".repeat(size / 2)))
        .concat();
    let chunks = markdown(&items, ChunkLimits::CHARACTERS);
    assert!(chunks.len() > 1);
    assert!(chunks.iter().all(|chunk| chunk.content.starts_with("- ")), "{:?}", contents(&chunks));
}

#[test]
fn a_table_is_cut_between_rows_and_preambles_repeat_its_head() {
    let rows = "| some cell | another cell |\n".repeat(60);
    let text = format!("# A\n\n| Name | Meaning |\n|---|---|\n{rows}");
    let chunks = markdown(&text, ChunkLimits::CHARACTERS);
    assert!(chunks.len() > 2);
    assert!(chunks[0].content.contains("|---|---|\n| some cell"));
    assert_eq!(chunks[0].preamble, "A");
    for chunk in &chunks[1..] {
        assert!(chunk.content.starts_with("| some cell"));
        assert_eq!(chunk.preamble, "A\n| Name | Meaning |");
    }
}

#[test]
fn a_long_line_is_cut_after_a_sentence() {
    let sentence = "This is one sentence of which there are very many in a long line. ";
    let text = sentence.repeat(40);
    let chunks = markdown(&text, ChunkLimits::CHARACTERS);
    assert!(chunks.iter().all(|chunk| chunk.content.starts_with("This is")));
    let text = "これは文です。".repeat(400);
    let chunks = plain(&text, ChunkLimits::CHARACTERS);
    assert!(chunks.iter().all(|chunk| chunk.content.ends_with('。')));
}

#[test]
fn a_long_word_is_cut_between_grapheme_clusters() {
    let text = "👩‍👩‍👧‍👦e\u{301}".repeat(1_000);
    let chunks = plain(&text, ChunkLimits::CHARACTERS);
    for chunk in chunks {
        assert!(chunk.content.starts_with(['👩', 'e']), "{:?}", chunk.content.chars().next());
    }
}

#[test]
fn front_matter_is_in_the_root_section_and_has_the_title() {
    let text = "---\ntitle: \"Guide\"\n---\n\n# A\n\na\n";
    let chunks = markdown(text, APART);
    assert_eq!(chunks[0].content, "---\ntitle: \"Guide\"\n---\n\n");
    assert_eq!(sections(&chunks), [section(0, ""), section(1, "A")]);
    assert_eq!(title(text, &MediaType::MARKDOWN).as_deref(), Some("Guide"));
}

#[test]
fn rules_are_not_front_matter() {
    let chunks = markdown("# A\n\n---\n# B\n---\n\nb\n", APART);
    assert!(chunks.iter().any(|chunk| chunk.section == ["B"]));
}

#[test]
fn the_title_is_the_first_heading_of_level_1_without_front_matter() {
    let title = |text| title(text, &MediaType::MARKDOWN);
    assert_eq!(title("## B\n\n> # Q\n\n# A *b*\n\n# C\n").as_deref(), Some("A b"));
    assert_eq!(title("\u{feff}# A\n").as_deref(), Some("A"));
    assert_eq!(title("#\n\n## B\n\n### C\n").as_deref(), Some("B"));
    assert_eq!(title("> # Q\n\ntext\n"), None);
    assert_eq!(title(""), None);
}

#[test]
fn a_byte_order_mark_does_not_hide_a_heading() {
    let text = "\u{feff}# A\r\n\r\na\r\n";
    let chunks = markdown(text, ChunkLimits::CHARACTERS);
    assert_eq!(sections(&chunks), [section(1, "A")]);
    assert_eq!((chunks[0].content, &chunks[0].bytes), (text, &(0..text.len())));
}

#[test]
fn definitions_of_links_are_blocks_without_headings() {
    let text = "[a]: https://example.org\n\n# A\n\na [a]\n";
    assert_eq!(contents(&markdown(text, APART))[1], "# A\n\na [a]\n");
}

#[test]
fn lines_are_counted_from_1_with_any_line_end() {
    let text = "# A\r\n\r\na\r\rb\n\n# B\n\nc";
    let lines: Vec<_> = markdown(text, APART).into_iter().map(|chunk| chunk.lines).collect();
    assert_eq!(lines, [1..=4, 5..=6, 7..=9]);
}

#[test]
fn the_empty_text_has_no_chunks_and_white_space_is_kept() {
    for split in [markdown, plain] {
        assert_eq!(split("", ChunkLimits::CHARACTERS), []);
        assert_eq!(contents(&split(" \r\n\t\n", ChunkLimits::CHARACTERS)), [" \r\n\t\n"]);
        assert_eq!(contents(&split("\u{feff}", ChunkLimits::CHARACTERS)), ["\u{feff}"]);
    }
}

#[test]
fn plain_text_is_divided_into_paragraphs_of_the_root_section() {
    let chunks = plain("# one\ntwo\n\nthree\n", APART);
    assert_eq!(contents(&chunks), ["# one\ntwo\n\n", "three\n"]);
    assert_eq!(sections(&chunks), [section(0, ""), section(0, "")]);
}

#[test]
fn the_media_type_decides_the_kind_of_chunks() {
    let options = SplitOptions::new(ChunkLimits::CHARACTERS);
    for (name, kind) in
        [("text/x-rust", Kind::Code), ("application/json", Kind::Data), ("text/css2", Kind::Prose)]
    {
        let chunks = split("{}\n", &MediaType::new(name), &options, &Characters).unwrap().chunks;
        assert_eq!(chunks[0].kind, kind, "{name}");
    }
}

#[test]
fn the_preamble_has_the_title_and_the_section() {
    let text = "# Guide\n\na\n\n## Setup\n\nb\n";
    let with = |title| {
        let options = SplitOptions { title, ..SplitOptions::new(APART) };
        let chunks = split(text, &MediaType::MARKDOWN, &options, &Characters).unwrap().chunks;
        chunks.into_iter().map(|chunk| chunk.preamble).collect::<Vec<_>>()
    };
    assert_eq!(with(Some(" The\nbook ")), ["The book\nGuide", "The book\nGuide\nSetup"]);
    // A title that equals the first heading is not repeated.
    assert_eq!(with(Some("Guide")), ["Guide", "Guide\nSetup"]);
    assert_eq!(with(None), ["Guide", "Guide\nSetup"]);
}

#[test]
fn a_long_preamble_drops_its_outer_titles_first() {
    let text = "# Outermost\n\n## Middle\n\n### Inner\n\ntext\n";
    let with = |window| {
        let limits = ChunkLimits { min: 0, preferred: 45, max: 45, window };
        let options = SplitOptions { title: Some("Document"), ..SplitOptions::new(limits) };
        let chunks = split(text, &MediaType::MARKDOWN, &options, &Characters).unwrap().chunks;
        chunks.last().unwrap().preamble.clone()
    };
    assert_eq!(with(100), "Document\nOutermost\nMiddle\nInner");
    assert_eq!(with(68), "Document\nMiddle\nInner");
    assert_eq!(with(60), "Document\nInner");
    assert_eq!(with(53), "Inner");
    assert_eq!(with(45), "");
}

#[test]
fn ten_megabytes_of_each_pattern_are_split() {
    for text in [
        "word ".repeat(2_000_000),
        "x".repeat(10_000_000),
        format!("# {}\n\nbody\n", "title ".repeat(1_700_000)),
        "\n".repeat(10_000_000),
        " ".repeat(10_000_000),
        "\r".repeat(10_000_000),
        "* ".repeat(5_000_000),
        format!("text\n{}text", ">\n".repeat(5_000_000)),
        format!("# A\n{}text\n", "\n".repeat(10_000_000)),
        format!("|{}|\n|---|\n{}", "a".repeat(5_000_000), "|b|\n".repeat(1_000_000)),
        "# A\n\na\n\n".repeat(1_000_000),
        format!("```\n{}", "é".repeat(5_000_000)),
    ] {
        let chunks = markdown(&text, ChunkLimits::CHARACTERS);
        assert_eq!(chunks.iter().map(|chunk| chunk.content.len()).sum::<usize>(), text.len());
        assert!(chunks.iter().all(|chunk| chunk.size <= 1_000 && chunk.preamble.len() < 4_000));
    }
}

#[test]
fn carriage_return_and_line_feed_are_never_separated() {
    // Found by fuzzing: both together exceed this maximum.
    let limits = ChunkLimits { min: 0, preferred: 1, max: 1, window: 1 };
    for split in [markdown, plain] {
        assert_eq!(contents(&split("a\r\n\r\nb", limits)), ["a", "\r\n", "\r\n", "b"]);
    }
}

#[test]
fn text_of_size_0_is_split() {
    struct Words;
    impl Sizer for Words {
        fn size(&self, text: &str) -> usize {
            text.split_whitespace().count()
        }
    }
    let options = SplitOptions::new(ChunkLimits::WORDPIECES);
    for text in [" \n".repeat(1_000_000), "x".repeat(1_000_000)] {
        let chunks = split(&text, &MediaType::MARKDOWN, &options, &Words).unwrap().chunks;
        assert!(chunks.iter().all(|chunk| chunk.content.len() <= 32 * 200));
        assert_eq!(contents(&chunks).concat(), text);
    }
}

#[test]
fn limits_out_of_order_are_rejected() {
    let with = |min, preferred, max, window| {
        let options = SplitOptions::new(ChunkLimits { min, preferred, max, window });
        split("text", &MediaType::PLAIN, &options, &Characters).map(|split| split.chunks.len())
    };
    assert_eq!(with(0, 0, 0, 0), Ok(4));
    let refused = |argument, value, max| Err(Error::OutOfRange { argument, value, max });
    assert_eq!(with(2, 1, 3, 3), refused("min_size", 2, 1));
    assert_eq!(with(1, 4, 3, 3), refused("preferred_size", 4, 3));
    assert_eq!(with(1, 1, 5, 4), refused("max_size", 5, 4));
    assert_eq!(with(1, 1, 5, 1_000_001), refused("max_with_preamble", 1_000_001, 1_000_000));
}

#[test]
fn overlap_is_in_the_preamble_and_not_in_the_content() {
    let text = "# A\n\nOne two three four.\n\n# B\n\nFive six seven eight.\n";
    let limits = ChunkLimits { min: 5, preferred: 20, max: 30, window: 50 };
    let options = SplitOptions { overlap: 12, ..SplitOptions::new(limits) };
    let chunks =
        passage_split::split(text, &MediaType::MARKDOWN, &options, &Characters).unwrap().chunks;
    assert_eq!(contents(&chunks).concat(), text);
    let preambles: Vec<&str> = chunks.iter().map(|chunk| chunk.preamble.as_str()).collect();
    assert_eq!(preambles, ["A", "B\nthree four."]);
}

#[test]
fn options_override_the_kind() {
    let options = SplitOptions {
        kind: Some(Kind::ApiReference),
        ..SplitOptions::new(ChunkLimits::CHARACTERS)
    };
    let split = passage_split::split("text", &MediaType::PLAIN, &options, &Characters).unwrap();
    assert_eq!(split.chunks[0].kind, Kind::ApiReference);
}
