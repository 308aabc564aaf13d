//! Tasks of the pipeline: permits that bound them, and threads for blocking work.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::task;

const NEVER_CLOSED: &str = "the semaphore is never closed";

/// Waits for one permit.
pub(super) async fn acquire_permit(semaphore: &Semaphore) -> SemaphorePermit<'_> {
    semaphore.acquire().await.expect(NEVER_CLOSED)
}

/// Waits for the permits of a document, one per kilobyte. A document larger than `capacity`, the
/// number of all permits, takes all of them.
pub(super) async fn acquire_kilobytes(
    semaphore: &Arc<Semaphore>,
    bytes: u64,
    capacity: u32,
) -> OwnedSemaphorePermit {
    let kilobytes = u32::try_from(bytes.div_ceil(1024)).unwrap_or(capacity).min(capacity);
    Arc::clone(semaphore).acquire_many_owned(kilobytes).await.expect(NEVER_CLOSED)
}

/// Runs work that uses the processor or waits for a file on a thread for blocking work.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    resume_panic(task::spawn_blocking(work).await)
}

/// Returns the result of a task, and continues its panic in the caller.
pub(super) fn resume_panic<T>(joined: Result<T, task::JoinError>) -> T {
    joined.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
