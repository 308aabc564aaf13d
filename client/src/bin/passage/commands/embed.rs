//! The command `embed`: embeddings for chunks that have none, once or for good.

use super::{embedder, url};
use crate::args;
use crate::progress::Filling;
use passage::Error;
use passage::ingest::{Fill, fill};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// What a run came to.
pub struct Filled {
    /// How many chunks were embedded.
    pub embedded: u64,
    /// Whether it was interrupted.
    pub interrupted: bool,
}

pub async fn embed(args: args::Embed, progress: &Filling) -> Result<Filled, Error> {
    let url = url(&args.server)?;
    let (embedder, _) = embedder(&args.embedder, None).await?;
    let follow = args.follow.then(|| Duration::from_secs(args.interval.into()));
    let store = args.server.store;
    let job = Fill { url, store, collection: args.collection, embedder, follow };
    let interrupted = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&interrupted);
    let stop = async move {
        interruption().await;
        heard.store(true, Ordering::Relaxed);
    };
    let written = fill(job, stop, |event| progress.report(event)).await;
    progress.finish();
    // To be told is how a follower ends.
    let interrupted = !args.follow && interrupted.load(Ordering::Relaxed);
    Ok(Filled { embedded: written?, interrupted })
}

/// Waits for SIGINT or SIGTERM.
async fn interruption() {
    let listened = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let (Ok(mut interrupt), Ok(mut terminate)) = listened else {
        // A system without signals ends the process as it likes.
        return std::future::pending().await;
    };
    tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
}
