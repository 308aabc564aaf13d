//! Passages: groups of hits with their context.

use super::Expansion;
use super::choice::Chosen;
use super::chunk::{Chunk, Section};
use super::claims::{Role, Whole, fell_back};
use super::hit::Hit;
use super::json;
use super::links::MAX_CHUNKS;
use super::strategy::WholeOf;
use std::cmp::Ordering;
use uuid::Uuid;

/// The options of a reassembly.
#[derive(Clone, Debug)]
pub struct Reassembly {
    pub max_distance: Option<i64>,
    pub score_by: ScoreBy,
    pub order_by: OrderBy,
}

/// How the score of a passage is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBy {
    Max,
    Sum,
    Mean,
    Rank,
}

/// The order of the passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderBy {
    Score,
    Document,
}

/// A passage: hits and their context in one text.
pub struct ExpectedPassage {
    pub rank: usize,
    pub score: Option<f64>,
    pub document: Uuid,
    pub chunks: Vec<Uuid>,
    /// The best hit first.
    pub hits: Vec<Uuid>,
    pub truncated: bool,
    pub complete: bool,
}

/// Groups an expansion into passages.
pub fn reassemble(
    hits: &[Hit],
    expansion: &Expansion,
    function: &Reassembly,
) -> Vec<ExpectedPassage> {
    let of_hit = passage_of_hits(hits, expansion, function.max_distance);
    let count = of_hit.iter().max().map_or(0, |last| last + 1);
    let mut drafts: Vec<Draft> = (0..count)
        .map(|passage| {
            // "Context goes to the passage of its hit."
            let rows = expansion.choice.rows.iter().enumerate();
            let rows = rows.filter(|(_, row)| row.role != Role::Linked);
            Draft {
                rows: rows.filter(|(_, row)| of_hit[row.hit] == passage).collect(),
                hits: (0..hits.len()).filter(|hit| of_hit[*hit] == passage).collect(),
            }
        })
        .collect();

    // "Passages are ordered by (class of best hit, place of its first chunk in the list of rows)";
    // "with score_by other than max by that score, descending, NULL last, then as above".
    drafts.sort_by_key(|draft| (hits[draft.hits[0]].class, draft.rows[0].0));
    if function.score_by != ScoreBy::Max {
        drafts.sort_by(|a, b| {
            let (a, b) = (a.score(hits, function.score_by), b.score(hits, function.score_by));
            b.partial_cmp(&a).unwrap_or(Ordering::Equal)
        });
    }
    let mut rank = 1;
    let ranked = drafts.into_iter().map(|draft| {
        let own = rank;
        rank += 1 + draft.linked(hits, expansion).len();
        (own, draft)
    });
    let mut ranked: Vec<(usize, Draft)> = ranked.collect();
    if function.order_by == OrderBy::Document {
        // "Documents by their best rank, within a document by first ordinal (NULL last)."
        let document = |draft: &Draft| hits[draft.hits[0]].document.id;
        let best: Vec<(usize, Uuid)> =
            ranked.iter().map(|(rank, d)| (*rank, document(d))).collect();
        let best = |id| best.iter().find(|(_, ranked)| *ranked == id).map(|(rank, _)| *rank);
        ranked.sort_by_key(|(_, draft)| {
            let ordinal = draft.rows[0].1.chunk.ordinal;
            (best(document(draft)), ordinal.is_none(), ordinal)
        });
    }
    // "The sections that links of its hits lead to follow each passage."
    let with_linked = |(rank, draft): (usize, Draft)| {
        let linked = draft.linked(hits, expansion);
        let passage = draft.passage(rank, hits, expansion, function);
        let score = passage.score;
        let linked = linked.into_iter().zip(rank + 1..);
        let linked = linked.map(|(section, rank)| ExpectedPassage { rank, score, ..section });
        [passage].into_iter().chain(linked).collect::<Vec<_>>()
    };
    ranked.into_iter().flat_map(with_linked).collect()
}

