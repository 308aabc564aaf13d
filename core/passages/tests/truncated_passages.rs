/*!
Passages of `hierarchical` under a budget parse in their language, with gap comments.

Each chunk of real files is a hit. A complete passage must parse, and so must a truncated one with its gap
comments. If the unit that was hit exceeds the budget, and no excerpt of it that parses fits, the passage is
one piece of the unit without a gap. Code is that of `code_cuts`.
*/

use crate::code::standalone::{Frame, code_files, parser, parses_alone};
use crate::expand::memory::{Store, TOKENS, passages, preset};
use passage_core::assemble::Part;
use passage_core::expand::{Budget, add_closing_lines};
use passage_core::gaps::{ChunkPosition, assemble_with_gap_comments};
use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, split};
use std::collections::BTreeMap;

/// The maximum number of hits in a file.
const HITS: usize = 12;

/// The budgets in chunks.
const BUDGETS: [u32; 2] = [6, 12];

/// The results of the passages of one language.
#[derive(Default)]
struct Counts {
    files: usize,
    complete: usize,
    failed: usize,
    truncated: usize,
    broken: usize,
    /// The truncated passages that are one piece of a unit without a gap, because no excerpt that parses fits.
    pieces: usize,
}

fn check(
    text: &str,
    frame: &Frame,
    limits: ChunkLimits,
    counts: &mut Counts,
    report: &mut impl FnMut(String, String),
) {
    let media_type = MediaType::new(frame.0);
    let comment = media_type.comment_syntax().expect("every language has a comment");
    let split = split(text, &media_type, &SplitOptions::new(limits), &Characters).unwrap();
    if split.syntax_error.is_some() || split.chunks.is_empty() {
        return;
    }
    let (mut parser, errors) = parser(text, frame);
    let store = Store::of_split(&split.chunks, None, |_| TOKENS);
    counts.files += 1;
    let count = split.chunks.len();
    for at in (0..count).step_by(count.div_ceil(HITS)) {
        for budget in BUDGETS {
            let mut hierarchical = preset("hierarchical");
            hierarchical.max_tokens = Some(10 * budget);
            let hits = [store.hit((0, at), 0, &hierarchical)];
            let (all_rows, selection) = store.expand(&hits, Budget::of(&hits));
            if selection.scopes[0].is_none() || hits[0].containers.is_empty() {
                continue;
            }
            for passage in passages(&hits, &all_rows, &selection, Some(0)) {
                let ordinal =
                    |index: &usize| all_rows[selection.chunks[*index].row].ordinal.unwrap();
                let ordinals: Vec<i32> = passage.chunks.iter().map(ordinal).collect();
                let chunks: Vec<_> =
                    ordinals.iter().map(|at| &split.chunks[*at as usize]).collect();
                let bytes = chunks[0].bytes.start..=chunks[chunks.len() - 1].bytes.end;
                if errors.iter().any(|at| bytes.contains(at)) {
                    continue;
                }
                let rows = passage.chunks.iter().map(|index| selection.chunks[*index].row);
                let read = |at: i32, lines_left_out: i32| {
                    let chunk = &split.chunks[at as usize];
                    let span = Some(chunk.bytes.start as i32..chunk.bytes.end as i32);
                    let position = ChunkPosition {
                        ordinal: Some(at),
                        first_line: Some(*chunk.lines.start() as i32),
                        last_line: Some(*chunk.lines.end() as i32 - lines_left_out),
                    };
                    (Part { content: chunk.content.into(), span }, position)
                };
                let mut pieces: Vec<_> = ordinals
                    .iter()
                    .zip(rows)
                    .map(|(at, row)| {
                        let content = split.chunks[*at as usize].content;
                        let (part, position) = read(*at, selection.lines_left_out(row, content));
                        (selection.part(row, part), position)
                    })
                    .collect();
                let end = |row: usize| read(all_rows[row].ordinal.unwrap(), 0);
                add_closing_lines(&selection, &passage.hits, &mut pieces, end);
                let (parts, positions): (Vec<_>, Vec<_>) = pieces.into_iter().unzip();
                let content = assemble_with_gap_comments(&parts, &positions, comment).text;
                if passage.complete {
                    counts.complete += 1;
                    if !parses_alone(&mut parser, &content, frame) {
                        counts.failed += 1;
                        report(format!("complete {at}"), content);
                    }
                    continue;
                }
                counts.truncated += 1;
                if parses_alone(&mut parser, &content, frame) {
                    continue;
                }
                let is_one_piece = ordinals.windows(2).all(|pair| pair[0] + 1 == pair[1]);
                if is_one_piece {
                    counts.pieces += 1;
                } else {
                    counts.broken += 1;
                    report(format!("truncated {at} of {budget}"), content);
                }
            }
        }
    }
}

#[test]
fn passages_of_real_code_under_a_budget_parse() {
    let mut tallies: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut found = Vec::new();
    code_files(&mut |path, text, frame| {
        let counts = tallies.entry(frame.0).or_default();
        let narrow = ChunkLimits { min: 60, preferred: 180, max: 300, window: 500 };
        for limits in [ChunkLimits::CHARACTERS, narrow] {
            check(text, frame, limits, counts, &mut |what, content| {
                found.push((format!("{}: {what} ({})", path.display(), limits.max), content));
            });
        }
    });
    println!("{:24} files complete failed truncated failed one piece", "");
    for (name, counts) in &tallies {
        let Counts { files, complete, failed, truncated, broken, pieces } = counts;
        println!(
            "{:24} {:5} {complete:8} {failed:6} {truncated:9} {broken:6} {pieces:9}",
            name.trim_start_matches("text/"),
            files / 2
        );
    }
    if let Ok(path) = std::env::var("PASSAGE_FOUND") {
        let pages: Vec<_> =
            found.iter().map(|(what, text)| format!("===== {what}\n{text}\n")).collect();
        std::fs::write(path, pages.concat()).unwrap();
    }
    let found: Vec<_> = found.iter().map(|(what, _)| what).collect();
    assert!(found.iter().all(|what| !what.contains("complete")), "{found:#?}");
    let sum = |count: fn(&Counts) -> usize| tallies.values().map(count).sum::<usize>();
    let (truncated, broken) = (sum(|counts| counts.truncated), sum(|counts| counts.broken));
    assert!(broken * 4_000 <= truncated, "{broken} of {truncated} truncated: {found:#?}");
}
