/*!
The order of fused hits, by evidence that no leg alone has.

A leg scores each chunk alone. Two facts beside the scores say more:

- Neighbors. An answer often continues over several chunks of a document, so a hit whose neighbor is a good hit too is
  probably a part of it. If one chunk has all words of the query, the answer is in that chunk, and neighbors only
  distract.
- Coverage. BM25 rewards a chunk that repeats one rare word as much as a chunk with two rare words, and an embedding does
  not see words at all. The share of the query's words that a chunk has counts beside both.

`docs/benchmarks.md` has the measurements.

Its twin in SQL is `sql/edition/legs.sql`.
*/

use super::fuse::FusedHit;
use std::collections::HashMap;
use std::hash::Hash;

/// The weights of hybrid search.
///
/// `docs/benchmarks.md` has the measurements that chose [`OrderWeights::MEASURED`], and `make bench` can measure others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderWeights {
    /// The weight of the words relative to the embedding if one chunk has all of them, see [`fuse_scores`](super::fuse_scores).
    pub words: f64,
    /// The share of a neighbor's score that a hit gets.
    pub neighbor: f64,
    /// The share of the best score that a hit with all words of the query gets.
    pub coverage: f64,
}

impl OrderWeights {
    /// The weights of the product.
    pub const MEASURED: Self = Self { words: 1.5, neighbor: 0.45, coverage: 0.25 };
}

/// The exponent of the best coverage, from which the share of neighbors is taken off. The words of a question are hardly
/// ever all in one chunk, so neighbors lose their share only near a coverage of 1.
const SHARPNESS: i32 = 8;

/// The evidence about a fused hit beside its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitEvidence<Document> {
    /// The document and the ordinal in it, if they are known.
    pub place: Option<(Document, i32)>,
    /// The share of the query's words that the chunk has, see [`coverage`](super::coverage); 0 if it is unknown.
    pub coverage: f64,
}

/// Adds to the score of each hit a share for its neighbors and one for its coverage, and orders the hits again.
///
/// `evidence` has one element for each hit. Hits with equal scores keep their order.
///
/// ```
/// use passage_core::search::{HitEvidence, OrderWeights, RankedList, fuse, reorder};
///
/// let list = RankedList { ids: vec!['a', 'b', 'c'], weight: 1.0 };
/// let hits = fuse(&[list], 60.0);
/// let places = [(1, 0), (2, 4), (2, 5)];
/// let evidence = places.map(|place| HitEvidence { place: Some(place), coverage: 0.5 });
/// let reordered = reorder(hits, &evidence, OrderWeights::MEASURED);
/// let order: String = reordered.iter().map(|hit| hit.chunk).collect();
/// assert_eq!(order, "bca");
/// ```
pub fn reorder<Id, Document: Copy + Eq + Hash>(
    hits: Vec<FusedHit<Id>>,
    evidence: &[HitEvidence<Document>],
    weights: OrderWeights,
) -> Vec<FusedHit<Id>> {
    let best_score = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
    let best_coverage = evidence.iter().map(|one| one.coverage).fold(0.0, f64::max);
    let neighbor_share = weights.neighbor * (1.0 - best_coverage.powi(SHARPNESS));
    let at_place: HashMap<_, _> =
        evidence.iter().zip(&hits).filter_map(|(one, hit)| Some((one.place?, hit.score))).collect();
    let neighbor = |place: Option<(Document, i32)>| {
        let Some((document, ordinal)) = place else { return 0.0 };
        let score = |ordinal: Option<i32>| Some(*at_place.get(&(document, ordinal?))?);
        let both = [score(ordinal.checked_sub(1)), score(ordinal.checked_add(1))];
        both.into_iter().flatten().fold(0.0, f64::max)
    };
    let bonus = |one: &HitEvidence<Document>| {
        neighbor_share * neighbor(one.place) + weights.coverage * best_score * one.coverage
    };
    let added: Vec<_> = evidence.iter().map(bonus).collect();
    let mut ordered: Vec<_> = hits
        .into_iter()
        .zip(added)
        .map(|(hit, added)| FusedHit { score: hit.score + added, ..hit })
        .collect();
    ordered.sort_by(|a, b| b.score.total_cmp(&a.score));
    ordered
}

#[cfg(test)]
mod tests {
    use super::{HitEvidence, OrderWeights, reorder};
    use crate::search::FusedHit;

    /// A hit with its score, document, ordinal and coverage.
    type Row = (char, f64, u8, i32, f64);

    fn order(rows: &[Row]) -> String {
        let hit = |&(chunk, score, ..): &Row| FusedHit { chunk, score, ranks: vec![Some(1), None] };
        // An ordinal below 0 is an unknown one.
        let evidence = |&(_, _, document, ordinal, coverage): &Row| HitEvidence {
            place: Some((document, ordinal)).filter(|_| ordinal >= 0),
            coverage,
        };
        let evidence: Vec<_> = rows.iter().map(evidence).collect();
        let ordered = reorder(rows.iter().map(hit).collect(), &evidence, OrderWeights::MEASURED);
        ordered.iter().map(|hit| hit.chunk).collect()
    }

    #[test]
    fn a_hit_beside_a_good_hit_precedes_a_lone_one() {
        let hits = [('a', 3.0, 1, 4, 0.0), ('b', 2.0, 2, 9, 0.0), ('c', 1.5, 1, 5, 0.0)];
        assert_eq!(order(&hits), "acb");
        let elsewhere = [hits[0], hits[1], ('c', 1.5, 3, 5, 0.0)];
        assert_eq!(order(&elsewhere), "abc");
        let farther = [hits[0], hits[1], ('c', 1.5, 1, 6, 0.0)];
        assert_eq!(order(&farther), "abc");
    }

    #[test]
    fn a_chunk_with_all_words_makes_neighbors_useless() {
        let hits =
            |coverage| [('a', 3.0, 1, 4, coverage), ('b', 2.0, 2, 9, 0.5), ('c', 1.5, 1, 5, 0.5)];
        assert_eq!(order(&hits(0.6)), "acb");
        assert_eq!(order(&hits(1.0)), "abc");
    }

    #[test]
    fn a_hit_with_more_words_of_the_query_precedes_a_slightly_better_one() {
        let hits = |coverage| [('a', 2.0, 1, 1, 0.2), ('b', 1.9, 2, 1, coverage)];
        assert_eq!(order(&hits(0.2)), "ab");
        assert_eq!(order(&hits(0.9)), "ba");
    }

    #[test]
    fn hits_without_a_place_keep_their_order() {
        assert_eq!(order(&[('a', 1.0, 1, -1, 0.0), ('b', 1.0, 1, -1, 0.0)]), "ab");
        assert_eq!(order(&[('a', 1.0, 1, i32::MAX, 0.0), ('b', 0.9, 1, 0, 0.0)]), "ab");
        assert_eq!(order(&[]), "");
    }
}
