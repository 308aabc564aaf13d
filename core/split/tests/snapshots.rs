//! Snapshots of the chunks of a short real document of every kind.
//!
//! `fixtures/README.md` lists their sources. To update the snapshots, run the tests with
//! `INSTA_UPDATE=always`, read the difference in `snapshots/`, and commit it if it is correct.

use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, convert, split, title};
use std::fmt::Write;

/// Limits that cut and merge in a short document.
const LIMITS: ChunkLimits = ChunkLimits { min: 80, preferred: 250, max: 400, window: 700 };

/// Returns the lines, level, section, unit, preamble and content of each chunk as text.
fn shown(name: &str, text: &str) -> String {
    let media_type = MediaType::detect(name, text);
    let converted = convert(text, &media_type, Some("https://example.org/docs/")).unwrap();
    let (text, stored) = converted
        .as_ref()
        .map_or((text, &media_type), |converted| (&*converted.text, &converted.media_type));
    let own = title(text, stored);
    let title = converted.as_ref().map_or(own, |converted| converted.title.clone());
    let title = title.as_deref();
    let options = SplitOptions { title, ..SplitOptions::new(LIMITS) };
    let mut shown = format!("{media_type} as {stored}, {title:?}\n");
    let split = split(text, stored, &options, &Characters).unwrap();
    assert_eq!(split.syntax_error, None);
    for chunk in split.chunks {
        let lines = format!("{}-{}", chunk.lines.start(), chunk.lines.end());
        let (level, unit, section) = (chunk.level, chunk.unit.name(), chunk.section);
        writeln!(shown, "\n==== {lines}, level {level}, {unit}, {section:?}").unwrap();
        for line in chunk.preamble.lines() {
            writeln!(shown, "^ {line}").unwrap();
        }
        shown.push_str(chunk.content);
        if !chunk.content.ends_with('\n') {
            shown.push('\n');
        }
    }
    shown
}

/// Compares the chunks of files in `fixtures/` with their snapshots.
macro_rules! snapshots {
    ($($test:ident => $file:literal),+ $(,)?) => {$(
        #[test]
        fn $test() {
            let text = include_str!(concat!("fixtures/", $file));
            insta::assert_snapshot!($file, shown($file, text));
        }
    )+};
}

snapshots! {
    markdown_is_split_at_its_headings => "synopsis.md",
    mdx_is_split_at_its_headings => "agents.mdx",
    a_notebook_is_split_as_markdown => "nbconvert.ipynb",
    restructured_text_is_split_at_its_titles => "either.rst",
    asciidoc_is_split_at_its_titles => "syntax.adoc",
    a_table_of_text_repeats_its_first_record => "debian.csv",
    text_is_split_at_blank_lines => "licence.txt",
    json_is_split_by_its_keys => "ai.json",
    yaml_is_split_by_its_lines => "walkdir.yml",
    toml_is_split_by_its_tables => "half.toml",
    ini_is_split_by_its_sections => "pgbouncer.ini",
    properties_are_split_by_their_keys => "simplelogger.properties",
    xml_is_split_by_its_elements => "signature.xml",
}

#[cfg(feature = "html")]
snapshots! {
    a_page_is_split_as_markdown => "synopsis.html",
}
