//! JSON bodies of requests.

use crate::error::Error;
use crate::web::reject;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// The maximum size of a body.
pub(super) const MAX_BYTES: usize = 1 << 20;
/// The time in which a client sends the body.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The body of a request with a JSON object.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let content_type =
            request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = content_type.and_then(|value| value.split(';').next()).map(str::trim);
        // Browsers send this type to another site only after a preflight request, which fails here.
        if !essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json")) {
            return Err(reject(&Error::Invalid {
                status: 415,
                cause: "the body must be JSON".into(),
                remedy: "Send the header Content-Type: application/json.".into(),
            }));
        }
        let body = tokio::time::timeout(TIMEOUT, Bytes::from_request(request, state)).await;
        let body = body.map_err(|_| reject(&Error::TimedOut(TIMEOUT)))?.map_err(|rejection| {
            reject(&Error::Invalid {
                status: rejection.status().as_u16(),
                cause: rejection.body_text(),
                remedy: format!("Send at most {MAX_BYTES} bytes."),
            })
        })?;
        serde_json::from_slice(&body).map(JsonBody).map_err(|error| {
            reject(&Error::invalid(
                format!(
                    "the body is not the expected JSON object, at line {} column {}",
                    error.line(),
                    error.column()
                ),
                "/openapi.json describes it.",
            ))
        })
    }
}
