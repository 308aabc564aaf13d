//! The store with each embedding type.

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::SinkExt;
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;

use super::session::Session;
use super::{Options, texts};
use crate::expand::load::server;
use crate::million;

/// The chunks of a document.
const CHUNKS: usize = 100;

/// With less memory than this, a graph that does not fit is built much slower. One process builds it, so that its
/// time is that of one core.
const BUILD: &str = "SET maintenance_work_mem = '4GB'; SET max_parallel_maintenance_workers = 0";

/// Starts a server with a store of vectors without an index.
pub async fn cluster(options: &Options) -> Cluster {
    let mut cluster = Cluster::bare().await;
    server::configure(&mut cluster).await;
    cluster.execute_as(SUPERUSER, "ALTER SYSTEM SET max_wal_size = '2GB'").await;
    cluster.execute_as(SUPERUSER, "SELECT pg_reload_conf()").await;
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    let rows = options.rows;
    cluster
        .execute(&format!(
            "SELECT passage.create_store('rag', dimensions => 384, embedding_type => 'vector');
            DROP INDEX rag.chunks_path_idx, rag.chunks_tsv_idx, rag.embeddings_embedding_idx;
            CREATE TABLE public.saved (chunk_id uuid, embedding real[], other real[]);
            INSERT INTO rag.documents (id, uri)
            SELECT (lpad(to_hex(n), 8, '0') || '-0000-0000-8000-000000000000')::uuid, n FROM generate_series(0, ({rows} - 1) / {CHUNKS}) AS n;
            INSERT INTO rag.chunks (id, document_id, ordinal, content)
            SELECT overlay(md5(uri || '/' || n) PLACING left(replace(id::text, '-', ''), 16) FROM 1)::uuid, id, n, 'chunk'
            FROM rag.documents, generate_series(0, {CHUNKS} - 1) AS n WHERE uri::integer * {CHUNKS} + n < {rows}"
        ))
        .await;
    load(&cluster, options).await;
    cluster
}

async fn load(cluster: &Cluster, options: &Options) {
    let real = texts::embeddings(options.embedded);
    let centres = million::centres(&real);
    let client = cluster.client().await;
    let chunks = client
        .query("SELECT id, document_id FROM rag.chunks ORDER BY right(id::text, 16)", &[])
        .await
        .expect("the store is there");
    let copy = "COPY rag.embeddings (chunk_id, document_id, embedding) FROM STDIN (FORMAT binary)";
    let sink = client.copy_in(copy).await.expect("the columns are those of the store");
    let mut sink = pin!(sink);
    let header = Bytes::from_static(b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0");
    sink.send(header).await.expect("it takes rows");
    for (number, row) in chunks.iter().enumerate() {
        let (chunk, document) = (row.get(0), row.get(1));
        let vector = match real.get(number) {
            Some(vector) => vector.clone(),
            None => million::seeded(chunk, &centres),
        };
        sink.feed(million::record(chunk, document, &vector)).await.expect("it takes rows");
    }
    sink.send(Bytes::from_static(&[0xff, 0xff])).await.expect("it takes rows");
    sink.finish().await.expect("the rows are valid");
}

/// Removes dead rows, in the process of the session.
pub const VACUUM: &str = "VACUUM (PARALLEL 0) rag.embeddings";

/// Gives the store an embedding type and its index. Returns the processor time of the index.
pub async fn convert(session: &Session, embedding_type: &str) -> Duration {
    let column = column(embedding_type);
    session
        .run(&format!(
            "SET ROLE owner;
            DROP INDEX IF EXISTS rag.embeddings_embedding_idx;
            DROP VIEW rag.chunks_embedded;
            UPDATE rag.embeddings AS e SET embedding = saved.embedding
            FROM saved WHERE saved.chunk_id = e.chunk_id;
            TRUNCATE saved;
            ALTER TABLE rag.embeddings ALTER COLUMN embedding TYPE {column}(384);
            UPDATE rag.settings SET value = to_jsonb('{embedding_type}'::text) WHERE key = 'embedding_type';
            RESET ROLE"
        ))
        .await;
    session.run(VACUUM).await;
    let build = format!("{BUILD}; SET ROLE owner; SELECT passage.upgrade_store('rag'); RESET ROLE");
    let time = session.run(&build).await;
    session.run("VACUUM ANALYZE rag.embeddings").await;
    session.run("CHECKPOINT").await;
    time
}

/// Returns the type of the column.
fn column(embedding_type: &str) -> &'static str {
    if embedding_type == "vector" { "vector" } else { "halfvec" }
}

/// Returns the statements that write a part of the embeddings again, each halfway to another one. An equal one would
/// join the element of the old row, and VACUUM would have nothing to repair. `convert` restores them.
pub fn write_again(embedding_type: &str, rows: usize) -> [String; 2] {
    let save = format!(
        "INSERT INTO saved SELECT chunk_id, embedding::real[], lead(embedding::real[]) OVER (ORDER BY md5(chunk_id::text))
        FROM rag.embeddings ORDER BY md5(chunk_id::text) LIMIT {rows}"
    );
    let column = column(embedding_type);
    let write = format!(
        "UPDATE rag.embeddings AS e SET embedding = e.embedding + other::{column}
        FROM saved WHERE saved.chunk_id = e.chunk_id"
    );
    [save, write]
}

/// Returns the bytes of a row in the table and in the vector index.
pub async fn bytes_per_row(cluster: &Cluster, rows: usize) -> [String; 2] {
    let bytes =
        async |expression: &str| cluster.query_text(&format!("SELECT {expression} / {rows}")).await;
    [
        bytes("pg_table_size('rag.embeddings')").await,
        bytes("pg_relation_size('rag.embeddings_embedding_idx')").await,
    ]
}
