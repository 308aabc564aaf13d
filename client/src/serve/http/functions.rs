//! The functions of the extension as paths.

use super::super::error::Error;
use super::super::facts::FUNCTIONS;
use super::super::reader::Reader;
use super::super::web::{json_text, reject};
use super::body::JsonBody;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Returns the names of the paths.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(path, _)| *path)
}

/// Calls the function of a path.
pub(super) async fn call(
    State(reader): State<Arc<Reader>>,
    path: &'static str,
    JsonBody(arguments): JsonBody<Map<String, Value>>,
) -> Response {
    match rows(&reader, path, &arguments).await {
        Ok(text) => json_text(StatusCode::OK, text),
        Err(error) => reject(&error),
    }
}

/// Returns the rows of a call as a JSON object.
async fn rows(
    reader: &Reader,
    path: &str,
    arguments: &Map<String, Value>,
) -> Result<String, Error> {
    let function =
        FUNCTIONS.iter().find(|(name, _)| *name == path).map_or(path, |(_, function)| function);
    let result = reader.call(function, arguments).await?;
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
    text.push('}');
    Ok(text)
}
