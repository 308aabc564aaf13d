/*!
Search in a million chunks of real text.

The texts are the files of `make corpus` and of cargo's registry, prose first, read and split with the client's
defaults, so words are as frequent as in documentation and code. 50,000 chunks have embeddings of the client's
model, all others have generated ones (see `vectors`), because a million embeddings would take hours. The store has
all of its indexes, and all of it fits into memory.
*/

mod clients;
mod excerpts;
mod load;
mod parts;
mod plans;
mod questions;
mod session;
mod texts;
mod vectors;
mod words;

use std::path::Path;

use passage_tests::Cluster;

use crate::table::Table;
use session::Session;

pub use load::model_folder;
pub use vectors::{centres, is_worker, known, record, seeded};

/// Returns the embeddings of the questions.
pub fn asked_embeddings() -> Vec<Vec<f32>> {
    questions::embedded().into_iter().map(|question| question.embedding).collect()
}

/// Loads the store, or uses the kept one, and measures.
pub async fn measure(table: &mut Table, keep: Option<&Path>) {
    let keep = keep.map(|folder| folder.join("million"));
    let mut cluster = load::cluster(keep.as_deref()).await;
    table.note(described(&cluster).await);
    let questions = questions::embedded();
    let session = Session::open(&cluster).await;
    parts::measure(&session, &questions, table).await;
    words::measure(&cluster, &session, &questions, table).await;
    clients::measure(&cluster, &questions, table).await;
    plans::measure(&session, &questions, table).await;
    excerpts::measure(&session, &questions, table).await;
    cluster.stop();
}

/// Returns a sentence about the searched store.
async fn described(cluster: &Cluster) -> String {
    let count = async |table: &str| {
        cluster.query_text(&format!("SELECT count(*) FROM {}.{table}", load::STORE)).await
    };
    let (chunks, documents) = (count("chunks").await, count("documents").await);
    format!(
        "million: {chunks} chunks of real text in {documents} documents, {} of them embedded by the \
         model, the others with seeded vectors",
        vectors::REAL
    )
}
