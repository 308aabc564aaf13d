/*!
Search: planning, ranking and fusion of the chunks that answer a query.

A query has words and an optional embedding, and each gives a ranking. BM25 ranks the words over the positions in
a store's full-text index; distance ranks the embedding. This module contains the parts that need no store:
[`SearchQuery`] parses a query, [`searchable_text`] writes text as it is indexed, [`identifier_parts`] splits compound
words, [`plan_subqueries`] plans which chunks to read, [`bm25`] scores them, [`coverage`] weights them, [`fuse_scores`]
and [`fuse`] merge rankings, [`reorder`] orders the merged hits by their neighbors and words, [`order_by_votes`] by what
users said about them, [`QueryName`] puts a unit that the query names in front, and [`select_hits`] selects the hits of the
result.
*/

pub mod bm25;
mod coverage;
mod feedback;
mod file_names;
mod fuse;
mod hit_allowance;
mod hit_budget;
mod identifiers;
mod lexemes;
mod normalize;
mod query;
mod query_name;
mod reorder;
mod scripts;
#[cfg(test)]
mod searchable_properties;
mod searchable_text;
mod select_hits;
mod subqueries;

pub use coverage::coverage;
pub use feedback::{ALL_WORDS, RatedHit, order_by_votes};
pub use file_names::{file_name, title_words, uri_words};
pub use fuse::{FusedHit, RankedList, ScoredList, fuse, fuse_scores};
pub use hit_allowance::HitAllowance;
pub use hit_budget::{HitCost, select_within_budget};
pub use identifiers::{identifier_parts, query_parts};
pub use lexemes::{QueryLexemes, QueryWord, quote_lexeme, term};
pub use normalize::normalize;
pub use query::SearchQuery;
pub use query_name::{NamedPlace, QueryName};
pub use reorder::{HitEvidence, OrderWeights, reorder};
pub use scripts::{is_syllable, is_unspaced_run};
pub use searchable_text::{Runs, searchable_text};
pub use select_hits::{
    HitBudget, HitCandidate, HitLimits, SelectedHits, SelectionEnd, select_hits,
};
pub use subqueries::{
    ENOUGH_CANDIDATES, Frequencies, LexemeCounts, MAX_CANDIDATES, Subquery, SubqueryPlan,
    plan_subqueries,
};

use crate::error::sql_enum;

/// The rankings that a search uses.
///
/// ```
/// use passage_core::search::SearchMode;
///
/// assert_eq!(SearchMode::from_name("text")?, SearchMode::Text);
/// # Ok::<(), passage_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMode {
    /// Only the embedding.
    Vector,
    /// Only the words.
    Text,
    /// Both, fused.
    Hybrid,
}

/// The largest weight of a ranking.
pub const MAX_WEIGHT: f64 = 1_000_000.0;

sql_enum!(
    SearchMode, "mode", r#""vector", "text" and "hybrid""#,
    "vector" => Vector, "text" => Text, "hybrid" => Hybrid
);
