//! Invariants of fragments: unchanged whole lines of the document with their numbers, each line once,
//! and within the limits.

use std::ops::Range;

use passage_core::fragments::{
    Fragment, FragmentHit, FragmentLimits, SourceChunk, TextRun, Truncation, select_fragments,
    text_runs,
};
use passage_split::{Characters, Chunk, MediaType, SplitOptions, split};
use proptest::prelude::*;

/// Generates Markdown with headings, fences, tables, long lines and all kinds of line ends.
fn document() -> impl Strategy<Value = String> {
    let words = prop_oneof!["[a-f]{1,8}", Just("日本語".to_owned()), Just("query".to_owned())];
    let line = prop::collection::vec(words, 0..30).prop_map(|words| words.join(" "));
    let block = prop_oneof![
        4 => prop::collection::vec(line.clone(), 1..6).prop_map(|lines| lines.join("\n")),
        2 => "[A-F]{1,6}".prop_map(|title| format!("# {title}")),
        2 => prop::collection::vec(line.clone(), 0..12).prop_map(|lines| format!("```sh\n{}\n```", lines.join("\n"))),
        1 => prop::collection::vec(line.clone(), 1..9)
            .prop_map(|rows| format!("| a | b |\n|---|---|\n| {} | c |", rows.join(" | c |\n| "))),
        1 => prop::collection::vec(line, 20..40).prop_map(|lines| lines.join(" ")),
    ];
    let ends = prop_oneof![4 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")];
    (prop::collection::vec(block, 1..14), ends)
        .prop_map(|(blocks, end)| blocks.join("\n\n").replace('\n', end))
}

/// Splits a document.
fn chunks(text: &str) -> Vec<Chunk<'_>> {
    let limits = passage_split::ChunkLimits { min: 20, preferred: 80, max: 120, window: 200 };
    let split =
        split(text, &MediaType::new("text/markdown"), &SplitOptions::new(limits), &Characters);
    split.expect("the limits are in order").chunks
}

/// Returns the chunks in ranges of ordinals.
fn pieces<'t>(chunks: &'t [Chunk<'t>], read: &[Range<usize>]) -> Vec<SourceChunk<'t>> {
    let is_read = |ordinal: usize| read.iter().any(|range| range.contains(&ordinal));
    let piece = |ordinal: usize| {
        let chunk = &chunks[ordinal];
        SourceChunk {
            document: 0,
            ordinal: Some(ordinal as i32),
            content: chunk.content.into(),
            span: Some(chunk.bytes.start as i32..chunk.bytes.end as i32),
            first_line: Some(*chunk.lines.start() as i32),
            tokens: chunk.size as u32,
            section: Some(chunk.section.iter().map(|title| title.len() as i64).sum()),
            continues: [
                ordinal > 0 && !is_read(ordinal - 1),
                ordinal + 1 < chunks.len() && !is_read(ordinal + 1),
            ],
        }
    };
    (0..chunks.len()).filter(|ordinal| is_read(*ordinal)).map(piece).collect()
}

/// Returns the lines of a text without their ends.
fn lines(text: &str) -> Vec<&str> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        lines.push(&rest[..end]);
        let behind = &rest[end..];
        rest = behind.strip_prefix("\r\n").or(behind.get(1..)).unwrap_or("");
    }
    lines
}

fn score_lines(text_runs: &[TextRun]) -> impl Fn(&[(usize, usize)]) -> Vec<f64> {
    |lines| {
        let text = |(text_run, line): &(usize, usize)| text_runs[*text_run].line(*line);
        lines.iter().map(|line| text(line).matches("query").count() as f64).collect()
    }
}

fn text<'s>(text_runs: &'s [TextRun], fragment: &Fragment) -> &'s str {
    &text_runs[fragment.text_run].text[fragment.bytes.clone()]
}

