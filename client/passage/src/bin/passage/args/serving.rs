//! The options that `mcp` and `serve` share.

use super::{Embedder, Server};
use clap::Args;

#[derive(Args)]
pub struct Serving {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Search by words only; needs no model
    #[arg(long)]
    pub no_embed: bool,
    /// Maximum number of connections to the database, 1 to 100
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub connections: u32,
    /// Time limit of a request in seconds, 1 to 3600; the server cancels the statement of a longer one
    #[arg(long, default_value_t = 30, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub timeout: u32,
}
