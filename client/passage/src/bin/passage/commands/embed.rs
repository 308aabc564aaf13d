//! The command `embed`: embeds chunks that have no embedding, once or until interrupted.

use super::embedder::{embed_text, embedder};
use super::interruption::interruption;
use super::{connect, url, usage};
use crate::progress::Progress;
use crate::{args, render};
use passage::Error;
use passage::ingest::{Fill, FillEvent, Job, fill};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The result of a run.
pub struct Filled {
    /// The number of chunks embedded.
    pub embedded: u64,
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// Whether a document stays split as text.
    pub has_failed: bool,
}

/// Embeds chunks and shows the progress.
pub async fn embed(args: args::Embed, progress: &Progress) -> Result<Filled, Error> {
    let url = url(&args.server)?;
    // An adopted store is refused before the model is loaded. The worker with --follow waits for a server.
    if !args.follow {
        connect(&args.server).await?.must_take_embeddings().await?;
    }
    let model_name = args.embedder.model_name();
    let (embedder, _) = embedder(&args.embedder, None).await?;
    let follow = args.follow.then(|| Duration::from_secs(args.interval.into()));
    let job = Job { embedder: Some(embedder), model_name, ..Job::new(url, args.server.store) };
    let job = Fill { job, collection: args.collection, follow };
    let interrupted = Arc::new(AtomicBool::new(false));
    let signalled = Arc::clone(&interrupted);
    let stop = async move {
        interruption().await;
        signalled.store(true, Ordering::Relaxed);
    };
    let has_failed = AtomicBool::new(false);
    let report = |event: &FillEvent| {
        if matches!(event, FillEvent::NotSplit(..)) {
            has_failed.store(true, Ordering::Relaxed);
        }
        progress.report_fill(event);
    };
    let filled = fill(job, stop, report).await;
    progress.finish();
    // With --follow, a signal is the regular end.
    let interrupted = !args.follow && interrupted.load(Ordering::Relaxed);
    let has_failed = !args.follow && has_failed.load(Ordering::Relaxed);
    Ok(Filled { embedded: filled?, interrupted, has_failed })
}

/// Returns the embedding of a query, as text of pgvector or as a JSON object.
pub async fn embed_query(args: args::Embed, query: &str) -> Result<String, Error> {
    if query.trim().is_empty() {
        return Err(usage("--query must not be empty", "Write the question after --query."));
    }
    let (model, vector) = embed_text(&args.embedder, query).await?;
    Ok(if args.json {
        render::json(&QueryEmbedding { model: &model, dimensions: vector.len(), vector: &vector })
    } else {
        format!("{}\n", serde_json::to_string(&vector).expect("numbers are JSON"))
    })
}

/// The JSON object of the embedding of a query.
#[derive(Serialize)]
struct QueryEmbedding<'a> {
    model: &'a str,
    dimensions: usize,
    vector: &'a [f32],
}
