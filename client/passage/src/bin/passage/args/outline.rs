//! The options of `outline`.

use super::Server;
use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
Example:
  passage outline docs/guide.md";

#[derive(Args)]
pub struct Outline {
    /// Uri of the document
    pub uri: String,
    #[command(flatten)]
    pub server: Server,
    /// Print one JSON object per line for each section
    #[arg(long)]
    pub json: bool,
}
