//! The commands: from what was said on the command line to what is shown.

mod context;
mod doctor;
mod embed;
mod embedder;
mod fragments;
mod ingest;
mod model;
mod reindex;
mod remove;
mod search;
mod status;

pub use context::context;
pub use doctor::doctor;
pub use embed::embed;
pub use fragments::fragments;
pub use ingest::load as load_documents;
pub use model::fetch_model;
pub use reindex::reindex;
pub use remove::remove;
pub use search::search;
pub use status::status;

use crate::args::{self, Sizer};
use crate::render;
use embedder::{embedder, load};
use passage::Error;
use passage::document::{self, Document, MetadataOverrides};
use passage::embed::Model;
use passage::source;
use passage::split::Splitter;
use passage::store::{self, InitOptions, Notice, Settings, Store};
use passage_core::{Kind, SPLITTER_VERSION, SyntaxError};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// The model's two marks at the ends of what it reads.
const MARKS: usize = 2;

pub async fn init(args: args::Init) -> Result<String, Error> {
    let embedder = if args.no_embed { None } else { Some(embedder(&args.embedder, None).await?) };
    let mut store = connect(&args.server).await?;
    let init = InitOptions {
        dimensions: embedder.as_ref().map(|(embedder, _)| embedder.dimensions()),
        embedding_type: args.embedding_type.map(|it| it.name().to_owned()),
        language: args.language,
    };
    let made = store.init(&init).await?;
    let is_here = matches!(&embedder, Some((_, Some(_))));
    let sizer = if is_here { "wordpieces" } else { "characters" };
    let model = embedder.map(|(embedder, _)| (embedder.name().to_owned(), embedder.dimensions()));
    let settings = Settings { model, sizer, splitter_version: SPLITTER_VERSION };
    store.in_owned_transaction(store.record_settings(&settings)).await?;
    let render = if args.json { render::made_json } else { render::made };
    Ok(render(store.name(), made, settings.model.as_ref()))
}

pub fn split(args: &args::Split) -> Result<(String, Vec<String>), Error> {
    let reading = reading(&args.reading)?;
    let bytes =
        if is_stdin(&args.file) { source::read_stdin()? } else { source::read(&args.file)? };
    let uri = args.file.to_string_lossy();
    let document = document::read(&reading, bytes, &args.file, &uri, None)?;
    let named = args.model.is_named();
    let sizer = args.sizer.unwrap_or(if named { Sizer::Wordpieces } else { Sizer::Characters });
    let mut notes = Vec::new();
    if args.sizer.is_none() && !named {
        notes
            .push("sizes are in characters, since there is no model; --model names one".to_owned());
    }
    let splitter = splitter(sizer, None, &args.model, &args.splitting)?;
    let Document { text, media_type, kind, title, .. } = &document;
    let split = splitter.split(text, media_type, Some(*kind), title.as_deref())?;
    if let Some(SyntaxError { line, column }) = split.syntax_error {
        notes
            .push(format!("split as plain text: line {line}, column {column} is not {media_type}"));
    }
    let render = if args.json { render::pieces_json } else { render::pieces };
    Ok((render(text, &split.pieces), notes))
}

pub async fn outline(args: args::Outline) -> Result<String, Error> {
    let rows = connect(&args.server).await?.outline(&args.uri).await?;
    Ok(if args.json { rows.iter().map(render::json).collect() } else { render::outline(&rows) })
}

async fn connect(server: &args::Server) -> Result<Store, Error> {
    Ok(Store::connect(&url(server)?, &server.store).await?)
}

/// What names a server beside a URL, as psql reads it.
const NAMED_BY: [&str; 4] = ["PGHOST", "PGHOSTADDR", "PGDATABASE", "PGSERVICE"];

fn url(server: &args::Server) -> Result<String, Error> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match server.database_url.clone().filter(|url| !url.is_empty()) {
        Some(url) => Ok(url),
        None if NAMED_BY.into_iter().any(is_set) => Ok(String::new()),
        None => Err(Error::Usage {
            cause: "no server is named".into(),
            remedy: "Set DATABASE_URL, or PGHOST and PGDATABASE, or give --database-url postgresql://user@host/database."
                .into(),
        }),
    }
}

/// What is said where the store has embeddings and nothing is named to embed a question by.
fn no_model() -> Notice {
    Notice {
        message: "searched by words alone, since there is no model".into(),
        hint: Some(
            "Name its folder with --model or PASSAGE_MODEL, or bring one with passage model fetch."
                .into(),
        ),
    }
}

/// Makes a splitter; of a model that is not loaded yet, for its wordpieces, the one that is named is.
fn splitter(
    sizer: Sizer,
    loaded: Option<Arc<Model>>,
    named: &args::Model,
    splitting: &args::Splitting,
) -> Result<Splitter, Error> {
    let splitter = match sizer {
        Sizer::Characters => Splitter::by_characters(),
        Sizer::Wordpieces => {
            let model = loaded.map_or_else(|| load(named), Ok)?;
            let window = model.limit().saturating_sub(MARKS);
            Splitter::by_wordpieces(model.wordpieces().clone(), window)
        }
    };
    Ok(splitter.with_overlap(splitting.overlap as usize))
}

fn reading(args: &args::Reading) -> Result<MetadataOverrides, Error> {
    Ok(MetadataOverrides {
        media_type: args.media_type.as_deref().map(str::parse).transpose()?,
        kind: args.kind.as_deref().and_then(Kind::from_name),
        title: args.title.clone(),
        base_url: args.base_url.clone(),
    })
}

fn metadata(given: &str) -> Result<Map<String, Value>, Error> {
    match serde_json::from_str(given) {
        Ok(value) if store::contains_nul(&value) => Err(store::Error::Nul("metadata").into()),
        Ok(Value::Object(metadata)) => Ok(metadata),
        _ => Err(Error::Usage {
            cause: "the value of --metadata is no JSON object".into(),
            remedy: "Write it as '{\"key\": \"value\"}', in single quotes for the shell.".into(),
        }),
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
