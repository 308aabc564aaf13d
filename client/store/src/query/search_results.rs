//! The results of a search.

use super::super::connect::Notice;
use super::value::{optional, titles};
use serde::Serialize;
use serde_json::Value;
use tokio_postgres::Row;
use uuid::Uuid;

/// The results of a search, read in one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearchResults {
    /// The hits without context, best first, if [`Search::hits`](super::Search::hits) is set.
    #[serde(rename = "chunks", skip_serializing_if = "Option::is_none")]
    pub hits: Option<Vec<Hit>>,
    /// The passages, in the requested order.
    pub passages: Vec<Passage>,
    /// The notices of the server.
    #[serde(rename = "notes")]
    pub notices: Vec<Notice>,
}

/// A chunk that the search found, without context.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the columns are described in the reference of search_hits")]
pub struct Hit {
    pub rank: i32,
    pub chunk_id: Uuid,
    pub document_id: Uuid,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub section: Vec<String>,
    pub score: f64,
    pub vector_rank: Option<i32>,
    pub vector_score: Option<f64>,
    pub text_rank: Option<i32>,
    pub text_score: Option<f64>,
    pub tokens: Option<i32>,
    pub content: String,
    pub first_line: Option<i32>,
    pub last_line: Option<i32>,
    /// The id that the program behind an adopted store knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
}

/// An assembled passage: the text of hits with their context.
///
/// # Examples
///
/// ```no_run
/// # async fn example(store: &mut passage_store::Store) -> Result<(), passage_store::Error> {
/// # let search = passage_store::Search::default();
/// for passage in store.search(&search).await?.passages {
///     for hit in passage.hit_ranges() {
///         println!("{}", &passage.content[hit]);
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the columns are described in the reference of passage.reassemble")]
pub struct Passage {
    pub rank: i32,
    pub score: Option<f64>,
    pub document_id: Uuid,
    pub collection: Option<String>,
    pub version: Option<String>,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub media_type: Option<String>,
    pub section: Vec<String>,
    pub content: String,
    pub tokens: i32,
    pub chunk_ids: Vec<Uuid>,
    pub hit_ids: Vec<Uuid>,
    pub first_line: Option<i32>,
    pub last_line: Option<i32>,
    pub citations: Value,
    pub truncated: bool,
    pub complete: Option<bool>,
    pub metadata: Option<Value>,
    /// The ids that the program behind an adopted store knows, in the order of `chunk_ids`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source_ids: Vec<Option<String>>,
}

impl Hit {
    pub(super) fn from_row(row: &Row) -> Self {
        Self {
            rank: row.get("rank"),
            chunk_id: row.get("chunk_id"),
            document_id: row.get("document_id"),
            uri: row.get("uri"),
            title: row.get("title"),
            section: titles(row, "section"),
            score: row.get("score"),
            vector_rank: row.get("vector_rank"),
            vector_score: row.get("vector_score"),
            text_rank: row.get("text_rank"),
            text_score: row.get("text_score"),
            tokens: row.get("tokens"),
            content: row.get("content"),
            first_line: row.get("first_line"),
            last_line: row.get("last_line"),
            source_id: optional(row, "source_id"),
        }
    }
}

impl Passage {
    pub(super) fn from_row(row: &Row) -> Self {
        Self {
            rank: row.get("rank"),
            score: row.get("score"),
            document_id: row.get("document_id"),
            collection: row.get("collection"),
            version: row.get("version"),
            uri: row.get("uri"),
            title: row.get("title"),
            media_type: row.get("media_type"),
            section: titles(row, "section"),
            content: row.get("content"),
            tokens: row.get("tokens"),
            chunk_ids: row.get("chunk_ids"),
            hit_ids: row.get("hit_ids"),
            first_line: row.get("first_line"),
            last_line: row.get("last_line"),
            citations: row.get("citations"),
            truncated: row.get("truncated"),
            complete: row.get("complete"),
            metadata: row.get("metadata"),
            source_ids: optional(row, "source_ids").unwrap_or_default(),
        }
    }

    /// Returns the byte ranges of `content` that are hits, in order.
    pub fn hit_ranges(&self) -> Vec<std::ops::Range<usize>> {
        let offset =
            |citation: &Value, key: &str| citation[key].as_u64().map(|offset| offset as usize);
        let hit = |citation: &Value| {
            let is_hit = citation["role"] == "hit";
            is_hit.then(|| Some(offset(citation, "start")?..offset(citation, "end")?)).flatten()
        };
        self.citations.as_array().into_iter().flatten().filter_map(hit).collect()
    }
}
