//! Fragments: one call of the extension's `fragments`, which returns whole lines that answer a query.

use super::super::connection::Store;
use super::super::error::Error;
use super::arguments::{given, number};
use super::value::{optional_number, or_empty};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are described in the reference of passage.fragments")]
pub struct Fragment {
    pub fragment_id: Option<String>,
    pub document_id: Option<Uuid>,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub media_type: Option<String>,
    #[serde(deserialize_with = "optional_number")]
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
    #[serde(default, deserialize_with = "or_empty", skip_serializing_if = "Vec::is_empty")]
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
        let arguments = given([json!({
            "query": query.query,
            "uri": query.uri,
            "strategy": query.strategy,
            "collection": query.collection,
            "max_fragments": number(query.limit),
            "max_tokens": number(query.max_tokens),
            "fuzzy_threshold": query.fuzzy_threshold,
            "return_full": query.full.then_some(true),
            "filter": {
                "version": query.version,
                "include_orphaned": query.include_orphaned.then_some(true),
            },
        })]);
        Ok(self.call_named("fragments", &arguments, query.embedding.as_deref()).await?.parse()?)
    }
}
