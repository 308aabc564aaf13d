//! The command `mcp`: serves tools to agents.

use super::options::interruption::interruption;
use super::options::serving::{listen, reader};
use super::options::{Serving, Sizer, Splitting, StoreSplitter};
use super::output::print::print_error;
use super::output::render;
use crate::Error;
use crate::TextWriter;
use crate::embed::{Embedder, Model};
use crate::ingest::{Ingest, Job};
use crate::serve::mcp::{Server, Writer};
use clap::Args;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

/// The text below the options.
pub const HELP: &str = "\
The tools are search, fragments, similar, read_passage, outline, links and list_collections, with
--allow-ratings also rate, and with --allow-ingest also ingest and remove. The role of the
database connection decides what they may read and write.

With --http, the server answers at /mcp. The variable PASSAGE_TOKEN sets a bearer token of
at least 16 characters, which callers must send. --allow-ingest and addresses other than
loopback require it, because every user of the machine can connect without one.

Examples:
  passage mcp
  passage mcp --store handbook --allow-ingest
  PASSAGE_TOKEN=$(openssl rand -hex 16) passage mcp --http 0.0.0.0:8643";

#[derive(Args)]
pub struct Mcp {
    #[command(flatten)]
    pub serving: Serving,
    /// Serve streamable HTTP at this address, instead of standard input and output
    #[arg(long, value_name = "ADDRESS")]
    pub http: Option<SocketAddr>,
    /// Allow tools to store texts and to remove documents
    #[arg(long)]
    pub allow_ingest: bool,
}

impl Mcp {
    /// Serves until the client closes standard input, or until a signal.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let listener = match self.http {
            Some(address) => {
                let listening = listen(address).await?;
                if self.allow_ingest && !listening.1.has_token() {
                    return Err(Error::usage(
                        "--allow-ingest with --http needs a token",
                        "Set PASSAGE_TOKEN to a token that callers must send. Without it, every user of this machine could write.",
                    ));
                }
                Some(listening)
            }
            None => None,
        };
        let (reader, model) = reader(&self.serving, None).await?;
        let writer: Option<Arc<dyn Writer>> = if self.allow_ingest {
            let embedder = reader.embedder().cloned();
            Some(Arc::new(TextWriter::new(ingest(&self.serving, embedder, model).await?)))
        } else {
            None
        };
        let server = Server::new(Arc::clone(&reader), writer);
        let interrupted = Box::pin(interruption());
        let result = match listener {
            Some((listener, guard, address)) => {
                print_error(&format!("listening on http://{address}/mcp"));
                server.serve_http(listener, guard, interrupted).await;
                Ok(ExitCode::SUCCESS)
            }
            None => match server.serve_stdio(interrupted).await {
                Ok(()) => Ok(ExitCode::SUCCESS),
                Err(cause) => Err(Error::usage(
                    &format!("MCP: {cause}"),
                    "Start this command from an MCP client.",
                )),
            },
        };
        reader.close().await;
        result
    }
}

/// Returns the settings with which texts are stored: those of the store.
async fn ingest(
    args: &Serving,
    embedder: Option<Arc<Embedder>>,
    model: Option<Arc<Model>>,
) -> Result<Ingest, Error> {
    let store = args.server.connect_told(&args.embedder).await?;
    store.must_be_writable().await?;
    let embedder = if store.has_embeddings().await? { embedder } else { None };
    let splitter = StoreSplitter {
        store: &store,
        options: &Splitting::default(),
        embedder: &args.embedder,
        default: if model.is_some() { Sizer::Wordpieces } else { Sizer::Characters },
        loaded: model,
    };
    let (splitter, notice) = splitter.splitter().await?;
    if let Some(notice) = notice {
        print_error(&render::note(&notice));
    }
    let job = Job {
        splitter,
        embedder,
        model_name: args.embedder.model_name(),
        ..Job::new(args.server.url()?, args.server.store.clone())
    };
    Ok(Ingest::new(job))
}
