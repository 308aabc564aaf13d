//! What a search finds.

use crate::store::Note;
use serde::Serialize;
use serde_json::Value;
use tokio_postgres::Row;
use uuid::Uuid;

/// What was found, in one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Found {
    /// The hits by themselves, best first, if they were wanted.
    #[serde(rename = "chunks", skip_serializing_if = "Option::is_none")]
    pub hits: Option<Vec<Hit>>,
    /// The passages they belong to, in the order that was wanted.
    pub passages: Vec<Passage>,
    /// What the server has to say of it.
    pub notes: Vec<Note>,
}

/// A chunk that was found, as a search without context would give it.
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
}

/// A passage: hits with their context, as one text.
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
    pub tokens: i64,
    pub chunk_ids: Vec<Uuid>,
    pub hit_ids: Vec<Uuid>,
    pub first_line: Option<i32>,
    pub last_line: Option<i32>,
    pub citations: Value,
    pub truncated: bool,
    pub complete: Option<bool>,
    pub metadata: Option<Value>,
}

impl Hit {
    pub(super) fn new(row: &Row) -> Self {
        Self {
            rank: row.get("rank"),
            chunk_id: row.get("chunk_id"),
            document_id: row.get("document_id"),
            uri: row.get("uri"),
            title: row.get("title"),
            section: row.get("section"),
            score: row.get("score"),
            vector_rank: row.get("vector_rank"),
            vector_score: row.get("vector_score"),
            text_rank: row.get("text_rank"),
            text_score: row.get("text_score"),
            tokens: row.get("tokens"),
            content: row.get("content"),
            first_line: row.get("first_line"),
            last_line: row.get("last_line"),
        }
    }
}

impl Passage {
    pub(super) fn new(row: &Row) -> Self {
        Self {
            rank: row.get("rank"),
            score: row.get("score"),
            document_id: row.get("document_id"),
            collection: row.get("collection"),
            version: row.get("version"),
            uri: row.get("uri"),
            title: row.get("title"),
            media_type: row.get("media_type"),
            section: row.get("section"),
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
        }
    }

    /// Returns the bytes of the text that are hits, in their order.
    pub fn hits(&self) -> Vec<std::ops::Range<usize>> {
        let place = |citation: &Value, key: &str| citation[key].as_u64().map(|at| at as usize);
        let hit = |citation: &Value| {
            let is_hit = citation["role"] == "hit";
            is_hit.then(|| Some(place(citation, "start")?..place(citation, "end")?)).flatten()
        };
        self.citations.as_array().into_iter().flatten().filter_map(hit).collect()
    }
}
