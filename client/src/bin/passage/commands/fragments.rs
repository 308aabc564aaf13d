//! The command `fragments`: the query is embedded here, all else is the store's.

use super::connect;
use super::embedder::embed_question;
use crate::args;
use crate::render;
use passage::Error;
use passage::store::{FragmentQuery, Notice};

/// Returns what to print, and what to say beside it.
pub async fn fragments(args: args::Fragments) -> Result<(String, Vec<Notice>), Error> {
    let store = connect(&args.server).await?;
    let (mut embedding, mut notes) = (None, Vec::new());
    let query = args.query.filter(|query| !query.trim().is_empty());
    if let Some(query) = &query
        && !args.no_embed
        && store.has_embeddings().await?
    {
        if args.embedder.is_named() {
            embedding = Some(embed_question(&args.embedder, &store, query).await?.embedding);
        } else {
            notes.push(super::no_model());
        }
    }
    let quest = FragmentQuery {
        query,
        embedding,
        uri: args.uri,
        strategy: args.strategy,
        collection: args.collection,
        version: args.collection_version,
        limit: Some(args.limit),
        max_tokens: args.max_tokens,
        fuzzy_threshold: args.fuzzy_threshold,
        full: args.full,
        include_orphaned: args.include_orphaned,
    };
    let fragments = store.fragments(&quest).await?;
    let output = if args.json {
        fragments.iter().map(render::json).collect()
    } else {
        render::fragments(&fragments)
    };
    Ok((output, notes))
}
