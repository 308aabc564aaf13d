/*!
Waiting with a deadline.

A test that waits for something that never happens fails after [`PATIENCE`] and names it.
*/

use std::time::{Duration, Instant};

/// How long a test waits: long enough for a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// How often a condition is tried.
const PAUSE: Duration = Duration::from_millis(10);

/// Awaits a future and returns its output.
///
/// # Panics
///
/// Panics if the future takes longer than [`PATIENCE`].
pub async fn within<F: IntoFuture>(what: &str, future: F) -> F::Output {
    let output = tokio::time::timeout(PATIENCE, future).await;
    output.unwrap_or_else(|_| panic!("{what}: it did not happen within {PATIENCE:?}"))
}

/// Tries a condition until it holds.
///
/// # Panics
///
/// Panics if the condition does not hold within [`PATIENCE`].
pub async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !condition().await {
        assert!(begun.elapsed() < PATIENCE, "{what}: it did not happen within {PATIENCE:?}");
        tokio::time::sleep(PAUSE).await;
    }
}
