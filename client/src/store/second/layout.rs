//! Making a second store, and telling by its mark what it is to be.

use super::super::sql::quoted;
use super::super::{Error, Store};
use super::{MADE, MARK, Plan, obstacles};
use serde_json::Value;

impl Store {
    /// Makes the second store of this one, in a transaction.
    pub(super) async fn make(&self, second: &str, plan: &Plan, mark: &Value) -> Result<(), Error> {
        self.lay_out(second, plan).await?;
        obstacles::refuse(&self.client, &self.name, second).await?;
        let second = quoted(second);
        self.run(&format!(
            "CREATE TABLE {second}.{MADE} (document_id pg_catalog.uuid PRIMARY KEY \
             REFERENCES {second}.documents ON DELETE CASCADE, fingerprint pg_catalog.uuid NOT NULL)"
        ))
        .await?;
        let sql = format!("INSERT INTO {second}.settings (key, value) VALUES ('{MARK}', $1)");
        self.client.execute(&sql, &[mark]).await.map_err(|error| self.error(&error)).map(drop)
    }

    /// Makes the schema of a second store, which nobody else can have made, with its tables.
    pub(super) async fn lay_out(&self, second: &str, plan: &Plan) -> Result<(), Error> {
        self.run(&format!("CREATE SCHEMA {}", quoted(second))).await?;
        let sql = "SELECT passage.create_store(store => $2::text::name, \
            dimensions => coalesce($3, facts.dimensions), distance => coalesce(facts.distance, \
            _passage.store_settings($1::text::name) ->> 'distance'), \
            embedding_type => coalesce($4, facts.embedding_type), \
            language => coalesce($5::text, facts.language::text)::regconfig) \
            FROM _passage.store_facts($1::text::name) AS facts";
        let dimensions = plan.model.as_ref().map(|(_, dimensions)| *dimensions as i32);
        let Plan { embedding_type, language, .. } = plan;
        self.client
            .query(sql, &[&self.name, &second, &dimensions, embedding_type, language])
            .await
            .map_err(|error| self.error(&error))
            .map(drop)
    }

    /// Returns the mark of a store that is being filled.
    pub(super) async fn mark(&self, second: &str) -> Result<Option<Value>, Error> {
        let sql = "SELECT _passage.store_settings($1::pg_catalog.text::pg_catalog.name) -> $2";
        let row = self.client.query_one(sql, &[&second, &MARK]).await;
        Ok(row.map_err(|error| self.error(&error))?.get(0))
    }

    /// Returns the columns of a table that are written, but for some, separated by commas.
    pub(super) async fn columns(&self, table: &str, without: &[&str]) -> Result<String, Error> {
        let sql = "SELECT coalesce(string_agg(pg_catalog.quote_ident(attname), ', ' ORDER BY attnum), '') \
            FROM pg_catalog.pg_attribute WHERE attrelid = pg_catalog.to_regclass($1) \
            AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> ALL ($2::text[]::name[])";
        let table = format!("{}.{table}", self.schema);
        let row = self.client.query_one(sql, &[&table, &without]).await;
        Ok(row.map_err(|error| self.error(&error))?.get(0))
    }
}
