//! A chunk with its context.

use super::arguments::Arguments;
use super::{Error, Store};
use serde::Serialize;
use tokio_postgres::Row;
use uuid::Uuid;

/// Which context to add to a chunk; what is `None` is left to the strategy.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the limits are described with passage.expand_context")]
pub struct Context {
    pub strategy: Option<String>,
    pub parents: Option<u32>,
    pub preceding: Option<u32>,
    pub following: Option<u32>,
    pub children: Option<u32>,
    pub before: Option<u32>,
    pub after: Option<u32>,
    pub siblings: Option<String>,
    pub within: Option<String>,
    pub max_tokens: Option<u32>,
    pub max_chunks: Option<u32>,
}

/// A chunk of the context, the hit among them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the columns are described with passage.expand_context")]
pub struct ContextRow {
    pub chunk_id: Uuid,
    pub document_id: Uuid,
    pub uri: Option<String>,
    pub ordinal: i32,
    pub role: String,
    pub distance: i32,
    pub level: Option<i32>,
    pub section: Vec<String>,
    pub tokens: Option<i32>,
    pub first_line: Option<i32>,
    pub last_line: Option<i32>,
    pub content: String,
}

impl Store {
    /// Returns a chunk with its context, in document order.
    ///
    /// # Errors
    ///
    /// [`Error::NoChunk`] if there is none of that id, [`Error::Refused`] if there is no such
    /// strategy or a limit is out of range.
    pub async fn context(&self, chunk: Uuid, context: &Context) -> Result<Vec<ContextRow>, Error> {
        let mut arguments = Arguments::default();
        arguments.add("chunk_id", Some(chunk));
        arguments.text("strategy", context.strategy.as_deref())?;
        for (name, number) in [
            ("parents", context.parents),
            ("preceding", context.preceding),
            ("following", context.following),
            ("children", context.children),
            ("before", context.before),
            ("after", context.after),
            ("max_tokens", context.max_tokens),
            ("max_chunks", context.max_chunks),
        ] {
            arguments.number(name, number);
        }
        arguments.text("siblings", context.siblings.as_deref())?;
        arguments.text("within", context.within.as_deref())?;
        arguments.text("store", Some(&self.name))?;
        // An adopted store may lack the lines, and the documents.
        let [first, last] = ["first_line", "last_line"]
            .map(|line| format!("(to_jsonb(chunk) ->> '{line}')::integer AS {line}"));
        let schema = &self.schema;
        let sql = format!(
            "SELECT context.*, document.uri, {first}, {last} FROM {} AS context \
             JOIN {schema}.chunks AS chunk ON chunk.id = context.chunk_id AND chunk.document_id = context.document_id \
             LEFT JOIN {schema}.documents AS document ON document.id = context.document_id ORDER BY context.ordinal",
            arguments.call("expand_context")
        );
        let rows = self
            .client
            .query(&sql, &arguments.values())
            .await
            .map_err(|error| self.error(&error))?;
        if rows.is_empty() {
            return Err(Error::NoChunk(chunk));
        }
        Ok(rows.iter().map(row).collect())
    }
}

fn row(row: &Row) -> ContextRow {
    ContextRow {
        chunk_id: row.get("chunk_id"),
        document_id: row.get("document_id"),
        uri: row.get("uri"),
        ordinal: row.get("ordinal"),
        role: row.get("role"),
        distance: row.get("distance"),
        level: row.get("level"),
        section: row.get("section"),
        tokens: row.get("tokens"),
        first_line: row.get("first_line"),
        last_line: row.get("last_line"),
        content: row.get("content"),
    }
}
