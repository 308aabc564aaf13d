//! `iso_instant`: dates in metadata as points in time, for conditions that order them.

use passage_core::metadata_filter;
use pgrx::pg_extern;

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn iso_instant(value: &str) -> Option<i64> {
    metadata_filter::iso_instant(value)
}
