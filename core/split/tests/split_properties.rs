//! Properties of splitting for generated documents.

mod documents;
mod line_markup;
mod tables;

use crate::invariants::splitting::{find_repeated_section, find_violation};
use documents::{Document, Part, document, markdownish};
use line_markup::{language, lined, linedish};
use passage_split::{Characters, Chunk, ChunkLimits, MediaType, Sizer, SplitOptions, split};
use proptest::{prelude::*, strategy::ValueTree};

/// Counts words, separated by white space.
struct Words;

impl Sizer for Words {
    fn size(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

/// Counts like the vocabulary of a model: the sizes of the parts of a word do not add up to the size of
/// the word, and a very long word is unknown and counts 1.
struct Pieces;

impl Sizer for Pieces {
    fn size(&self, text: &str) -> usize {
        let size = |word: &str| {
            let characters = word.chars().count();
            let sum: u32 = word.chars().map(u32::from).fold(characters as u32, u32::wrapping_add);
            if characters > 40 { 1 } else { 1 + sum as usize % characters.min(7) }
        };
        text.split_whitespace().map(size).sum()
    }
}

fn limits() -> impl Strategy<Value = ChunkLimits> {
    let own = (16_usize..120).prop_flat_map(|max| {
        (Just(max), 1..=max, 0..40_usize).prop_flat_map(|(max, preferred, more)| {
            let min = 0..=preferred;
            min.prop_map(move |min| ChunkLimits { min, preferred, max, window: max + more })
        })
    });
    prop_oneof![own, Just(ChunkLimits::CHARACTERS), Just(ChunkLimits::WORDPIECES)]
}

fn media_type() -> impl Strategy<Value = MediaType> {
    let names = ["text/markdown", "text/plain", "text/x-rst", "text/x-asciidoc", "text/csv"];
    prop::sample::select(names.to_vec()).prop_map(MediaType::new)
}

fn checked<'t>(
    text: &'t str,
    media_type: &MediaType,
    limits: ChunkLimits,
    sizer: &dyn Sizer,
) -> Vec<Chunk<'t>> {
    let title = Some("The title of the document");
    let options = SplitOptions { title, overlap: limits.min, ..SplitOptions::new(limits) };
    let chunks = split(text, media_type, &options, sizer).unwrap().chunks;
    assert_eq!(find_violation(text, &chunks, limits, sizer), None);
    assert_eq!(find_repeated_section(media_type, &chunks), None);
    assert!(chunks.iter().all(|chunk| chunk.level <= 6 && chunk.section.len() <= 6));
    chunks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_string_is_split_without_loss(
        text in any::<String>(), media_type in media_type(), limits in limits()
    ) {
        checked(&text, &media_type, limits, &Characters);
        checked(&text, &media_type, limits, &Words);
        checked(&text, &media_type, limits, &Pieces);
    }

    #[test]
    fn random_markdown_is_split_without_loss(
        text in markdownish(), media_type in media_type(), limits in limits()
    ) {
        checked(&text, &media_type, limits, &Characters);
        checked(&text, &media_type, limits, &Words);
        checked(&text, &media_type, limits, &Pieces);
    }

    #[test]
    fn splitting_is_deterministic(text in markdownish(), limits in limits()) {
        let once = checked(&text, &MediaType::MARKDOWN, limits, &Pieces);
        prop_assert_eq!(once, checked(&text, &MediaType::MARKDOWN, limits, &Pieces));
    }

    #[test]
    fn each_block_has_the_section_of_its_headings(document in document()) {
        let limits = ChunkLimits { min: 0, preferred: 1, max: 100_000, window: 100_000 };
        let chunks = checked(&document.text, &MediaType::MARKDOWN, limits, &Characters);
        for Part { bytes, section, level, heading } in &document.parts {
            let chunk = chunks.iter().find(|chunk| chunk.bytes.contains(&bytes.start)).unwrap();
            // A heading without a body is in the chunk of the heading below it.
            if !heading {
                prop_assert_eq!((&chunk.section, chunk.level <= *level), (section, true));
            }
        }
    }

