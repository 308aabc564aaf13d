/*!
Reassembly: which chunks make one passage.

A passage is what a reader gets instead of single chunks. Hits of one document belong together when
they were widened to the same section, when they are near, that is at most `max_distance` ordinals
apart, or when nothing is left out between them; each brings its context along. Others stay apart,
and no chunk is in two passages.
*/

use crate::expand::{ChunkRow, Hit, Role, Rule, SelectedChunk, Selection};
use crate::{error::sql_enum, interrupt};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// The chunks of one passage.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Its place among all, the best being 1.
    pub rank: usize,
    /// Its score, or `None` where its hits have none.
    pub score: Option<f64>,
    /// Its chunks in the order of their document, by their place in the list of picks.
    pub chunks: Vec<usize>,
    /// Its hits, best first.
    pub hits: Vec<usize>,
    /// Whether the budget cut some of its context.
    pub truncated: bool,
    /// Whether nothing was cut and nothing is missing: between its first and its last chunk, and of
    /// what its strategy wants whole. Imports that came along do not count.
    pub complete: bool,
}

/// How passages are made and ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageOptions {
    /// How many ordinals hits of a passage may be apart; `None` makes one of each document.
    pub max_distance: Option<u32>,
    /// What a passage scores.
    pub score_by: ScoreBy,
    /// How passages are ordered.
    pub order_by: OrderBy,
    /// The most passages, the best of all; `None` is no bound.
    pub max_passages: Option<usize>,
}

/// What a passage scores, by the hits in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBy {
    /// As its best hit.
    Max,
    /// The mean of those that have a score.
    Mean,
    /// The sum of them.
    Sum,
    /// The sum of their reciprocal ranks, 1 / (60 + place), whatever they score.
    Rank,
}

/// How passages are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderBy {
    /// Best first.
    Score,
    /// Those of a document together, in its order; the document with the best one first.
    Document,
}

/// Puts chosen chunks into passages.
///
/// `scores` are those of the hits. A passage ranks by its score; of equal ones, that of the better
/// hit, the better document, and then the earlier comes first.
pub fn reassemble(
    hits: &[Hit],
    scores: &[Option<f64>],
    rows: &[ChunkRow],
    selection: &Selection,
    joining: &PassageOptions,
) -> Vec<Passage> {
    let mut documents: BTreeMap<Uuid, Vec<usize>> = BTreeMap::new();
    for (i, pick) in selection.chunks.iter().enumerate() {
        documents.entry(hits[pick.hit].document).or_default().push(i);
    }
    let mut passages: Vec<Passage> = documents
        .values()
        .flat_map(|chunks| document(hits, rows, selection, chunks, joining.max_distance))
        .collect();
    for passage in &mut passages {
        passage.score = joining.score_by.score(passage, scores);
    }
    // The picks are in the order that ties are broken by.
    passages.sort_by_key(|passage| (hits[passage.hits[0]].score_rank, passage.chunks[0]));
    if joining.score_by != ScoreBy::Max {
        let score = |passage: &Passage| passage.score.unwrap_or(f64::NEG_INFINITY);
        passages.sort_by(|a, b| {
            let has = |passage: &Passage| Reverse(passage.score.is_some());
            has(a).cmp(&has(b)).then(score(b).total_cmp(&score(a)))
        });
    }
    passages.truncate(joining.max_passages.unwrap_or(usize::MAX));
    for (passage, rank) in passages.iter_mut().zip(1..) {
        passage.rank = rank;
    }
    if joining.order_by == OrderBy::Document {
        let document = |passage: &Passage| hits[passage.hits[0]].document;
        let mut best: HashMap<Uuid, usize> = HashMap::new();
        for passage in &passages {
            best.entry(document(passage)).or_insert(passage.rank);
        }
        passages.sort_by_key(|passage| (best[&document(passage)], passage.chunks[0]));
    }
    passages
}

