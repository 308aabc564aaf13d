//! The model of a store's embeddings: the recorded one, the one that the user names, or an unknown one.
//!
//! Embeddings of two models must never be compared. So the client records its own model only in a store whose
//! embeddings it writes, as long as there are none. Embeddings of another program are of an unknown model until the
//! user names it.

use super::super::connection::{Identity, Store};
use super::super::error::Error;
use super::super::layout::Layout;
use super::embedding_model::{EmbeddingModel, RecordedEmbedding};
use serde_json::{Value, json};

/// The embeddings of a store.
struct StoredModel {
    layout: Layout,
    /// `None` if nothing tells.
    name: Option<String>,
    is_recorded: bool,
    /// The recorded prefixes.
    prefixes: Option<Value>,
    /// The dimensions; `None` if neither the type of the column nor a row tells them.
    dimensions: Option<i32>,
}

impl Store {
    /// Returns whether the store was created with embeddings.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist.
    pub async fn has_embeddings(&self) -> Result<bool, Error> {
        self.must_exist().await?;
        let sql = "SELECT embedding_type IS NOT NULL FROM _passage.store_facts($1::text::name)";
        Ok(self.query_one(sql, &[&self.name]).await?.get(0))
    }

    /// Returns the schema that has the store's name, and how the chunks of the store are embedded.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist.
    pub async fn identity_with_embedding(&self) -> Result<(Identity, RecordedEmbedding), Error> {
        let sql = format!(
            "SELECT oid, {} FROM pg_catalog.pg_namespace, _passage.store_settings($1::text::name) AS setting \
             WHERE nspname = $1",
            RecordedEmbedding::COLUMNS
        );
        if let Some(row) = self.query_opt(&sql, &[&self.name]).await? {
            return Ok((Identity(row.get(0)), RecordedEmbedding::of_row(&row, 1)));
        }
        Ok((self.identity().await?, RecordedEmbedding::default()))
    }

    /// Returns how the chunks of the store are embedded, as far as the store records it; nothing also if the settings
    /// cannot be read without running code of another role.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends.
    pub async fn recorded_embedding(&self) -> Result<RecordedEmbedding, Error> {
        let sql = format!(
            "SELECT {} FROM _passage.store_settings($1::text::name) AS setting",
            RecordedEmbedding::COLUMNS
        );
        Ok(RecordedEmbedding::of_row(&self.query_one(&sql, &[&self.name]).await?, 0))
    }

    /// Returns whether the model of the embeddings is known, or will be that of the first run because there are none.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoEmbeddings`] for a store without embeddings.
    pub async fn knows_model(&self) -> Result<bool, Error> {
        let stored = self.stored_model().await?;
        Ok(stored.name.is_some() || !self.has_foreign_embeddings(&stored.layout).await?)
    }

    /// Returns the model of the embeddings, as the store records it or the user has told.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownModel`] if neither tells it, [`Error::ModelMismatch`] if they differ, and
    /// [`Error::NoEmbeddings`] for a store without embeddings.
    pub async fn known_model(&self) -> Result<String, Error> {
        let StoredModel { layout, name, .. } = self.stored_model().await?;
        let has_settings = layout.is_table("settings");
        name.ok_or_else(|| Error::UnknownModel { store: self.name.clone(), has_settings })
    }

