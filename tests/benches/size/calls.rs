/*!
Calls of `search_hits` against the plain statement of pgvector that gives the same rows and columns.

Both alternate for each question, in a session each, so other work affects both. The sessions have their own server
processes, whose processor time is compared.
*/

use std::time::Duration;

use passage_tests::Cluster;
use uuid::Uuid;

use super::session::{Session, common};
use crate::rounds::{ROUNDS, Times};

/// The recall of a store, and the times of both.
pub struct Calls {
    pub recall: f64,
    pub floor: Times,
    pub ours: Times,
    /// Processor time of a call of `search_hits`, and of the plain statement.
    pub processor: [Duration; 2],
}

/// Measures a number of hits in the store with its present embedding type.
pub async fn measure(
    cluster: &Cluster,
    embedding_type: &str,
    questions: &[Vec<f32>],
    exact: &[Vec<Uuid>],
    hits: usize,
) -> Calls {
    let sessions = [Session::open(cluster).await, Session::open(cluster).await];
    let ours = format!(
        "SELECT chunk_id, document_id, uri, title, section, score, tokens, content
        FROM passage.search_hits(embedding => $1, max_hits => {hits}, ranking => passage.ranking(candidates => {hits}))"
    );
    sessions[1].run(&settings(embedding_type, hits)).await;
    let statements =
        [sessions[0].prepare(&ours).await, sessions[1].prepare(&plain(embedding_type, hits)).await];
    let (mut found, mut times, mut begun) = (0, [const { Vec::new() }; 2], [Duration::ZERO; 2]);
    for round in 0..=ROUNDS {
        if round == 1 {
            begun = [0, 1].map(|which: usize| sessions[which].processor_time());
        }
        for (number, (question, exact)) in questions.iter().zip(exact).enumerate() {
            for turn in 0..2 {
                let which = (number + round + turn) % 2;
                let (ids, time) = sessions[which].ask(&statements[which], question).await;
                assert_eq!(ids.len(), hits, "the store has more chunks");
                if round > 0 {
                    times[which].push(time.as_secs_f64() * 1e6);
                } else if which == 0 {
                    found += common(&ids, &exact[..hits]);
                }
            }
        }
    }
    let calls = (questions.len() * ROUNDS) as u32;
    let used = |which: usize| sessions[which].processor_time().saturating_sub(begun[which]) / calls;
    let [ours, floor] = times;
    Calls {
        recall: found as f64 / (questions.len() * hits) as f64,
        floor: Times::new(floor),
        ours: Times::new(ours),
        processor: [used(0), used(1)],
    }
}

/// Returns how many candidates of an index of signs `search_hits` compares exactly.
fn candidates(hits: usize) -> usize {
    (20 * hits).clamp(200, 1_000)
}

/// Returns the settings of pgvector that `search_hits` uses.
fn settings(embedding_type: &str, hits: usize) -> String {
    let width = if embedding_type == "binary" { candidates(hits) } else { 200 };
    format!("LOAD 'vector'; SET hnsw.ef_search = {width}; SET hnsw.iterative_scan = relaxed_order")
}

/// Returns the plain statement.
fn plain(embedding_type: &str, hits: usize) -> String {
    let nearest = if embedding_type == "binary" {
        format!(
            "SELECT chunk_id, distance FROM (
                SELECT chunk_id, embedding <=> $1::real[]::halfvec AS distance FROM rag.embeddings
                ORDER BY binary_quantize(embedding)::bit(384) <~> binary_quantize($1::real[]::halfvec)::bit(384)
                LIMIT {}
            ) AS candidate ORDER BY distance LIMIT {hits}",
            candidates(hits)
        )
    } else {
        format!(
            "SELECT chunk_id, embedding <=> $1::real[]::{embedding_type} AS distance FROM rag.embeddings
            ORDER BY embedding <=> $1::real[]::{embedding_type} LIMIT {hits}"
        )
    };
    format!(
        "SELECT c.id, c.document_id, d.uri, d.title, c.section, 1 - distance AS score, c.tokens, c.content
        FROM ({nearest}) AS nearest JOIN rag.chunks AS c ON c.id = nearest.chunk_id
        JOIN rag.documents AS d ON d.id = c.document_id ORDER BY distance"
    )
}
