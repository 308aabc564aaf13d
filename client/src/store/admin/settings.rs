//! The settings of a store: the model, sizer and splitter version of its contents.

use super::super::connection::Store;
use super::super::error::Error;
use super::splitting::{OtherSizes, Splitting};
use serde_json::{Value, json};

/// How a run embeds and splits documents; the table `settings` records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The name and dimensions of the model; `None` for text only.
    pub model: Option<(String, usize)>,
    /// How documents are split.
    pub splitting: Splitting,
    /// Whether the store may record another splitting.
    pub other_sizes: OtherSizes,
    /// The version of the splitters.
    pub splitter_version: u32,
}

impl Store {
    /// Checks the settings of a run against the store, and records them. Returns whether the store has
    /// embeddings.
    ///
    /// The first recorded model stays the store's, and so do the first chunk sizes. The version of the
    /// splitters may change: each document is split again when it is next ingested.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ModelMismatch`] if the store's embeddings are of another model or have other
    /// dimensions, and [`Error::NoEmbeddings`] if there is a model and the store has no embeddings. With
    /// [`OtherSizes::Refuse`] returns [`Error::SplittingMismatch`] if the store has documents that are split
    /// otherwise.
    pub async fn record_settings(&self, settings: &Settings) -> Result<bool, Error> {
        let embeddings = if let Some(model) = &settings.model {
            self.record_model(model).await?;
            true
        } else {
            self.has_embeddings().await?
        };
        self.record_splitting(&settings.splitting, settings.other_sizes).await?;
        self.set("splitter_version", json!(settings.splitter_version)).await?;
        Ok(embeddings)
    }

    /// Returns whether the store was created with embeddings.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist.
    pub async fn has_embeddings(&self) -> Result<bool, Error> {
        self.must_exist().await?;
        let sql = "SELECT dimensions IS NOT NULL FROM _passage.store_facts($1::text::name)";
        Ok(self.query_one(sql, &[&self.name]).await?.get(0))
    }

    /// Returns the model that the store records; `None` also if the settings cannot be read without running
    /// code of another role.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends.
    pub async fn recorded_model(&self) -> Result<Option<String>, Error> {
        let sql = "SELECT _passage.store_settings($1::text::name) ->> 'model'";
        Ok(self.query_one(sql, &[&self.name]).await?.get(0))
    }

    /// Checks that a model is the store's, without recording it. Returns whether it is recorded already.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`record_settings`](Self::record_settings).
    pub async fn check_model(&self, (name, dimensions): &(String, usize)) -> Result<bool, Error> {
        self.must_exist().await?;
        let sql = format!(
            "SELECT (SELECT dimensions FROM _passage.store_facts($1::text::name)), \
             (SELECT value #>> '{{}}' FROM {}.settings WHERE key = 'model')",
            self.schema
        );
        let row = self.query_one(&sql, &[&self.name]).await?;
        let Some(store_dimensions) = row.get::<_, Option<i32>>(0) else {
            return Err(Error::NoEmbeddings { store: self.name.clone() });
        };
        let model: Option<String> = row.get(1);
        let requested = format!("{name} ({dimensions} dimensions)");
        if model.as_ref().is_some_and(|model| model != name)
            || store_dimensions != *dimensions as i32
        {
            let model = model.unwrap_or_else(|| "an unknown model".into());
            let actual = format!("{model} ({store_dimensions} dimensions)");
            return Err(Error::ModelMismatch { store: self.name.clone(), actual, requested });
        }
        Ok(model.is_some())
    }

    /// Checks that a model is the store's, and records it if it is the first.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`record_settings`](Self::record_settings).
    pub async fn record_model(&self, model: &(String, usize)) -> Result<(), Error> {
        if self.check_model(model).await? {
            return Ok(());
        }
        let sql = format!(
            "INSERT INTO {}.settings (key, value) VALUES ('model', $1) ON CONFLICT (key) DO NOTHING",
            self.schema
        );
        self.execute(&sql, &[&json!(model.0)]).await?;
        // A concurrent run may have recorded another model.
        self.check_model(model).await.map(drop)
    }

    /// Writes a setting, unless it has this value already: a role that may write documents need not have
    /// the privilege to write settings.
    async fn set(&self, key: &str, value: Value) -> Result<(), Error> {
        let sql = format!("SELECT value FROM {}.settings WHERE key = $1", self.schema);
        let row = self.query_opt(&sql, &[&key]).await?;
        if row.is_some_and(|row| row.get::<_, Value>(0) == value) {
            return Ok(());
        }
        let sql = format!(
            "INSERT INTO {}.settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value",
            self.schema
        );
        self.execute(&sql, &[&key, &value]).await.map(drop)
    }
}
