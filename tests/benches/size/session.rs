//! A session with its queries, and the processor time of its server process.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};
use uuid::Uuid;

use crate::machine::process_ticks;
use crate::rounds::ROUNDS;

/// Ticks of the kernel's clock in a second. It counts the time of processes by them on every Linux.
const TICKS: f64 = 100.0;

/// A session.
pub struct Session {
    client: Client,
    process: i32,
}

/// The recall and the time of a call.
pub struct Measured {
    pub recall: f64,
    pub time: Duration,
}

/// Returns how many chunks of a result are among the nearest.
pub fn common(ids: &[Uuid], nearest: &[Uuid]) -> usize {
    let nearest: HashSet<_> = nearest.iter().collect();
    ids.iter().filter(|id| nearest.contains(id)).count()
}

impl Session {
    /// Connects.
    pub async fn open(cluster: &Cluster) -> Self {
        let client = cluster.client_as(SUPERUSER).await;
        let process = client.query_one("SELECT pg_backend_pid()", &[]).await;
        let process = process.expect("the server answers").get(0);
        Self { client, process }
    }

    /// Returns the nearest chunks of each question by exact comparison.
    pub async fn exact(&self, questions: &[Vec<f32>], hits: usize) -> Vec<Vec<Uuid>> {
        let sql = format!(
            "SELECT chunk_id FROM rag.embeddings ORDER BY embedding <=> $1::real[]::vector LIMIT {hits}"
        );
        let statement = self.prepare(&sql).await;
        let mut nearest = Vec::new();
        for question in questions {
            nearest.push(self.ids(&statement, &[question]).await);
        }
        nearest
    }

    /// Measures the statement of a store of type binary with some number of candidates.
    pub async fn reranked(
        &self,
        questions: &[Vec<f32>],
        exact: &[Vec<Uuid>],
        hits: usize,
        candidates: usize,
    ) -> Measured {
        let width = candidates.clamp(40, 1_000);
        let set = format!("SET hnsw.ef_search = {width}; SET hnsw.iterative_scan = relaxed_order");
        self.client.batch_execute(&set).await.expect("pgvector is loaded");
        let sql = format!(
            "SELECT chunk_id FROM (SELECT chunk_id, embedding <=> $1::real[]::halfvec AS distance FROM rag.embeddings
            ORDER BY binary_quantize(embedding)::bit(384) <~> binary_quantize($1::real[]::halfvec)::bit(384)
            LIMIT {candidates}) AS candidate ORDER BY distance LIMIT {hits}"
        );
        let measured = self.measure(&sql, questions, exact, hits).await;
        let reset = "RESET hnsw.ef_search; RESET hnsw.iterative_scan";
        self.client.batch_execute(reset).await.expect("pgvector is loaded");
        measured
    }

    async fn measure(
        &self,
        sql: &str,
        questions: &[Vec<f32>],
        exact: &[Vec<Uuid>],
        hits: usize,
    ) -> Measured {
        let statement = self.prepare(sql).await;
        let mut found = 0;
        let mut begun = Duration::ZERO;
        for round in 0..=ROUNDS {
            if round == 1 {
                begun = self.processor_time();
            }
            for (question, exact) in questions.iter().zip(exact) {
                let ids = self.ids(&statement, &[question]).await;
                if round == 0 {
                    found += common(&ids, &exact[..hits]);
                }
            }
        }
        let calls = questions.len() * ROUNDS;
        Measured {
            recall: found as f64 / (questions.len() * hits) as f64,
            time: self.processor_time().saturating_sub(begun) / calls as u32,
        }
    }

    /// Runs statements, and returns the processor time.
    pub async fn run(&self, sql: &str) -> Duration {
        let begun = self.processor_time();
        self.client.batch_execute(sql).await.expect("the statements are valid");
        self.processor_time().saturating_sub(begun)
    }

    /// Asks a question and returns the chunks, the first column of the result, with the time of the call.
    pub async fn ask(&self, statement: &Statement, question: &[f32]) -> (Vec<Uuid>, Duration) {
        let begun = Instant::now();
        let ids = self.ids(statement, &[&question]).await;
        (ids, begun.elapsed())
    }

    /// Prepares a statement.
    pub async fn prepare(&self, sql: &str) -> Statement {
        self.client.prepare(sql).await.expect("the statement is valid")
    }

    async fn ids(&self, statement: &Statement, values: &[&(dyn ToSql + Sync)]) -> Vec<Uuid> {
        let rows = self.client.query(statement, values).await.expect("the server answers");
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// Returns the processor time of the server process since its start.
    pub fn processor_time(&self) -> Duration {
        let ticks = process_ticks(self.process.cast_unsigned());
        let (_, ticks) = ticks.expect("the kernel counts the time of processes");
        Duration::from_secs_f64(ticks as f64 / TICKS)
    }
}
