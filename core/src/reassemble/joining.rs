//! How passages are made, scored and ordered.

use super::Passage;
use crate::Error;

/// How passages are made and ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joining {
    /// How many ordinals hits of a passage may be apart; `None` makes one of each document.
    pub max_distance: Option<u32>,
    /// What a passage scores.
    pub score_by: ScoreBy,
    /// How passages are ordered.
    pub order_by: OrderBy,
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

impl ScoreBy {
    pub(super) fn score(self, passage: &Passage, scores: &[Option<f64>]) -> Option<f64> {
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

    /// Returns what a name stands for.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownValue`] for any other word.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "max" => Ok(Self::Max),
            "mean" => Ok(Self::Mean),
            "sum" => Ok(Self::Sum),
            "rank" => Ok(Self::Rank),
            _ => Err(Error::UnknownValue {
                argument: "score_by",
                value: name.to_owned(),
                valid: r#""max", "mean", "sum" and "rank""#,
            }),
        }
    }
}

impl OrderBy {
    /// Returns what a name stands for.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownValue`] for any other word.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "score" => Ok(Self::Score),
            "document" => Ok(Self::Document),
            _ => Err(Error::UnknownValue {
                argument: "order_by",
                value: name.to_owned(),
                valid: r#""score" and "document""#,
            }),
        }
    }
}