    /// Returns the dimensions of the embeddings, if the store has embeddings and their type or a row tells them.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist.
    pub async fn dimensions(&self) -> Result<Option<usize>, Error> {
        match self.stored_model().await {
            Ok(stored) => Ok(stored.dimensions.and_then(|number| usize::try_from(number).ok())),
            Err(Error::NoEmbeddings { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Checks that a model is the store's, without recording it. Returns whether it is recorded already.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ModelMismatch`] for another model or other dimensions, [`Error::PrefixMismatch`] for other
    /// prefixes, [`Error::UnknownModel`] if another program may have made the embeddings, and [`Error::NoEmbeddings`] for a
    /// store without embeddings.
    pub async fn check_model(&self, model: &EmbeddingModel) -> Result<bool, Error> {
        Ok(self.agreeing_model(model).await?.is_recorded)
    }

    /// Checks that a model is the store's, and records it with its prefixes if it is the first.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`check_model`](Self::check_model).
    pub async fn record_model(&self, model: &EmbeddingModel) -> Result<(), Error> {
        let stored = self.agreeing_model(model).await?;
        // Only a user can have recorded a model without prefixes. A role that may write documents need not have the
        // privilege to write settings, so none are not recorded then.
        let prefixes = match &stored.prefixes {
            None if !stored.is_recorded || model.has_prefixes() => model.prefixes.clone(),
            _ => None,
        };
        let name = (!stored.is_recorded).then(|| json!(model.name));
        if (name.is_none() && prefixes.is_none()) || !stored.layout.is_table("settings") {
            return Ok(());
        }
        let sql = format!(
            "INSERT INTO {}.settings (key, value) SELECT key, value FROM (VALUES ('model', $1::jsonb), ('prefixes', $2::jsonb)) \
             AS setting (key, value) WHERE value IS NOT NULL ON CONFLICT (key) DO NOTHING",
            self.schema
        );
        self.execute(&sql, &[&name, &prefixes]).await?;
        // A concurrent run may have recorded another model.
        self.check_model(model).await.map(drop)
    }

    /// Returns the model of the store, after a check that a model agrees with it.
    async fn agreeing_model(&self, model: &EmbeddingModel) -> Result<StoredModel, Error> {
        let EmbeddingModel { name, dimensions, prefixes } = model;
        let stored = self.stored_model().await?;
        let has_other_dimensions = stored.dimensions.is_some_and(|it| it != *dimensions as i32);
        if has_other_dimensions || stored.name.as_ref().is_some_and(|stored| stored != name) {
            let requested = format!("{name} ({dimensions} dimensions)");
            return Err(self.model_mismatch(&stored, requested));
        }
        if let (Some(actual), Some(requested)) = (&stored.prefixes, prefixes)
            && actual != requested
        {
            return Err(Error::PrefixMismatch {
                store: self.name.clone(),
                actual: actual.clone(),
                requested: requested.clone(),
                is_read_only: stored.layout.is_read_only(),
            });
        }
        if stored.name.is_none() && self.has_foreign_embeddings(&stored.layout).await? {
            let has_settings = stored.layout.is_table("settings");
            return Err(Error::UnknownModel { store: self.name.clone(), has_settings });
        }
        Ok(stored)
    }

    async fn stored_model(&self) -> Result<StoredModel, Error> {
        let layout = self.layout().await?;
        let sql = "SELECT embedding_type IS NOT NULL, dimensions FROM _passage.store_facts($1::text::name)";
        let row = self.query_one(sql, &[&self.name]).await?;
        if !row.get::<_, bool>(0) {
            return Err(self.no_embeddings(&layout));
        }
        let mut dimensions: Option<i32> = row.get(1);
        if dimensions.is_none() {
            // Tables of some frameworks accept vectors of any size.
            let sql = format!(
                "SELECT pg_catalog.cardinality(embedding::real[]) FROM {}.embeddings LIMIT 1",
                self.schema
            );
            dimensions = self.query_opt(&sql, &[]).await?.and_then(|row| row.get(0));
        }
        let (mut recorded, mut prefixes): (Option<String>, Option<Value>) = (None, None);
        if layout.has("settings", "key") && layout.has("settings", "value") {
            let setting = |key| {
                format!(
                    "(SELECT value::jsonb FROM {}.settings WHERE key = '{key}' LIMIT 1)",
                    self.schema
                )
            };
            let sql = format!("SELECT {} #>> '{{}}', {}", setting("model"), setting("prefixes"));
            let row = self.query_one(&sql, &[]).await?;
            (recorded, prefixes) = (row.get(0), row.get(1));
        }
        let is_recorded = recorded.is_some();
        let name = recorded.clone().or_else(|| self.told_model.clone());
        let stored = StoredModel { layout, name, is_recorded, prefixes, dimensions };
        match &self.told_model {
            Some(told) if recorded.is_some_and(|recorded| recorded != *told) => {
                Err(self.model_mismatch(&stored, told.clone()))
            }
            _ => Ok(stored),
        }
    }

    fn model_mismatch(&self, stored: &StoredModel, requested: String) -> Error {
        let name = stored.name.as_deref().unwrap_or("an unknown model");
        let actual = match stored.dimensions {
            Some(dimensions) => format!("{name} ({dimensions} dimensions)"),
            None => name.into(),
        };
        let is_read_only = stored.layout.is_read_only();
        Error::ModelMismatch { store: self.name.clone(), actual, requested, is_read_only }
    }

    /// Returns whether the store has embeddings that the client has not made, or may get some at any time.
    async fn has_foreign_embeddings(&self, layout: &Layout) -> Result<bool, Error> {
        if !layout.is_table("embeddings") {
            return Ok(true);
        }
        let table = format!("{}.embeddings", self.schema);
        let sql = format!(
            "SELECT pg_catalog.row_security_active($1::text::regclass) OR EXISTS (SELECT 1 FROM {table})"
        );
        Ok(self.query_one(&sql, &[&table]).await?.get(0))
    }
}
