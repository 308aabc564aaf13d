//! The outline of a document: one call of the extension's `outline`.

use super::super::connection::Store;
use super::super::error::Error;
use super::arguments::given;
use super::value::titles;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

/// A section of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineRow {
    /// The title, indented by its depth.
    pub outline: String,
    /// The titles from the root to the section.
    #[serde(deserialize_with = "titles")]
    pub section: Vec<String>,
    /// The number of chunks.
    pub chunks: i32,
    /// The number of tokens of the chunks.
    pub tokens: i32,
    /// The first line in the source, from 1.
    pub first_line: Option<i32>,
    /// The last line in the source.
    pub last_line: Option<i32>,
}

impl Store {
    /// Returns the sections of a document, in document order. A document without a uri is named by its id.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoDocument`] if no document has the uri.
    pub async fn outline(&self, uri: &str) -> Result<Vec<OutlineRow>, Error> {
        let has_uris = self.layout().await?.has("documents", "uri");
        let mut rows = Vec::new();
        if has_uris {
            let arguments = given([json!({ "uri": uri })]);
            rows = self.call_named("outline", &arguments, None).await?.parse()?;
        }
        if rows.is_empty()
            && let Ok(id) = uri.parse::<Uuid>()
        {
            let arguments = given([json!({ "document_id": id })]);
            rows = self.call_named("outline", &arguments, None).await?.parse()?;
        }
        if rows.is_empty() {
            let sql =
                format!("SELECT EXISTS (SELECT 1 FROM {}.documents WHERE uri = $1)", self.schema);
            if !has_uris || !self.query_one(&sql, &[&uri]).await?.get::<_, bool>(0) {
                return Err(Error::NoDocument(uri.to_owned()));
            }
        }
        Ok(rows)
    }
}
