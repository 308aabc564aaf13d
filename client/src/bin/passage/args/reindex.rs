//! What can be said of reindexing.

use super::{Embedder, EmbeddingType, Server, Sizer, Splitting};
use clap::Args;
use std::num::NonZero;

/// What stands below the options of `reindex`.
pub const HELP: &str = "\
Wanted after an upgrade that splits otherwise, or for another --sizer or --overlap, where the
sources are not at hand. Chunks that come out the same keep their ids and embeddings, documents
whose chunks were loaded without their bytes in the text keep them all, and a run that was broken
off is made good by the next one. The next ingest reads every source once more, and embeds only
what differs.

A --collection is done in place, each document in one transaction: searches go on, find it as it
was or as it is, and never wait.

Without one the whole store is done beside it, also for another model, --embedding-type or
--language. STORE_reindex is filled while the store is read and written, and takes its place in one
transaction with all that people gave the store: rights, policies, indexes, strategies, comments.
For that moment others wait, about a second for a million chunks; whoever is in a transaction is let
to its end. The former store stays as STORE_before. What cannot come along, such as a view or a
trigger on the tables, is named, and nothing is done.

The store, its tables and a STORE_reindex that is there must belong to the role that logged in, or to
a role that was granted to it; SET ROLE does not count. It needs a session: no transaction pooler.

Examples:
  passage reindex --dry-run
  passage reindex --embedding-type halfvec --drop-former
  passage reindex --collection click --dry-run
  passage reindex --collection click --version 8.1
  passage reindex --collection '' --sizer characters --json";

/// Which documents are made anew, and how.
#[allow(clippy::struct_excessive_bools)] // Each is an option of its own.
#[derive(Args)]
pub struct Reindex {
    /// The collection; '' for the one without a name [default: the whole store]
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// The version of the collection [default: all of them]
    #[arg(long = "version", value_name = "VERSION", requires = "collection")]
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
    /// The type of the embeddings [default: as it is]
    #[arg(long, value_name = "TYPE", conflicts_with = "collection")]
    pub embedding_type: Option<EmbeddingType>,
    /// The text search configuration, such as english [default: as it is]
    #[arg(long, value_name = "NAME", conflicts_with = "collection")]
    pub language: Option<String>,
    /// Remove the former store when the new one has its place
    #[arg(long, conflicts_with_all = ["collection", "dry_run"])]
    pub drop_former: bool,
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
