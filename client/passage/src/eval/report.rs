//! The report of an evaluation: what each configuration returned for each question, and the figures over all questions.

use super::answer::Score;
use super::bootstrap::Difference;
use super::question::Question;
use crate::store::Notice;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// The report of an evaluation.
///
/// Numbers in fields `configuration` and `question` are indexes into the lists of those names, from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of the client.
    pub version: String,
    /// The budgets in tokens.
    pub budgets: Vec<u32>,
    /// The questions.
    pub questions: Vec<Question>,
    /// The ways to search. The first one is the baseline.
    pub configurations: Vec<Configuration>,
    /// The figures of each configuration at each budget.
    pub summary: Vec<Summary>,
    /// The results of each configuration at each budget for each question without an error.
    pub results: Vec<QuestionResult>,
    /// The questions without a result. They count in no figure.
    pub errors: Vec<QuestionError>,
    /// The notices of the server, each once.
    #[serde(default, skip_deserializing)]
    pub notes: Vec<Notice>,
}

/// A way to search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Configuration {
    /// The name: what distinguishes it from the others.
    pub name: String,
    /// The store.
    pub store: String,
    /// The mode: `vector`, `text` or `hybrid`.
    pub mode: String,
    /// The strategy; `None` for that of the server.
    pub strategy: Option<String>,
    /// The object `ranking`, without the mode.
    pub ranking: Map<String, Value>,
    /// The object `limits`.
    pub limits: Map<String, Value>,
    /// Whether a reranker orders the hits.
    #[serde(default)]
    pub reranked: bool,
}

/// The figures of a configuration at a budget: means over all questions with a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The configuration.
    pub configuration: usize,
    /// The budget in tokens.
    pub budget: u32,
    /// The number of questions with a result.
    pub questions: usize,
    /// The means.
    #[serde(flatten)]
    pub score: Score,
    /// The tokens of all passages.
    pub tokens: f64,
    /// How much better it is than the baseline; `None` for the baseline, and without a common question.
    pub difference: Option<Differences>,
}

/// The differences from the baseline, over the questions that both have a result for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the score")]
pub struct Differences {
    /// The number of common questions.
    pub questions: usize,
    pub found: Difference,
    pub recall: Difference,
    pub complete: Difference,
    pub reciprocal_rank: Difference,
}

/// The result of a configuration for a question at a budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionResult {
    /// The configuration.
    pub configuration: usize,
    /// The budget in tokens.
    pub budget: u32,
    /// The question.
    pub question: usize,
    /// How well the passages answer.
    #[serde(flatten)]
    pub score: Score,
    /// The tokens of all passages.
    pub tokens: i64,
    /// The passages, best first.
    pub passages: Vec<ResultPassage>,
}

/// A passage that came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the other fields are columns of passage.search")]
pub struct ResultPassage {
    /// Whether it has a part of a wanted item.
    pub wanted: bool,
    pub document_id: Uuid,
    pub uri: Option<String>,
    pub collection: Option<String>,
    pub version: Option<String>,
    pub section: Vec<String>,
    pub first_line: Option<i32>,
    pub last_line: Option<i32>,
    /// The first and the last line of each part, because a passage can have gaps.
    #[serde(default)]
    pub lines: Vec<[i32; 2]>,
    pub tokens: i32,
    pub hit_ids: Vec<Uuid>,
}

/// A question without a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionError {
    /// The question.
    pub question: usize,
    /// The configuration.
    pub configuration: usize,
    /// The budget in tokens; `None` if the question fails at all budgets.
    pub budget: Option<u32>,
    /// The cause.
    pub message: String,
    /// What to do.
    pub hint: String,
}
