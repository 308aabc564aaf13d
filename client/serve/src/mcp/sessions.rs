//! Requests over HTTP: the limits of their bodies, and of the sessions that they open.

use crate::error::Error;
use crate::web::reject;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// The maximum number of sessions.
const MAX_SESSIONS: usize = 256;
/// The maximum size of a request, in bytes: a text to store, with escapes.
const MAX_BODY: usize = 8 << 20;
/// The time in which a client sends a request.
const BODY_TIME: Duration = Duration::from_secs(30);

/// Opens one session at a time, so that their count is exact.
pub(super) struct Opening {
    sessions: Arc<LocalSessionManager>,
    turn: Mutex<()>,
}

impl Opening {
    pub(super) fn new(sessions: Arc<LocalSessionManager>) -> Self {
        Self { sessions, turn: Mutex::default() }
    }
}

/// Reads the body of a request within its limits, and rejects a new session while too many are open.
pub(super) async fn admit(
    State(opening): State<Arc<Opening>>,
    request: Request,
    next: Next,
) -> Response {
    let (head, body) = request.into_parts();
    let failure = |status, cause: &str, remedy: &str| {
        reject(&Error::Invalid { status, cause: cause.into(), remedy: remedy.into() })
    };
    let body = match tokio::time::timeout(BODY_TIME, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return failure(413, "the body is too long or incomplete", "Send a shorter text.");
        }
        Err(_) => {
            return failure(408, "the body did not arrive in time", "Send the request again.");
        }
    };
    let opens_session = head.method == Method::POST && may_open_session(&body);
    let request = Request::from_parts(head, Body::from(body));
    if !opens_session {
        return next.run(request).await;
    }
    let _turn = opening.turn.lock().await;
    if opening.sessions.sessions.read().await.len() >= MAX_SESSIONS {
        return reject(&Error::TooManySessions);
    }
    next.run(request).await
}

/// Returns whether a message may open a session. All others belong to one, or need none.
fn may_open_session(message: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Message {
        method: Option<String>,
    }
    let message = serde_json::from_slice::<Message>(message);
    message.map_or(true, |message| message.method.is_some_and(|method| method == "initialize"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_cannot_be_parsed_may_open_a_session() {
        let may = |message: &str| may_open_session(message.as_bytes());
        assert!(may(r#"{"method": "initialize", "params": {}}"#));
        assert!(may(r#"{"method": "tools/list", "method": "initialize"}"#));
        assert!(may("["));
        assert!(!may(r#"{"method": "tools/list", "params": {"method": "initialize"}}"#));
        assert!(!may(r#"{"id": 1, "result": {}}"#));
    }
}
