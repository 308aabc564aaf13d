/*!
The embeddings of a million chunks, 50,000 of which are those of the model.

The model embeds short chunks from all over the store, and the questions. The vector of any other chunk is made of
three of 512 of those, the first with the largest weight, and noise of six tenths of their length, seeded by the
chunk's id. So the vectors form clusters of every size around the topics of real texts. They are near enough to one
another that a graph over them is as hard to search as one over real ones, and the neighbors of a question are both
real and generated.

The model takes a quarter of an hour; its embeddings are kept in `target/million` as they are computed.
*/

use std::collections::HashMap;
use std::pin::pin;
use std::process::{Command, Stdio};
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::SinkExt;
use passage::embed::{Embedding, Model};
use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, target};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use super::load::{STORE, model_folder};
use super::questions::asked;
use crate::quality::vectors::Vectors;

/// The number of chunks that the model embeds.
pub const REAL: usize = 50_000;

/// The bytes of their texts, preambles included.
const BYTES: [i32; 2] = [60, 250];

/// The number of them that generated vectors are made of.
const CENTRES: usize = 512;

/// The weights of a vector's three centers, and of its noise.
const WEIGHTS: [f32; 3] = [1.0, 0.5, 0.25];
const NOISE: f32 = 0.6;

/// The first argument of the process that embeds.
const WORKER: &str = "million-worker";

/// Embeds the chosen texts, and loads a vector for each chunk.
pub async fn load(cluster: &Cluster, model: &Arc<Model>) {
    let worker = Command::new(std::env::current_exe().expect("a program knows where it is"))
        .args([WORKER, &cluster.url()])
        .stdin(Stdio::null())
        .status();
    assert!(worker.is_ok_and(|status| status.success()), "embedding failed");

    let client = cluster.client().await;
    let chosen = chosen(&client).await;
    let texts: Vec<_> = chosen.iter().map(|(_, text)| text.as_str()).collect();
    let vectors = known(model, &texts);
    let centres = centres(&vectors);
    let real: HashMap<_, _> = chosen.iter().map(|(chunk, _)| *chunk).zip(vectors).collect();

    let sql = format!("SELECT id, document_id FROM {STORE}.chunks");
    let chunks = client.query(&sql, &[]).await.expect("the store is there");
    let copy = format!(
        "COPY {STORE}.embeddings (chunk_id, document_id, embedding) FROM STDIN (FORMAT binary)"
    );
    let sink = client.copy_in(&copy).await.expect("the columns are those of the store");
    let mut sink = pin!(sink);
    sink.send(Bytes::from_static(b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0"))
        .await
        .expect("it takes rows");
    for row in chunks {
        let (chunk, document) = (row.get(0), row.get(1));
        let made_up = if real.contains_key(&chunk) { Vec::new() } else { seeded(chunk, &centres) };
        let vector = real.get(&chunk).unwrap_or(&made_up);
        sink.feed(record(chunk, document, vector)).await.expect("it takes rows");
    }
    sink.send(Bytes::from_static(&[0xff, 0xff])).await.expect("it takes rows");
    sink.finish().await.expect("the rows are valid");
}

/// Embeds if this process was started for it, and returns whether it was.
///
/// # Panics
///
/// Panics if the server or the model is missing.
pub fn is_worker() -> bool {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some(WORKER) {
        return false;
    }
    let url = arguments.next().expect("the url of the server comes next");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let chosen = runtime.expect("the system gives a runtime").block_on(async {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect(OWNER);
        tokio::spawn(connection);
        chosen(&client).await
    });
    let asked = asked();
    let model = Model::load(&model_folder()).expect("the model is there");
    let mut vectors = open(&model);
    vectors.embed(asked.iter().chain(chosen.iter().map(|(_, text)| text)).map(String::as_str));
    true
}

/// Returns the vectors of texts that were embedded before, or are few.
pub fn known(model: &Arc<Model>, texts: &[&str]) -> Vec<Embedding> {
    let embed = || {
        let mut vectors = open(model);
        let embedded = vectors.embed(texts.iter().copied());
        embedded.into_iter().map(<[f32]>::to_vec).collect()
    };
    // The pool blocks its thread, which a thread with other tasks must not do.
    std::thread::scope(|scope| scope.spawn(embed).join()).expect("a model that loaded embeds")
}

fn open(model: &Arc<Model>) -> Vectors {
    Vectors::open(model, &target().join("million")).expect("the target folder can be written")
}

/// Returns the chunks for the model and their texts: different ones, in the order of the second halves of their
/// ids, which are hashes, so they are spread over the store.
async fn chosen(client: &Client) -> Vec<(Uuid, String)> {
    let sql = format!(
        "WITH texts AS MATERIALIZED (
            SELECT id, concat_ws(E'\\n', nullif(preamble, ''), content) AS text FROM {STORE}.chunks
            WHERE octet_length(preamble) + octet_length(content) BETWEEN $1 AND $2
        )
        SELECT id, text FROM (SELECT DISTINCT ON (text) id, text FROM texts ORDER BY text, id) AS different
        ORDER BY right(id::text, 16), id LIMIT {REAL}"
    );
    let [min, max] = BYTES;
    let rows = client.query(&sql, &[&min, &max]).await.expect("the store is there");
    assert_eq!(rows.len(), REAL, "there are too few short chunks");
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Returns the embeddings that generated vectors are made of.
pub fn centres(vectors: &[Embedding]) -> Vec<Embedding> {
    let step = (vectors.len() / CENTRES).max(1);
    vectors.iter().step_by(step).take(CENTRES).cloned().collect()
}

/// Returns a vector of length 1 for an id.
pub fn seeded(id: Uuid, centres: &[Embedding]) -> Embedding {
    // Xorshift: the same vectors in every load.
    let mut state = id.as_u64_pair().1 | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    next();
    let chosen = WEIGHTS.map(|weight| (weight, &centres[(next() >> 20) as usize % centres.len()]));
    let mixed = (0..centres[0].len())
        .map(|at| chosen.iter().map(|(weight, centre)| weight * centre[at]).sum::<f32>());
    let mixed = unit(mixed.collect());
    // The sum of eight bytes is nearly normal.
    let noise = mixed
        .iter()
        .map(|_| next().to_be_bytes().iter().map(|byte| f32::from(*byte) - 127.5).sum());
    let noise = unit(noise.collect());
    unit(mixed.iter().zip(noise).map(|(value, noise)| value + NOISE * noise).collect())
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    for number in &mut vector {
        *number /= length;
    }
    vector
}

/// Returns a row in the binary format of COPY.
pub fn record(chunk: Uuid, document: Uuid, vector: &[f32]) -> Bytes {
    let mut row = BytesMut::with_capacity(54 + 4 * vector.len());
    row.put_i16(3);
    for id in [chunk, document] {
        row.put_i32(16);
        row.put_slice(id.as_bytes());
    }
    row.put_i32(4 + 4 * vector.len() as i32);
    row.put_i16(vector.len() as i16);
    row.put_i16(0);
    for number in vector {
        row.put_f32(*number);
    }
    row.freeze()
}
