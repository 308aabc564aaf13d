//! The command `status`: shows the contents of a store.

use super::options::Server;
use super::output::print::print;
use super::output::render::{BOLD, DIM, count, json, line, printable};
use crate::Error;
use crate::store::{self, Collection, DocumentRow, Edition};
use clap::Args;
use serde::Serialize;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  passage status
  passage status --list --collection click
  passage status --json | jq .embeddings";

#[derive(Args)]
pub struct Status {
    #[command(flatten)]
    pub server: Server,
    /// Show only this collection
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// List the documents
    #[arg(long)]
    pub list: bool,
    /// Print one JSON object; with --list, one per line for each document
    #[arg(long)]
    pub json: bool,
}

impl Status {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let store = self.server.connect().await?;
        let collection = self.collection;
        let output = if self.list {
            let documents = store.documents(collection.as_deref()).await?;
            if self.json {
                documents.iter().map(json).collect()
            } else {
                documents_text(&documents)
            }
        } else {
            let status = store.status().await?;
            let mut collections = store.collections().await?;
            collections.retain(|stored| {
                collection.as_ref().is_none_or(|requested| *requested == stored.collection)
            });
            if self.json {
                json(&StoreStatus { status: &status, collections: &collections })
            } else {
                status_text(&status, &collections)
            }
        };
        print(&output);
        Ok(ExitCode::SUCCESS)
    }
}

/// The JSON object.
#[derive(Serialize)]
struct StoreStatus<'a> {
    #[serde(flatten)]
    status: &'a store::Status,
    collections: &'a [Collection],
}

/// Returns the contents of a store and of its collections.
fn status_text(status: &store::Status, collections: &[Collection]) -> String {
    let mut output = String::new();
    let mut row = |name: &str, value: &str| {
        line(&mut output, &format!("{BOLD}{name:<11}{BOLD:#}{}", printable(value)));
    };
    row("store", &status.store);
    if let Some(source) = &status.adopted {
        row("adopted", source);
    }
    row("documents", &status.documents.to_string());
    row("chunks", &status.chunks.to_string());
    row("embeddings", &status.embeddings.map_or_else(|| "none".into(), |count| count.to_string()));
    let setting = |key: &str| {
        status.settings.get(key).map(|value| value.as_str().map_or(value.to_string(), Into::into))
    };
    if status.embeddings.is_some_and(|count| count > 0) && setting("model").is_none() {
        row("model", "unknown; name it with --model-name");
    }
    for key in ["model", "dimensions", "distance", "sizer", "language"] {
        if let Some(value) = setting(key) {
            row(key, &value);
        }
    }
    row("size", &format!("{:.1} MB", status.bytes as f64 / 1_048_576.0));
    let extension = status.extension.as_deref().unwrap_or("missing");
    row("server", &format!("PostgreSQL {}, pg_passage {extension}", status.server));
    if status.edition == Some(Edition::Sql.name()) {
        row("edition", &format!("SQL, without {}", status.lacks.join(", ")));
    }
    if !collections.is_empty() {
        output.push('\n');
    }
    let name = |collection: &Collection| named(&collection.collection, &collection.version);
    let width = collections.iter().map(|one| name(one).chars().count()).max().unwrap_or(0);
    for collection in collections {
        let mut facts = vec![
            count(collection.documents as usize, "document"),
            count(collection.chunks as usize, "chunk"),
        ];
        facts.extend(collection.embeddings.map(|number| format!("{number} embedded")));
        if collection.orphaned > 0 {
            facts.push(format!("{} orphaned", collection.orphaned));
        }
        let (name, facts) = (name(collection), facts.join(", "));
        let when = collection
            .ingested_at
            .as_deref()
            .map_or(String::new(), |when| format!(", {}", printable(when)));
        line(&mut output, &format!("{name:width$}  {DIM}{facts}{when}{DIM:#}"));
    }
    output
}

/// Returns the name of a collection with its version.
fn named(collection: &str, version: &str) -> String {
    let collection = if collection.is_empty() { "(no collection)" } else { collection };
    printable(&if version.is_empty() {
        collection.to_owned()
    } else {
        format!("{collection} {version}")
    })
}

/// Returns a line for each document.
fn documents_text(documents: &[DocumentRow]) -> String {
    let mut output = String::new();
    for document in documents {
        let mut facts = Vec::new();
        if !document.collection.is_empty() {
            facts.push(named(&document.collection, &document.version));
        }
        facts.extend(document.media_type.as_deref().map(printable));
        facts.push(count(document.chunks as usize, "chunk"));
        facts.extend(document.embeddings.map(|number| format!("{number} embedded")));
        facts.extend(document.ingested_at.as_deref().map(printable));
        if document.orphaned_at.is_some() {
            facts.push("orphaned".into());
        }
        let uri = document.uri.as_deref().map_or_else(|| document.id.to_string(), printable);
        line(&mut output, &format!("{uri}  {DIM}{}{DIM:#}", facts.join(", ")));
    }
    output
}
