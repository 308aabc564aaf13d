//! `chain_order`: the order of adopted chunks of which each names the previous one.

use passage_core::chain;
use pgrx::pg_extern;

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn chain_order(ids: Vec<Option<String>>, previous: Vec<Option<String>>) -> Vec<i32> {
    let ids: Vec<_> = ids.iter().map(Option::as_deref).collect();
    let previous: Vec<_> = previous.iter().map(Option::as_deref).collect();
    chain::chain_order(&ids, &previous).into_iter().map(|place| place as i32).collect()
}
