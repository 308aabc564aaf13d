/*!
A set in a store of a real server, as the client would load it.

The client's own pipeline reads, splits and loads the documents. Their embeddings come from the file of vectors, so
a rerun takes seconds. Afterwards the tables are analyzed, as autovacuum does on a user's server.
*/

use std::collections::HashMap;

use passage::embed::Model;
use passage::ingest::{Ingest, Job, ingest};
use passage::source::{SourceDocument, SourceEntry};
use passage::split::Splitter;
use passage_tests::Cluster;
use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};
use uuid::Uuid;

use super::set::Set;
use super::vectors::Vectors;

/// A server with the extension, and a session of its owner.
pub struct Server {
    cluster: Cluster,
    client: Client,
    runtime: Runtime,
}

/// A set in a store.
pub struct Loaded<'s> {
    pub set: &'s Set,
    /// The name of the store.
    pub store: String,
    /// The embedding of each question.
    pub asked: Vec<Vec<f32>>,
    /// The number of its chunks.
    pub chunks: usize,
    /// The number in the set of each document.
    numbers: HashMap<String, usize>,
}

impl Server {
    /// Starts the server.
    ///
    /// # Panics
    ///
    /// Panics without pgvector, which the measurement needs.
    pub fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("the system gives a runtime");
        let cluster = runtime.block_on(Cluster::start());
        assert!(cluster.has_vector(), "quality: the server has no pgvector");
        let client = runtime.block_on(cluster.client());
        Self { cluster, client, runtime }
    }

    /// Loads a set into its own store.
    pub fn load<'s>(&self, set: &'s Set, model: &Model, vectors: &mut Vectors) -> Loaded<'s> {
        let store = set.name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
        let dimensions = model.dimensions();
        self.run(&format!("SELECT passage.create_store('{store}', dimensions => {dimensions})"));
        self.ingest(set, &store, model);
        let chunks = self.embed(&store, vectors);
        for table in ["documents", "chunks", "embeddings"] {
            self.run(&format!("ANALYZE {store}.{table}"));
        }
        let asked = vectors.embed(set.questions.iter().map(|one| one.text.as_str()));
        let asked = asked.into_iter().map(<[f32]>::to_vec).collect();
        let names = set.documents.iter().enumerate();
        let numbers = names.map(|(number, document)| (uri(&document.name), number)).collect();
        Loaded { set, store, asked, chunks, numbers }
    }

    /// Returns the rows of a query.
    ///
    /// # Panics
    ///
    /// Panics with the server's message if the query fails.
    pub fn query(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Vec<Row> {
        let rows = self.runtime.block_on(self.client.query(sql, values));
        rows.unwrap_or_else(|error| match error.as_db_error() {
            Some(refusal) => panic!("quality: {refusal:?}\n{sql}"),
            None => panic!("quality: {error}\n{sql}"),
        })
    }

    /// Returns whether the extension has a function.
    pub fn has_function(&self, name: &str) -> bool {
        let sql = "SELECT count(*) > 0 FROM pg_proc \
                   WHERE proname = $1::text AND pronamespace = 'passage'::regnamespace";
        self.query(sql, &[&name])[0].get(0)
    }

    /// Executes statements as the owner.
    pub fn run(&self, sql: &str) {
        self.runtime.block_on(self.cluster.execute(sql));
    }

    /// Reads, splits and loads the documents as the client does, without embeddings.
    fn ingest(&self, set: &Set, store: &str, model: &Model) {
        let splitter = Splitter::by_wordpieces(model.wordpieces().clone(), model.limit() - 2);
        let job = Ingest::new(Job { splitter, ..Job::new(self.cluster.url(), store) });
        let entry = |document: &super::set::Document| {
            let document = SourceDocument::bytes(uri(&document.name), document.text.clone());
            Ok(SourceEntry::Document(document))
        };
        let entries: Vec<_> = set.documents.iter().map(entry).collect();
        let summary = self.runtime.block_on(ingest(job, entries, |_| ()));
        let summary = summary.expect("the store takes documents");
        assert_eq!(summary.added, set.documents.len(), "{summary:?}");
    }

    /// Embeds all chunks of a store, and counts them.
    fn embed(&self, store: &str, vectors: &mut Vectors) -> usize {
        let sql = format!(
            "SELECT id, document_id, concat_ws(E'\\n', nullif(preamble, ''), content) \
             FROM {store}.chunks ORDER BY document_id, ordinal"
        );
        let rows = self.query(&sql, &[]);
        let embeddings = vectors.embed(rows.iter().map(|row| row.get(2)));
        let sql = format!(
            "INSERT INTO {store}.embeddings (chunk_id, document_id, embedding) \
             VALUES ($1, $2, $3::real[]::vector)"
        );
        let insert = async {
            let statement = self.client.prepare(&sql).await?;
            self.client.batch_execute("BEGIN").await?;
            for (row, embedding) in rows.iter().zip(embeddings) {
                let (chunk, document): (Uuid, Uuid) = (row.get(0), row.get(1));
                self.client.execute(&statement, &[&chunk, &document, &embedding]).await?;
            }
            self.client.batch_execute("COMMIT").await
        };
        self.runtime.block_on(insert).expect("the store takes embeddings");
        rows.len()
    }
}

impl Loaded<'_> {
    /// Returns the number in the set of a document of the server.
    ///
    /// # Panics
    ///
    /// Panics if the set does not have the document.
    pub fn number(&self, uri: &str) -> usize {
        self.numbers[uri]
    }

    /// Returns other questions over the documents of this set.
    pub fn with_questions<'s>(&self, set: &'s Set, vectors: &mut Vectors) -> Loaded<'s> {
        let asked = vectors.embed(set.questions.iter().map(|one| one.text.as_str()));
        let asked = asked.into_iter().map(<[f32]>::to_vec).collect();
        let (store, numbers) = (self.store.clone(), self.numbers.clone());
        Loaded { set, store, asked, chunks: self.chunks, numbers }
    }

    /// Returns the uri of a document of the set.
    pub fn uri(&self, number: usize) -> String {
        uri(&self.set.documents[number].name)
    }
}

/// Returns the uri of a file in a folder `docs`.
fn uri(name: &str) -> String {
    format!("docs/{name}")
}
