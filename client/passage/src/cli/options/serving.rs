//! Shared by `mcp` and `serve`: the reader of a store, and the listener with its guard.

use super::embedder::embedder;
use super::question::no_model;
use super::{Embedder, Reranker, Server};
use crate::Error;
use crate::cli::output::print::print_error;
use crate::cli::output::render;
use crate::embed::Model;
use crate::serve::{Guard, GuardError, Reader, ReaderOptions};
use clap::Args;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

#[derive(Args)]
pub struct Serving {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Search by words only; needs no model
    #[arg(long)]
    pub no_embed: bool,
    #[command(flatten)]
    pub reranker: Reranker,
    /// Allow callers to rate chunks; the role needs the right INSERT on the table ratings
    #[arg(long)]
    pub allow_ratings: bool,
    /// Maximum number of connections to the database, 1 to 100
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub connections: u32,
    /// Time limit of a request in seconds, 1 to 3600; the server cancels the statement of a longer one
    #[arg(long, default_value_t = 30, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub timeout: u32,
}

/// The variable with the token of callers. It is not an option, because all users of a machine see command lines.
const TOKEN: &str = "PASSAGE_TOKEN";

/// Loads the model, once, and makes the reader, with the report of an evaluation. Also returns the model itself for its
/// tokenizer.
pub async fn reader(
    args: &Serving,
    evaluation: Option<String>,
) -> Result<(Arc<Reader>, Option<Arc<Model>>), Error> {
    let url = args.server.url()?;
    let (embedder, model) = if args.no_embed {
        (None, None)
    } else if args.embedder.is_available() {
        let (embedder, model) = embedder(&args.embedder, None).await?;
        (Some(embedder), model)
    } else {
        print_error(&render::note(&no_model()));
        (None, None)
    };
    let reader = Reader::new(ReaderOptions {
        url,
        store: args.server.store.clone(),
        embedder,
        reranking: args.reranker.load()?.map(Arc::new),
        model_name: args.embedder.model_name(),
        connections: args.connections as usize,
        timeout: Duration::from_secs(args.timeout.into()),
        report: Arc::new(print_error),
    });
    let reader = reader.with_evaluation(evaluation).with_ratings(args.allow_ratings);
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
        Error::usage(&error.to_string(), remedy)
    })?;
    let failed = |error: std::io::Error| {
        Error::usage(
            &format!("cannot listen on {address}: {error}"),
            "Choose another address, or stop the program that uses it.",
        )
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, guard, address))
}
