//! The argument `ranking`.

use super::definitions::RANKING;
use super::json_group::JsonGroup;
use crate::Error;
use crate::reassemble::ScoreBy;
use crate::search::SearchMode;
use serde_json::Value;

/// How hits are found and scored.
///
/// ```
/// use passage_core::arguments::Ranking;
/// use serde_json::json;
///
/// let ranking = Ranking::parse(&json!({ "mode": "text", "text_weight": 2 }), &[])?;
/// assert_eq!((ranking.weights, ranking.candidates), ([1.0, 2.0], None));
/// # Ok::<(), passage_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The rankings to use; `None` uses those that query and embedding allow.
    pub mode: Option<SearchMode>,
    /// The maximum number of chunks of each ranking.
    pub candidates: Option<u32>,
    /// The weights of the vector ranking and the text ranking.
    pub weights: [f64; 2],
    /// The constant of reciprocal rank fusion. Without it the scores are fused.
    pub rrf_k: Option<u32>,
    /// The score of a passage.
    pub score_by: ScoreBy,
    /// The weight of ratings, 0 to 1. With 0 they are not read.
    pub feedback: f64,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            mode: None,
            candidates: None,
            weights: [1.0; 2],
            rrf_k: None,
            score_by: ScoreBy::Max,
            feedback: 0.0,
        }
    }
}

impl Ranking {
    /// Parses the argument. `unused` are the keys that the function does not use.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`JsonGroup`].
    pub fn parse(value: &Value, unused: &[&str]) -> Result<Self, Error> {
        let group = JsonGroup::new(&RANKING, unused, value)?;
        let default = Self::default();
        let [by_vector, by_text] = default.weights;
        Ok(Self {
            mode: group.word("mode", SearchMode::from_name)?,
            candidates: group.limit("candidates")?,
            weights: [
                group.number("vector_weight")?.unwrap_or(by_vector),
                group.number("text_weight")?.unwrap_or(by_text),
            ],
            rrf_k: group.limit("rrf_k")?,
            score_by: group.word("score_by", ScoreBy::from_name)?.unwrap_or(default.score_by),
            feedback: group.number("feedback")?.unwrap_or(default.feedback),
        })
    }
}
