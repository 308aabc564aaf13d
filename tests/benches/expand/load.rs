/*!
The stores that expansion is measured on, as `create_store` makes them.

COPY loads the rows into tables without the indexes on `path` and `tsv`, and `create_store` creates these
afterwards, so the tables are those of a user. Bare stores stay without them: no benchmark reads by these indexes,
and ten million chunks must be loaded within minutes. The server keeps all data in memory.
*/

mod rows;
pub mod server;
mod text;

use std::path::Path;
use std::pin::pin;

use futures_util::SinkExt;
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use uuid::Uuid;

pub use text::Text;

/// The collection that the reader may see.
const VISIBLE: &str = "ours";

/// The content of a store.
pub struct Shape {
    pub store: &'static str,
    pub documents: usize,
    /// The number of documents that the reader may see, which are the first ones.
    pub visible: usize,
    /// The chunks of each document.
    pub chunks: usize,
    pub text: Text,
    /// Whether contents are short, in tables without embeddings and without the indexes on `path` and `tsv`.
    pub bare: bool,
}

impl Shape {
    /// Returns the id of a document by its number.
    pub fn document(&self, number: usize) -> Uuid {
        passage_split::id::document_id(self.collection(number), self.store, &self.uri(number), 0)
    }

    /// The bytes of each content.
    pub fn content(&self) -> usize {
        if self.bare { 64 } else { 1_024 }
    }

    fn uri(&self, number: usize) -> String {
        format!("{number}.{}", self.text.suffix())
    }

    fn collection(&self, number: usize) -> &'static str {
        if number < self.visible { VISIBLE } else { "theirs" }
    }
}

/// Returns the id of a chunk by its place.
pub fn chunk_id(document: Uuid, ordinal: usize) -> Uuid {
    passage_split::id::chunk_id::<&str>(document, &[], "", ordinal as u32)
}

/// Starts a server with filled stores.
pub async fn cluster(keep: Option<&Path>, shapes: &[Shape]) -> Cluster {
    let mut cluster = Cluster::bare().await;
    if server::take(&mut cluster, keep).await {
        return cluster;
    }
    server::configure(&mut cluster).await;
    if cluster.has_vector() {
        cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    }
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    cluster.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN").await;
    for shape in shapes {
        eprintln!(
            "bench: loading {} chunks in {} documents",
            shape.documents * shape.chunks,
            shape.documents
        );
        fill(&cluster, shape).await;
    }
    cluster.execute_as(SUPERUSER, "CHECKPOINT").await;
    server::keep(keep);
    cluster
}

async fn fill(cluster: &Cluster, shape: &Shape) {
    let store = shape.store;
    let vectors = cluster.has_vector() && !shape.bare;
    let dimensions = if vectors { ", dimensions => 384" } else { "" };
    let create = format!("SELECT passage.create_store('{store}'{dimensions})");
    cluster.execute(&create).await;
    let dropped = format!("DROP INDEX {store}.chunks_path_idx, {store}.chunks_tsv_idx");
    cluster.execute(&dropped).await;

    // Foreign keys are valid by construction.
    let session = "SET session_replication_role = replica; SET synchronous_commit = off";
    let halves = [0..shape.documents / 2, shape.documents / 2..shape.documents];
    let copies = halves.map(|documents| async move {
        let client = cluster.client_as(SUPERUSER).await;
        client.batch_execute(session).await.expect("a superuser may");
        let into = format!("COPY {store}.documents ({}) FROM STDIN", rows::OF_DOCUMENTS);
        let sink = client.copy_in(&into).await.expect("the columns are those of the store");
        let mut sink = pin!(sink);
        for number in documents.clone() {
            sink.send(rows::document(shape, number)).await.expect("the server takes rows");
        }
        sink.finish().await.expect("documents are valid");
        let into = format!("COPY {store}.chunks ({}) FROM STDIN", rows::OF_CHUNKS);
        let sink = client.copy_in(&into).await.expect("the columns are those of the store");
        let mut sink = pin!(sink);
        for number in documents {
            let document = shape.document(number);
            for ordinal in 0..shape.chunks {
                let row = rows::chunk(shape, document, ordinal);
                sink.send(row).await.expect("the server takes rows");
            }
        }
        sink.finish().await.expect("chunks are valid");
    });
    let [first, second] = copies;
    tokio::join!(first, second);

    if !shape.bare {
        cluster.execute(&format!("SET maintenance_work_mem = '1GB'; {create}")).await;
    }
    cluster.execute(&policies(store)).await;
    for table in ["documents", "chunks"] {
        let vacuum = format!("VACUUM (FREEZE, ANALYZE) {store}.{table}");
        cluster.execute_as(SUPERUSER, &vacuum).await;
    }
}

/// The policies at the end of `create_store(dry_run => true)`.
fn policies(store: &str) -> String {
    format!(
        "GRANT USAGE ON SCHEMA {store} TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA {store} TO reader;
        ALTER TABLE {store}.documents ENABLE ROW LEVEL SECURITY;
        ALTER TABLE {store}.chunks ENABLE ROW LEVEL SECURITY;
        CREATE POLICY tenants ON {store}.documents
            USING (collection = nullif(current_setting('app.tenant', true), ''));
        CREATE POLICY tenants ON {store}.chunks
            USING (EXISTS (SELECT FROM {store}.documents WHERE documents.id = chunks.document_id))"
    )
}
