//! What can be said of reindexing.

use super::{Embedder, Server, Sizer, Splitting};
use clap::Args;
use std::num::NonZero;

/// What stands below the options of `reindex`.
pub const HELP: &str = "\
Wanted after an upgrade that splits otherwise, or for another --sizer or --overlap, where the
sources are not at hand. Each document is written in place and in one transaction: searches go on,
find it as it was or as it is, and never wait. Chunks that come out the same keep their ids and
embeddings. A run that was broken off is made good by the next one, which writes what is left.

Documents whose chunks were loaded without their bytes in the text keep them. For another model
make a second store with passage init, and load the sources into it. The next ingest reads every
source of the collection once more, and embeds only what differs.

Examples:
  passage reindex --collection click --dry-run
  passage reindex --collection click --version 8.1
  passage reindex --collection '' --sizer characters --json";

/// Which documents are made anew, and how.
#[allow(clippy::struct_excessive_bools)] // Each is an option of its own.
#[derive(Args)]
pub struct Reindex {
    /// The collection; '' for the one without a name
    #[arg(long, value_name = "NAME")]
    pub collection: String,
    /// The version of the collection [default: all of them]
    #[arg(long = "version", value_name = "VERSION")]
    pub collection_version: Option<String>,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Leave new chunks without embeddings; passage embed makes them
    #[arg(long)]
    pub no_embed: bool,
    /// What sizes are counted in [default: what the store was last filled with]
    #[arg(long)]
    pub sizer: Option<Sizer>,
    #[command(flatten)]
    pub splitting: Splitting,
    /// Documents that are split, and chunks that are embedded, at a time [default: one on each core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,
    /// Tell what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Tell what became of it as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}
