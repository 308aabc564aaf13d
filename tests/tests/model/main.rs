//! What expansion and reassembly give, compared with a plain model of what they mean: over tables,
//! and over every other layout that a store may have.

mod layouts;
mod model;
mod random;
mod sql;

use layouts::text_cluster;
use sql::{Store, agree};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_documents_give_what_the_model_gives() {
    agree(&text_cluster("").await, Store::tables(), 10_000).await;
}
