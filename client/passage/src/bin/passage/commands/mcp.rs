//! The command `mcp`: serves tools to agents.

use super::interruption::interruption;
use super::serving::{listen, reader};
use super::splitter::StoreSplitter;
use super::{connect_told, url, usage};
use crate::args::{self, Sizer};
use crate::render;
use passage::Error;
use passage::embed::{Embedder, Model};
use passage::ingest::{Ingest, Job};
use passage::serve::mcp::{Server, Writer};
use std::sync::Arc;

/// Serves until the client closes standard input, or until a signal; `note` prints the address.
pub async fn mcp(
    args: args::Mcp,
    note: impl Fn(&str) + Copy + Send + Sync + 'static,
) -> Result<(), Error> {
    let listener = match args.http {
        Some(address) => {
            let listening = listen(address).await?;
            if args.allow_ingest && !listening.1.has_token() {
                return Err(usage(
                    "--allow-ingest with --http needs a token",
                    "Set PASSAGE_TOKEN to a token that callers must send. Without it, every user of this machine could write.",
                ));
            }
            Some(listening)
        }
        None => None,
    };
    let (reader, model) = reader(&args.serving, note).await?;
    let writer = if args.allow_ingest {
        let embedder = reader.embedder().cloned();
        Some(Writer::new(ingest(&args.serving, embedder, model, &note).await?))
    } else {
        None
    };
    let server = Server::new(Arc::clone(&reader), writer);
    let result = match listener {
        Some((listener, guard, address)) => {
            note(&format!("listening on http://{address}/mcp"));
            server.serve_http(listener, guard, interruption()).await;
            Ok(())
        }
        None => server.serve_stdio(interruption()).await.map_err(|cause| {
            usage(&format!("MCP: {cause}"), "Start this command from an MCP client.")
        }),
    };
    reader.close().await;
    result
}

/// Returns the settings with which texts are stored: those of the store.
async fn ingest(
    args: &args::Serving,
    embedder: Option<Arc<Embedder>>,
    model: Option<Arc<Model>>,
    note: impl Fn(&str),
) -> Result<Ingest, Error> {
    let store = connect_told(&args.server, &args.embedder).await?;
    store.must_be_writable().await?;
    let embedder = if store.has_embeddings().await? { embedder } else { None };
    let splitter = StoreSplitter {
        store: &store,
        options: &args::Splitting::default(),
        embedder: &args.embedder,
        default: if model.is_some() { Sizer::Wordpieces } else { Sizer::Characters },
        loaded: model,
    };
    let (splitter, notice) = splitter.splitter().await?;
    if let Some(notice) = notice {
        note(&render::note(&notice));
    }
    let job = Job {
        splitter,
        embedder,
        model_name: args.embedder.model_name(),
        ..Job::new(url(&args.server)?, args.server.store.clone())
    };
    Ok(Ingest::new(job))
}
