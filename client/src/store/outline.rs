//! The tree of a document.

use super::{Error, Store};
use serde::Serialize;

/// A section of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutlineRow {
    /// Its title, indented by its depth.
    pub outline: String,
    /// The titles from the root down to it.
    pub section: Vec<String>,
    /// How many chunks it has.
    pub chunks: i64,
    /// How many tokens they have.
    pub tokens: i64,
    /// The first line of the source that it touches, from 1.
    pub first_line: Option<i32>,
    /// The last.
    pub last_line: Option<i32>,
}

impl Store {
    /// Returns the sections of a document, in document order.
    ///
    /// # Errors
    ///
    /// [`Error::NoDocument`] if no document has the uri.
    pub async fn outline(&self, uri: &str) -> Result<Vec<OutlineRow>, Error> {
        let rows = self
            .client
            .query(
                "SELECT * FROM passage.outline(uri => $1, store => $2::text::name)",
                &[&uri, &self.name],
            )
            .await
            .map_err(|error| self.error(&error))?;
        if rows.is_empty() {
            let sql =
                format!("SELECT EXISTS (SELECT FROM {}.documents WHERE uri = $1)", self.schema);
            let row =
                self.client.query_one(&sql, &[&uri]).await.map_err(|error| self.error(&error))?;
            if !row.get::<_, bool>(0) {
                return Err(Error::NoDocument(uri.to_owned()));
            }
        }
        let row = |row: tokio_postgres::Row| OutlineRow {
            outline: row.get("outline"),
            section: row.get("section"),
            chunks: row.get("chunks"),
            tokens: row.get("tokens"),
            first_line: row.get("first_line"),
            last_line: row.get("last_line"),
        };
        Ok(rows.into_iter().map(row).collect())
    }
}
