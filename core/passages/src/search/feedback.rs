/*!
The order of hits by ratings: users have said of some chunks whether they answer similar questions.

A rating moves a hit, and never removes one. The scores of a ranking say how far its hits are apart, so a vote of 1 with a
weight of 1 moves a hit by the whole distance between the first hit and the last. A question that names all words of a
chunk may be about this chunk alone, whatever was rated before. So among the hits with all words of the query ratings
choose the first one, but no hit that lacks a word passes it.

Only the order changes: the hit that ratings put first gets the score of the former first one. So the share of the best
score that a limit demands means the same with ratings.

Its twin in SQL is `sql/edition/feedback.sql`.
*/

/// The least coverage that counts as all words of a query, see [`coverage`](super::coverage). Sums can be inexact.
pub const ALL_WORDS: f64 = 0.999_999;

/// A hit with what ratings say about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedHit {
    /// The score without ratings.
    pub score: f64,
    /// The sum of the votes, -1 to 1.
    pub vote: f64,
    /// Whether the chunk has all words of the query.
    pub has_all_words: bool,
}

/// Returns the indexes of hits in the order by their scores and votes. The hits come best first, `weight` is 0 to 1.
///
/// ```
/// use passage_core::search::{RatedHit, order_by_votes};
///
/// let hit = |score, vote| RatedHit { score, vote, has_all_words: false };
/// let hits = [hit(9.0, 0.0), hit(8.0, -0.5), hit(5.0, 0.5), hit(1.0, 0.5)];
/// assert_eq!(order_by_votes(&hits, 1.0), [0, 2, 3, 1]);
/// assert_eq!(order_by_votes(&hits, 0.0), [0, 1, 2, 3]);
/// ```
pub fn order_by_votes(hits: &[RatedHit], weight: f64) -> Vec<usize> {
    let scores = || hits.iter().map(|hit| hit.score);
    let (best, last) = (scores().fold(f64::MIN, f64::max), scores().fold(f64::MAX, f64::min));
    let range = if best > last { best - last } else { 1.0 };
    let moved: Vec<_> = hits.iter().map(|hit| hit.score + weight * hit.vote * range).collect();
    let complete = || (0..hits.len()).filter(|index| hits[*index].has_all_words);
    let front = complete().reduce(|a, b| if moved[b] > moved[a] { b } else { a });
    let mut values = moved.clone();
    // Of equal values, those of hits that were in front of all complete ones come first, then that of the best complete one.
    let mut class = vec![2_u8; hits.len()];
    if let (Some(first), Some(front)) = (complete().next(), front) {
        let kept = hits[first].score;
        class[..first].fill(0);
        class[front] = 1;
        values[front] = values[front].max(kept);
        let behind = (first + 1..hits.len()).filter(|index| !hits[*index].has_all_words);
        behind.for_each(|index| values[index] = values[index].min(kept));
    }
    let mut order: Vec<_> = (0..hits.len()).collect();
    order.sort_by(|a, b| {
        values[*b]
            .total_cmp(&values[*a])
            .then(class[*a].cmp(&class[*b]))
            .then(moved[*b].total_cmp(&moved[*a]))
            .then(a.cmp(b))
    });
    order
}

#[cfg(test)]
mod tests {
    use super::{RatedHit, order_by_votes};
    use proptest::prelude::*;

    fn hits(rows: &[(f64, f64, bool)]) -> Vec<RatedHit> {
        let hit = |&(score, vote, has_all_words): &_| RatedHit { score, vote, has_all_words };
        rows.iter().map(hit).collect()
    }

    #[test]
    fn hits_without_votes_keep_their_order() {
        let rows = [(3.0, 0.0, false), (3.0, 0.0, true), (2.0, 0.0, false), (2.0, 0.0, true)];
        assert_eq!(order_by_votes(&hits(&rows), 1.0), [0, 1, 2, 3]);
        assert_eq!(order_by_votes(&[], 1.0), [0; 0]);
    }

    #[test]
    fn equal_scores_are_ordered_by_votes() {
        let rows = [(0.5, -0.1, false), (0.5, 0.0, false), (0.5, 0.2, false)];
        assert_eq!(order_by_votes(&hits(&rows), 0.1), [2, 1, 0]);
    }

    #[test]
    fn no_hit_that_lacks_a_word_passes_the_first_with_all_words() {
        let attacked = [(9.0, -0.9, true), (5.0, 0.9, false), (1.0, 0.8, false)];
        assert_eq!(order_by_votes(&hits(&attacked), 1.0), [0, 1, 2]);
        // It stays behind hits that were better anyway.
        let second = [(9.0, 0.0, false), (8.0, -0.9, true), (1.0, 0.9, false)];
        assert_eq!(order_by_votes(&hits(&second), 1.0), [0, 1, 2]);
    }

    #[test]
    fn votes_choose_among_the_hits_with_all_words() {
        let rows = [(9.0, -0.5, true), (7.0, 0.5, true), (6.0, 0.5, false), (1.0, 0.0, false)];
        assert_eq!(order_by_votes(&hits(&rows), 1.0), [1, 2, 0, 3]);
    }

    fn any_hits() -> impl Strategy<Value = Vec<RatedHit>> {
        let row = (-4_i8..5, -1.0..1.0, proptest::bool::weighted(0.3));
        proptest::collection::vec(row, 0..12).prop_map(|mut rows| {
            rows.sort_by_key(|row| std::cmp::Reverse(row.0));
            let hit = |(score, vote, has_all_words)| RatedHit {
                score: f64::from(score),
                vote,
                has_all_words,
            };
            rows.into_iter().map(hit).collect()
        })
    }

    proptest! {
        #[test]
        fn every_hit_stays_and_a_complete_one_keeps_its_place(hits in any_hits(), weight in 0.0..=1.0) {
            let order = order_by_votes(&hits, weight);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..hits.len()).collect::<Vec<_>>());
            let complete = |index: &usize| hits[*index].has_all_words;
            if let (Some(before), Some(after)) = ((0..hits.len()).position(|index| complete(&index)), order.iter().position(complete)) {
                prop_assert!(after <= before, "{before} to {after} in {order:?}");
            }
        }

        #[test]
        fn a_better_vote_moves_no_hit_back(hits in any_hits(), weight in 0.0..=1.0, which in any::<prop::sample::Index>(), more in 0.0..1.0) {
            prop_assume!(!hits.is_empty());
            let which = which.index(hits.len());
            let place = |hits: &[RatedHit]| order_by_votes(hits, weight).iter().position(|index| *index == which);
            let mut better = hits.clone();
            better[which].vote += more;
            prop_assert!(place(&better) <= place(&hits));
        }
    }
}
