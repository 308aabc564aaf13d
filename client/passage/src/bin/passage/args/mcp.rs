//! The options of `mcp`.

use super::serving::Serving;
use clap::Args;
use std::net::SocketAddr;

/// The text below the options.
pub const HELP: &str = "\
The tools are search, fragments, read_passage, outline and list_collections, and with
--allow-ingest also ingest and remove. The role of the database connection decides what
they may read and write.

With --http, the server answers at /mcp. The variable PASSAGE_TOKEN sets a bearer token of
at least 16 characters, which callers must send. Addresses other than loopback and
--allow-ingest require it. Without a token, every user of the machine can connect.

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
