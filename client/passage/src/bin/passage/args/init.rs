//! The options of `init`.

use super::{Embedder, EmbeddingType, Server};
use clap::{Args, ValueEnum};

/// The text below the options.
pub const HELP: &str = "\
If the store exists, init adds what is missing in it. The model determines the dimensions of
the embeddings. Without --no-embed, the extension vector must be installed on the server.

Examples:
  passage init
  passage init --store notes --no-embed
  passage init --embedding-type halfvec --language german
  passage init --partitions 8
  passage init --store tenant_1 --distributed schema";

#[derive(Args)]
pub struct Init {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Create a store without embeddings, which needs no pgvector
    #[arg(long)]
    pub no_embed: bool,
    /// SQL type of the embeddings [default: vector, from 1000 dimensions on halfvec]
    #[arg(long, value_name = "TYPE", conflicts_with = "no_embed")]
    pub embedding_type: Option<EmbeddingType>,
    /// Text search configuration of the store [default: english]
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// Number of hash partitions of the chunks, 2 to 1024 [default: a single table]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(2..=1024))]
    pub partitions: Option<u32>,
    /// How Citus distributes the store, which needs Citus [default: it does not]
    #[arg(long, value_name = "LAYOUT", conflicts_with = "partitions")]
    pub distributed: Option<Distribution>,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The rows of a store that Citus keeps together.
#[derive(Clone, Copy, ValueEnum)]
pub enum Distribution {
    /// All tables are on one node, for many stores such as one per tenant
    Schema,
    /// Each document is on one node, for a store that is too large for one server
    Document,
}

impl Distribution {
    /// Returns the name that `create_store` has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Document => "document",
        }
    }
}
