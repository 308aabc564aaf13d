//! What a store remembers of how it was filled.

use super::{Error, Store};
use serde_json::{Value, json};

/// What a store was filled with; kept in its table `settings`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The name and the dimensions of the model; `None` for text only.
    pub model: Option<(String, usize)>,
    /// What sizes are counted in.
    pub sizer: &'static str,
    /// The version of the splitters' rules.
    pub splitter_version: u32,
}

impl Store {
    /// Makes sure that what is to be written belongs into the store, and remembers it.
    ///
    /// The first model to come is the store's. Another splitter or sizer may follow the first:
    /// each document is split again when it is next ingested. Returns whether the store has a
    /// place for embeddings.
    ///
    /// # Errors
    ///
    /// [`Error::OtherModel`] if the store's embeddings are of another model or of other
    /// dimensions, [`Error::NoEmbeddings`] if there is a model and no place for embeddings.
    pub async fn agree(&self, settings: &Settings) -> Result<bool, Error> {
        let embeddings = if let Some(model) = &settings.model {
            self.agree_model(model).await?;
            true
        } else {
            self.has_embeddings().await?
        };
        self.set("sizer", json!(settings.sizer)).await?;
        self.set("splitter_version", json!(settings.splitter_version)).await?;
        Ok(embeddings)
    }

    /// Tells whether the store has a place for embeddings.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] if there is no such store.
    pub async fn has_embeddings(&self) -> Result<bool, Error> {
        self.must_exist().await?;
        let sql = "SELECT dimensions IS NOT NULL FROM _passage.store_facts($1::text::name)";
        let row = self.client.query_one(sql, &[&self.name]).await;
        Ok(row.map_err(|error| self.error(&error))?.get(0))
    }

    /// Makes sure that a model is the store's, without writing; tells whether the store
    /// remembers it already.
    ///
    /// # Errors
    ///
    /// As for [`agree`](Self::agree).
    pub async fn check_model(&self, (name, dimensions): &(String, usize)) -> Result<bool, Error> {
        self.must_exist().await?;
        let sql = format!(
            "SELECT (SELECT dimensions FROM _passage.store_facts($1::text::name)), \
             (SELECT value #>> '{{}}' FROM {}.settings WHERE key = 'model')",
            self.schema
        );
        let row =
            self.client.query_one(&sql, &[&self.name]).await.map_err(|error| self.error(&error))?;
        let theirs: Option<i32> = row.get(0);
        let Some(theirs) = theirs else {
            return Err(Error::NoEmbeddings { store: self.name.clone() });
        };
        let model: Option<String> = row.get(1);
        let ours = format!("{name} ({dimensions} dimensions)");
        if model.as_ref().is_some_and(|model| model != name) || theirs != *dimensions as i32 {
            let model = model.unwrap_or_else(|| "a model unknown".into());
            let theirs = format!("{model} ({theirs} dimensions)");
            return Err(Error::OtherModel { store: self.name.clone(), theirs, ours });
        }
        Ok(model.is_some())
    }

    /// Makes sure that a model is the store's, and remembers it if it is the first.
    ///
    /// # Errors
    ///
    /// As for [`agree`](Self::agree).
    pub async fn agree_model(&self, model: &(String, usize)) -> Result<(), Error> {
        if self.check_model(model).await? {
            return Ok(());
        }
        let sql = format!(
            "INSERT INTO {}.settings (key, value) VALUES ('model', $1) ON CONFLICT (key) DO NOTHING",
            self.schema
        );
        self.client.execute(&sql, &[&json!(model.0)]).await.map_err(|error| self.error(&error))?;
        // Of two first models only one was remembered.
        self.check_model(model).await.map(drop)
    }

    /// Writes a setting if it is not so already, so that whoever may only fill a store can.
    async fn set(&self, key: &str, value: Value) -> Result<(), Error> {
        let sql = format!("SELECT value FROM {}.settings WHERE key = $1", self.schema);
        let row = self.client.query_opt(&sql, &[&key]).await.map_err(|error| self.error(&error))?;
        if row.is_some_and(|row| row.get::<_, Value>(0) == value) {
            return Ok(());
        }
        let sql = format!(
            "INSERT INTO {}.settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value",
            self.schema
        );
        self.client.execute(&sql, &[&key, &value]).await.map_err(|error| self.error(&error))?;
        Ok(())
    }
}
