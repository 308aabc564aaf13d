//! The options of `remove`.

use super::Server;
use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
remove asks for confirmation on a terminal, and requires --yes elsewhere. Uris are looked up
in one version of one collection. Without --collection and --version, that is the unnamed one.

Examples:
  passage remove docs/old.md docs/older.md
  passage remove --collection click --version 8.0 --dry-run
  passage remove --collection click --version 8.0 --yes";

#[derive(Args)]
pub struct Remove {
    /// Uris of the documents; without any, the whole collection is removed
    #[arg(required_unless_present = "collection", value_name = "URI")]
    pub uris: Vec<String>,
    #[command(flatten)]
    pub server: Server,
    /// Collection of the documents
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Version of the collection [default: all versions; with uris, the unnamed version]
    #[arg(long = "version", value_name = "VERSION")]
    pub collection_version: Option<String>,
    /// Report what would be removed, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}
