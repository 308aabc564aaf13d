//! How texts are embedded: the model of a run, and what a store records of it.

use serde_json::Value;
use tokio_postgres::Row;

/// The embedding model of a run, which the store records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingModel {
    /// The name.
    pub name: String,
    /// The dimensions of the embeddings.
    pub dimensions: usize,
    /// The texts before questions and documents, an object with the keys `query` and `document`. `None` if another
    /// program made the embeddings, so that they are unknown.
    pub prefixes: Option<Value>,
}

impl EmbeddingModel {
    /// Returns whether a prefix is not empty.
    pub(super) fn has_prefixes(&self) -> bool {
        let is_empty = |prefix: &Value| prefix.as_str().is_some_and(str::is_empty);
        let prefixes = self.prefixes.as_ref().and_then(Value::as_object);
        prefixes.is_some_and(|prefixes| !prefixes.values().all(is_empty))
    }
}

/// How the chunks of a store are embedded, as far as the store records it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedEmbedding {
    /// The name of the model.
    pub model: Option<String>,
    /// The texts before questions and documents.
    pub prefixes: Option<Value>,
    /// The dimensions of the embeddings.
    pub dimensions: Option<usize>,
}

impl RecordedEmbedding {
    /// The columns to select from `setting`, the settings as one object.
    pub(super) const COLUMNS: &str =
        "setting ->> 'model', setting -> 'prefixes', setting -> 'dimensions'";

    /// Reads a row with these columns, the first of them at `first`.
    pub(super) fn of_row(row: &Row, first: usize) -> Self {
        let dimensions: Option<Value> = row.get(first + 2);
        let dimensions = dimensions.and_then(|number| usize::try_from(number.as_u64()?).ok());
        Self { model: row.get(first), prefixes: row.get(first + 1), dimensions }
    }

    /// Returns what is recorded for a model; nothing if the store records another one.
    #[must_use]
    pub fn for_model(self, name: &str) -> Self {
        if self.model.as_deref() == Some(name) { self } else { Self::default() }
    }
}
