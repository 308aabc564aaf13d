//! Creation of a shadow store, and its mark.

use super::super::admin::EmbeddingModel;
use super::super::connection::Store;
use super::super::error::{Error, Operation};
use super::super::unnamed_statement::UnnamedStatements;
use super::obstacles;
use super::pair::{FINGERPRINTS, MARK};
use crate::postgres_text::quote_identifier;
use serde_json::Value;

/// The properties of a shadow store. `None` means that of the original store.
#[derive(Clone, Debug)]
pub struct ShadowOptions {
    /// The model.
    pub model: Option<EmbeddingModel>,
    /// The type of the embeddings: `vector`, `halfvec` or `binary`.
    pub embedding_type: Option<String>,
    /// The text search configuration.
    pub language: Option<String>,
    /// A description of the splitter, which must be equal for equal splitters.
    pub splitting: Value,
}

/// Maximum bytes of an identifier.
const MAX_NAME_BYTES: usize = 63;

/// Returns the names of a store's shadow store and former store.
///
/// # Errors
///
/// Returns [`Error::NameTooLong`] if a name would have more than 63 bytes.
pub(crate) fn schema_names(store: &str) -> Result<[String; 2], Error> {
    let names = [format!("{store}_reindex"), format!("{store}_before")];
    if names.iter().any(|name| name.len() > MAX_NAME_BYTES) {
        return Err(Error::NameTooLong(store.to_owned()));
    }
    Ok(names)
}

impl Store {
    /// Creates and marks the shadow store of this store, within a transaction.
    pub(super) async fn create_shadow(
        &self,
        shadow: &str,
        options: &ShadowOptions,
        mark: &Value,
    ) -> Result<(), Error> {
        self.create_shadow_tables(shadow, options).await?;
        obstacles::check(&self.client, &self.name, shadow).await?;
        let shadow = quote_identifier(shadow);
        self.run(&format!(
            "CREATE TABLE {shadow}.{FINGERPRINTS} (document_id pg_catalog.uuid PRIMARY KEY \
             REFERENCES {shadow}.documents ON DELETE CASCADE, fingerprint pg_catalog.uuid NOT NULL)"
        ))
        .await?;
        let sql = format!("INSERT INTO {shadow}.settings (key, value) VALUES ('{MARK}', $1)");
        self.execute(&sql, &[mark]).await.map(drop)
    }

    /// Creates the schema and the tables of a shadow store. CREATE SCHEMA fails if another role has created
    /// the schema.
    pub(super) async fn create_shadow_tables(
        &self,
        shadow: &str,
        options: &ShadowOptions,
    ) -> Result<(), Error> {
        let error = |error| self.error_during(Operation::CreateStore, &error);
        // Citus would distribute the schema, but none of the tables of `create_store`.
        let create = format!(
            "SELECT _passage.set_citus_setting('citus.enable_schema_based_sharding', 'off'); CREATE SCHEMA {}",
            quote_identifier(shadow)
        );
        self.client.batch_execute(&create).await.map_err(error)?;
        let sql = "SELECT passage.create_store(store => $2::text::name, \
            dimensions => coalesce($3, facts.dimensions), distance => coalesce(facts.distance, \
            _passage.store_settings($1::text::name) ->> 'distance'), \
            embedding_type => CASE WHEN $4::text IS NOT NULL THEN $4::text \
            WHEN facts.embedding_type = 'halfvec' OR coalesce($3, facts.dimensions) = facts.dimensions THEN facts.embedding_type END, \
            language => coalesce($5::text, facts.language::text)::regconfig, \
            partitions => (placement ->> 'partitions')::integer, distributed => placement ->> 'distributed') \
            FROM _passage.recorded_facts($1::text::name) AS facts, _passage.store_placement($1::text::name) AS placement";
        let dimensions = options.model.as_ref().map(|model| model.dimensions as i32);
        let ShadowOptions { embedding_type, language, .. } = options;
        self.client
            .query_unnamed(sql, &[&self.name, &shadow, &dimensions, embedding_type, language])
            .await
            .map_err(error)
            .map(drop)
    }

    /// Returns the mark of a shadow store; `None` if the store has no mark.
    pub(super) async fn shadow_mark(&self, shadow: &str) -> Result<Option<Value>, Error> {
        let sql = "SELECT _passage.store_settings($1::pg_catalog.text::pg_catalog.name) -> $2";
        Ok(self.query_one(sql, &[&shadow, &MARK]).await?.get(0))
    }

    /// Returns the column `embedding` with a cast to the type that it has in this store. Citus fails to add this cast
    /// itself, as the function of pgvector has other arguments.
    pub(super) async fn typed_embedding(&self) -> Result<String, Error> {
        let sql = "SELECT 'embedding' || coalesce((SELECT '::' || pg_catalog.format_type(atttypid, atttypmod) \
            FROM pg_catalog.pg_attribute WHERE attrelid = pg_catalog.to_regclass($1) AND attname = 'embedding'), '')";
        let table = format!("{}.embeddings", self.schema);
        Ok(self.query_one(sql, &[&table]).await?.get(0))
    }

    /// Returns the columns of a table that are not generated, except some, separated by commas.
    pub(super) async fn column_list(&self, table: &str, except: &[&str]) -> Result<String, Error> {
        let sql = "SELECT coalesce(string_agg(pg_catalog.quote_ident(attname), ', ' ORDER BY attnum), '') \
            FROM pg_catalog.pg_attribute WHERE attrelid = pg_catalog.to_regclass($1) \
            AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> ALL ($2::text[]::name[])";
        let table = format!("{}.{table}", self.schema);
        Ok(self.query_one(sql, &[&table, &except]).await?.get(0))
    }
}

#[cfg(test)]
mod tests {
    use super::schema_names;

    #[test]
    fn schema_names_reject_a_store_name_of_56_bytes() {
        assert_eq!(schema_names("rag").unwrap(), ["rag_reindex", "rag_before"]);
        assert!(schema_names(&"x".repeat(55)).is_ok() && schema_names(&"x".repeat(56)).is_err());
    }
}
