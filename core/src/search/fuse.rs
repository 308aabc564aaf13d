/*!
Fusion of several rankings by reciprocal rank.

# Source

Cormack, Clarke and Büttcher, *Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods* (2009).
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

/// A chunk of the fused ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct FusedHit<Id> {
    /// The id of the chunk.
    pub chunk: Id,
    /// The sum of `weight / (k + rank)` over the rankings that contain it.
    pub score: f64,
    /// The rank in each input, from 1.
    pub ranks: Vec<Option<usize>>,
}

/// Fuses rankings by reciprocal rank, best first.
///
/// Ties are broken by the best rank in any input, then by the rank in the earliest input. A ranking with weight
/// 0 contributes no chunks. `k` dampens the first ranks; 60 is usual.
///
/// ```
/// use passage_core::search::{RankedList, fuse};
///
/// let lists = [vec!['a', 'b'], vec!['b', 'c']].map(|ids| RankedList { ids, weight: 1.0 });
/// assert_eq!(fuse(&lists, 60.0)[0].chunk, 'b');
/// ```
pub fn fuse<Id: Copy + Eq + Hash>(lists: &[RankedList<Id>], k: f64) -> Vec<FusedHit<Id>> {
    let mut indexes = HashMap::new();
    let mut fused: Vec<FusedHit<Id>> = Vec::new();
    for (list, RankedList { ids, weight }) in
        lists.iter().enumerate().filter(|(_, list)| list.weight > 0.0)
    {
        for (chunk, rank) in ids.iter().zip(1..) {
            let index = *indexes.entry(*chunk).or_insert_with(|| {
                fused.push(FusedHit { chunk: *chunk, score: 0.0, ranks: vec![None; lists.len()] });
                fused.len() - 1
            });
            fused[index].ranks[list] = Some(rank);
            fused[index].score += weight / (k + rank as f64);
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
    use super::{RankedList, fuse};

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
}
