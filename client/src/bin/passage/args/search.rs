//! What can be said of a search.

use super::{Embedder, Server};
use clap::{Args, ValueEnum};
use passage_core::Kind;

/// By what to search.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// By meaning: the chunks whose embeddings are nearest
    Vector,
    /// By words, and parts of names; needs no model
    Text,
    /// By both, as one ranking
    Hybrid,
}

#[derive(Args)]
pub struct Search {
    /// The question: words, "phrases in quotes", -words and -"phrases" that must not be there
    pub question: String,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// By what to search [default: hybrid; text if the store has no embeddings, or there is no model]
    #[arg(long)]
    pub mode: Option<Mode>,
    /// The most passages
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// How many chunks are found by meaning, and how many by words [default: three times the
    /// limit, and at least 30]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub candidates: Option<u32>,
    /// Show the best chunks by themselves too, before the passages
    #[arg(long)]
    pub chunks: bool,
    /// One JSON object: the passages, the chunks if wanted, notes, and times in milliseconds
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub filters: Filters,
    #[command(flatten)]
    pub context: Context,
}

/// Which chunks are searched.
#[derive(Args, Clone)]
#[command(next_help_heading = "Filters")]
pub struct Filters {
    /// Of this collection alone
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Of this version of the collection
    #[arg(long = "version", value_name = "VERSION")]
    pub collection_version: Option<String>,
    /// Of documents whose uri is like this: % stands for any text, _ for any character
    #[arg(long, value_name = "PATTERN")]
    pub uri: Option<String>,
    /// Of documents of this type, such as text/markdown or text/*
    #[arg(long, value_name = "TYPE")]
    pub media_type: Option<String>,
    /// Made of this
    #[arg(long, value_name = "KIND", value_parser = Kind::NAMES.map(|(_, name)| name))]
    pub kind: Option<String>,
    /// Of sections whose path matches, such as 'Guide.*'
    #[arg(long, value_name = "LQUERY")]
    pub path: Option<String>,
    /// Whose metadata, with that of the document, contains this JSON object
    #[arg(long, value_name = "JSON")]
    pub metadata: Option<String>,
    /// At least as near to the question, from -1 to 1; needs embeddings
    #[arg(long, value_name = "COSINE", allow_negative_numbers = true)]
    pub min_similarity: Option<f64>,
    /// Also of documents whose source is gone
    #[arg(long)]
    pub include_orphaned: bool,
}

/// What the passages are made of.
#[derive(Args)]
#[command(next_help_heading = "Passages")]
pub struct Context {
    /// Which context to add, such as auto, broad, section, document, adjacent or none
    /// [default: the server's setting passage.strategy, which is auto]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// The most tokens of all passages together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub max_tokens: Option<u32>,
    /// The most chunks of all passages together; context goes, hits stay
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub max_chunks: Option<u32>,
    /// How passages are ordered
    #[arg(long, value_name = "ORDER", value_parser = ["score", "document"])]
    pub order_by: Option<String>,
}
