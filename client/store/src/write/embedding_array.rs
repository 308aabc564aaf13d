//! Embeddings as an array of the type of the store's column.

use super::super::unnamed_statement::{Parameter, UnnamedStatements};
use pgvector::{HalfVector, Vector};
use tokio_postgres::types::{Kind, ToSql, Type};
use tokio_postgres::{Client, Error};

/// Embeddings with the type of their array.
#[derive(Debug)]
pub(super) struct EmbeddingArray {
    sql_type: Type,
    embeddings: Box<dyn ToSql + Sync + Send>,
}

impl EmbeddingArray {
    pub(super) fn new(sql_type: Type, embeddings: &[&[f32]]) -> Self {
        let is_half =
            matches!(sql_type.kind(), Kind::Array(element) if element.name() == "halfvec");
        let embeddings: Box<dyn ToSql + Sync + Send> = if is_half {
            let halves = embeddings.iter().map(|embedding| HalfVector::from_f32_slice(embedding));
            Box::new(halves.collect::<Vec<_>>())
        } else {
            let vectors = embeddings.iter().map(|embedding| Vector::from(embedding.to_vec()));
            Box::new(vectors.collect::<Vec<_>>())
        };
        Self { sql_type, embeddings }
    }

    /// Reads the type of an array of the store's embeddings, `vector[]` or `halfvec[]`, in the schema of pgvector.
    pub(super) async fn sql_type(client: &Client, schema: &str) -> Result<Type, Error> {
        // Without a prepared statement, the driver would prepare a query of its own for the type.
        let sql = "SELECT pg_type.oid, pg_type.typname::text, pg_type.typarray, nspname::text FROM pg_catalog.pg_attribute \
             JOIN pg_catalog.pg_type AS declared ON declared.oid = atttypid \
             JOIN pg_catalog.pg_type ON pg_type.oid = CASE WHEN declared.typtype = 'd' THEN declared.typbasetype ELSE declared.oid END \
             JOIN pg_catalog.pg_namespace ON pg_namespace.oid = pg_type.typnamespace \
             WHERE attrelid = $1::text::pg_catalog.regclass AND attname = 'embedding' AND NOT attisdropped";
        let row = client.query_one_unnamed(sql, &[&format!("{schema}.embeddings")]).await?;
        let (name, namespace): (String, String) = (row.get(1), row.get(3));
        let element = Type::new(name.clone(), row.get(0), Kind::Simple, namespace.clone());
        Ok(Type::new(format!("_{name}"), row.get(2), Kind::Array(element), namespace))
    }
}

impl Parameter for EmbeddingArray {
    fn sql_type(&self) -> Type {
        self.sql_type.clone()
    }

    fn value(&self) -> &(dyn ToSql + Sync) {
        &*self.embeddings
    }
}
