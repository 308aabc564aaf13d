//! The options of `embed`.

use super::{Embedder, Server};
use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
Chunks have no embedding if SQL or --no-embed loaded them. Any number of workers may run at
the same time; each chunk is embedded once. On SIGINT or SIGTERM, a worker writes the finished
embeddings and ends. The next worker continues.

SQL of a server without grammars stores source code as plain text. A worker splits it by its
syntax before it embeds.

With --query it embeds a question instead, and needs no server. The output is a vector in the
text form of pgvector, of length 1, to search from psql or another program.

Examples:
  passage embed
  passage embed --follow
  passage embed --query \"how do I configure logging?\"
  PASSAGE_API_KEY=... passage embed --embed-url https://api.openai.com/v1 --embed-model text-embedding-3-small";

#[derive(Args)]
pub struct Embed {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Print the embedding of this question; with --json, an object with model, dimensions and vector
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["collection", "follow", "interval"])]
    pub query: Option<String>,
    /// Embed only this collection
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// When all chunks are embedded, wait for new ones until interrupted; then exit with code 0
    #[arg(long)]
    pub follow: bool,
    /// Seconds between two scans for new chunks with --follow, 1 to 86400
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub interval: u32,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
}
