//! The commands, one file each: they turn options into calls of the library, and results into text.

mod context;
mod context_file;
mod doctor;
mod embed;
mod embedder;
mod export;
mod fragments;
mod ingest;
mod init;
mod interruption;
mod mcp;
mod model;
mod outline;
mod reindex;
mod remove;
mod rerank;
mod search;
mod serve;
mod serving;
mod split;
mod splitter;
mod status;

pub use context::context;
pub use doctor::doctor;
pub use embed::{embed, embed_query};
pub use export::export;
pub use fragments::fragments;
pub use ingest::load_documents;
pub use init::init;
pub use mcp::mcp;
pub use model::fetch_model;
pub use outline::outline;
pub use reindex::reindex;
pub use remove::remove;
pub use search::search;
pub use serve::serve;
pub use split::split;
pub use status::status;

use crate::args;
use passage::Error;
use passage::document::MetadataOverrides;
use passage::store::{self, Notice, Store};
use passage_split::Kind;
use serde_json::{Map, Value};
use std::path::Path;

async fn connect(server: &args::Server) -> Result<Store, Error> {
    Ok(Store::connect(&url(server)?, &server.store).await?)
}

/// Connects to a store with embeddings of the model that the options may name.
async fn connect_told(server: &args::Server, embedder: &args::Embedder) -> Result<Store, Error> {
    let mut store = connect(server).await?;
    store.tell_model(embedder.model_name());
    Ok(store)
}

/// Variables of libpq that name a server or a database.
const SERVER_VARIABLES: [&str; 4] = ["PGHOST", "PGHOSTADDR", "PGDATABASE", "PGSERVICE"];

/// Returns the connection string; empty if the variables of libpq name the server.
fn url(server: &args::Server) -> Result<String, Error> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match server.database_url.clone().filter(|url| !url.is_empty()) {
        Some(url) => Ok(url),
        None if SERVER_VARIABLES.into_iter().any(is_set) => Ok(String::new()),
        None => Err(usage(
            "no server specified",
            "Set DATABASE_URL, or PGHOST and PGDATABASE, or use --database-url postgresql://user@host/database.",
        )),
    }
}

/// Returns the note for a store with embeddings if there is no model to embed the question.
fn no_model() -> Notice {
    Notice {
        message: "searching by words only, because no embedding model is available".into(),
        hint: Some(
            "Name its folder with --model or PASSAGE_MODEL, or download the default model with passage model fetch."
                .into(),
        ),
    }
}

/// Returns the note for a store with embeddings of an unknown model.
fn unknown_model(store: &Store) -> Notice {
    let name = store.name();
    Notice {
        message: format!(
            "searching by words only, because the model of the embeddings in store \"{name}\" is unknown"
        ),
        hint: Some("Name the model with --model-name.".into()),
    }
}

fn overrides(args: &args::MetadataOptions) -> Result<MetadataOverrides, Error> {
    Ok(MetadataOverrides {
        media_type: args.media_type.as_deref().map(str::parse).transpose()?,
        kind: args.kind.as_deref().and_then(Kind::from_name),
        title: args.title.clone(),
        base_url: args.base_url.clone(),
    })
}

/// Parses the value of `--metadata` as a JSON object.
fn metadata(value: &str) -> Result<Map<String, Value>, Error> {
    match serde_json::from_str(value) {
        Ok(value) if passage_split::contains_nul(&value) => {
            Err(store::Error::Nul("metadata").into())
        }
        Ok(Value::Object(metadata)) => Ok(metadata),
        _ => Err(usage(
            "--metadata must be a JSON object",
            "Write it as '{\"key\": \"value\"}', in single quotes for the shell.",
        )),
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn usage(cause: &str, remedy: &str) -> Error {
    Error::Usage { cause: cause.into(), remedy: remedy.into() }
}
