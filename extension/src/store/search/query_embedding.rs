//! The embedding of a query, and how the store compares it with its own embeddings.

use super::store_facts::Distance;
use crate::server::error::Error;
use crate::server::spi::{Connection, Value};
use crate::store::Store;

/// An embedding to search by.
pub struct QueryEmbedding {
    values: Vec<f32>,
    distance: Distance,
    /// The schema of pgvector, quoted.
    schema: String,
    /// The type of the column, `vector` or `halfvec`.
    embedding_type: &'static str,
    /// The number of dimensions, if the index has only the signs of the embeddings.
    indexed_signs: Option<i32>,
}

impl QueryEmbedding {
    /// Returns the embedding as an argument of the type `real[]`.
    pub fn value(&self) -> Value {
        Value::new(self.values.clone())
    }

    /// Returns whether the store's distance is the cosine distance.
    pub fn is_cosine(&self) -> bool {
        self.distance == Distance::Cosine
    }

    /// Returns the score for a distance. Higher is better.
    pub fn score(&self, distance: f64) -> f64 {
        self.distance.score(distance)
    }

    /// Returns an expression for the distance of the alias `e` to the embedding, which is `$1`.
    pub fn distance(&self) -> String {
        self.expression(self.distance)
    }

    /// Returns an expression for the distance in a statement without an index. There the subquery
    /// converts the array once, not for each row.
    pub fn distance_to_each(&self) -> String {
        let Self { schema, embedding_type, distance, .. } = self;
        let operator = distance.operator();
        format!("e.embedding OPERATOR({schema}.{operator}) (SELECT $1::{schema}.{embedding_type})")
    }

    /// Returns whether the index has only the signs of the embeddings.
    pub fn is_binary(&self) -> bool {
        self.indexed_signs.is_some()
    }

    /// Returns an expression for the distance by which the index finds the alias `e`. In a store of type
    /// binary that is the number of dimensions with another sign, which only estimates the distance.
    pub fn indexed_distance(&self) -> String {
        let Some(dimensions) = self.indexed_signs else { return self.distance() };
        // The column has exactly the type of pgvector, so no function of another role is chosen.
        let Self { schema, embedding_type, .. } = self;
        let signs = |embedding: &str| {
            format!("{schema}.binary_quantize({embedding})::pg_catalog.bit({dimensions})")
        };
        let query = signs(&format!("$1::{schema}.{embedding_type}"));
        format!("{} OPERATOR({schema}.<~>) {query}", signs("e.embedding"))
    }

    /// Returns an expression for the cosine distance.
    pub fn cosine(&self) -> String {
        self.expression(Distance::Cosine)
    }

    fn expression(&self, distance: Distance) -> String {
        let Self { schema, embedding_type, .. } = self;
        let operator = distance.operator();
        format!("e.embedding OPERATOR({schema}.{operator}) $1::{schema}.{embedding_type}")
    }
}

impl Store {
    /// Checks an embedding to search by.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoEmbeddings`] if the store has none, [`Error::Dimensions`] if the embedding has
    /// another number of dimensions, and [`Error::NotFinite`] if it contains a NULL, an infinity or a
    /// NaN.
    pub fn query_embedding(
        &self,
        connection: &Connection,
        embedding: Vec<Option<f32>>,
    ) -> Result<QueryEmbedding, Error> {
        let Some((schema, embedding_type)) = self.0.embedding_type() else {
            return Err(Error::NoEmbeddings { store: self.0.store.clone() });
        };
        let facts = self.facts(connection);
        let (given, dimensions) = (embedding.len(), facts.dimensions);
        let store = || self.0.store.clone();
        if dimensions.is_some_and(|dimensions| dimensions as usize != given) || given == 0 {
            return Err(Error::Dimensions { store: store(), given, dimensions });
        }
        let values: Option<Vec<_>> =
            embedding.into_iter().map(|value| value.filter(|value| value.is_finite())).collect();
        let values = values.ok_or(Error::NotFinite)?;
        let indexed_signs = dimensions.filter(|_| facts.is_binary);
        Ok(QueryEmbedding {
            values,
            distance: facts.distance,
            schema,
            embedding_type,
            indexed_signs,
        })
    }
}
