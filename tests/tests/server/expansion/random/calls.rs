//! Random calls: hits of one to three documents, any strategy, any limits.

use super::Rng;
use crate::expansion::model::{
    Chunk, Document, Hits, Limits, OrderBy, PRESETS, Reassembly, ScoreBy, UserStrategy,
};
use uuid::Uuid;

/// A call of `expand_contexts` or `reassemble`.
#[derive(Clone, Debug)]
pub struct Call {
    /// The documents of the call, by their indexes in the block.
    pub documents: Vec<usize>,
    pub hits: Hits,
    pub function: Function,
}

/// The function that is called, with its options.
#[derive(Clone, Debug)]
pub enum Function {
    Expansion,
    Passages(Reassembly),
}

/// Returns a call about one document and up to two others.
///
/// `missing` are ids of chunks that do not exist, or that the caller may not see.
pub fn call(
    document: usize,
    documents: &[Document],
    missing: &[Uuid],
    own: &[UserStrategy],
    rng: &mut Rng,
) -> Call {
    let mut about = vec![document];
    for _ in 0..*rng.choose(&[0, 0, 0, 1, 2]) {
        let other = rng.index(documents.len());
        if !about.contains(&other) {
            about.push(other);
        }
    }
    let links = rng.branch().maybe(8, &[0, 1, 2, 2, 3, 8]);
    let mut ids: Vec<Option<Uuid>> = Vec::new();
    for _ in 0..=rng.below(6) {
        let chunks = &documents[*rng.choose(&about)].chunks;
        match rng.below(40) {
            0 => ids.push(None),
            1 => ids.push(Some(Uuid::from_u64_pair(7, 7))),
            3..6 if !missing.is_empty() => ids.push(Some(*rng.choose(missing))),
            2 if !ids.is_empty() => ids.push(*rng.choose(&ids)),
            _ if !chunks.is_empty() => ids.push(Some(near(chunks, &ids, rng))),
            _ => {}
        }
    }
    if links.is_some() {
        // The model needs the documents that links lead to.
        let linked = about.clone().into_iter().filter_map(|document| document.checked_sub(1));
        linked.for_each(|document| about.extend((!about.contains(&document)).then_some(document)));
    }
    let scores = rng.percent(70).then(|| {
        let score = |rng: &mut Rng| match rng.below(20) {
            0 => None,
            1 => Some(f64::NAN),
            // A few different scores, so that there are ties, and such that sums are exact.
            _ => Some(f64::from(rng.below(6) as u32) / 8.0 - 0.125),
        };
        ids.iter().map(|_| score(rng)).collect()
    });
    // The strategies with the most rules are the most frequent.
    let presets = [&PRESETS[..], &["hierarchical"; 6], &["merge"]].concat();
    let strategy = match rng.index(presets.len() + own.len().min(6)) {
        index if index < presets.len() => presets[index].to_owned(),
        _ => rng.choose(own).name.clone(),
    };
    let chance = *rng.choose(&[0, 0, 10, 25]);
    let mut limits = limits(chance, rng);
    limits.max_passage_tokens = rng.maybe(chance, &[0, 5, 10, 20, 40]);
    limits.min_score = rng.maybe(chance.max(10), &[0.0, 0.25, 0.5, 0.75, 1.0]);
    limits.links = links;
    // Budgets that cut units and containers.
    match rng.below(6) {
        0..3 => limits.max_tokens = Some(15 + rng.below(60) as i64),
        3 => limits.max_passage_tokens = Some(5 + rng.below(40) as i64),
        _ => {}
    }
    let hits = Hits { ids, scores, strategy, limits };
    let function = match rng.below(5) {
        0..3 => Function::Expansion,
        _ => Function::Passages(Reassembly {
            max_distance: *rng.choose(&[Some(3), Some(3), Some(0), Some(1), Some(8), None]),
            score_by: *rng.choose(&[ScoreBy::Max, ScoreBy::Sum, ScoreBy::Mean, ScoreBy::Rank]),
            order_by: *rng.choose(&[OrderBy::Score, OrderBy::Document]),
        }),
    };
    Call { documents: about, hits, function }
}

/// Returns a chunk, often one near another hit.
fn near(chunks: &[Chunk], ids: &[Option<Uuid>], rng: &mut Rng) -> Uuid {
    let known = chunks.iter().position(|chunk| ids.contains(&Some(chunk.id)));
    let index = match known {
        Some(known) if rng.percent(50) => (known + rng.index(7)).saturating_sub(2),
        _ => rng.index(chunks.len()),
    };
    chunks[index.min(chunks.len() - 1)].id
}

/// Returns limits, each of which is set with a probability in percent.
pub fn limits(chance: u64, rng: &mut Rng) -> Limits {
    let kin = [0, 1, 1, 2, 3, 5, 1_000_000];
    let widths = [0, 1, 2, 3, 10, 1_000_000];
    let windows = [None, None, Some(0), Some(1), Some(4)];
    Limits {
        parents: rng.maybe(chance, &kin),
        preceding: rng.maybe(chance, &kin),
        following: rng.maybe(chance, &kin),
        children: rng.maybe(chance, &kin),
        before: rng.maybe(chance, &widths),
        after: rng.maybe(chance, &widths),
        windows: rng.percent(chance).then(|| [(); 3].map(|()| *rng.choose(&windows))),
        siblings: rng.maybe(chance, &["parent", "section"]),
        within: rng.maybe(chance, &["document", "parent", "section"]),
        threshold: rng.maybe(chance, &[0.0, 0.25, 0.5, 0.75, 1.0]),
        count_by: rng.maybe(chance, &["chunks", "tokens"]),
        max_tokens: rng.maybe(chance, &[0, 5, 10, 20, 40, 80, 160, 1_000_000]),
        max_passage_tokens: None,
        max_chunks: rng.maybe(chance, &[0, 1, 2, 3, 5, 8, 13, 21, 1_000_000]),
        min_score: None,
        links: None,
    }
}
