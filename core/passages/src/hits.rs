/*!
Hits: the chunks that a search found, best first.

A call passes ids and optional scores. This module merges both into one ranked list without duplicates. All
other modules refer to a hit by its index in that list.

Its twin in SQL is `sql/edition/hits.sql`.
*/

use crate::Error;
use passage_split::interrupt;
use std::collections::HashMap;
use std::hash::Hash;

/// A hit with its score and rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredHit<Id> {
    /// The id of the chunk.
    pub chunk: Id,
    /// Its score; higher is better. `None` without a score.
    pub score: Option<f64>,
    /// The rank of its score, from 0; equal scores share a rank.
    pub score_rank: usize,
}

/// The least share and the least best score of which there is a product: PostgreSQL refuses one that rounds to 0.
const MIN_FACTOR: f64 = 1e-150;

impl<Id> ScoredHit<Id> {
    /// Returns whether the score is below a share, 0 to 1, of the best one.
    ///
    /// A hit without a score is not, and no hit is if the best score is not above 0: a share of it means nothing.
    ///
    /// ```
    /// use passage_core::hits::ScoredHit;
    ///
    /// let hit = ScoredHit { chunk: 'a', score: Some(0.3), score_rank: 1 };
    /// assert!(hit.is_below(0.5, Some(0.8)) && !hit.is_below(0.5, Some(0.6)));
    /// assert!(!hit.is_below(0.5, None) && !hit.is_below(1.0, Some(0.3)));
    /// ```
    pub fn is_below(&self, share: f64, best: Option<f64>) -> bool {
        let least = best.filter(|best| best.min(share) >= MIN_FACTOR).map(|best| best * share);
        self.score.zip(least).is_some_and(|(score, least)| score < least)
    }
}

/// Ranks the hits of a call: best first, equal scores in input order.
///
/// NULL ids are skipped with their scores. A repeated id counts once, with its best score. Hits without a
/// score, or with NULL or NaN, follow those with a score in input order.
///
/// ```
/// use passage_core::hits::rank_hits;
///
/// let hits = rank_hits(&[Some('a'), Some('b')], Some(&[Some(0.1), Some(0.9)]))?;
/// assert_eq!((hits[0].chunk, hits[0].score_rank), ('b', 0));
/// # Ok::<(), passage_core::Error>(())
/// ```
///
/// # Errors
///
/// Returns [`Error::ScoreCount`] if the number of scores differs from the number of ids.
pub fn rank_hits<Id: Copy + Eq + Hash>(
    ids: &[Option<Id>],
    scores: Option<&[Option<f64>]>,
) -> Result<Vec<ScoredHit<Id>>, Error> {
    if let Some(scores) = scores
        && scores.len() != ids.len()
    {
        return Err(Error::ScoreCount { scores: scores.len(), ids: ids.len() });
    }
    let score = |i: usize| scores.and_then(|scores| scores[i]).filter(|score| !score.is_nan());
    let mut indexes = HashMap::with_capacity(ids.len());
    let mut hits: Vec<ScoredHit<Id>> = Vec::with_capacity(ids.len());
    for (i, id) in ids.iter().enumerate() {
        interrupt::poll_periodically(i);
        let Some(chunk) = *id else { continue };
        let index = *indexes.entry(chunk).or_insert_with(|| {
            hits.push(ScoredHit { chunk, score: score(i), score_rank: 0 });
            hits.len() - 1
        });
        // `None` is below every score.
        if hits[index].score < score(i) {
            hits[index].score = score(i);
        }
    }
    hits.sort_by(|a, b| b.score.partial_cmp(&a.score).expect("no score is NaN"));
    for i in 1..hits.len() {
        interrupt::poll_periodically(i);
        let same = hits[i].score.is_some() && hits[i].score == hits[i - 1].score;
        hits[i].score_rank = hits[i - 1].score_rank + usize::from(!same);
    }
    Ok(hits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(ids: &[Option<u32>], scores: Option<&[Option<f64>]>) -> Vec<(u32, usize)> {
        rank_hits(ids, scores).unwrap().iter().map(|hit| (hit.chunk, hit.score_rank)).collect()
    }

    #[test]
    fn without_scores_hits_keep_the_order_of_the_ids() {
        assert_eq!(ranked(&[Some(7), None, Some(3), Some(7)], None), [(7, 0), (3, 1)]);
    }

    #[test]
    fn the_best_score_comes_first_and_a_repeated_id_keeps_its_best() {
        let ids = [Some(1), Some(2), Some(1), Some(3)];
        let scores = [Some(0.2), Some(0.5), Some(0.9), None];
        assert_eq!(ranked(&ids, Some(&scores)), [(1, 0), (2, 1), (3, 2)]);
    }

    #[test]
    fn equal_scores_share_a_rank_and_nan_counts_as_no_score() {
        let ids = [Some(1), Some(2), Some(3)];
        let scores = [Some(f64::NAN), Some(0.5), Some(0.5)];
        assert_eq!(ranked(&ids, Some(&scores)), [(2, 0), (3, 0), (1, 1)]);
    }

    #[test]
    fn a_wrong_number_of_scores_is_an_error() {
        let error = rank_hits(&[Some(1)], Some(&[])).unwrap_err();
        assert_eq!(error, Error::ScoreCount { scores: 0, ids: 1 });
    }
}
