//! The outline of a document: one call of the extension's `outline`.

use super::super::connection::Store;
use super::super::error::Error;
use super::value::titles;
use serde::Serialize;
use uuid::Uuid;

/// A section of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutlineRow {
    /// The title, indented by its depth.
    pub outline: String,
    /// The titles from the root to the section.
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
        let sql = "SELECT * FROM passage.outline(uri => $1, store => $2::text::name)";
        let layout = self.layout().await?;
        let has_uris = layout.has("documents", "uri");
        let mut rows =
            if has_uris { self.query(sql, &[&uri, &self.name]).await? } else { Vec::new() };
        if rows.is_empty()
            && let Ok(id) = uri.parse::<Uuid>()
        {
            let sql = "SELECT * FROM passage.outline(document_id => $1, store => $2::text::name)";
            rows = self.query(sql, &[&id, &self.name]).await?;
        }
        if rows.is_empty() {
            let sql =
                format!("SELECT EXISTS (SELECT 1 FROM {}.documents WHERE uri = $1)", self.schema);
            if !has_uris || !self.query_one(&sql, &[&uri]).await?.get::<_, bool>(0) {
                return Err(Error::NoDocument(uri.to_owned()));
            }
        }
        let row = |row: tokio_postgres::Row| OutlineRow {
            outline: row.get("outline"),
            section: titles(&row, "section"),
            chunks: row.get("chunks"),
            tokens: row.get("tokens"),
            first_line: row.get("first_line"),
            last_line: row.get("last_line"),
        };
        Ok(rows.into_iter().map(row).collect())
    }
}
