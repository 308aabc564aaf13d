//! The shards that a statement needs.

use uuid::Uuid;

/// The shards of which a statement needs rows.
#[derive(Clone, Copy)]
pub enum Route<'a> {
    /// All of them.
    All,
    /// Those of chunks. If the first value of the statement is an array, it has their ids in this order.
    Chunks(&'a [Uuid]),
    /// Those of documents. If the first value of the statement is an array, it has their ids in this order.
    Documents(&'a [Uuid]),
}
