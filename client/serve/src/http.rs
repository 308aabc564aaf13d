/*!
HTTP: the functions of the extension as JSON, embeddings in the shape of `OpenAI`, and the page.

`POST /search`, `/fragments`, `/context`, `/outline` and others take the arguments of the SQL functions as a JSON
object and return their rows. `/openapi.json` describes them, from the catalogs of the database.
*/

mod body;
mod browse;
mod embeddings;
mod functions;
mod openapi;

use crate::error::Error;
use crate::facts::{FUNCTIONS, RATE, SEARCH};
use crate::guard::Guard;
use crate::listen::{self, Serving, Stop};
use crate::page;
use crate::reader::Reader;
use crate::web::{answer, check_host, check_token, harden, reject};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::json;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Serves HTTP until `stop` is ready.
pub fn serve(listener: TcpListener, reader: Arc<Reader>, guard: Guard, stop: Stop) -> Serving<()> {
    Box::pin(listen::listen(listener, router(reader, guard), stop))
}

/// Returns the routes.
fn router(reader: Arc<Reader>, guard: Guard) -> Router {
    let guard = Arc::new(guard);
    let mut api = Router::new()
        .route("/v1/embeddings", post(embeddings::embeddings))
        .route("/v1/models", get(embeddings::models))
        .route("/store", get(browse::store))
        .route("/collections", get(browse::collections))
        .route("/documents", get(browse::documents))
        .route("/document", get(browse::document))
        .route("/evaluation", get(browse::evaluation))
        .route("/chunks", get(browse::chunks))
        .route("/openapi.json", get(openapi::openapi));
    for (path, function) in FUNCTIONS {
        let call = move |state, body| functions::call(state, function, body);
        let call = match function {
            SEARCH => post(functions::search),
            RATE => post(functions::rate),
            _ => post(call),
        };
        api = api.route(&format!("/{path}"), call);
    }
    api.layer(from_fn_with_state(Arc::clone(&reader), limit_requests))
        .layer(from_fn_with_state(Arc::clone(&guard), check_token))
        .route("/health", get(health))
        .route("/ready", get(ready))
        .fallback(asset)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(body::MAX_BYTES))
        .layer(from_fn_with_state(guard, check_host))
        .layer(from_fn(harden))
        .with_state(reader)
}

/// Returns status 200 while the process runs.
async fn health() -> Response {
    answer(StatusCode::OK, &json!({"status": "ok"}))
}

/// Returns status 200 while the store can be read.
async fn ready(State(reader): State<Arc<Reader>>) -> Response {
    if reader.is_ready().await {
        return answer(StatusCode::OK, &json!({"status": "ready"}));
    }
    // The caller may have no token, and the cause may name the database server.
    answer(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "not ready"}))
}

/// Returns a file of the page.
async fn asset(uri: Uri) -> Response {
    match page::asset(uri.path()) {
        Some(asset) => {
            let headers = [
                (CONTENT_TYPE, asset.content_type),
                (CONTENT_SECURITY_POLICY, page::CONTENT_SECURITY_POLICY),
            ];
            (headers, asset.body).into_response()
        }
        None => reject(&Error::Invalid {
            status: 404,
            cause: format!("the path {} does not exist", uri.path().escape_debug()),
            remedy: "/openapi.json lists the paths.".into(),
        }),
    }
}

async fn wrong_method() -> Response {
    reject(&Error::Invalid {
        status: 405,
        cause: "the path does not take this method".into(),
        remedy: "/openapi.json lists the paths with their methods.".into(),
    })
}

/// Rejects a request while too many others are being answered.
async fn limit_requests(
    State(reader): State<Arc<Reader>>,
    request: Request,
    next: Next,
) -> Response {
    match reader.admit() {
        Ok(_permit) => next.run(request).await,
        Err(error) => reject(&error),
    }
}
