//! The command `embed`: embeds chunks that have no embedding, once or until interrupted.

use super::embedder::embedder;
use super::url;
use crate::args;
use crate::progress::Progress;
use passage::Error;
use passage::ingest::{Fill, FillEvent, Job, fill};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

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
    let (embedder, _) = embedder(&args.embedder, None).await?;
    let follow = args.follow.then(|| Duration::from_secs(args.interval.into()));
    let job = Job { embedder: Some(embedder), ..Job::new(url, args.server.store) };
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

/// Waits for SIGINT or SIGTERM.
async fn interruption() {
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let (Ok(mut interrupt), Ok(mut terminate)) = signals else {
        // Without signal handlers, the system ends the process at once.
        return std::future::pending().await;
    };
    tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
}
