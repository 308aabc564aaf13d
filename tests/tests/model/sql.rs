/*!
The same calls to a real server, and whether it answers as the model does.

Many calls are made in one statement, each with its own arguments. On a difference the call is made
smaller as long as the answers differ, and shown with both of them; content of documents is not.
*/

mod ask;
mod call;
mod load;
mod show;
mod shrink;

pub use load::{is_marked, with_nulls, without_marked};

use crate::model::{Chunk, Document, Own};
use crate::random::{self, Call, Dice};
use passage_tests::Cluster;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_postgres::Client;
use uuid::Uuid;

/// A store of some layout, as a role sees it.
pub struct Store {
    pub schema: &'static str,
    /// The table that chunks are written to, and that of documents, if there is one.
    pub chunks: &'static str,
    pub documents: Option<&'static str>,
    pub reader: &'static str,
    /// What the rows of a document are like, where not all are as random ones.
    pub write: fn(&mut Document, &mut Dice),
    /// What is done when they are loaded.
    pub then: &'static str,
    /// What a reader sees of a document.
    pub see: fn(&mut Document),
    /// Which chunks that are not there are asked for all the same.
    pub asks_for: fn(&Chunk) -> bool,
    /// The store's own strategies.
    pub own: Vec<Own>,
}

impl Store {
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
        }
    }
}

/// How many documents are loaded and asked about at once.
const BLOCK: u32 = 250;

/// How many calls are made about each document.
const CALLS: u32 = 5;

/// The number that all is random by; another one by `PASSAGE_SEED`.
fn seed() -> u64 {
    std::env::var("PASSAGE_SEED").map_or(2_026, |seed| seed.parse().expect("a seed is a number"))
}

/// Fails unless the server answers as the model about so many documents.
pub async fn agree(cluster: &Cluster, store: Store, documents: u32) {
    load::strategies(cluster, &store).await;
    // One session for each half of the documents, so that both cores work.
    let blocks: Vec<u32> = (0..documents).step_by(BLOCK as usize).collect();
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

/// The answers to calls about some documents, which are the model's as well.
pub async fn answers(
    cluster: &Cluster,
    store: &Store,
    documents: &[Document],
    calls: &[Call],
) -> Vec<Vec<String>> {
    let client = cluster.client().await;
    load::documents(&client, store, documents).await;
    let answers = ask::all(&client, store, calls).await;
    let documents: Vec<&Document> = documents.iter().collect();
    for (call, answer) in calls.iter().zip(&answers) {
        let expected = call::expected(call, &documents, &store.own);
        assert_eq!(*answer, expected, "the server, then the model");
    }
    answers
}

/// What differs: of which function and strategy, how often, and an example.
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
        for (call, answer) in calls.iter().zip(ask::all(&reader, &store, &calls).await) {
            let about: Vec<&Document> = call.documents.iter().map(|i| &documents[*i]).collect();
            if answer == call::expected(call, &about, &store.own) {
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

/// Loads some documents, and returns what is seen of them with calls about them.
async fn block(
    store: &Store,
    writer: &Client,
    numbers: std::ops::Range<u32>,
) -> (Vec<Document>, Vec<Call>) {
    let mut dices: Vec<Dice> = numbers.clone().map(|number| Dice::new(seed(), number)).collect();
    let mut documents: Vec<Document> = Vec::new();
    for (number, dice) in numbers.zip(&mut dices) {
        let mut document = random::document(number, dice);
        (store.write)(&mut document, dice);
        documents.push(document);
    }
    load::documents(writer, store, &documents).await;
    let all =
        |d: &Document| d.chunks.iter().filter(|c| (store.asks_for)(c)).map(|c| c.id).collect();
    let gone: Vec<Vec<Uuid>> = documents.iter().map(all).collect();
    documents.iter_mut().for_each(store.see);
    let mut calls = Vec::new();
    for (place, dice) in dices.iter_mut().enumerate() {
        for _ in 0..CALLS {
            calls.push(random::call(place, &documents, &gone[place], &store.own, dice));
        }
    }
    (documents, calls)
}
