//! `chain_order`: the order of adopted chunks of which each names the previous one.

use crate::types::nullable_texts;
use passage_core::chain;
use pgrx::{Array, pg_extern};

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn chain_order(ids: Array<'_, &str>, previous: Array<'_, &str>) -> Vec<i32> {
    let ids: Vec<_> = nullable_texts(&ids).collect();
    let previous: Vec<_> = nullable_texts(&previous).collect();
    chain::chain_order(&ids, &previous).into_iter().map(|place| place as i32).collect()
}
