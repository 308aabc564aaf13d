//! The threads of a pool.

use std::num::NonZero;
use std::thread::{Builder, available_parallelism};

/// Returns how many threads a pool has; by default as many as the machine has cores.
pub(crate) fn count(threads: Option<NonZero<usize>>) -> usize {
    threads.or_else(|| available_parallelism().ok()).map_or(1, NonZero::get)
}

/// Starts threads that run `work` until it returns. Their names begin with `name`.
///
/// # Errors
///
/// Returns the error of the system if it cannot start a thread.
pub(crate) fn start(
    name: &str,
    count: usize,
    work: impl Fn() + Clone + Send + 'static,
) -> std::io::Result<()> {
    for number in 0..count {
        Builder::new().name(format!("{name}-{number}")).spawn(work.clone())?;
    }
    Ok(())
}
