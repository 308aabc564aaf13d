/*!
Reassembly: grouping selected chunks into passages.

Hits of one document share a passage if they were widened to the same scope, if they are at most `max_distance`
ordinals apart, or if all chunks between them are selected. Each hit brings its context. Each section that a link of a
hit leads to is a passage of its own behind that of the hit. No chunk is in two passages.

Its twin in SQL is `sql/edition/passage_chunks.sql`.
*/

use crate::error::sql_enum;
use crate::expand::{ChunkRow, Hit, LINKED_CHUNKS, Role, Rule, SelectedChunk, Selection};
use passage_split::interrupt;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// The chunks of one passage.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageChunks {
    /// The rank, from 1.
    pub rank: usize,
    /// The score; `None` if the hits have none.
    pub score: Option<f64>,
    /// The indexes of its chunks in [`Selection::chunks`], in document order.
    pub chunks: Vec<usize>,
    /// The indexes of its hits, best first; none of a linked section.
    pub hits: Vec<usize>,
    /// Whether the budget cut part of its context.
    pub truncated: bool,
    /// Whether nothing was cut, no chunk is missing between the first and the last, and the scope of its
    /// strategy is complete. Imports do not count.
    pub complete: bool,
}

/// The options of grouping, scoring and ordering passages.
///
/// ```
/// use passage_core::reassemble::{OrderBy, PassageOptions, ScoreBy};
///
/// let options = PassageOptions {
///     max_distance: Some(3),
///     score_by: ScoreBy::from_name("max")?,
///     order_by: OrderBy::Score,
///     max_passages: Some(10),
/// };
/// assert_eq!(options.score_by, ScoreBy::Max);
/// # Ok::<(), passage_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageOptions {
    /// The maximum distance of hits in a passage, in ordinals; `None` makes one passage of each document.
    pub max_distance: Option<u32>,
    /// The scoring rule.
    pub score_by: ScoreBy,
    /// The order of passages.
    pub order_by: OrderBy,
    /// The maximum number of passages with hits, the best of all; `None` means unlimited.
    pub max_passages: Option<usize>,
}

/// The score of a passage, from the scores of its hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBy {
    /// The score of the best hit.
    Max,
    /// The mean of the scores.
    Mean,
    /// The sum of the scores.
    Sum,
    /// The sum of the reciprocal ranks of the hits, 1 / (60 + rank), independent of the scores.
    Rank,
}

/// The order of passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderBy {
    /// Best first.
    Score,
    /// By document, in document order; the document with the best passage first.
    Document,
}

/// Groups selected chunks into passages.
///
/// `scores` has one score for each hit. Passages rank by score. Ties are broken by the better hit, then by the
/// better document, then by the earlier position.
pub fn reassemble(
    hits: &[Hit],
    scores: &[Option<f64>],
    rows: &[ChunkRow],
    selection: &Selection,
    options: &PassageOptions,
) -> Vec<PassageChunks> {
    let mut documents: BTreeMap<Uuid, Vec<usize>> = BTreeMap::new();
    let is_own = |chunk: &SelectedChunk| chunk.rule != Rule::Links;
    let own_count = selection.chunks.partition_point(is_own);
    for (i, chunk) in selection.chunks[..own_count].iter().enumerate() {
        documents.entry(hits[chunk.hit].document).or_default().push(i);
    }
    let mut passages: Vec<PassageChunks> = documents
        .values()
        .flat_map(|chunks| document(hits, rows, selection, chunks, options.max_distance))
        .collect();
    for passage in &mut passages {
        passage.score = options.score_by.score(passage, scores);
    }
    // The order of the selected chunks breaks ties.
    passages.sort_by_key(|passage| (hits[passage.hits[0]].score_rank, passage.chunks[0]));
    if options.score_by != ScoreBy::Max {
        let score = |passage: &PassageChunks| passage.score.unwrap_or(f64::NEG_INFINITY);
        passages.sort_by(|a, b| {
            let has = |passage: &PassageChunks| Reverse(passage.score.is_some());
            has(a).cmp(&has(b)).then(score(b).total_cmp(&score(a)))
        });
    }
    passages.truncate(options.max_passages.unwrap_or(usize::MAX));
    let mut linked = linked_sections(rows, selection, own_count);
    let mut rank = 1;
    for passage in &mut passages {
        passage.rank = rank;
        rank +=
            1 + passage.hits.iter().map(|hit| linked.get(hit).map_or(0, Vec::len)).sum::<usize>();
    }
    if options.order_by == OrderBy::Document {
        let document = |passage: &PassageChunks| hits[passage.hits[0]].document;
        let mut best: HashMap<Uuid, usize> = HashMap::new();
        for passage in &passages {
            best.entry(document(passage)).or_insert(passage.rank);
        }
        passages.sort_by_key(|passage| (best[&document(passage)], passage.chunks[0]));
    }
    if linked.is_empty() {
        return passages;
    }
    let mut all = Vec::with_capacity(rank - 1);
    for passage in passages {
        let (first, score, of_hits) = (passage.rank, passage.score, passage.hits.clone());
        all.push(passage);
        let sections = of_hits.iter().filter_map(|hit| linked.remove(hit)).flatten();
        all.extend(sections.zip(first + 1..).map(|(section, rank)| PassageChunks {
            rank,
            score,
            ..section
        }));
    }
    all
}

