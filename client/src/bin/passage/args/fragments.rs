//! What can be said of fragments.

use super::{Embedder, Server};
use clap::Args;

/// Where to look for which lines.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Fragments {
    /// The query, in words; a document that is named may do without
    #[arg(required_unless_present = "uri")]
    pub query: Option<String>,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Look by words alone; needs no model
    #[arg(long)]
    pub no_embed: bool,
    /// Look in this document
    #[arg(long)]
    pub uri: Option<String>,
    /// Of this collection alone
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Of this version of the collection
    #[arg(long = "version", value_name = "VERSION")]
    pub collection_version: Option<String>,
    /// By what to rank, such as auto, adaptive, proximity or semantic [default: auto]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// The most fragments
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// The most tokens of all fragments together [default: 700]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub max_tokens: Option<u32>,
    /// From which share on words are alike, from 0 to 1 [default: 0.8]
    #[arg(long, value_name = "SHARE")]
    pub fuzzy_threshold: Option<f64>,
    /// All of the document
    #[arg(long, requires = "uri")]
    pub full: bool,
    /// Also of documents whose source is gone
    #[arg(long)]
    pub include_orphaned: bool,
    /// One JSON object a line for each fragment
    #[arg(long)]
    pub json: bool,
}
