/*!
The same calls on a real server, compared with the answers of the model.

One statement makes many calls, each with its own arguments. On a difference the call is shrunk as long as
the answers differ, and printed with both answers, but without the content of documents.
*/

mod call;
mod display;
mod load;
mod query;
mod shrink;

pub use load::{is_marked, with_nulls, without_marked};

use super::model::{Chunk, Document, UserStrategy};
use super::random::{self, BLOCK, Call, Rng};
use passage_tests::Cluster;
use passage_tests::share::share_of_others;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_postgres::Client;
use uuid::Uuid;

/// The number of documents of which other servers take a share. A share of few blocks would be none.
const MANY: u32 = 5_000;

/// A store of some layout, and the role that reads it.
pub struct Store {
    pub schema: &'static str,
    /// The tables for chunks and documents. A store may have no documents.
    pub chunks: &'static str,
    pub documents: Option<&'static str>,
    pub reader: &'static str,
    /// Changes a random document into one that the layout can store.
    pub write: fn(&mut Document, &mut Rng),
    /// SQL that is run after the rows are loaded.
    pub then: &'static str,
    /// Changes a document into what a reader of the store sees.
    pub see: fn(&mut Document),
    /// Whether a call also asks for a chunk that the reader cannot see.
    pub asks_for: fn(&Chunk) -> bool,
    /// The strategies of the store.
    pub own: Vec<UserStrategy>,
    /// Whether the store has the columns of sections.
    pub has_sections: bool,
}

impl Store {
    /// Returns whether it has the table of links and all columns by which they are resolved.
    pub fn has_links(&self) -> bool {
        self.schema == "rag" && self.documents.is_some() && self.has_sections
    }

    /// A store of tables.
    pub fn tables() -> Self {
        Self {
            schema: "rag",
            chunks: "rag.chunks",
            documents: Some("rag.documents"),
            reader: passage_tests::cluster::OWNER,
            write: |_, _| {},
            then: "",
            see: |_| {},
            asks_for: |_| false,
            own: Vec::new(),
            has_sections: true,
        }
    }
}

/// The number of calls for each document.
const CALLS: u32 = 5;

/// Returns the seed of all random numbers, which `PASSAGE_SEED` overrides.
fn seed() -> u64 {
    std::env::var("PASSAGE_SEED").map_or(2_026, |seed| seed.parse().expect("a seed is a number"))
}

/// Fails unless the server gives the answers of the model for a number of documents.
pub async fn assert_same_answers(cluster: &Cluster, store: Store, documents: u32) {
    load::strategies(cluster, &store).await;
    // One session for each half of the documents uses both cores.
    let mut blocks: Vec<u32> = (0..documents).step_by(BLOCK as usize).collect();
    if documents >= MANY {
        blocks = share_of_others(&blocks);
    }
    let store = Arc::new(store);
    let mut halves = Vec::new();
    for half in blocks.chunks(blocks.len().div_ceil(2)) {
        let (writer, reader) = (cluster.client().await, cluster.client_as(store.reader).await);
        let half = of_blocks(writer, reader, Arc::clone(&store), half.to_vec(), documents);
        halves.push(tokio::spawn(half));
    }
    let mut differences = Differences::new();
    for half in halves {
        for (what, (count, example)) in half.await.expect("no half fails") {
            differences.entry(what).or_insert((0, example)).0 += count;
        }
    }
    let line = |(what, (count, example)): (&String, &(u32, String))| {
        format!("{what}: {count} calls differ, such as\n{example}\n")
    };
    let text: String = differences.iter().map(line).collect();
    assert!(differences.is_empty(), "PASSAGE_SEED={}\n{text}", seed());
}

/// Returns the answers to calls about documents; those of the server and the model must be equal.
pub async fn answers(
    cluster: &Cluster,
    store: &Store,
    documents: &[Document],
    calls: &[Call],
) -> Vec<Vec<String>> {
    let client = cluster.client().await;
    load::documents(&client, store, documents).await;
    let answers = query::all(&client, store, calls).await;
    let documents: Vec<&Document> = documents.iter().collect();
    for (call, answer) in calls.iter().zip(&answers) {
        let expected = call::expected(call, &documents, store);
        assert_eq!(*answer, expected, "the server, then the model");
    }
    answers
}

/// Differences: function and strategy, their number, and an example.
type Differences = BTreeMap<String, (u32, String)>;

async fn of_blocks(
    writer: Client,
    reader: Client,
    store: Arc<Store>,
    blocks: Vec<u32>,
    end: u32,
) -> Differences {
    let mut differences = Differences::new();
    for first in blocks {
        let (documents, calls) = block(&store, &writer, first..end.min(first + BLOCK)).await;
        for (call, answer) in calls.iter().zip(query::all(&reader, &store, &calls).await) {
            let about: Vec<&Document> = call.documents.iter().map(|i| &documents[*i]).collect();
            if answer == call::expected(call, &about, &store) {
                continue;
            }
            let what = format!("{} {}", call.function(), call.hits.strategy);
            let known = differences.entry(what).or_default();
            known.0 += 1;
            if known.1.is_empty() {
                known.1 = shrink::shrink(&reader, &store, call, &about).await;
            }
        }
    }
    differences
}

/// Loads documents, and returns what a reader sees of them, with calls about them.
async fn block(
    store: &Store,
    writer: &Client,
    numbers: std::ops::Range<u32>,
) -> (Vec<Document>, Vec<Call>) {
    let mut dices: Vec<Rng> = numbers.clone().map(|number| Rng::new(seed(), number)).collect();
    let mut documents: Vec<Document> = Vec::new();
    for (number, rng) in numbers.zip(&mut dices) {
        let mut document = random::document(number, rng);
        (store.write)(&mut document, rng);
        documents.push(document);
    }
    load::documents(writer, store, &documents).await;
    let all =
        |d: &Document| d.chunks.iter().filter(|c| (store.asks_for)(c)).map(|c| c.id).collect();
    let missing: Vec<Vec<Uuid>> = documents.iter().map(all).collect();
    documents.iter_mut().for_each(store.see);
    let mut calls = Vec::new();
    for (index, rng) in dices.iter_mut().enumerate() {
        for _ in 0..CALLS {
            calls.push(random::call(index, &documents, &missing[index], &store.own, rng));
        }
    }
    (documents, calls)
}
