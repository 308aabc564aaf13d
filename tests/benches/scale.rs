/*!
Ten million chunks, and a million chunks in one document.

The stores are bare: contents of 64 bytes, no embeddings, and no indexes on `path` and `tsv`, which are dropped before
the load. No measured call reads by these indexes.
*/

mod flat;
mod late;

use std::path::Path;

use crate::expand::load::{self, Shape, Text};
use crate::table::Table;

/// Manuals of 100 chunks, from ten thousand to ten million chunks in total.
const MANUALS: [Shape; 4] = [
    manuals("chunks_10000", 100),
    manuals("chunks_100000", 1_000),
    manuals("chunks_1000000", 10_000),
    manuals("chunks_10000000", 100_000),
];

/// One document with one class of a million chunks.
const CLASS: Shape = Shape {
    store: "class",
    documents: 1,
    visible: 1,
    chunks: 1_000_000,
    text: Text::Classes(1_000_000),
    bare: true,
};

const fn manuals(store: &'static str, documents: usize) -> Shape {
    Shape { store, documents, visible: documents, chunks: 100, text: Text::Manual, bare: true }
}

/// Loads the stores, or uses the kept ones, and measures.
pub async fn measure(table: &mut Table, keep: Option<&Path>) {
    let keep = keep.map(|folder| folder.join("scale"));
    let [a, b, c, d] = MANUALS;
    let mut cluster = load::cluster(keep.as_deref(), &[a, b, c, d, CLASS]).await;
    flat::measure(&cluster, &MANUALS, table).await;
    late::measure(&cluster, &CLASS, table).await;
    cluster.stop();
}
