//! The settings of a store: the model, sizer and splitter version of its contents.

use super::super::connection::Store;
use super::super::error::Error;
use super::embedding_model::EmbeddingModel;
use super::splitting::{OtherSizes, Splitting};
use serde_json::{Value, json};

/// How a run embeds and splits documents; the table `settings` records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The model; `None` for text only.
    pub model: Option<EmbeddingModel>,
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
    /// Returns [`Error::ModelMismatch`] and [`Error::PrefixMismatch`] if the store's embeddings are of another model or
    /// have other dimensions or prefixes, and [`Error::NoEmbeddings`] if there is a model and the store has no embeddings. With
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
