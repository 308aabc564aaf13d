//! What can be said of an examination.

use super::{Embedder, Server};
use clap::Args;

/// What to look at.
#[derive(Args)]
pub struct Doctor {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Leave the model out
    #[arg(long)]
    pub no_embed: bool,
    /// One JSON object a line for each finding
    #[arg(long)]
    pub json: bool,
}
