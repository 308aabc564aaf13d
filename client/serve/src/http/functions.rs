//! The functions of the extension as paths.

use super::body::JsonBody;
use crate::error::Error;
use crate::reader::Reader;
use crate::web::{json_text, reject};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Calls the function of a path.
pub(super) async fn call(
    State(reader): State<Arc<Reader>>,
    function: &'static str,
    JsonBody(arguments): JsonBody<Map<String, Value>>,
) -> Response {
    match rows(&reader, function, &arguments).await {
        Ok(text) => json_text(StatusCode::OK, text),
        Err(error) => reject(&error),
    }
}

/// Returns the rows of a call as a JSON object.
async fn rows(
    reader: &Reader,
    function: &str,
    arguments: &Map<String, Value>,
) -> Result<String, Error> {
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
