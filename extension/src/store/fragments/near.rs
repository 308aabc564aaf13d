//! The statement that compares an embedding with all of a document.

use crate::interrupt::pause;
use crate::spi::{Connection, Value};
use crate::store::Store;
use crate::store::around::NO_KEY;
use crate::store::hits::uuid;
use crate::store::layout::{Layout, Purpose, Relation};
use crate::store::operators::{EQUAL, between};
use crate::store::vectors::Vectors;
use crate::types::to_sql;
use uuid::Uuid;

/// A chunk with its score by the store's distance.
pub struct Near {
    pub id: Uuid,
    pub ordinal: Option<i32>,
    pub section: Option<i64>,
    pub score: f64,
}

/// The most chunks of a document that are compared.
const MOST: i64 = 100_000;

impl Store {
    /// Compares an embedding with those of a document's chunks, so many of which were looked at.
    ///
    /// Ids that the client derives begin with that of their document, so the embeddings lie together
    /// and are read at one go, without telling where their chunks stand. Where that gives fewer than
    /// were looked at, each chunk is looked up.
    pub fn near(
        &self,
        connection: &Connection,
        document: Uuid,
        known: usize,
        vectors: &Vectors,
    ) -> Vec<Near> {
        let embeddings = self.0.embeddings.as_ref();
        if known > 0 && embeddings.is_some_and(Relation::tells_document) {
            let found = self.near_by(connection, document, vectors, true);
            if found.len() >= known {
                return found;
            }
        }
        self.near_by(connection, document, vectors, false)
    }

    fn near_by(
        &self,
        connection: &Connection,
        document: Uuid,
        vectors: &Vectors,
        together: bool,
    ) -> Vec<Near> {
        let purpose = Purpose::Near { together };
        let statement = self.0.statement(purpose, || statement(&self.0, vectors, together));
        let half = (document.as_u128() >> 64) << 64;
        let ends = [half, half | u128::from(u64::MAX)].map(Uuid::from_u128);
        let mut values = vec![vectors.value(), Value::new(to_sql(document)), Value::new(MOST)];
        values.extend(ends.iter().filter(|_| together).map(|end| Value::new(to_sql(*end))));
        let rows = connection.read(&statement, values);
        let near = |row| {
            pause(row);
            let distance: f64 = rows.get(row, 3)?;
            // The zero vector has no cosine to anything.
            (!distance.is_nan()).then(|| Near {
                id: uuid(rows.get(row, 0)),
                ordinal: rows.get(row, 1),
                section: rows.get(row, 2),
                score: vectors.score(distance),
            })
        };
        (0..rows.len()).filter_map(near).collect()
    }
}

fn statement(layout: &Layout, vectors: &Vectors, together: bool) -> String {
    let relation = layout.embeddings.as_ref().expect("there are embeddings");
    let embeddings = &relation.name;
    let distance = vectors.distance_to_each();
    if together {
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