/// Puts the chunks of one document into passages.
fn document(
    hits: &[Hit],
    rows: &[ChunkRow],
    selection: &Selection,
    chunks: &[usize],
    max_distance: Option<u32>,
) -> Vec<Passage> {
    let ordinal = |pick: &SelectedChunk| rows[pick.row].ordinal;
    // The passage of each hit: the hits come in order, and each either joins another or not.
    let mut of_hit: BTreeMap<usize, usize> = BTreeMap::new();
    let mut of_whole: HashMap<usize, usize> = HashMap::new();
    let mut before: Option<(usize, usize)> = None;
    let mut count = 0;
    for (place, pick) in chunks.iter().enumerate() {
        interrupt::poll_periodically(place);
        let pick = &selection.chunks[*pick];
        if pick.role != Role::Hit {
            continue;
        }
        let joins = |before: usize| {
            let gap = ordinal(&selection.chunks[chunks[before]])
                .zip(ordinal(pick))
                .map(|(a, b)| b.abs_diff(a));
            match (max_distance, gap) {
                (None, _) => true,
                (Some(most), Some(gap)) => gap <= most || gap as usize == place - before,
                (Some(_), None) => false,
            }
        };
        let whole = selection.scopes[pick.hit];
        let passage = whole
            .and_then(|whole| of_whole.get(&whole).copied())
            .or_else(|| before.filter(|(before, _)| joins(*before)).map(|(_, passage)| passage))
            .unwrap_or(count);
        count = count.max(passage + 1);
        of_hit.insert(pick.hit, passage);
        if let Some(whole) = whole {
            of_whole.entry(whole).or_insert(passage);
        }
        before = Some((place, passage));
    }
    let mut passages = vec![Passage::default(); count];
    // Where each passage has come to, imports apart.
    let mut last: Vec<Option<Option<i32>>> = vec![None; count];
    for (place, &pick) in chunks.iter().enumerate() {
        interrupt::poll_periodically(place);
        let chosen = &selection.chunks[pick];
        let number = of_hit[&chosen.hit];
        let passage = &mut passages[number];
        passage.chunks.push(pick);
        if chosen.rule != Rule::Imports {
            let follows = last[number].is_none_or(|last| {
                last.zip(ordinal(chosen)).is_some_and(|(a, b)| b.checked_sub(a) == Some(1))
            });
            passage.complete &= follows;
            last[number] = Some(ordinal(chosen));
        }
        if chosen.role == Role::Hit {
            passage.hits.push(chosen.hit);
            passage.truncated |= selection.truncated[chosen.hit];
            passage.complete &= !selection.broken[chosen.hit] && !selection.fell_back[chosen.hit];
        }
    }
    for passage in &mut passages {
        passage.complete &= !passage.truncated;
        if passage.complete {
            passage.complete = holds_wholes(rows, selection, passage);
        }
        passage.hits.sort_by_key(|hit| (hits[*hit].score_rank, *hit));
    }
    passages
}

/// Tells whether all of what its hits were widened to is in a passage, and not in another one.
fn holds_wholes(rows: &[ChunkRow], selection: &Selection, passage: &Passage) -> bool {
    let mut scopes: Vec<_> = passage.hits.iter().filter_map(|hit| selection.scopes[*hit]).collect();
    scopes.sort_unstable();
    scopes.dedup();
    let mut wanted =
        scopes.iter().filter_map(|whole| selection.scope_chunks.get(*whole)).peekable();
    if wanted.peek().is_none() {
        return true;
    }
    let held: HashSet<_> =
        passage.chunks.iter().map(|pick| rows[selection.chunks[*pick].row].chunk).collect();
    wanted.flatten().all(|chunk| held.contains(chunk))
}

impl Default for Passage {
    fn default() -> Self {
        Self {
            rank: 0,
            score: None,
            chunks: Vec::new(),
            hits: Vec::new(),
            truncated: false,
            complete: true,
        }
    }
}

impl ScoreBy {
    fn score(self, passage: &Passage, scores: &[Option<f64>]) -> Option<f64> {
        let of_hits = || passage.hits.iter().filter_map(|hit| scores[*hit]);
        let count = of_hits().count();
        match self {
            Self::Max => scores[passage.hits[0]],
            Self::Rank => Some(passage.hits.iter().map(|hit| 1.0 / (61.0 + *hit as f64)).sum()),
            _ if count == 0 => None,
            Self::Sum => Some(of_hits().sum()),
            Self::Mean => Some(of_hits().sum::<f64>() / count as f64),
        }
    }
}

sql_enum!(
    ScoreBy, "score_by", r#""max", "mean", "sum" and "rank""#,
    "max" => Max, "mean" => Mean, "sum" => Sum, "rank" => Rank
);
sql_enum!(
    OrderBy, "order_by", r#""score" and "document""#,
    "score" => Score, "document" => Document
);
