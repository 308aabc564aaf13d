//! `adopted_id`: the id of a chunk or document of an adopted store.

use crate::types::to_sql;
use pgrx::datum::Uuid;
use pgrx::pg_extern;

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn adopted_id(seed: &str, key: &str) -> Uuid {
    to_sql(passage_core::adopted_id(seed, key))
}
