//! The command `fragments`: embeds the query, and shows the fragments that the store returns.

use super::embedder::embed_question;
use super::{connect_told, no_model, unknown_model};
use crate::{args, render};
use passage::Error;
use passage::store::{FragmentQuery, Notice};

/// Returns the text to print, and notes for standard error.
pub async fn fragments(args: args::Fragments) -> Result<(String, Vec<Notice>), Error> {
    let store = connect_told(&args.server, &args.embedder).await?;
    let (mut embedding, mut notes) = (None, Vec::new());
    let query = args.query.filter(|query| !query.trim().is_empty());
    if let Some(query) = &query
        && !args.no_embed
        && store.has_embeddings().await?
    {
        if !args.embedder.is_available() {
            notes.push(no_model());
        } else if !store.knows_model().await? {
            notes.push(unknown_model(&store));
        } else {
            embedding = Some(embed_question(&args.embedder, &store, query).await?.embedding);
        }
    }
    let fragment_query = FragmentQuery {
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
    let fragments = store.fragments(&fragment_query).await?;
    let output = if args.json {
        fragments.iter().map(render::json).collect()
    } else {
        render::fragments(&fragments)
    };
    Ok((output, notes))
}