fn numbers(text_runs: &[TextRun], fragment: &Fragment) -> Range<usize> {
    let number = |line: usize| text_runs[fragment.text_run].lines[line].number.unwrap() as usize;
    number(fragment.lines.start) - 1..number(fragment.lines.end - 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn fragments_are_whole_lines_of_the_document_within_the_budget(
        document in document(),
        hit_indexes in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
        around in 0_usize..6,
        max_fragments in 1_usize..6,
        max_tokens in 20_u32..600,
    ) {
        let chunks = chunks(&document);
        prop_assume!(!chunks.is_empty());
        let mut ordinals: Vec<_> = hit_indexes.iter().map(|index| index.index(chunks.len())).collect();
        let mut seen = Vec::new();
        ordinals.retain(|ordinal| !seen.contains(ordinal) && { seen.push(*ordinal); true });
        let read: Vec<_> = ordinals.iter().map(|ordinal| ordinal.saturating_sub(around)..ordinal + around + 1).collect();
        let pieces = pieces(&chunks, &read);
        let text_runs = text_runs(&pieces, |_| true);
        let hit = |ordinal: &usize| text_runs.iter().enumerate().find_map(|(text_run, text)| {
            let chunk = text.chunks.iter().find(|(piece, _)| pieces[*piece].ordinal == Some(*ordinal as i32))?;
            Some(FragmentHit { text_run, bytes: chunk.1.clone() })
        });
        let hits: Vec<_> = ordinals.iter().map(|ordinal| hit(ordinal).unwrap()).collect();
        let limits = FragmentLimits { max_fragments, max_tokens };
        let fragments = select_fragments(&text_runs, &hits, limits, &score_lines(&text_runs));

        // The result is empty only if all hits are white space.
        let blank = hits.iter().all(|hit| text_runs[hit.text_run].text[hit.bytes.clone()].trim().is_empty());
        prop_assert!(!fragments.is_empty() || blank);
        prop_assert!(fragments.len() <= max_fragments);
        prop_assert!(fragments.iter().map(|fragment| fragment.tokens).sum::<u32>() <= max_tokens);
        let source = lines(&document);
        let mut seen = vec![false; source.len()];
        for fragment in &fragments {
            let text = text(&text_runs, fragment);
            let numbers = numbers(&text_runs, fragment);
            prop_assert!(document.contains(text) && !text.trim().is_empty());
            let cited = &source[numbers.clone()];
            if fragment.truncation == Some(Truncation::Line) {
                prop_assert!(cited.len() == 1 && cited[0].contains(text));
                continue;
            }
            prop_assert_eq!(lines(text), cited);
            // Each line is in one fragment.
            for line in numbers {
                prop_assert!(!std::mem::replace(&mut seen[line], true), "line {} is repeated", line + 1);
            }
        }
        let firsts: Vec<_> = fragments.iter().map(|fragment| fragment.hits[0]).collect();
        prop_assert!(firsts.is_sorted());
    }

    #[test]
    fn a_fenced_block_that_fits_is_returned_whole_or_not_at_all(
        document in document(),
        index in any::<prop::sample::Index>(),
    ) {
        let chunks = chunks(&document);
        prop_assume!(!chunks.is_empty());
        let index = index.index(chunks.len());
        let pieces = pieces(&chunks, std::slice::from_ref(&(0..chunks.len())));
        let text_runs = text_runs(&pieces, |_| true);
        let hit = FragmentHit { text_run: 0, bytes: text_runs[0].chunks[index].1.clone() };
        let limits = FragmentLimits { max_fragments: 1, max_tokens: 400 };
        for fragment in select_fragments(&text_runs, &[hit], limits, &score_lines(&text_runs)) {
            if fragment.truncation == Some(Truncation::Line) {
                continue;
            }
            let lines = &text_runs[0].lines;
            let ends = [fragment.lines.start, fragment.lines.end - 1];
            let cut = ends.map(|end| lines[end].block.clone()).into_iter().filter(|block| {
                block.start < fragment.lines.start || fragment.lines.end < block.end
            });
            let cut: Vec<_> = cut.collect();
            prop_assert_eq!(fragment.truncation == Some(Truncation::Block), !cut.is_empty());
            for block in cut {
                let size: f64 = lines[block].iter().map(|line| line.tokens).sum();
                prop_assert!(size > 400.0);
            }
        }
    }
}

#[test]
fn lines_without_relevance_are_returned_if_nothing_else_fits() {
    let document = "### A\r\n\r\n### A\r\n\r\n### AAAAA\r\n\r\n### A";
    let chunks = chunks(document);
    let pieces = pieces(&chunks, std::slice::from_ref(&(0..1)));
    let text_runs = text_runs(&pieces, |_| true);
    let hits = [FragmentHit { text_run: 0, bytes: text_runs[0].chunks[0].1.clone() }];
    let limits = FragmentLimits { max_fragments: 1, max_tokens: 20 };
    let fragments = select_fragments(&text_runs, &hits, limits, &score_lines(&text_runs));
    let texts: Vec<_> = fragments.iter().map(|fragment| text(&text_runs, fragment)).collect();
    assert_eq!(texts, ["### A\r\n\r\n### A"]);
}

#[test]
fn the_lines_of_other_hits_are_scored_only_if_a_second_hit_is_cut() {
    let paragraph = |word: &str| format!("{}\n", [word; 15].join(" "));
    let document: String = (0..40).map(|line| paragraph(["query", "other"][line % 2])).collect();
    let chunks = chunks(&document);
    let pieces = pieces(&chunks, std::slice::from_ref(&(0..chunks.len())));
    let text_runs = text_runs(&pieces, |_| false);
    let hits = [0, 200, 400].map(|first| FragmentHit { text_run: 0, bytes: first..first + 180 });
    let scored = |max_tokens| {
        let calls = std::cell::RefCell::new(Vec::new());
        let count = |lines: &[(usize, usize)]| {
            calls.borrow_mut().push(lines.len());
            score_lines(&text_runs)(lines)
        };
        select_fragments(
            &text_runs,
            &hits,
            FragmentLimits { max_fragments: 3, max_tokens },
            &count,
        );
        calls.into_inner()
    };
    assert_eq!(scored(60), [2]);
    assert_eq!(scored(400), [3, 2]);
    assert_eq!(scored(1_000), [0; 0]);
}