/// Returns the passage of each hit.
///
/// "Per document, its hits in ordinal order: a hit joins the passage of an earlier hit with the same
/// whole; else the passage of the hit before it if `max_distance` is NULL, or ordinal gap <=
/// `max_distance`, or nothing is left out between them; else a new one."
fn passage_of_hits(hits: &[Hit], expansion: &Expansion, max_distance: Option<i64>) -> Vec<usize> {
    let rows = &expansion.choice.rows;
    let whole = |hit: usize| expansion.wholes[hit].as_ref().map(Whole::identity);
    let is_chosen = |document: Uuid, ordinal: i64| {
        rows.iter()
            .filter(|row| row.role != Role::Linked)
            .any(|row| hits[row.hit].document.id == document && row.chunk.ordinal == Some(ordinal))
    };
    let mut of_hit = vec![usize::MAX; hits.len()];
    let mut count = 0;
    let mut done: Vec<usize> = Vec::new();
    for row in rows.iter().filter(|row| row.role == Role::Hit) {
        let document = hits[row.hit].document.id;
        let earlier: Vec<usize> =
            done.iter().copied().filter(|hit| hits[*hit].document.id == document).collect();
        let same_whole = |hit: &&usize| whole(row.hit).is_some_and(|own| whole(**hit) == Some(own));
        let is_near = |hit: &&usize| {
            let ordinals = hits[**hit].chunk.ordinal.zip(row.chunk.ordinal);
            max_distance.is_none_or(|max| {
                ordinals.is_some_and(|(before, own)| {
                    own - before <= max || (before + 1..own).all(|o| is_chosen(document, o))
                })
            })
        };
        let joined = earlier.iter().find(same_whole).or_else(|| earlier.last().filter(is_near));
        of_hit[row.hit] = joined.map_or(count, |hit| of_hit[*hit]);
        count += usize::from(joined.is_none());
        done.push(row.hit);
    }
    of_hit
}

/// A passage before it has a rank.
struct Draft<'e, 'a> {
    /// Its chunks, each with its place in the list of rows.
    rows: Vec<(usize, &'e Chosen<'a>)>,
    /// Its hits, best first.
    hits: Vec<usize>,
}

impl Draft<'_, '_> {
    /// "max = best hit's, sum, mean over its hits' scores that are not NULL (NULL if none); rank = sum
    /// over its hits of 1/(60+place), place from 1 in the ranked list of hits."
    fn score(&self, hits: &[Hit], by: ScoreBy) -> Option<f64> {
        let scores: Vec<f64> = self.hits.iter().filter_map(|hit| hits[*hit].score).collect();
        let sum: f64 = scores.iter().sum();
        match by {
            ScoreBy::Max => hits[self.hits[0]].score,
            ScoreBy::Rank => Some(self.hits.iter().map(|hit| 1.0 / (61.0 + *hit as f64)).sum()),
            _ if scores.is_empty() => None,
            ScoreBy::Sum => Some(sum),
            ScoreBy::Mean => Some(sum / scores.len() as f64),
        }
    }

    fn passage(
        self,
        rank: usize,
        hits: &[Hit],
        expansion: &Expansion,
        function: &Reassembly,
    ) -> ExpectedPassage {
        let is_cut = self.hits.iter().any(|hit| expansion.choice.cut[*hit]);
        let lacks_links = self.hits.iter().any(|hit| expansion.choice.cut_links[*hit]);
        ExpectedPassage {
            rank,
            score: self.score(hits, function.score_by),
            document: hits[self.hits[0]].document.id,
            chunks: self.rows.iter().map(|(_, row)| row.chunk.id).collect(),
            hits: self.hits.iter().map(|hit| hits[*hit].chunk.id).collect(),
            truncated: is_cut || lacks_links,
            complete: !is_cut
                && self.is_whole(hits, &expansion.wholes)
                && self.parses(hits, &expansion.wholes),
        }
    }

    /// Returns the passages of the sections that links of its hits lead to, without their ranks.
    fn linked(&self, hits: &[Hit], expansion: &Expansion) -> Vec<ExpectedPassage> {
        let mut sections: Vec<(ExpectedPassage, (usize, Section), Option<i64>)> = Vec::new();
        for hit in &self.hits {
            let rows = expansion.choice.rows.iter();
            for row in rows.filter(|row| row.role == Role::Linked && row.hit == *hit) {
                let is_row = |linked: &&super::links::LinkedChunk| linked.number == row.distance;
                let linked = hits[*hit].linked.iter().find(is_row).expect("the hit claims it");
                let section = row.chunk.section.clone().expect("linked chunks have sections");
                let (document, key) = (linked.document.id, (*hit, section));
                match sections.last_mut() {
                    Some((passage, known, last))
                        if *known == key && passage.document == document =>
                    {
                        passage.chunks.push(row.chunk.id);
                        passage.complete &= last.map(|last| last + 1) == row.chunk.ordinal
                            && passage.chunks.len() < MAX_CHUNKS;
                        *last = row.chunk.ordinal;
                    }
                    _ => {
                        let truncated = expansion.choice.cut_links[*hit];
                        let passage = ExpectedPassage {
                            rank: 0,
                            score: None,
                            document,
                            chunks: vec![row.chunk.id],
                            hits: Vec::new(),
                            truncated,
                            complete: !truncated,
                        };
                        sections.push((passage, key, row.chunk.ordinal));
                    }
                }
            }
        }
        sections.into_iter().map(|(passage, _, _)| passage).collect()
    }

