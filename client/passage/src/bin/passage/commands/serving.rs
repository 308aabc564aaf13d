//! Shared by `mcp` and `serve`: the reader of a store, and the listener with its guard.

use super::embedder::embedder;
use super::{no_model, url, usage};
use crate::args::Serving;
use crate::render;
use passage::Error;
use passage::embed::Model;
use passage::serve::{Guard, GuardError, Reader, ReaderOptions};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// The variable with the token of callers. It is not an option, because all users of a machine see command lines.
const TOKEN: &str = "PASSAGE_TOKEN";

/// Loads the model, once, and makes the reader. Also returns the model itself for its tokenizer.
pub async fn reader(
    args: &Serving,
    note: impl Fn(&str) + Send + Sync + 'static,
) -> Result<(Arc<Reader>, Option<Arc<Model>>), Error> {
    let url = url(&args.server)?;
    let (embedder, model) = if args.no_embed {
        (None, None)
    } else if args.embedder.is_available() {
        let (embedder, model) = embedder(&args.embedder, None).await?;
        (Some(embedder), model)
    } else {
        note(&render::note(&no_model()));
        (None, None)
    };
    let reader = Reader::new(ReaderOptions {
        url,
        store: args.server.store.clone(),
        embedder,
        model_name: args.embedder.model_name(),
        connections: args.connections as usize,
        timeout: Duration::from_secs(args.timeout.into()),
        report: Arc::new(note),
    });
    Ok((Arc::new(reader), model))
}

/// Listens at an address, for the callers that the token admits.
pub async fn listen(address: SocketAddr) -> Result<(TcpListener, Guard, SocketAddr), Error> {
    // A token that is not UTF-8 must not count as none.
    let token = std::env::var_os(TOKEN).map(|token| token.to_string_lossy().trim().to_owned());
    let token = token.filter(|token| !token.is_empty());
    let guard = Guard::new(address, token.as_deref()).map_err(|error| {
        let remedy = match error {
            GuardError::NoToken(_) => {
                "Set PASSAGE_TOKEN to a token that callers must send, or listen on 127.0.0.1."
            }
            GuardError::ShortToken | GuardError::UnreadableToken => {
                "Set PASSAGE_TOKEN to the output of: openssl rand -hex 16."
            }
        };
        usage(&error.to_string(), remedy)
    })?;
    let failed = |error: std::io::Error| {
        usage(
            &format!("cannot listen on {address}: {error}"),
            "Choose another address, or stop the program that uses it.",
        )
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, guard, address))
}
