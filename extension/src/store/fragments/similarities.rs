//! The similarities of an embedding to all chunks of a document.

use crate::server::spi::{Connection, Value};
use crate::server::sql_text::{EQUAL, NO_KEY, between};
use crate::server::types::to_sql;
use crate::store::Store;
use crate::store::layout::{Layout, Relation, StatementKey};
use crate::store::search::QueryEmbedding;
use crate::store::shards::Route;
use passage_split::interrupt::poll_periodically as pause;
use uuid::Uuid;

/// A chunk with its similarity by the store's distance.
pub struct ChunkSimilarity {
    pub id: Uuid,
    pub ordinal: Option<i32>,
    /// The section key.
    pub section: Option<i64>,
    pub score: f64,
}

/// The maximum number of chunks of a document that are compared.
const MAX_CHUNKS: i64 = 100_000;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct SimilarityStatement {
    by_id_range: bool,
}

impl StatementKey for SimilarityStatement {}

impl Store {
    /// Compares an embedding with those of a document's chunks. `expected` is the number of chunks that
    /// the caller has read.
    ///
    /// Ids that the client derives begin with the first half of the document's id. So the embeddings
    /// are one range of ids, which is read without the ordinals and sections of the chunks. If the range
    /// has fewer embeddings than expected, each chunk is looked up.
    pub fn similarities(
        &self,
        connection: &Connection,
        document: Uuid,
        expected: usize,
        embedding: &QueryEmbedding,
    ) -> Vec<ChunkSimilarity> {
        let embeddings = self.0.embeddings.as_ref();
        if expected > 0 && embeddings.is_some_and(Relation::has_document_id) {
            let similarities = self.compare(connection, document, embedding, true);
            if similarities.len() >= expected {
                return similarities;
            }
        }
        self.compare(connection, document, embedding, false)
    }

    fn compare(
        &self,
        connection: &Connection,
        document: Uuid,
        embedding: &QueryEmbedding,
        by_id_range: bool,
    ) -> Vec<ChunkSimilarity> {
        let key = SimilarityStatement { by_id_range };
        let statement = self.0.statement(key, || statement(&self.0, embedding, by_id_range));
        let half = (document.as_u128() >> 64) << 64;
        let ends = [half, half | u128::from(u64::MAX)].map(Uuid::from_u128);
        let mut values =
            vec![embedding.value(), Value::new(to_sql(document)), Value::new(MAX_CHUNKS)];
        values.extend(ends.iter().filter(|_| by_id_range).map(|end| Value::new(to_sql(*end))));
        let rows = self.read(connection, &statement, values, Route::Documents(&[document]), None);
        let chunk = |row| {
            pause(row);
            let distance: f64 = rows.get(row, 3)?;
            // The cosine distance to a zero vector is undefined.
            (!distance.is_nan()).then(|| ChunkSimilarity {
                id: rows.uuid(row, 0),
                ordinal: rows.get(row, 1),
                section: rows.get(row, 2),
                score: embedding.score(distance),
            })
        };
        (0..rows.len()).filter_map(chunk).collect()
    }
}

fn statement(layout: &Layout, embedding: &QueryEmbedding, by_id_range: bool) -> String {
    let relation = layout.embeddings.as_ref().expect("there are embeddings");
    let embeddings = &relation.name;
    let distance = embedding.distance_to_each();
    if by_id_range {
        return format!(
            "SELECT {id}, NULL::pg_catalog.int4, {NO_KEY}, {distance} FROM {embeddings} AS e \
             WHERE {within} AND e.document_id {EQUAL} $2 LIMIT $3",
            id = relation.column("e", "chunk_id", "uuid"),
            within = between("e.chunk_id", "$4", "$5"),
        );
    }
    format!(
        "SELECT {id}, {ordinal}, {section}, {distance} FROM {chunks} AS c \
         JOIN {embeddings} AS e ON e.chunk_id {EQUAL} c.id WHERE c.document_id {EQUAL} $2 LIMIT $3",
        id = layout.chunks.column("c", "id", "uuid"),
        ordinal = layout.chunks.column("c", "ordinal", "integer"),
        section = layout.section_key("c"),
        chunks = layout.chunks.name,
    )
}
