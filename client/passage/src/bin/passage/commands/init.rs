//! The command `init`: creates a store.

use super::connect_told;
use super::embedder::embedder;
use super::splitter::default_splitting;
use crate::{args, render};
use passage::Error;
use passage::store::{InitOptions, OtherSizes, Settings};
use passage_split::SPLITTER_VERSION;

/// Returns the text to print.
pub async fn init(args: args::Init) -> Result<String, Error> {
    let embedder = if args.no_embed { None } else { Some(embedder(&args.embedder, None).await?) };
    let mut store = connect_told(&args.server, &args.embedder).await?;
    let init = InitOptions {
        dimensions: embedder.as_ref().map(|(embedder, _)| embedder.dimensions()),
        embedding_type: args.embedding_type.map(|it| it.name().to_owned()),
        language: args.language,
        partitions: args.partitions,
        distributed: args.distributed.map(|it| it.name().to_owned()),
    };
    let statements = store.init(&init).await?;
    let (model, local) = embedder.map_or((None, None), |(embedder, local)| {
        (Some((embedder.name().to_owned(), embedder.dimensions())), local)
    });
    let settings = Settings {
        splitting: default_splitting(local.as_deref(), &args.embedder, args.no_embed),
        other_sizes: OtherSizes::Keep,
        model,
        splitter_version: SPLITTER_VERSION,
    };
    // A store with embeddings keeps the sizes that fit its model.
    if !(args.no_embed && store.has_embeddings().await?) {
        store.in_owned_transaction(store.record_settings(&settings)).await?;
    }
    let render = if args.json { render::created_json } else { render::created };
    Ok(render(store.name(), statements, settings.model.as_ref()))
}
