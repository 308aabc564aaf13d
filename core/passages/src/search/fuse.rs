/*!
Fusion of several rankings: by their scores, or by reciprocal rank alone.

Scores tell how sharply a ranking separates its best hits, and ranks do not. By rank alone, a ranking in which all
scores are nearly equal counts as much as one with a single good hit, and a chunk in the middle of both precedes
the best chunk of either. So the scores of each ranking are scaled to 0 to 1 and added, with a smaller term for the
rank. That term separates chunks with nearly equal scores, and rewards those in several rankings.

# Source

Bruch, Gai and Ingber, *An Analysis of Fusion Functions for Hybrid Retrieval* (2023), for the combination of scaled
scores; Cormack, Clarke and Büttcher, *Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
Methods* (2009), for the ranks. `docs/benchmarks.md` has the measurements.

Its twin in SQL is `sql/edition/legs.sql`.
*/

use std::collections::HashMap;
use std::hash::Hash;

/// A ranking with its weight.
#[derive(Clone, Debug)]
pub struct RankedList<Id> {
    /// The ids, best first and without duplicates.
    pub ids: Vec<Id>,
    /// The weight of the ranking, at least 0.
    pub weight: f64,
}

/// A ranking with its scores and its weight.
#[derive(Clone, Debug)]
pub struct ScoredList<Id> {
    /// The ids with their scores, best first and without duplicates.
    pub hits: Vec<(Id, f64)>,
    /// The score of all chunks that are not in the ranking; `None` if some of them may have more.
    pub floor: Option<f64>,
    /// The weight of the ranking, at least 0.
    pub weight: f64,
}

/// The term for the rank in [`fuse_scores`]: its share of the best chunk, and the constant that dampens the first
/// ranks.
const RANK_SHARE: f64 = 0.5;
const RANK_K: f64 = 10.0;

/// A chunk of the fused ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct FusedHit<Id> {
    /// The id of the chunk.
    pub chunk: Id,
    /// The sum of its values over the rankings that contain it.
    pub score: f64,
    /// The rank in each input, from 1.
    pub ranks: Vec<Option<usize>>,
}

/// Fuses rankings by their scores, best first.
///
/// A ranking adds `weight * (scaled score + 5 / (10 + rank))` to each of its chunks. The scaled score is 1 for the best
/// chunk of the ranking, and 0 for the floor or, without a floor, for the last chunk. Ties and weights of 0 are as in
/// [`fuse`].
///
/// ```
/// use passage_core::search::{ScoredList, fuse_scores};
///
/// let list = |hits: Vec<_>| ScoredList { hits, floor: None, weight: 1.0 };
/// let sharp = list(vec![('a', 9.0), ('b', 2.0), ('c', 1.0)]);
/// let flat = list(vec![('d', 0.52), ('c', 0.51), ('a', 0.5)]);
/// assert_eq!(fuse_scores(&[sharp, flat])[0].chunk, 'a');
/// ```
pub fn fuse_scores<Id: Copy + Eq + Hash>(lists: &[ScoredList<Id>]) -> Vec<FusedHit<Id>> {
    let values = lists.iter().map(|ScoredList { hits, floor, weight }| {
        let scores = || hits.iter().map(|(_, score)| *score).filter(|score| score.is_finite());
        let best = scores().fold(f64::MIN, f64::max);
        let last = scores().chain(*floor).fold(f64::MAX, f64::min);
        let value = move |(index, (chunk, score)): (usize, &(Id, f64))| {
            let rank = (index + 1) as f64;
            let scaled =
                if best > last { ((score - last) / (best - last)).clamp(0.0, 1.0) } else { 1.0 };
            (*chunk, weight * (scaled + RANK_SHARE * RANK_K / (RANK_K + rank)))
        };
        hits.iter().enumerate().map(value).collect()
    });
    let weights: Vec<_> = lists.iter().map(|list| list.weight).collect();
    add(values.collect(), &weights)
}

/// Fuses rankings by reciprocal rank, best first.
///
/// A ranking adds `weight / (k + rank)` to each of its chunks. Ties are broken by the best rank in any input, then by
/// the rank in the earliest input. A ranking with weight 0 contributes no chunks. `k` dampens the first ranks; 60 is
/// usual.
///
/// ```
/// use passage_core::search::{RankedList, fuse};
///
/// let lists = [vec!['a', 'b'], vec!['b', 'c']].map(|ids| RankedList { ids, weight: 1.0 });
/// assert_eq!(fuse(&lists, 60.0)[0].chunk, 'b');
/// ```
pub fn fuse<Id: Copy + Eq + Hash>(lists: &[RankedList<Id>], k: f64) -> Vec<FusedHit<Id>> {
    let values = lists.iter().map(|RankedList { ids, weight }| {
        let value = |(chunk, rank): (&Id, u32)| (*chunk, weight / (k + f64::from(rank)));
        ids.iter().zip(1..).map(value).collect()
    });
    let weights: Vec<_> = lists.iter().map(|list| list.weight).collect();
    add(values.collect(), &weights)
}

/// Adds the values of each chunk in all lists, and ranks the chunks.
fn add<Id: Copy + Eq + Hash>(lists: Vec<Vec<(Id, f64)>>, weights: &[f64]) -> Vec<FusedHit<Id>> {
    let mut indexes = HashMap::new();
    let mut fused: Vec<FusedHit<Id>> = Vec::new();
    let count = lists.len();
    for (list, values) in lists.into_iter().enumerate().filter(|(list, _)| weights[*list] > 0.0) {
        for ((chunk, value), rank) in values.into_iter().zip(1..) {
            let index = *indexes.entry(chunk).or_insert_with(|| {
                fused.push(FusedHit { chunk, score: 0.0, ranks: vec![None; count] });
                fused.len() - 1
            });
            fused[index].ranks[list] = Some(rank);
            fused[index].score += value;
        }
    }
    let rank_or_last = |rank: &Option<usize>| rank.unwrap_or(usize::MAX);
    fused.sort_by(|a, b| {
        let best = |fused: &FusedHit<Id>| fused.ranks.iter().map(rank_or_last).min();
        b.score
            .total_cmp(&a.score)
            .then_with(|| best(a).cmp(&best(b)))
            .then_with(|| a.ranks.iter().map(rank_or_last).cmp(b.ranks.iter().map(rank_or_last)))
    });
    fused
}

