//! The command `search`: the question is embedded here, all else is the store's.

use super::embedder::embed_question;
use super::{connect, metadata, no_model};
use crate::args;
use crate::render::{self, Timing};
use passage::Error;
use passage::store::{Filters, Mode, Notice, Search, SearchResults, Store};
use serde_json::Value;
use std::time::Instant;

/// Returns what to print, and what to say beside it.
pub async fn search(args: args::Search) -> Result<(String, Vec<Notice>), Error> {
    let mut timing = Timing::default();
    let filters = filters(args.filters.clone())?;
    let begun = Instant::now();
    let mut store = connect(&args.server).await?;
    timing.connecting = begun.elapsed();

    let mut found = SearchResults::default();
    if !args.question.trim().is_empty() {
        let (embedding, note) = embedded(&args, &store, &mut timing).await?;
        if embedding.is_none() && filters.min_similarity.is_some() {
            return Err(Error::Usage {
                cause: "--min-similarity compares embeddings, and this search has none".into(),
                remedy: "Leave it out, or search a store with embeddings by --mode hybrid.".into(),
            });
        }
        let search = Search {
            question: args.question,
            embedding,
            mode: args.mode.map(mode),
            limit: Some(args.limit),
            candidates: args.candidates,
            filters,
            strategy: args.context.strategy,
            max_tokens: args.context.max_tokens,
            max_chunks: args.context.max_chunks,
            order_by: args.context.order_by,
            hits: args.chunks,
        };
        let begun = Instant::now();
        found = store.search(&search).await?;
        timing.searching = begun.elapsed();
        found.notices.extend(note);
    }
    if args.json {
        return Ok((render::found_json(&found, &timing), Vec::new()));
    }
    Ok((render::found(&found, &timing), found.notices))
}

/// Embeds the question, unless it is to be searched by words, or nothing is named to embed by.
async fn embedded(
    args: &args::Search,
    store: &Store,
    timing: &mut Timing,
) -> Result<(Option<Vec<f32>>, Option<Notice>), Error> {
    match args.mode {
        Some(args::Mode::Text) => return Ok((None, None)),
        None if !store.has_embeddings().await? => return Ok((None, None)),
        None if !args.embedder.is_named() => {
            return Ok((None, Some(no_model())));
        }
        Some(args::Mode::Vector | args::Mode::Hybrid) | None => {}
    }
    let question = embed_question(&args.embedder, store, &args.question).await?;
    timing.loading = Some(question.loading);
    timing.embedding = Some(question.embedding_took);
    Ok((Some(question.embedding), None))
}

fn mode(mode: args::Mode) -> Mode {
    match mode {
        args::Mode::Vector => Mode::Vector,
        args::Mode::Text => Mode::Text,
        args::Mode::Hybrid => Mode::Hybrid,
    }
}

fn filters(args: args::Filters) -> Result<Filters, Error> {
    let metadata = args.metadata.as_deref().map(metadata).transpose()?;
    Ok(Filters {
        collection: args.collection,
        version: args.collection_version,
        uri_pattern: args.uri,
        media_type: args.media_type,
        kind: args.kind,
        path: args.path,
        metadata: metadata.map(Value::Object),
        min_similarity: args.min_similarity,
        include_orphaned: args.include_orphaned,
    })
}
