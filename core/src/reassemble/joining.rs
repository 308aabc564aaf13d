//! How passages are made, scored and ordered.

use super::Passage;
use crate::sql_enum::sql_enum;

/// How passages are made and ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageOptions {
    /// How many ordinals hits of a passage may be apart; `None` makes one of each document.
    pub max_distance: Option<u32>,
    /// What a passage scores.
    pub score_by: ScoreBy,
    /// How passages are ordered.
    pub order_by: OrderBy,
    /// The most passages, the best of all; `None` is no bound.
    pub max_passages: Option<usize>,
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
}

sql_enum!(
    ScoreBy, "score_by", r#""max", "mean", "sum" and "rank""#,
    "max" => Max, "mean" => Mean, "sum" => Sum, "rank" => Rank
);
sql_enum!(
    OrderBy, "order_by", r#""score" and "document""#,
    "score" => Score, "document" => Document
);
