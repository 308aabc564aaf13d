//! The command `search`: embeds the question, and shows the passages that the store returns.

use super::embedder::embed_question;
use super::rerank::rerank;
use super::{connect_told, metadata, no_model, unknown_model, usage};
use crate::args;
use crate::render::{self, Timing};
use passage::Error;
use passage::store::{Filters, Notice, Search, SearchMode, SearchResults, Store};
use serde_json::Value;
use std::time::Instant;

/// Returns the text to print, and notes for standard error.
pub async fn search(args: args::Search) -> Result<(String, Vec<Notice>), Error> {
    let mut timing = Timing::default();
    let filters = filters(args.filters.clone())?;
    let started = Instant::now();
    let mut store = connect_told(&args.server, &args.embedder).await?;
    timing.connecting = started.elapsed();

    let mut results = SearchResults::default();
    if !args.question.trim().is_empty() {
        let (embedding, note) = embedding(&args, &store, &mut timing).await?;
        if embedding.is_none() && filters.min_similarity.is_some() {
            return Err(usage(
                "--min-similarity requires an embedding of the question, and this search has none",
                "Leave it out, or search a store with embeddings with --mode hybrid.",
            ));
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
        let started = Instant::now();
        let failed = match rerank(&args.reranker, &mut store, &search, args.limit).await? {
            Some(Ok(reranked)) => {
                results = reranked.results;
                timing.reranking = Some(reranked.took);
                timing.searching = started.elapsed().saturating_sub(reranked.took);
                None
            }
            failed => {
                let started = Instant::now();
                results = store.search(&search).await?;
                timing.searching = started.elapsed();
                failed.and_then(Result::err)
            }
        };
        results.notices.extend(note);
        results.notices.extend(failed);
    }
    if args.json {
        return Ok((render::search_results_json(&results, &timing), Vec::new()));
    }
    Ok((render::search_results(&results, &timing), results.notices))
}

/// Embeds the question. Returns no embedding for a search by words, and a note if no model is
/// available.
async fn embedding(
    args: &args::Search,
    store: &Store,
    timing: &mut Timing,
) -> Result<(Option<Vec<f32>>, Option<Notice>), Error> {
    match args.mode {
        Some(args::Mode::Text) => return Ok((None, None)),
        None if !store.has_embeddings().await? => return Ok((None, None)),
        None if !args.embedder.is_available() => {
            return Ok((None, Some(no_model())));
        }
        None if !store.knows_model().await? => return Ok((None, Some(unknown_model(store)))),
        Some(args::Mode::Vector | args::Mode::Hybrid) | None => {}
    }
    let question = embed_question(&args.embedder, store, &args.question).await?;
    timing.loading = Some(question.loading);
    timing.embedding = Some(question.embedding_took);
    Ok((Some(question.embedding), None))
}

fn mode(mode: args::Mode) -> SearchMode {
    match mode {
        args::Mode::Vector => SearchMode::Vector,
        args::Mode::Text => SearchMode::Text,
        args::Mode::Hybrid => SearchMode::Hybrid,
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