    /// "Its chunks' ordinals are consecutive, no hit of it has strategy container and fell back, and
    /// each whole (section, container) of its hits is in it, with both its ends."
    fn is_whole(&self, hits: &[Hit], wholes: &[Option<Whole>]) -> bool {
        let follows = |pair: &[(usize, &Chosen)]| {
            let ordinals = pair[0].1.chunk.ordinal.zip(pair[1].1.chunk.ordinal);
            ordinals.is_some_and(|(before, own)| own == before + 1)
        };
        self.rows.windows(2).all(follows)
            && self.hits.iter().all(|i| !fell_back(&hits[*i], wholes[*i].as_ref()))
            && self.hits.iter().all(|i| match &wholes[*i] {
                Some(whole) if hits[*i].strategy.whole != WholeOf::Merged => {
                    let holds =
                        |chunk: &&Chunk| self.rows.iter().any(|(_, row)| row.chunk.id == chunk.id);
                    let has_ends = match whole.record {
                        Some(_) => !has_gap(hits, *i, wholes),
                        None => has_ends(&hits[*i], whole, &self.claimed(&whole.section, wholes)),
                    };
                    whole.chunks.iter().all(holds) && has_ends
                }
                _ => true,
            })
    }

    /// Several whole units in JSON must parse together.
    fn parses(&self, hits: &[Hit], wholes: &[Option<Whole>]) -> bool {
        let mut units = self.hits.iter().filter_map(|i| wholes[*i].as_ref());
        let first = units.next().map(Whole::identity);
        let is_one = units.all(|other| Some(other.identity()) == first);
        let chunks = || self.rows.iter().map(|(_, row)| row.chunk).collect();
        is_one || !hits[self.hits[0]].document.is_json() || json::is_value(&json::text(chunks()))
    }

    /// Returns the ordinals that the passage's hits claimed for a whole unit, "before the budget".
    fn claimed(&self, section: &Section, wholes: &[Option<Whole>]) -> Vec<i64> {
        let wholes = self.hits.iter().filter_map(|i| wholes[*i].as_ref());
        let wholes = wholes.filter(|whole| whole.record.is_none() && whole.section == *section);
        wholes.flat_map(|whole| whole.chunks.iter().filter_map(|chunk| chunk.ordinal)).collect()
    }
}

/// Returns whether a chunk may be missing at the edges of a hit's record, as any of its hits sees it.
fn has_gap(hits: &[Hit], own: usize, wholes: &[Option<Whole>]) -> bool {
    let record = |hit: usize| wholes[hit].as_ref().filter(|whole| whole.record.is_some());
    let same = (0..hits.len()).filter(|hit| {
        hits[*hit].document.id == hits[own].document.id
            && record(*hit).map(Whole::identity) == record(own).map(Whole::identity)
    });
    same.filter_map(record).any(|whole| whole.has_gap)
}

/// "Let m, M be the smallest and largest ordinal claimed for it by the hits: the next existing chunk of
/// the document below m, if any, is m-1, and above M, if any, is M+1; and for X from eligible F <= o."
/// The next chunk must not be a part of the unit either, which would then reach further than its hits.
fn has_ends(hit: &Hit, whole: &Whole, claimed: &[i64]) -> bool {
    let first = *claimed.iter().min().expect("a hit claims itself");
    let last = *claimed.iter().max().expect("a hit claims itself");
    let chunks = hit.document.in_order();
    let below = chunks.iter().rev().find(|(other, _)| *other < first);
    let above = chunks.iter().find(|(other, _)| *other > last);
    let is_end = |(ordinal, chunk): &(i64, &Chunk), expected: i64| {
        *ordinal == expected && !chunk.is_below(&whole.section)
    };
    let begins = whole.head.is_none_or(|head| hit.chunk.ordinal.is_some_and(|own| head <= own));
    below.is_none_or(|below| is_end(below, first - 1))
        && above.is_none_or(|above| is_end(above, last + 1))
        && begins
}
