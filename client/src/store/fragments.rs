//! Whole lines of documents that answer a query: one call of the extension's `fragments`.

use super::arguments::Arguments;
use super::{Error, Store};
use serde::Serialize;
use serde_json::Value;
use tokio_postgres::Row;
use uuid::Uuid;

/// What is asked; what is `None` is left to the extension's defaults.
#[derive(Clone, Debug, Default)]
pub struct Quest {
    /// The query, in words; a document that is named may do without.
    pub query: Option<String>,
    /// Its embedding by the store's model.
    pub embedding: Option<Vec<f32>>,
    /// The document to look in; `None` for all.
    pub uri: Option<String>,
    /// By what to rank, such as `auto`.
    pub strategy: Option<String>,
    /// Of this collection alone.
    pub collection: Option<String>,
    /// Of this version of it.
    pub version: Option<String>,
    /// The most fragments.
    pub limit: Option<u32>,
    /// The most tokens of all together.
    pub max_tokens: Option<u32>,
    /// From which share on words are alike, from 0 to 1.
    pub fuzzy_threshold: Option<f64>,
    /// Whether all of the document is wanted.
    pub full: bool,
    /// Whether documents whose source is gone are looked in, too.
    pub include_orphaned: bool,
}

/// Whole lines of a document.
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
}

impl Store {
    /// Finds the lines that answer a query, best first.
    ///
    /// # Errors
    ///
    /// [`Error::Nul`] if a text holds one, and [`Error::Refused`] if there is no such strategy or
    /// document, or if the embedding is not of the store's dimensions.
    pub async fn fragments(&self, quest: &Quest) -> Result<Vec<Fragment>, Error> {
        let mut arguments = Arguments::default();
        arguments.text("query", quest.query.as_deref())?;
        arguments.add("embedding", quest.embedding.as_deref());
        arguments.text("uri", quest.uri.as_deref())?;
        arguments.text("strategy", quest.strategy.as_deref())?;
        arguments.text("collection", quest.collection.as_deref())?;
        arguments.text("version", quest.version.as_deref())?;
        arguments.number("max_fragments", quest.limit);
        arguments.number("max_tokens", quest.max_tokens);
        arguments.add("fuzzy_threshold", quest.fuzzy_threshold);
        arguments.add("return_full", quest.full.then_some(true));
        arguments.add("include_orphaned", quest.include_orphaned.then_some(true));
        arguments.text("store", Some(&self.name))?;
        let sql = format!("SELECT * FROM {}", arguments.call("fragments"));
        let rows = self
            .client
            .query(&sql, &arguments.values())
            .await
            .map_err(|error| self.error(&error))?;
        Ok(rows.iter().map(fragment).collect())
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
    }
}
