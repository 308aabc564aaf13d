//! The options of `fragments`.

use super::{Embedder, Server};
use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
A fragment is an excerpt of whole lines, with their exact text.

Examples:
  passage fragments \"rotate a log by hand\"
  passage fragments --uri docs/logging.md --limit 1 \"rotate a log by hand\"
  passage fragments --no-embed --json getUserById | jq -r .content";

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Fragments {
    /// Query text; optional with --uri
    #[arg(required_unless_present = "uri")]
    pub query: Option<String>,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Search by words only; needs no model
    #[arg(long)]
    pub no_embed: bool,
    /// Search only the document with this uri
    #[arg(long)]
    pub uri: Option<String>,
    /// Search only this collection
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Search only this version of the collection
    #[arg(long = "version", value_name = "VERSION")]
    pub collection_version: Option<String>,
    /// Ranking strategy, such as auto, adaptive, proximity or semantic [default: auto]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Maximum number of fragments, 1 to 1000
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Maximum number of tokens of all fragments together, 0 to 1000000 [default: 700]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub max_tokens: Option<u32>,
    /// Minimum similarity of misspelt words, 0 to 1 [default: 0.8]
    #[arg(long, value_name = "SIMILARITY")]
    pub fuzzy_threshold: Option<f64>,
    /// Return the whole document
    #[arg(long, requires = "uri")]
    pub full: bool,
    /// Also search documents that are marked as orphaned
    #[arg(long)]
    pub include_orphaned: bool,
    /// Print one JSON object per line for each fragment
    #[arg(long)]
    pub json: bool,
}
