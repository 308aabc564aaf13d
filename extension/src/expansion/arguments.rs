//! Arguments that several expanding functions share.

use crate::server::error::Error;
use crate::server::types::{Json, from_sql};
use passage_core::StrategyOverrides;
use passage_core::arguments::{LIMITS, Output, Ranking};
use passage_core::reassemble::PassageOptions;
use pgrx::datum::Uuid as SqlUuid;
use std::collections::HashSet;
use uuid::Uuid;

/// Returns the limits of a call: those that are arguments of their own, and those of the argument `limits`.
///
/// # Errors
///
/// Returns the errors of core for an invalid object, and for a limit that is given twice.
pub fn limits(
    max_tokens: Option<i32>,
    max_chunks: Option<i32>,
    limits: Option<Json>,
) -> Result<StrategyOverrides, Error> {
    let alone = StrategyOverrides { max_tokens, max_chunks, ..StrategyOverrides::default() };
    Json::parse_group(limits, &LIMITS, |value| alone.with_limits(value))
}

/// Returns how passages are formed, scored and ordered, at most `max_passages`.
pub fn joining(ranking: &Ranking, output: &Output, max_passages: Option<usize>) -> PassageOptions {
    let Output { max_distance, order_by, .. } = *output;
    PassageOptions { max_distance, score_by: ranking.score_by, order_by, max_passages }
}

/// Returns the chunks of the argument `skip`, which the caller has shown already.
pub fn skipped(skip: Option<Vec<Option<SqlUuid>>>) -> HashSet<Uuid> {
    skip.into_iter().flatten().flatten().map(from_sql).collect()
}
