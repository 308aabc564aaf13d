//! The options of `reindex`.

use super::{Embedder, EmbeddingType, Server, Splitting};
use clap::Args;
use std::num::NonZero;

/// The text below the options.
pub const HELP: &str = "\
Use reindex after an upgrade with another splitter, or to change --sizer, --overlap or the sizes
of chunks. It needs no sources. The store records the new values. Unchanged chunks keep their ids and embeddings. Documents that were
loaded as chunks without byte offsets keep their chunks. If a run is interrupted, the next one
continues. The next ingest reads all sources again and embeds only what differs.

With --collection, reindex works in place. Each document is one transaction. Searches continue
without waiting and see either the old or the new version of a document.

Without --collection, reindex builds a shadow store. This can also change the model,
--embedding-type or --language. While the store is read and written, STORE_reindex is filled.
Then one transaction swaps both and transfers privileges, policies, indexes, strategies and
comments. Others wait during this transaction, about one second for a million chunks; open
transactions can finish first. The former store remains as STORE_before. If an object cannot
be transferred, such as a view or a trigger on the tables, reindex reports it and changes
nothing.

The store, its tables and an existing STORE_reindex must be owned by the role that logged in,
or by a role that is granted to it; SET ROLE does not count. Without --collection, reindex needs
a session of its own, so it does not work through a transaction pooler.

Examples:
  passage reindex --dry-run
  passage reindex --embedding-type halfvec --drop-former
  passage reindex --collection click --dry-run
  passage reindex --collection click --version 8.1
  passage reindex --collection '' --sizer characters --json";

#[allow(clippy::struct_excessive_bools)] // Each is an option of its own.
#[derive(Args)]
pub struct Reindex {
    /// Collection to reindex; '' is the unnamed one [default: the whole store]
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Version of the collection [default: all versions]
    #[arg(long = "version", value_name = "VERSION", requires = "collection")]
    pub collection_version: Option<String>,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Do not embed new chunks; passage embed does it later
    #[arg(long)]
    pub no_embed: bool,
    #[command(flatten)]
    pub splitting: Splitting,
    /// SQL type of the embeddings [default: unchanged]
    #[arg(long, value_name = "TYPE", conflicts_with = "collection")]
    pub embedding_type: Option<EmbeddingType>,
    /// Text search configuration, such as english [default: unchanged]
    #[arg(long, value_name = "NAME", conflicts_with = "collection")]
    pub language: Option<String>,
    /// Drop the former store after the swap
    #[arg(long, conflicts_with_all = ["collection", "dry_run"])]
    pub drop_former: bool,
    /// Number of documents split, and of chunks embedded, at the same time, at least 1 [default:
    /// one per core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,
    /// Report what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
}
