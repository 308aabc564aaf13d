//! The rows of a store in the binary format of COPY.

use std::pin::pin;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{SinkExt, TryStreamExt};
use passage_tests::Cluster;

const TABLES: [(&str, &str); 2] = [
    (
        "documents",
        "id, collection, version, uri, title, media_type, source_media_type, content_hash, \
         chunk_count, metadata",
    ),
    (
        "chunks",
        "id, document_id, ordinal, level, section, kind, unit, content, preamble, tokens, \
         start_byte, end_byte, first_line, last_line, metadata",
    ),
];

/// The exported rows, in memory.
pub struct Rows {
    tables: Vec<Vec<Bytes>>,
    pub chunks: usize,
}

impl Rows {
    /// Reads the columns that the client writes.
    pub async fn export(cluster: &Cluster) -> Self {
        let client = cluster.client().await;
        let mut tables = Vec::new();
        for (table, columns) in TABLES {
            let copy = format!("COPY rag.{table} ({columns}) TO STDOUT (FORMAT binary)");
            let stream = client.copy_out(&copy).await.expect("the columns are there");
            tables.push(stream.try_collect().await.expect("the server sends rows"));
        }
        let chunks = cluster.query_text("SELECT count(*) FROM rag.chunks").await;
        Self { tables, chunks: chunks.parse().expect("a count is a number") }
    }

    /// Writes them into the tables of a schema, and returns the time.
    pub async fn copy(&self, cluster: &Cluster, schema: &str) -> Duration {
        let client = cluster.client().await;
        let begun = Instant::now();
        for ((table, columns), rows) in TABLES.iter().zip(&self.tables) {
            let copy = format!("COPY {schema}.{table} ({columns}) FROM STDIN (FORMAT binary)");
            let mut sink = pin!(client.copy_in(&copy).await.expect("the columns are there"));
            for row in rows {
                // COPY sends each row in the message in which it arrived; the driver decides when to flush.
                sink.feed(row.clone()).await.expect("the server takes rows");
            }
            sink.finish().await.expect("the rows are valid");
        }
        begun.elapsed()
    }

    /// Returns chunks per second.
    pub fn speed(&self, time: Duration) -> f64 {
        self.chunks as f64 / time.as_secs_f64()
    }
}
