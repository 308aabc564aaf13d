//! The statements that read ratings: what users said about chunks for similar questions, and which of these chunks may be
//! added to a search. `sql/stores/ratings.sql` has the rule for similar questions and votes.

use super::filter_shape::{FilterShape, MetadataPart};
use super::filters::Filters;
use super::query_embedding::QueryEmbedding;
use crate::server::spi::{Access, Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::{Name, UuidArray};
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use crate::store::shards::Route;
use passage_split::interrupt::poll_periodically as pause;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Identifies the statement that reads votes.
#[derive(Clone, PartialEq)]
struct VoteStatement;

impl StatementKey for VoteStatement {
    fn access(&self) -> Access {
        Access::Any
    }
}

/// Identifies the statement that filters chunks.
#[derive(Clone, PartialEq)]
struct AdmittedStatement {
    filters: FilterShape,
}

impl StatementKey for AdmittedStatement {
    fn access(&self) -> Access {
        Access::Matches
    }
}

impl Store {
    /// Returns the chunks that were rated for similar questions, each with the sum of its votes from -1 to 1. The chunks may be
    /// removed or hidden.
    pub fn votes(
        &self,
        connection: &Connection,
        query: Option<&str>,
        embedding: Option<&QueryEmbedding>,
    ) -> HashMap<Uuid, f64> {
        let statement = self.0.statement(VoteStatement, || {
            "SELECT chunk_id, vote FROM _passage.rated_chunks($1, $2, $3)".to_owned()
        });
        let values = vec![
            Value::new(Name(self.0.store.clone())),
            Value::new(query.map(str::to_owned)),
            embedding.map_or_else(|| Value::new(None::<Vec<f32>>), QueryEmbedding::value),
        ];
        let rows = connection.read(&statement, values);
        let vote = |row| {
            pause(row);
            Some((rows.uuid(row, 0), rows.get(row, 1)?))
        };
        (0..rows.len()).filter_map(vote).collect()
    }

    /// Returns those of some chunks that the caller may see and that pass the filters.
    pub fn admitted(
        &self,
        connection: &Connection,
        ids: &[Uuid],
        filters: &Filters,
        embedding: Option<&QueryEmbedding>,
    ) -> HashSet<Uuid> {
        let shape = filters.shape();
        let embedding = embedding.filter(|_| shape.needs_similarity());
        let key = AdmittedStatement { filters: shape.clone() };
        let statement = self.0.statement(key, || statement(&self.0, &shape, embedding));
        let mut values = vec![
            embedding.map_or(Value::new(0_i32), QueryEmbedding::value),
            Value::new(ids.iter().copied().collect::<UuidArray>()),
        ];
        values.extend(filters.values());
        let rows = self.read(connection, &statement, values, Route::Chunks(ids), None);
        (0..rows.len()).map(|row| rows.uuid(row, 0)).collect()
    }
}

fn statement(layout: &Layout, filters: &FilterShape, embedding: Option<&QueryEmbedding>) -> String {
    let embeddings = layout.embeddings.as_ref().filter(|_| embedding.is_some());
    let embeddings = embeddings.map_or_else(String::new, |embeddings| {
        format!(" JOIN {} AS e ON e.chunk_id {EQUAL} c.id", embeddings.name)
    });
    // An unused parameter would have no type.
    format!(
        "SELECT {id} FROM {chunks} AS c{documents}{embeddings} WHERE $1 IS NOT NULL AND c.id {EQUAL} ANY ($2){conditions}",
        id = layout.chunks.column("c", "id", "uuid"),
        chunks = layout.chunks.name,
        documents = filters.join(layout, "c.document_id"),
        conditions = filters.conditions(layout, "c.document_id", embedding, 3, MetadataPart::All),
    )
}
