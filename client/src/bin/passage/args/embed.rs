//! What can be said of filling a store.

use super::{Embedder, Server};
use clap::Args;

/// Which chunks are embedded, and how long.
#[derive(Args)]
pub struct Embed {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Of this collection alone
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Go on when all chunks are embedded, and embed new ones as they come, until interrupted
    #[arg(long)]
    pub follow: bool,
    /// With --follow, how often to look for new chunks
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub interval: u32,
    /// Tell what became of it as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}
