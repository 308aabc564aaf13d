//! Responses and checks that both HTTP servers share.

use crate::error::Error;
use crate::guard::Guard;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;

/// The header that forbids pages of other origins to embed a response.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Returns an error as a response.
pub(crate) fn reject(error: &Error) -> Response {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = answer(status, &error.to_json());
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// Returns a value as a response.
pub(crate) fn answer(status: StatusCode, value: &impl Serialize) -> Response {
    json_text(status, serde_json::to_string(value).expect("the value is JSON"))
}

/// Returns a JSON text as a response.
pub(crate) fn json_text(status: StatusCode, text: String) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], Body::from(text)).into_response()
}

/// Rejects a path that the server does not have.
pub(crate) async fn not_found() -> Response {
    reject(&Error::Invalid {
        status: 404,
        cause: "the path does not exist".into(),
        remedy: "The documentation of the command lists the paths.".into(),
    })
}

/// Adds the headers that all responses have.
pub(crate) async fn harden(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Rejects requests under a foreign name or of another site.
pub(crate) async fn check_host(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    match guard.check_host(request.headers(), request.uri()) {
        Ok(()) => next.run(request).await,
        Err(error) => reject(&error),
    }
}

/// Rejects requests without the token.
pub(crate) async fn check_token(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    if guard.admits_caller(request.headers()) {
        return next.run(request).await;
    }
    let error = Error::Invalid {
        status: 401,
        cause: "authentication failed".into(),
        remedy: "Send the header Authorization: Bearer TOKEN with the token of the server.".into(),
    };
    ([(WWW_AUTHENTICATE, "Bearer")], reject(&error)).into_response()
}
