//! The commands: from what was said on the command line to what is shown.

mod ingest;
mod remove;
mod search;

pub use ingest::load as load_documents;
pub use remove::remove;
pub use search::search;

use crate::args::{self, EmbeddingType, Sizer};
use crate::render;
use passage::Error;
use passage::document::{self, Document, Reading};
use passage::embed::{Model, default_folder};
use passage::source;
use passage::split::Splitter;
use passage::store::{self, Init, Settings, Store};
use passage_core::{Kind, SPLITTER_VERSION, SyntaxError};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// The model's two marks at the ends of what it reads.
const MARKS: usize = 2;

pub async fn init(args: args::Init) -> Result<String, Error> {
    let model = if args.no_embed { None } else { Some(load(&args.model)?) };
    let mut store = connect(&args.server).await?;
    let init = Init {
        dimensions: model.as_ref().map(|model| model.dimensions()),
        embedding_type: args.embedding_type.map(|embedding_type| match embedding_type {
            EmbeddingType::Vector => "vector".into(),
            EmbeddingType::Halfvec => "halfvec".into(),
        }),
        language: args.language,
    };
    let made = store.init(&init).await?;
    let sizer = if model.is_some() { "wordpieces" } else { "characters" };
    let model = model.map(|model| (model.name().to_owned(), model.dimensions()));
    let settings = Settings { model, sizer, splitter_version: SPLITTER_VERSION };
    store.agree(&settings).await?;
    Ok(render::made(store.name(), made, settings.model.as_ref()))
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
    let splitter = match sizer {
        Sizer::Characters => Splitter::by_characters(),
        Sizer::Wordpieces => by_wordpieces(&*load(&args.model)?),
    };
    let splitter = splitter.with_overlap(args.splitting.overlap as usize);
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

pub async fn status(args: args::Status) -> Result<String, Error> {
    let status = connect(&args.server).await?.status().await?;
    Ok(if args.json { render::json(&status) } else { render::status(&status) })
}

async fn connect(server: &args::Server) -> Result<Store, Error> {
    Ok(Store::connect(&url(server)?, &server.store).await?)
}

fn url(server: &args::Server) -> Result<String, Error> {
    server.database_url.clone().filter(|url| !url.is_empty()).ok_or_else(|| Error::Usage {
        cause: "no server is named".into(),
        remedy: "Set DATABASE_URL, or give --database-url postgresql://user@host/database.".into(),
    })
}

fn load(model: &args::Model) -> Result<Arc<Model>, Error> {
    let folder = model.folder().or_else(default_folder).ok_or_else(|| Error::Usage {
        cause: "no embedding model is named".into(),
        remedy: "Name its folder with --model or PASSAGE_MODEL.".into(),
    })?;
    Ok(Model::load(&folder)?)
}

fn by_wordpieces(model: &Model) -> Splitter {
    Splitter::by_wordpieces(model.wordpieces().clone(), model.limit().saturating_sub(MARKS))
}

fn reading(args: &args::Reading) -> Result<Reading, Error> {
    Ok(Reading {
        media_type: args.media_type.as_deref().map(str::parse).transpose()?,
        kind: args.kind.as_deref().and_then(Kind::from_name),
        title: args.title.clone(),
        base_url: args.base_url.clone(),
    })
}

fn metadata(given: &str) -> Result<Map<String, Value>, Error> {
    match serde_json::from_str(given) {
        Ok(value) if store::holds_nul(&value) => Err(store::Error::Nul("metadata").into()),
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