#[cfg(test)]
mod tests {
    use super::{RankedList, ScoredList, fuse, fuse_scores};

    fn fused(a: &[u8], b: &[u8], weights: [f64; 2]) -> Vec<(u8, Vec<Option<usize>>)> {
        let list = |ids: &[u8], weight| RankedList { ids: ids.to_vec(), weight };
        let fused = fuse(&[list(a, weights[0]), list(b, weights[1])], 60.0);
        fused.into_iter().map(|fused| (fused.chunk, fused.ranks)).collect()
    }

    #[test]
    fn chunks_in_both_rankings_rank_first() {
        let ranked = fused(&[1, 2, 3], &[9, 3], [1.0, 1.0]);
        let (some, none) = (Some, None);
        assert_eq!(
            ranked,
            [
                (3, vec![some(3), some(2)]),
                (1, vec![some(1), none]),
                (9, vec![none, some(1)]),
                (2, vec![some(2), none]),
            ]
        );
    }

    #[test]
    fn weights_scale_the_rankings() {
        let order = |weights| -> Vec<u8> {
            fused(&[1, 2], &[2, 1, 3], weights).into_iter().map(|(chunk, _)| chunk).collect()
        };
        assert_eq!(order([1.0, 1.0]), [1, 2, 3]);
        assert_eq!(order([1.0, 1.5]), [2, 1, 3]);
        assert_eq!(order([1.0, 0.0]), [1, 2]);
    }

    #[test]
    fn a_score_is_the_sum_of_reciprocal_ranks() {
        let lists = [
            RankedList { ids: vec!['a'], weight: 2.0 },
            RankedList { ids: vec!['b', 'a'], weight: 1.0 },
        ];
        let fused = fuse(&lists, 60.0);
        assert_eq!(fused[0].chunk, 'a');
        assert!((fused[0].score - (2.0 / 61.0 + 1.0 / 62.0)).abs() < 1e-12);
    }

    fn scored(hits: &[(char, f64)], weight: f64) -> ScoredList<char> {
        ScoredList { hits: hits.to_vec(), floor: None, weight }
    }

    fn order(lists: &[ScoredList<char>]) -> String {
        fuse_scores(lists).into_iter().map(|fused| fused.chunk).collect()
    }

    #[test]
    fn the_best_hit_of_a_sharp_ranking_precedes_the_middle_of_both() {
        let sharp = scored(&[('a', 20.0), ('b', 4.0), ('c', 3.9), ('d', 3.8)], 1.0);
        let near = [('e', 0.5), ('f', 0.49), ('g', 0.48), ('h', 0.47), ('b', 0.42), ('c', 0.4)];
        let flat = scored(&near, 1.0);
        assert_eq!(order(&[sharp.clone(), flat.clone()]).chars().next(), Some('a'));
        // By rank alone the order is another.
        let lists = [sharp, flat].map(|list| RankedList {
            ids: list.hits.iter().map(|(chunk, _)| *chunk).collect(),
            weight: 1.0,
        });
        assert_ne!(fuse(&lists, 60.0)[0].chunk, 'a');
    }

    #[test]
    fn the_scale_of_scores_does_not_matter() {
        let list = |factor: f64, offset: f64| {
            let hits = [('a', 5.0), ('b', 4.0), ('c', 1.0)];
            scored(&hits.map(|(chunk, score)| (chunk, factor * score + offset)), 1.0)
        };
        let other = scored(&[('c', 0.9), ('b', 0.8), ('d', 0.1)], 1.0);
        let expected = order(&[list(1.0, 0.0), other.clone()]);
        for (factor, offset) in [(100.0, 0.0), (0.001, -7.0), (3.0, -100.0)] {
            assert_eq!(order(&[list(factor, offset), other.clone()]), expected);
        }
    }

    #[test]
    fn equal_and_infinite_scores_and_empty_rankings_are_fused() {
        assert_eq!(order(&[scored(&[('a', 1.0), ('b', 1.0)], 1.0), scored(&[], 1.0)]), "ab");
        assert_eq!(order(&[scored(&[('a', f64::INFINITY), ('b', 1.0), ('c', 0.0)], 1.0)]), "abc");
        assert_eq!(order(&[scored(&[('a', 3.0)], 0.0), scored(&[('b', 1.0)], 0.5)]), "b");
        assert!(order(&[]).is_empty());
        let hit = &fuse_scores(&[scored(&[('a', 3.0)], 2.0)])[0];
        assert!((hit.score - 2.0 * (1.0 + 5.0 / 11.0)).abs() < 1e-12);
    }

    #[test]
    fn nearly_equal_scores_of_a_complete_ranking_stay_nearly_equal() {
        let by_meaning = scored(&[('b', 0.46), ('c', 0.37), ('d', 0.23), ('a', 0.13)], 1.0);
        let by_words = scored(&[('a', 1.66), ('b', 1.64)], 1.1);
        assert_eq!(fuse_scores(&[by_meaning.clone(), by_words.clone()])[0].chunk, 'a');
        let complete = ScoredList { floor: Some(0.0), ..by_words };
        assert_eq!(fuse_scores(&[by_meaning, complete])[0].chunk, 'b');
    }
}
