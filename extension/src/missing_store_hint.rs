//! `missing_store_hint`: the HINT of an error about a store that does not exist, for functions in SQL.

use crate::error;
use crate::store::nearest_store;
use crate::types::Name;
use pgrx::pg_extern;

#[pg_extern(stable, parallel_safe, schema = "_passage")]
fn missing_store_hint(store: Name) -> String {
    error::missing_store_hint(&store.0, nearest_store(&store.0))
}
