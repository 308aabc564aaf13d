//! The command `remove`: removes documents after a confirmation.

use super::options::Server;
use super::output::print::{ask, fail, print};
use super::output::render::{count, json};
use crate::Error;
use crate::store::{self, Removal, RemovalSummary};
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
remove asks for confirmation on a terminal, and requires --yes elsewhere. It looks uris up in one
version of one collection, which is the unnamed one without --collection and --version.

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

impl Remove {
    /// Runs the command. It fails if a uri has no document.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let collection = self.collection.unwrap_or_default();
        let removal = if self.uris.is_empty() {
            Removal::Collection { collection, version: self.collection_version }
        } else {
            let version = self.collection_version.unwrap_or_default();
            Removal::Uris { uris: self.uris, collection, version }
        };
        let store = self.server.connect().await?;
        let mut removed = store.count_removal(&removal).await?;
        let needs_confirmation = !self.dry_run && !self.yes && removed.documents > 0;
        if !needs_confirmation || confirm(&removed, store.name())? {
            if !self.dry_run {
                removed = store.remove(&removal).await?;
            }
        } else {
            let missing = std::mem::take(&mut removed.missing);
            removed = RemovalSummary { missing, ..RemovalSummary::default() };
        }
        print(&as_text(&removed, self.dry_run, self.json));
        for uri in &removed.missing {
            fail(&store::Error::NoDocument(uri.clone()).into());
        }
        Ok(if removed.missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Asks the user whether to remove the documents.
fn confirm(removed: &RemovalSummary, store: &str) -> Result<bool, Error> {
    let what = documents_and_chunks(removed);
    ask(&format!("Remove {what} from the store \"{store}\"?")).ok_or_else(|| {
        Error::usage(
            &format!("{what} would be removed, and there is no terminal to ask for confirmation"),
            "Use --yes to remove them, or --dry-run to list them.",
        )
    })
}

/// Returns the result of a removal.
fn as_text(removed: &RemovalSummary, dry_run: bool, as_json: bool) -> String {
    if as_json {
        let RemovalSummary { documents, chunks, missing } = removed;
        return json(&json!({
            "dry_run": dry_run, "documents": documents, "chunks": chunks, "missing": missing,
        }));
    }
    let what = documents_and_chunks(removed);
    if dry_run { format!("{what} would be removed\n") } else { format!("{what} removed\n") }
}

/// Returns the number of documents and chunks in words.
fn documents_and_chunks(removed: &RemovalSummary) -> String {
    let count = |number: i64, what| count(number as usize, what);
    format!("{} with {}", count(removed.documents, "document"), count(removed.chunks, "chunk"))
}
