//! The store, its collections, its documents and their chunks.

use crate::error::Error;
use crate::reader::Reader;
use crate::web::{answer, json_text, reject};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use passage_store::{ChunkKey, DocumentFilter, DocumentKey, ListedDocument};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use uuid::Uuid;

/// The default and maximum numbers of documents and of chunks in a response.
const DOCUMENTS: (u32, u32) = (100, 1_000);
const CHUNKS: (u32, u32) = (10_000, 20_000);

type Parameters<T> = Result<Query<T>, QueryRejection>;

/// Returns the response of a request.
fn respond<T: Serialize>(result: Result<T, Error>) -> Response {
    match result {
        Ok(value) => answer(StatusCode::OK, &value),
        Err(error) => reject(&error),
    }
}

/// Returns the parameters of a request.
fn parameters<T>(parameters: Parameters<T>) -> Result<T, Error> {
    let Query(parameters) = parameters.map_err(|rejection| {
        Error::invalid(rejection.body_text(), "/openapi.json describes the parameters.")
    })?;
    Ok(parameters)
}

pub(super) async fn store(State(reader): State<Arc<Reader>>) -> Response {
    respond(reader.describe().await)
}

pub(super) async fn evaluation(State(reader): State<Arc<Reader>>) -> Response {
    match reader.evaluation() {
        Some(report) => json_text(StatusCode::OK, report.into()),
        None => reject(&Error::Invalid {
            status: 404,
            cause: "this server has no report of an evaluation".into(),
            remedy: "Start it with --eval and a file that passage eval --json wrote.".into(),
        }),
    }
}

pub(super) async fn collections(State(reader): State<Arc<Reader>>) -> Response {
    respond(reader.collections().await.map(|collections| json!({ "results": collections })))
}

/// A page of documents.
#[derive(Serialize)]
struct DocumentPage {
    results: Vec<ListedDocument>,
    next: Option<String>,
}

/// The documents to list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParameters {
    uri: Option<String>,
    collection: Option<String>,
    version: Option<String>,
    after: Option<String>,
    limit: Option<u32>,
}

pub(super) async fn documents(
    State(reader): State<Arc<Reader>>,
    given: Parameters<ListParameters>,
) -> Response {
    let list = async || {
        let ListParameters { uri, collection, version, after, limit } = parameters(given)?;
        let after = after.as_deref().map(key_of::<DocumentKey>).transpose()?;
        let limit = within(limit, DOCUMENTS)?;
        let filter = DocumentFilter {
            uri,
            collection,
            version,
            after,
            with_metadata: true,
            limit,
            ..DocumentFilter::default()
        };
        let documents = reader.documents(&filter).await?;
        let is_full = documents.len() == limit as usize;
        let next = documents.last().filter(|_| is_full).map(|last| cursor(&last.key()));
        Ok(DocumentPage { results: documents, next })
    };
    respond(list().await)
}

/// A document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DocumentParameters {
    document_id: Uuid,
}

pub(super) async fn document(
    State(reader): State<Arc<Reader>>,
    given: Parameters<DocumentParameters>,
) -> Response {
    let find = async || {
        let filter = DocumentFilter {
            id: Some(parameters(given)?.document_id),
            with_metadata: true,
            limit: 1,
            ..DocumentFilter::default()
        };
        let documents = reader.documents(&filter).await?;
        if documents.is_empty() {
            return Err(Error::Invalid {
                status: 404,
                cause: "no document has this id".into(),
                remedy: "/documents lists them.".into(),
            });
        }
        Ok(DocumentPage { results: documents, next: None })
    };
    respond(find().await)
}

/// The chunks to return.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChunkParameters {
    document_id: Uuid,
    after: Option<String>,
    limit: Option<u32>,
}

pub(super) async fn chunks(
    State(reader): State<Arc<Reader>>,
    given: Parameters<ChunkParameters>,
) -> Response {
    let read = async || {
        let ChunkParameters { document_id, after, limit } = parameters(given)?;
        let limit = within(limit, CHUNKS)?;
        let after = after.as_deref().map(key_of::<ChunkKey>).transpose()?;
        let chunks = reader.chunks(document_id, after, limit).await?;
        let is_full = chunks.len() == limit as usize;
        let next = chunks.last().filter(|_| is_full).map(|last| cursor(&last.key()));
        Ok(json!({ "results": chunks, "next": next }))
    };
    respond(read().await)
}

/// Returns the value of `next` for the key of the last row of a page.
fn cursor(key: &impl Serialize) -> String {
    serde_json::to_string(key).expect("a key is JSON")
}

/// Returns the key in a value of `after`.
fn key_of<'a, T: Deserialize<'a>>(after: &'a str) -> Result<T, Error> {
    serde_json::from_str(after).map_err(|_| {
        Error::invalid(
            "\"after\" is not a value of \"next\"",
            "Give the value of \"next\" of the page before.",
        )
    })
}

/// Returns a limit, or its default.
fn within(limit: Option<u32>, (default, max): (u32, u32)) -> Result<u32, Error> {
    let limit = limit.unwrap_or(default);
    if (1..=max).contains(&limit) {
        return Ok(limit);
    }
    Err(Error::invalid("\"limit\" is out of range", format!("Use 1 to {max}.")))
}
