//! The answer to a question in one store, and how much of it passages have.

use super::document::Parts;
use super::metrics::share;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use uuid::Uuid;

/// The places of the wanted items of a question in a store.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer(pub Vec<Item>);

/// The documents with a wanted item, any of which answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Item(pub Vec<(Uuid, Parts)>);

/// A passage that a search returned: its document, and the ranges of its chunks in the text of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnedPassage {
    pub document: Uuid,
    pub ranges: Vec<Range<usize>>,
}

/// How well passages answer a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The share of the wanted items of which a passage has a part, 0 to 1.
    pub found: f64,
    /// The share of the wanted text that the passages have, 0 to 1: the mean over the wanted items.
    pub recall: f64,
    /// 1 if the passages have the whole wanted text, else 0.
    pub complete: f64,
    /// 1 / the rank of the first passage with a part of a wanted item; 0 without one.
    pub reciprocal_rank: f64,
}

impl Answer {
    /// Returns the score of ranked passages, best first, and which of them have a part of a wanted item.
    pub fn score(&self, passages: &[ReturnedPassage]) -> (Score, Vec<bool>) {
        let Self(items) = self;
        let count = items.len().max(1) as f64;
        let has_part = |passage: &ReturnedPassage| {
            items.iter().any(|item| item.share(std::slice::from_ref(passage)) > 0.0)
        };
        let parts: Vec<bool> = passages.iter().map(has_part).collect();
        let shares: Vec<f64> = items.iter().map(|item| item.share(passages)).collect();
        let rank = parts.iter().position(|has_part| *has_part);
        let score = Score {
            found: shares.iter().filter(|share| **share > 0.0).count() as f64 / count,
            recall: shares.iter().sum::<f64>() / count,
            complete: f64::from(!shares.is_empty() && shares.iter().all(|share| *share >= 1.0)),
            reciprocal_rank: rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
        };
        (score, parts)
    }
}

impl Item {
    /// Returns the share of the item that passages have. Of several places the one with the largest share counts.
    fn share(&self, passages: &[ReturnedPassage]) -> f64 {
        let in_document = |(document, parts): &(Uuid, Parts)| {
            let own = || passages.iter().filter(|passage| passage.document == *document);
            match parts {
                Parts::Document => f64::from(own().next().is_some()),
                Parts::Ranges(places) => {
                    let returned: Vec<_> =
                        own().flat_map(|passage| passage.ranges.clone()).collect();
                    places.iter().map(|place| share(place, &returned)).fold(0.0, f64::max)
                }
            }
        };
        self.0.iter().map(in_document).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::iter;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    fn passage(document: u128, start: usize, end: usize) -> ReturnedPassage {
        ReturnedPassage { document: id(document), ranges: iter::once(start..end).collect() }
    }

    fn ranges(document: u128, places: &[(usize, usize)]) -> (Uuid, Parts) {
        let place = |(start, end): &(usize, usize)| iter::once(*start..*end).collect();
        (id(document), Parts::Ranges(places.iter().map(place).collect()))
    }

    #[test]
    fn all_wanted_items_count_and_any_place_of_an_item_is_enough() {
        let twice = Item(vec![ranges(1, &[(0, 100), (500, 520)]), ranges(2, &[(0, 10)])]);
        let document = Item(vec![(id(3), Parts::Document)]);
        let answer = Answer(vec![twice, document]);
        let (score, parts) = answer.score(&[passage(9, 0, 50), passage(1, 50, 100)]);
        let half = Score { found: 0.5, recall: 0.25, complete: 0.0, reciprocal_rank: 0.5 };
        assert_eq!((score, parts), (half, vec![false, true]));
        let (score, _) = answer.score(&[passage(1, 0, 50), passage(2, 0, 99), passage(3, 7, 8)]);
        assert_eq!(score, Score { found: 1.0, recall: 1.0, complete: 1.0, reciprocal_rank: 1.0 });
    }

    #[test]
    fn passages_share_an_answer_and_nothing_scores_zero() {
        let answer = Answer(vec![Item(vec![ranges(1, &[(0, 100)])])]);
        let (score, parts) = answer.score(&[passage(1, 40, 100), passage(1, 0, 40)]);
        assert_eq!((score.complete, parts), (1.0, vec![true, true]));
        assert_eq!(answer.score(&[]), (Score::default(), vec![]));
        assert_eq!(answer.score(&[passage(1, 100, 200)]).0, Score::default());
    }
}
