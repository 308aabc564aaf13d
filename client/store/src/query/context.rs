//! Expansion of a chunk: one call of the extension's `expand_context`.

use super::super::connection::Store;
use super::super::error::Error;
use super::arguments::{given, number};
use super::call::Call;
use super::value::titles;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
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
    pub links: Option<u32>,
}

/// A chunk of the context, or the hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are described with passage.expand_context")]
pub struct ContextRow {
    pub chunk_id: Uuid,
    pub document_id: Uuid,
    pub uri: Option<String>,
    pub ordinal: i32,
    pub role: String,
    pub distance: i32,
    pub level: Option<i32>,
    #[serde(deserialize_with = "titles")]
    pub section: Vec<String>,
    pub tokens: Option<i32>,
    pub first_line: Option<i32>,
    pub last_line: Option<i32>,
    pub content: String,
    /// The id that the program behind an adopted store knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
}

impl ContextOptions {
    /// Returns the arguments that `expand_context`, `explain_context` and `reassemble` share.
    pub fn arguments(&self) -> Map<String, Value> {
        given([json!({
            "strategy": self.strategy,
            "max_tokens": number(self.max_tokens),
            "limits": {
                "parents": self.parents,
                "preceding": self.preceding,
                "following": self.following,
                "children": self.children,
                "before": self.before,
                "after": self.after,
                "siblings": self.siblings,
                "within": self.within,
                "max_chunks": self.max_chunks,
                "links": self.links,
            },
        })])
    }
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

    /// Returns a chunk with its context, in document order, then the chunks of linked sections.
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
        let functions = self.signatures("expand_context").await?;
        let mut arguments = options.arguments();
        arguments.insert("chunk_id".into(), json!(chunk));
        let layout = self.layout().await?;
        // A store of views may lack the columns for lines, and the documents.
        let [first, last] = ["first_line", "last_line"]
            .map(|line| format!("{}::integer AS {line}", layout.text("chunks", line)));
        let (schema, uri) = (&self.schema, layout.text("documents", "uri"));
        let joins = format!(
            "JOIN {schema}.chunks AS chunks ON chunks.id = expand_context.chunk_id \
             AND chunks.document_id = expand_context.document_id \
             LEFT JOIN {documents} ON documents.id = chunks.document_id \
             ORDER BY expand_context.role = 'linked', \
             CASE expand_context.role WHEN 'linked' THEN expand_context.distance ELSE expand_context.ordinal END",
            documents = if layout.has_relation("documents") {
                format!("{schema}.documents AS documents")
            } else {
                "(SELECT NULL::uuid AS id) AS documents".into()
            }
        );
        let call = Call {
            columns: &format!("expand_context.*, {uri} AS uri, {first}, {last}"),
            joins: &joins,
            ..Call::new(&functions, &arguments, None)
        };
        let rows: Vec<_> = call.rows(&self.client, &self.name).await?.parse()?;
        if rows.is_empty() { Err(Error::NoChunk(chunk)) } else { Ok(rows) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_leave_out_what_the_strategy_decides() {
        let options = ContextOptions { max_tokens: Some(500), ..ContextOptions::default() };
        assert_eq!(Value::Object(options.arguments()), json!({"max_tokens": 500}));
    }
}
