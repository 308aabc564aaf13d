//! Random calls: hits of one to three documents, any strategy, any limits.

use super::Dice;
use crate::model::{Chunk, Document, Hits, Limits, OrderBy, Own, PRESETS, Reassembly, ScoreBy};
use uuid::Uuid;

/// A call of `expand_contexts` or `reassemble`.
#[derive(Clone, Debug)]
pub struct Call {
    /// The documents that it is about, by their places in the block.
    pub documents: Vec<usize>,
    pub hits: Hits,
    pub asked: Asked,
}

/// Which function is called.
#[derive(Clone, Debug)]
pub enum Asked {
    Expansion,
    Passages(Reassembly),
}

/// A call about one document and up to two others.
///
/// `gone` are ids of chunks that are not there, or that the caller may not see.
pub fn call(
    document: usize,
    documents: &[Document],
    gone: &[Uuid],
    own: &[Own],
    dice: &mut Dice,
) -> Call {
    let mut about = vec![document];
    for _ in 0..*dice.pick(&[0, 0, 0, 1, 2]) {
        let other = dice.place(documents.len());
        if !about.contains(&other) {
            about.push(other);
        }
    }
    let mut ids: Vec<Option<Uuid>> = Vec::new();
    for _ in 0..=dice.below(6) {
        let chunks = &documents[*dice.pick(&about)].chunks;
        match dice.below(40) {
            0 => ids.push(None),
            1 => ids.push(Some(Uuid::from_u64_pair(7, 7))),
            3..6 if !gone.is_empty() => ids.push(Some(*dice.pick(gone))),
            2 if !ids.is_empty() => ids.push(*dice.pick(&ids)),
            _ if !chunks.is_empty() => ids.push(Some(near(chunks, &ids, dice))),
            _ => {}
        }
    }
    let scores = dice.percent(70).then(|| {
        let score = |dice: &mut Dice| match dice.below(20) {
            0 => None,
            1 => Some(f64::NAN),
            // Few different ones, so that there are ties, and such that sums are exact.
            _ => Some(f64::from(dice.below(6) as u32) / 8.0 - 0.125),
        };
        ids.iter().map(|_| score(dice)).collect()
    });
    let strategy = match dice.place(PRESETS.len() + 2 + own.len().min(6)) {
        place if place < PRESETS.len() => PRESETS[place].to_owned(),
        // What has most rules is asked most.
        place if place < PRESETS.len() + 2 => {
            ["hierarchical", "merge"][place - PRESETS.len()].to_owned()
        }
        _ => dice.pick(own).name.clone(),
    };
    let chance = *dice.pick(&[0, 0, 10, 25]);
    let hits = Hits { ids, scores, strategy, limits: limits(chance, dice) };
    let asked = match dice.below(5) {
        0..3 => Asked::Expansion,
        _ => Asked::Passages(Reassembly {
            max_distance: *dice.pick(&[Some(3), Some(3), Some(0), Some(1), Some(8), None]),
            score_by: *dice.pick(&[ScoreBy::Max, ScoreBy::Sum, ScoreBy::Mean, ScoreBy::Rank]),
            order_by: *dice.pick(&[OrderBy::Score, OrderBy::Document]),
        }),
    };
    Call { documents: about, hits, asked }
}

/// A chunk, often one near another hit.
fn near(chunks: &[Chunk], ids: &[Option<Uuid>], dice: &mut Dice) -> Uuid {
    let known = chunks.iter().position(|chunk| ids.contains(&Some(chunk.id)));
    let place = match known {
        Some(known) if dice.percent(50) => (known + dice.place(7)).saturating_sub(2),
        _ => dice.place(chunks.len()),
    };
    chunks[place.min(chunks.len() - 1)].id
}

/// Limits, each of which is there in so many of a hundred cases.
pub fn limits(chance: u64, dice: &mut Dice) -> Limits {
    let kin = [0, 1, 1, 2, 3, 5, 1_000_000];
    let widths = [0, 1, 2, 3, 10, 1_000_000];
    let windows = [None, None, Some(0), Some(1), Some(4)];
    Limits {
        parents: dice.maybe(chance, &kin),
        preceding: dice.maybe(chance, &kin),
        following: dice.maybe(chance, &kin),
        children: dice.maybe(chance, &kin),
        before: dice.maybe(chance, &widths),
        after: dice.maybe(chance, &widths),
        windows: dice.percent(chance).then(|| [(); 3].map(|()| *dice.pick(&windows))),
        siblings: dice.maybe(chance, &["parent", "section"]),
        within: dice.maybe(chance, &["document", "parent", "section"]),
        threshold: dice.maybe(chance, &[0.0, 0.25, 0.5, 0.75, 1.0]),
        count_by: dice.maybe(chance, &["chunks", "tokens"]),
        max_tokens: dice.maybe(chance, &[0, 5, 10, 20, 40, 80, 160, 1_000_000]),
        max_chunks: dice.maybe(chance, &[0, 1, 2, 3, 5, 8, 13, 21, 1_000_000]),
    }
}