/// Returns the linked sections of each hit, in the order of its links.
///
/// The budget cuts the rest of the linked sections of a hit where one of their chunks does not fit, so each of them counts as
/// truncated then.
fn linked_sections(
    rows: &[ChunkRow],
    selection: &Selection,
    first: usize,
) -> HashMap<usize, Vec<PassageChunks>> {
    let mut of_hits: HashMap<usize, Vec<PassageChunks>> = HashMap::new();
    let mut before: Option<(usize, &ChunkRow)> = None;
    for (index, chunk) in selection.chunks.iter().enumerate().skip(first) {
        interrupt::poll_periodically(index);
        let row = &rows[chunk.row];
        let sections = of_hits.entry(chunk.hit).or_default();
        let last = before.filter(|(hit, last)| *hit == chunk.hit && last.probe == row.probe);
        before = Some((chunk.hit, row));
        let truncated = selection.cut_links[chunk.hit];
        let Some((section, (_, last))) = sections.last_mut().zip(last) else {
            let complete = !truncated;
            let chunks = vec![index];
            sections.push(PassageChunks {
                chunks,
                truncated,
                complete,
                ..PassageChunks::default()
            });
            continue;
        };
        section.chunks.push(index);
        let follows = |(a, b): (i32, i32)| b.checked_sub(a) == Some(1);
        // A section with as many chunks as are read may have more.
        section.complete &= last.ordinal.zip(row.ordinal).is_some_and(follows)
            && section.chunks.len() < LINKED_CHUNKS as usize;
    }
    of_hits
}

/// Groups the chunks of one document into passages.
fn document(
    hits: &[Hit],
    rows: &[ChunkRow],
    selection: &Selection,
    chunks: &[usize],
    max_distance: Option<u32>,
) -> Vec<PassageChunks> {
    let ordinal = |chunk: &SelectedChunk| rows[chunk.row].ordinal;
    // The passage of each hit. Hits are in document order.
    let mut of_hit: BTreeMap<usize, usize> = BTreeMap::new();
    let mut of_whole: HashMap<usize, usize> = HashMap::new();
    let mut before: Option<(usize, usize)> = None;
    let mut count = 0;
    for (index, chunk) in chunks.iter().enumerate() {
        interrupt::poll_periodically(index);
        let chunk = &selection.chunks[*chunk];
        if chunk.role != Role::Hit {
            continue;
        }
        let joins = |before: usize| {
            let gap = ordinal(&selection.chunks[chunks[before]])
                .zip(ordinal(chunk))
                .map(|(a, b)| b.abs_diff(a));
            match (max_distance, gap) {
                (None, _) => true,
                (Some(max), Some(gap)) => gap <= max || gap as usize == index - before,
                (Some(_), None) => false,
            }
        };
        let scope = selection.scopes[chunk.hit];
        let passage = scope
            .and_then(|scope| of_whole.get(&scope).copied())
            .or_else(|| before.filter(|(before, _)| joins(*before)).map(|(_, passage)| passage))
            .unwrap_or(count);
        count = count.max(passage + 1);
        of_hit.insert(chunk.hit, passage);
        if let Some(scope) = scope {
            of_whole.entry(scope).or_insert(passage);
        }
        before = Some((index, passage));
    }
    let mut passages = vec![PassageChunks::default(); count];
    // The last ordinal of each passage so far, without imports.
    let mut last: Vec<Option<Option<i32>>> = vec![None; count];
    for (index, &chunk) in chunks.iter().enumerate() {
        interrupt::poll_periodically(index);
        let chosen = &selection.chunks[chunk];
        let number = of_hit[&chosen.hit];
        let passage = &mut passages[number];
        passage.chunks.push(chunk);
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
        // A linked section is not a part of the passage.
        passage.truncated |= passage.hits.iter().any(|hit| selection.cut_links[*hit]);
        passage.hits.sort_by_key(|hit| (hits[*hit].score_rank, *hit));
    }
    passages
}

/// Returns whether a passage contains the complete scopes of its hits.
fn holds_wholes(rows: &[ChunkRow], selection: &Selection, passage: &PassageChunks) -> bool {
    let mut scopes: Vec<_> = passage.hits.iter().filter_map(|hit| selection.scopes[*hit]).collect();
    scopes.sort_unstable();
    scopes.dedup();
    let mut scope_chunks =
        scopes.iter().filter_map(|scope| selection.scope_chunks.get(*scope)).peekable();
    if scope_chunks.peek().is_none() {
        return true;
    }
    let held: HashSet<_> =
        passage.chunks.iter().map(|chunk| rows[selection.chunks[*chunk].row].chunk).collect();
    scope_chunks.flatten().all(|chunk| held.contains(chunk))
}

impl PassageChunks {
    /// Returns whether its hits were widened to several scopes. Each may parse, but not all together.
    pub fn has_several_scopes(&self, selection: &Selection) -> bool {
        let mut scopes = self.hits.iter().filter_map(|hit| selection.scopes[*hit]);
        scopes.next().is_some_and(|first| scopes.any(|other| other != first))
    }
}

impl Default for PassageChunks {
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
    fn score(self, passage: &PassageChunks, scores: &[Option<f64>]) -> Option<f64> {
        let of_hits = || passage.hits.iter().filter_map(|hit| scores[*hit]);
        let count = of_hits().count();
        // Infinite scores of both signs have no sum.
        let is_number = |score: &f64| !score.is_nan();
        match self {
            Self::Max => scores[passage.hits[0]],
            Self::Rank => Some(passage.hits.iter().map(|hit| 1.0 / (61.0 + *hit as f64)).sum()),
            _ if count == 0 => None,
            Self::Sum => Some(of_hits().sum()).filter(is_number),
            Self::Mean => Some(of_hits().sum::<f64>() / count as f64).filter(is_number),
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
