//! The options of `context`.

use super::Server;
use clap::Args;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
All numbers are 0 to 1000000. By default, the strategy sets them.

Examples:
  passage context 5b3f4a70-9d0e-8d6c-a1c2-3d4e5f607182
  passage context 5b3f4a70-9d0e-8d6c-a1c2-3d4e5f607182 --strategy section --max-tokens 500
  passage context 5b3f4a70-9d0e-8d6c-a1c2-3d4e5f607182 --html context.html";

#[derive(Args)]
pub struct Context {
    #[arg(
        help = "Id of the chunk, such as those in chunk_ids of passage search --json; in an adopted store also the id in \
        the adopted table"
    )]
    pub chunk: String,
    #[command(flatten)]
    pub server: Server,
    /// Strategy that selects the context, such as auto, broad, section, document, adjacent or none
    /// [default: the server setting passage.strategy, initially auto]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Number of sections above the chunk that each add one chunk
    #[arg(long, value_name = "N")]
    pub parents: Option<u32>,
    /// Number of siblings before the chunk
    #[arg(long, value_name = "N")]
    pub preceding: Option<u32>,
    /// Number of siblings after the chunk
    #[arg(long, value_name = "N")]
    pub following: Option<u32>,
    /// Number of chunks in sections one level below the chunk
    #[arg(long, value_name = "N")]
    pub children: Option<u32>,
    /// Number of chunks directly before the chunk, whatever their section
    #[arg(long, value_name = "N")]
    pub before: Option<u32>,
    /// Number of chunks directly after the chunk, whatever their section
    #[arg(long, value_name = "N")]
    pub after: Option<u32>,
    /// Section that siblings have in common: the parent section, or their own [default: set by the
    /// strategy]
    #[arg(long, value_name = "SCOPE", value_parser = ["parent", "section"])]
    pub siblings: Option<String>,
    /// Scope that --before and --after do not leave [default: set by the strategy]
    #[arg(long, value_name = "SCOPE", value_parser = ["document", "parent", "section"])]
    pub within: Option<String>,
    /// Maximum number of tokens of all chunks together, 0 for no limit [default: that of the
    /// strategy; else the server setting passage.max_passage_tokens, initially 2048, for context]
    #[expect(clippy::doc_markdown, reason = "the help is plain text")]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u32>,
    /// Maximum number of chunks, 0 to 1000000 [default: set by the strategy]
    #[arg(long, value_name = "N")]
    pub max_chunks: Option<u32>,
    /// Write a page to this file that shows why each chunk is in the context, and print no chunks; an
    /// existing file is replaced
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub html: Option<PathBuf>,
    /// Print one JSON object per line for each chunk
    #[arg(long)]
    pub json: bool,
}