    #[test]
    fn no_heading_is_separated_from_its_body(document in document(), limits in limits()) {
        let chunks = checked(&document.text, &MediaType::MARKDOWN, limits, &Characters);
        for (heading, body) in document.headings_with_bodies() {
            // The heading must fit together with a part of its body.
            if Characters.size(&document.text[heading.start..body.start]) < limits.max / 2 {
                let cut = chunks.iter().map(|chunk| chunk.bytes.start);
                let cut = cut.filter(|cut| heading.start < *cut && *cut <= body.start);
                prop_assert_eq!(cut.count(), 0);
            }
        }
    }

    #[test]
    fn fences_tables_and_paragraphs_that_fit_are_not_cut(document in document(), limits in limits()) {
        let chunks = checked(&document.text, &MediaType::MARKDOWN, limits, &Characters);
        for bytes in document.free_blocks() {
            if Characters.size(&document.text[bytes.clone()]) <= limits.max {
                let cut = chunks.iter().find(|chunk| {
                    bytes.start < chunk.bytes.start && chunk.bytes.start < bytes.end
                });
                prop_assert_eq!(cut, None);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_titles_and_blocks_are_split_without_loss(
        text in linedish(), media_type in media_type(), limits in limits()
    ) {
        let once = checked(&text, &media_type, limits, &Characters);
        prop_assert_eq!(once, checked(&text, &media_type, limits, &Characters));
        checked(&text, &media_type, limits, &Pieces);
    }

    #[test]
    fn each_block_has_the_section_of_its_titles(
        (language, document) in language().prop_flat_map(|it| (Just(it), lined(it)))
    ) {
        let limits = ChunkLimits { min: 0, preferred: 1, max: 100_000, window: 100_000 };
        let media_type = language.media_type();
        let chunks = checked(&document.text, &media_type, limits, &Characters);
        for Part { bytes, section, level, heading } in &document.parts {
            let chunk = chunks.iter().find(|chunk| chunk.bytes.contains(&bytes.start)).unwrap();
            if !heading {
                prop_assert_eq!((&chunk.section, chunk.level <= *level), (section, true));
            }
        }
    }

    #[test]
    fn no_title_is_separated_from_its_body(
        (language, document) in language().prop_flat_map(|it| (Just(it), lined(it))),
        limits in limits()
    ) {
        let chunks = checked(&document.text, &language.media_type(), limits, &Characters);
        for (heading, body) in document.headings_with_bodies() {
            if Characters.size(&document.text[heading.start..body.start]) < limits.max / 2 {
                let cut = chunks.iter().map(|chunk| chunk.bytes.start);
                let cut = cut.filter(|cut| heading.start < *cut && *cut <= body.start);
                prop_assert_eq!(cut.count(), 0);
            }
        }
    }

    #[test]
    fn records_that_fit_are_not_cut(table in tables::table(), limits in limits()) {
        let csv = MediaType::new("text/csv");
        let chunks = checked(&table.text, &csv, limits, &Characters);
        let ends = table.records.iter().skip(1).copied().chain([table.text.len()]);
        for (index, (start, end)) in table.records.iter().zip(ends).enumerate() {
            // The first record is tied to the second one, and both together may be too long.
            let cut = chunks.iter().find(|chunk| *start < chunk.bytes.start && chunk.bytes.start < end);
            if Characters.size(&table.text[*start..end]) <= limits.max && index > 1 {
                prop_assert_eq!(cut, None);
            }
        }
    }
}

#[test]
fn generated_documents_have_headings_and_bodies() {
    // Otherwise the properties above would test nothing.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let documents: Vec<Document> =
        (0..200).map(|_| document().new_tree(&mut runner).unwrap().current()).collect();
    let tied: usize =
        documents.iter().map(|document| document.headings_with_bodies().count()).sum();
    let free: usize = documents.iter().map(|document| document.free_blocks().count()).sum();
    assert!(tied > 200 && free > 200, "{tied} {free}");
}
