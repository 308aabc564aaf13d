/*!
Complete passages of `hierarchical` parse.

Each chunk of real files is a hit, alone and together with another one. If the passage is complete,
its text must parse in its language. Code is this project and the folders in `PASSAGE_CODE`, as in
`code_containers`. `record_passages` does the same for data.
*/

use crate::code::standalone::{folders, parser, parses_alone, walk};
use crate::expand::memory::{Store, TOKENS, passages, preset};
use passage_core::assemble::{Part, Separator, assemble};
use passage_core::expand::Budget;
use passage_split::{Characters, ChunkLimits, DataFormat, MediaType, SplitOptions, split};

const NARROW: ChunkLimits = ChunkLimits { min: 20, preferred: 80, max: 160, window: 500 };

/// The maximum number of hits in a file.
const HITS: usize = 60;

/// The results of the passages.
#[derive(Debug, Default)]
struct Counts {
    passages: usize,
    complete: usize,
    failed: Vec<String>,
}

/// Expands hits in a text, and calls a function with the bytes and the text of each complete passage.
fn complete(
    text: &str,
    media_type: &MediaType,
    counts: &mut Counts,
    mut passage: impl FnMut(std::ops::Range<usize>, &str) -> bool,
) {
    let split = split(text, media_type, &SplitOptions::new(NARROW), &Characters).unwrap();
    if split.syntax_error.is_some() || split.chunks.is_empty() {
        return;
    }
    let store = Store::of_split(&split.chunks, DataFormat::of(media_type), |_| TOKENS);
    let hierarchical = preset("hierarchical");
    let (count, step) = (split.chunks.len(), split.chunks.len().div_ceil(HITS));
    for at in (0..count).step_by(step) {
        for other in [at, (at * 7 + 3) % count] {
            let mut hits = vec![store.hit((0, at), 0, &hierarchical)];
            if other != at {
                hits.push(store.hit((0, other), 1, &hierarchical));
            }
            let (rows, choice) = store.expand(&hits, Budget::of(&hits));
            for expanded in passages(&hits, &rows, &choice, Some(0)) {
                counts.passages += 1;
                if !expanded.complete {
                    continue;
                }
                counts.complete += 1;
                let ordinal =
                    |index: &usize| rows[choice.chunks[*index].row].ordinal.unwrap() as usize;
                let first = &split.chunks[ordinal(&expanded.chunks[0])];
                let last = &split.chunks[ordinal(expanded.chunks.last().unwrap())];
                let bytes = first.bytes.start..last.bytes.end;
                let part = |index: &usize| {
                    let chunk = &split.chunks[ordinal(index)];
                    let span = Some(chunk.bytes.start as i32..chunk.bytes.end as i32);
                    let part = Part { content: chunk.content.into(), span };
                    choice.part(choice.chunks[*index].row, part)
                };
                let parts: Vec<_> = expanded.chunks.iter().map(part).collect();
                if !passage(bytes, &assemble(&parts, Separator::Text("")).text) {
                    counts
                        .failed
                        .push(format!("{at} and {other} of {count} chunks, {:?}", first.section));
                }
            }
        }
    }
}

#[test]
fn complete_passages_of_code_parse() {
    let mut counts = Counts::default();
    for folder in folders() {
        walk(&folder, &mut |path, text, frame| {
            let (mut parser, errors) = parser(text, frame);
            let failed = counts.failed.len();
            complete(text, &MediaType::new(frame.0), &mut counts, |bytes, content| {
                let is_broken = errors.iter().any(|at| (bytes.start..=bytes.end).contains(at));
                is_broken || parses_alone(&mut parser, content, frame)
            });
            for failure in &mut counts.failed[failed..] {
                *failure = format!("{}: {failure}", path.display());
            }
        });
    }
    println!(
        "{} passages, {} complete, {} failed",
        counts.passages,
        counts.complete,
        counts.failed.len()
    );
    assert!(counts.complete > 1_000, "{} of {}", counts.complete, counts.passages);
    assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
}
