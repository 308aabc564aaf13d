/*!
One ranking of several.

# Source

Cormack, Clarke and Büttcher, *Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods* (2009).
*/

use std::collections::HashMap;
use std::hash::Hash;

/// A ranking, and what it counts for.
#[derive(Clone, Debug)]
pub struct RankedList<Id> {
    /// The best first, each once.
    pub ids: Vec<Id>,
    /// What a place in it is multiplied by, at least 0.
    pub weight: f64,
}

/// A chunk that some leg has.
#[derive(Clone, Debug, PartialEq)]
pub struct FusedHit<Id> {
    /// The chunk.
    pub chunk: Id,
    /// The sum of `weight / (k + rank)` over the legs that have it.
    pub score: f64,
    /// For each leg its rank there, from 1.
    pub ranks: Vec<Option<usize>>,
}

/// Fuses rankings by reciprocal ranks: best first, of equal scores that which some leg ranks better,
/// then that which an earlier leg ranks better. A leg that lacks a chunk gives it nothing, and one
/// that counts for nothing brings none.
pub fn fuse<Id: Copy + Eq + Hash>(legs: &[RankedList<Id>], k: f64) -> Vec<FusedHit<Id>> {
    let mut places = HashMap::new();
    let mut fused: Vec<FusedHit<Id>> = Vec::new();
    for (leg, RankedList { ids, weight }) in
        legs.iter().enumerate().filter(|(_, leg)| leg.weight > 0.0)
    {
        for (chunk, rank) in ids.iter().zip(1..) {
            let place = *places.entry(*chunk).or_insert_with(|| {
                fused.push(FusedHit { chunk: *chunk, score: 0.0, ranks: vec![None; legs.len()] });
                fused.len() - 1
            });
            fused[place].ranks[leg] = Some(rank);
            fused[place].score += weight / (k + rank as f64);
        }
    }
    let place = |rank: &Option<usize>| rank.unwrap_or(usize::MAX);
    fused.sort_by(|a, b| {
        let best = |fused: &FusedHit<Id>| fused.ranks.iter().map(place).min();
        b.score
            .total_cmp(&a.score)
            .then_with(|| best(a).cmp(&best(b)))
            .then_with(|| a.ranks.iter().map(place).cmp(b.ranks.iter().map(place)))
    });
    fused
}

#[cfg(test)]
mod tests {
    use super::{RankedList, fuse};

    fn fused(a: &[u8], b: &[u8], weights: [f64; 2]) -> Vec<(u8, Vec<Option<usize>>)> {
        let leg = |ids: &[u8], weight| RankedList { ids: ids.to_vec(), weight };
        let fused = fuse(&[leg(a, weights[0]), leg(b, weights[1])], 60.0);
        fused.into_iter().map(|fused| (fused.chunk, fused.ranks)).collect()
    }

    #[test]
    fn what_both_legs_have_comes_first() {
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
    fn a_leg_counts_as_much_as_its_weight() {
        let order = |weights| -> Vec<u8> {
            fused(&[1, 2], &[2, 1, 3], weights).into_iter().map(|(chunk, _)| chunk).collect()
        };
        assert_eq!(order([1.0, 1.0]), [1, 2, 3]);
        assert_eq!(order([1.0, 1.5]), [2, 1, 3]);
        assert_eq!(order([1.0, 0.0]), [1, 2]);
    }

    #[test]
    fn a_score_is_the_sum_of_reciprocal_ranks() {
        let legs = [
            RankedList { ids: vec!['a'], weight: 2.0 },
            RankedList { ids: vec!['b', 'a'], weight: 1.0 },
        ];
        let fused = fuse(&legs, 60.0);
        assert_eq!(fused[0].chunk, 'a');
        assert!((fused[0].score - (2.0 / 61.0 + 1.0 / 62.0)).abs() < 1e-12);
    }
}
