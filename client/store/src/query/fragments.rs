//! Fragments: one call of the extension's `fragments`, which returns whole lines that answer a query.

use super::super::connection::Store;
use super::super::error::Error;
use super::arguments::Arguments;
use super::value::optional;
use serde::Serialize;
use serde_json::{Value, json};
use tokio_postgres::Row;
use uuid::Uuid;

/// A query for fragments. `None` means the default of the extension.
///
/// # Examples
///
/// ```no_run
/// use passage_store::{FragmentQuery, Store};
///
/// # async fn example(store: &Store) -> Result<(), passage_store::Error> {
/// let query = FragmentQuery {
///     query: Some("log level".into()),
///     uri: Some("docs/logging.md".into()),
///     ..FragmentQuery::default()
/// };
/// for fragment in store.fragments(&query).await? {
///     println!("{:?}: {:?}", fragment.first_line, fragment.content);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct FragmentQuery {
    /// The query, in words; optional if `uri` is given.
    pub query: Option<String>,
    /// The embedding of the query, by the store's model.
    pub embedding: Option<Vec<f32>>,
    /// The document; `None` for all documents.
    pub uri: Option<String>,
    /// The ranking strategy, such as `auto`.
    pub strategy: Option<String>,
    /// The collection.
    pub collection: Option<String>,
    /// The version of the collection.
    pub version: Option<String>,
    /// The maximum number of fragments.
    pub limit: Option<u32>,
    /// The maximum number of tokens of all fragments together.
    pub max_tokens: Option<u32>,
    /// The minimum trigram similarity of fuzzy matches, from 0 to 1.
    pub fuzzy_threshold: Option<f64>,
    /// Whether to return the whole document.
    pub full: bool,
    /// Whether to search documents whose source no longer exists.
    pub include_orphaned: bool,
}

/// Whole lines of a document that answer a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the columns are described in the reference of passage.fragments")]
pub struct Fragment {
    pub fragment_id: Option<String>,
    pub document_id: Option<Uuid>,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub media_type: Option<String>,
    pub score: Option<f64>,
    pub content: Option<String>,
    pub first_line: Option<i32>,
    pub last_line: Option<i32>,
    pub tokens: Option<i32>,
    pub strategy_used: Option<String>,
    pub signals: Option<Value>,
    pub before: Option<String>,
    pub after: Option<String>,
    pub related: Option<Value>,
    pub metadata: Option<Value>,
    /// The ids that the program behind an adopted store knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source_ids: Vec<Option<String>>,
}

impl Store {
    /// Returns the fragments that answer a query, best first.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Nul`] if a text contains a NUL character, and [`Error::Database`] if the strategy
    /// or the document does not exist, or if the embedding does not have the store's dimensions.
    pub async fn fragments(&self, query: &FragmentQuery) -> Result<Vec<Fragment>, Error> {
        let mut arguments = Arguments::default();
        arguments.text("query", query.query.as_deref())?;
        arguments.add("embedding", query.embedding.as_deref());
        arguments.text("uri", query.uri.as_deref())?;
        arguments.text("strategy", query.strategy.as_deref())?;
        arguments.text("collection", query.collection.as_deref())?;
        arguments.number("max_fragments", query.limit);
        arguments.number("max_tokens", query.max_tokens);
        arguments.add("fuzzy_threshold", query.fuzzy_threshold);
        arguments.add("return_full", query.full.then_some(true));
        let orphaned = query.include_orphaned.then_some(true);
        arguments.group(
            "filter",
            [("version", json!(query.version)), ("include_orphaned", json!(orphaned))],
        )?;
        arguments.text("store", Some(&self.name))?;
        let sql = format!("SELECT * FROM {}", arguments.call("fragments"));
        Ok(self.query(&sql, &arguments.values()).await?.iter().map(fragment).collect())
    }
}

fn fragment(row: &Row) -> Fragment {
    Fragment {
        fragment_id: row.get("fragment_id"),
        document_id: row.get("document_id"),
        uri: row.get("uri"),
        title: row.get("title"),
        media_type: row.get("media_type"),
        score: row.get("score"),
        content: row.get("content"),
        first_line: row.get("first_line"),
        last_line: row.get("last_line"),
        tokens: row.get("tokens"),
        strategy_used: row.get("strategy_used"),
        signals: row.get("signals"),
        before: row.get("before"),
        after: row.get("after"),
        related: row.get("related"),
        metadata: row.get("metadata"),
        source_ids: optional(row, "source_ids").unwrap_or_default(),
    }
}
