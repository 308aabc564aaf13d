//! The limits of records: the hits that have one, and its size.
//!
//! Its twin in SQL is `sql/edition/records.sql`.

use super::Hit;
use crate::strategy::{Scope, Strategy};
use passage_split::{DataFormat, Kind, Unit};

/// The tokens of a record if the strategy has no budget.
const BUDGET: u32 = 2_048;

/// The share of the budget up to which a record grows: a fifth.
///
/// With it, a parent costs about as much as two more chunks of prose, and five hits can grow.
const SHARE: u32 = 5;

/// The tokens that a chunk of data has at least, on average. They bound the window that is read.
const LEAST_TOKENS: u32 = 32;

/// Returns whether a hit is widened to a record.
pub(super) fn applies(hit: &Hit) -> bool {
    let units = [Some(Unit::Container), Some(Unit::Member), Some(Unit::Value)];
    hit.strategy.scope == Scope::Container
        && hit.kind == Some(Kind::Data)
        && units.contains(&hit.unit)
        && hit.ordinal.is_some()
        && hit.section.as_ref().is_some_and(|section| section.len() >= root_depth(hit))
}

/// Returns the number of titles of the root of a hit's document.
pub(super) fn root_depth(hit: &Hit) -> usize {
    hit.format.map_or(1, DataFormat::root_depth)
}

/// Returns the maximum tokens of a record. In a strategy, 0 means no limit.
pub(super) fn budget(strategy: &Strategy) -> u32 {
    match strategy.max_passage_tokens.or(strategy.max_tokens).unwrap_or(BUDGET) {
        0 => u32::MAX,
        limit => limit,
    }
}

/// Returns the maximum tokens of a parent to which a record grows.
pub(super) fn share(strategy: &Strategy) -> u32 {
    budget(strategy).min(BUDGET) / SHARE
}

/// Returns how many chunks of a record may be on each side of a hit.
pub(super) fn reach(strategy: &Strategy) -> u32 {
    (budget(strategy) / LEAST_TOKENS).clamp(1, strategy.reach().max(1))
}
