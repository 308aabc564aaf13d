//! The options of `status`.

use super::Server;
use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  passage status
  passage status --list --collection click
  passage status --json | jq .embeddings";

#[derive(Args)]
pub struct Status {
    #[command(flatten)]
    pub server: Server,
    /// Show only this collection
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// List the documents
    #[arg(long)]
    pub list: bool,
    /// Print one JSON object; with --list, one per line for each document
    #[arg(long)]
    pub json: bool,
}
