//! What can be said of removing.

use super::Server;
use clap::Args;

/// What stands below the options of `remove`.
pub const HELP: &str = "\
On a terminal it asks first; elsewhere it wants --yes. Uris are those of one version of a
collection, by default of those without a name.

Examples:
  passage remove docs/old.md docs/older.md
  passage remove --collection click --version 8.0 --dry-run
  passage remove --collection click --version 8.0 --yes";

#[derive(Args)]
pub struct Remove {
    /// The documents, by uri; without any, all of the collection
    #[arg(required_unless_present = "collection", value_name = "URI")]
    pub uris: Vec<String>,
    #[command(flatten)]
    pub server: Server,
    /// The collection
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// The version of the collection [default: all of them; with uris the one without a name]
    #[arg(long = "version", value_name = "VERSION")]
    pub collection_version: Option<String>,
    /// Tell what would be removed, and remove nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Tell what became of it as one JSON object
    #[arg(long)]
    pub json: bool,
}
