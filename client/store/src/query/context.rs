//! Expansion of a chunk: one call of the extension's `expand_context`.

use super::super::connection::Store;
use super::super::error::Error;
use super::arguments::Arguments;
use super::value::{optional, titles};
use serde::Serialize;
use serde_json::json;
use tokio_postgres::Row;
use uuid::Uuid;

/// The context to add to a chunk. `None` means the value of the strategy.
///
/// # Examples
///
/// ```no_run
/// use passage_store::{ContextOptions, Store};
/// use uuid::Uuid;
///
/// # async fn example(store: &Store, chunk: Uuid) -> Result<(), passage_store::Error> {
/// let options = ContextOptions { strategy: Some("broad".into()), ..ContextOptions::default() };
/// for row in store.context(chunk, &options).await? {
///     println!("{} {}", row.role, row.content);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the limits are described with passage.expand_context")]
pub struct ContextOptions {
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

/// A chunk of the context, or the hit.
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
    /// The id that the program behind an adopted store knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
}

impl Store {
    /// Returns the id of the chunk that has an id in the table from which `passage.adopt` made the store.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoSourceId`] if no chunk has the id, or if the store is not adopted.
    pub async fn chunk_of_source(&self, source_id: &str) -> Result<Uuid, Error> {
        let no_chunk = || Error::NoSourceId(source_id.to_owned());
        if self.layout().await?.source.is_none() {
            return Err(no_chunk());
        }
        let sql = "SELECT passage.chunk_id($1::text::name, $2::text)";
        self.query_one(sql, &[&self.name, &source_id])
            .await?
            .get::<_, Option<Uuid>>(0)
            .ok_or_else(no_chunk)
    }

    /// Returns a chunk with its context, in document order.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoChunk`] if no chunk has the id, and [`Error::Database`] if the strategy is
    /// unknown or a limit is out of range.
    pub async fn context(
        &self,
        chunk: Uuid,
        options: &ContextOptions,
    ) -> Result<Vec<ContextRow>, Error> {
        let mut arguments = Arguments::default();
        arguments.add("chunk_id", Some(chunk));
        arguments.text("strategy", options.strategy.as_deref())?;
        arguments.number("max_tokens", options.max_tokens);
        arguments.number("max_chunks", options.max_chunks);
        arguments.group(
            "limits",
            [
                ("parents", json!(options.parents)),
                ("preceding", json!(options.preceding)),
                ("following", json!(options.following)),
                ("children", json!(options.children)),
                ("before", json!(options.before)),
                ("after", json!(options.after)),
                ("siblings", json!(options.siblings)),
                ("within", json!(options.within)),
            ],
        )?;
        arguments.text("store", Some(&self.name))?;
        let layout = self.layout().await?;
        // A store of views may lack the columns for lines, and the documents.
        let [first, last] = ["first_line", "last_line"]
            .map(|line| format!("{}::integer AS {line}", layout.text("chunks", line)));
        let (schema, uri) = (&self.schema, layout.text("documents", "uri"));
        // Without the path: for the type ltree, the driver would prepare a query of its own and keep it.
        let sql = format!(
            "SELECT context.chunk_id, context.document_id, context.ordinal, context.role, context.distance, \
             context.level, context.section, context.tokens, context.content, to_jsonb(context) ->> 'source_id' AS source_id, {uri} AS uri, {first}, {last} \
             FROM {} AS context \
             JOIN {schema}.chunks AS chunks ON chunks.id = context.chunk_id AND chunks.document_id = context.document_id \
             LEFT JOIN {documents} ON documents.id = chunks.document_id ORDER BY context.ordinal",
            arguments.call("expand_context"),
            documents = if layout.has_relation("documents") {
                format!("{schema}.documents AS documents")
            } else {
                "(SELECT NULL::uuid AS id) AS documents".into()
            }
        );
        let rows = self.query(&sql, &arguments.values()).await?;
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
        section: titles(row, "section"),
        tokens: row.get("tokens"),
        first_line: row.get("first_line"),
        last_line: row.get("last_line"),
        content: row.get("content"),
        source_id: optional(row, "source_id"),
    }
}
