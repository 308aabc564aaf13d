//! The functions of the extension as paths.

use super::body::JsonBody;
use crate::error::Error;
use crate::reader::Reader;
use crate::reader::search::Searched;
use crate::web::{json_text, reject};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use passage_store::CallResult;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The argument of a search that the extension does not have.
pub(super) const RERANK: &str = "rerank";

/// Calls the function of a path.
pub(super) async fn call(
    State(reader): State<Arc<Reader>>,
    function: &'static str,
    JsonBody(arguments): JsonBody<Map<String, Value>>,
) -> Response {
    respond(reader.call(function, &arguments).await.map(|result| rows(&result, None)))
}

/// Rates a chunk.
pub(super) async fn rate(
    State(reader): State<Arc<Reader>>,
    JsonBody(arguments): JsonBody<Map<String, Value>>,
) -> Response {
    respond(reader.rate(&arguments).await.map(|result| rows(&result, None)))
}

/// Searches, and says whether a model has ordered the passages.
pub(super) async fn search(
    State(reader): State<Arc<Reader>>,
    JsonBody(arguments): JsonBody<Map<String, Value>>,
) -> Response {
    respond(searched(&reader, arguments).await)
}

async fn searched(reader: &Reader, mut arguments: Map<String, Value>) -> Result<String, Error> {
    let rerank = match arguments.remove(RERANK) {
        None | Some(Value::Null) => None,
        Some(Value::Bool(rerank)) => Some(rerank),
        Some(_) => {
            return Err(Error::invalid(
                "argument \"rerank\" must be true or false",
                "Correct the value, or leave the argument out.",
            ));
        }
    };
    let Searched { result, is_reranked } = Box::pin(reader.search(&arguments, rerank)).await?;
    Ok(rows(&result, Some(is_reranked)))
}

fn respond(text: Result<String, Error>) -> Response {
    match text {
        Ok(text) => json_text(StatusCode::OK, text),
        Err(error) => reject(&error),
    }
}

/// Returns the rows of a call as a JSON object.
fn rows(result: &CallResult, is_reranked: Option<bool>) -> String {
    // The server writes each row as JSON, so the rows are not parsed here.
    let length: usize = result.rows.iter().map(|row| row.len() + 1).sum();
    let mut text = String::with_capacity(length + 64);
    text.push_str("{\"results\":[");
    for (position, row) in result.rows.iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        text.push_str(row);
    }
    text.push_str("],\"notes\":");
    text.push_str(&serde_json::to_string(&result.notices).expect("notices are JSON"));
    if let Some(is_reranked) = is_reranked {
        text.push_str(if is_reranked { ",\"reranked\":true" } else { ",\"reranked\":false" });
    }
    text.push('}');
    text
}
