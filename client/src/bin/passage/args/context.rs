//! What can be said of a chunk's context.

use super::Server;
use clap::Args;
use uuid::Uuid;

/// Which context to show.
#[derive(Args)]
pub struct Context {
    #[arg(help = "The id of a chunk, as in chunk_ids of passage search --json")]
    pub chunk: Uuid,
    #[command(flatten)]
    pub server: Server,
    /// Which context to add, such as auto, broad, section, document, adjacent or none
    /// [default: the server's setting passage.strategy, which is auto]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Sections above the chunk of which one chunk comes
    #[arg(long, value_name = "N")]
    pub parents: Option<u32>,
    /// Siblings before it
    #[arg(long, value_name = "N")]
    pub preceding: Option<u32>,
    /// Siblings after it
    #[arg(long, value_name = "N")]
    pub following: Option<u32>,
    /// Chunks one title below it
    #[arg(long, value_name = "N")]
    pub children: Option<u32>,
    /// Chunks directly before it
    #[arg(long, value_name = "N")]
    pub before: Option<u32>,
    /// Chunks directly after it
    #[arg(long, value_name = "N")]
    pub after: Option<u32>,
    /// What siblings share: the parent section, or the section itself
    #[arg(long, value_name = "WHAT", value_parser = ["parent", "section"])]
    pub siblings: Option<String>,
    /// What bounds --before and --after
    #[arg(long, value_name = "WHAT", value_parser = ["document", "parent", "section"])]
    pub within: Option<String>,
    /// The most tokens of all
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u32>,
    /// The most chunks of all
    #[arg(long, value_name = "N")]
    pub max_chunks: Option<u32>,
    /// One JSON object a line for each chunk
    #[arg(long)]
    pub json: bool,
}
