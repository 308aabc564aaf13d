//! What lets PostgreSQL cancel a call while it does not execute a statement.

pub use passage_core::interrupt::poll_periodically as pause;

/// Lets PostgreSQL interrupt whatever core does in this backend.
pub fn watch() {
    passage_core::interrupt::register(check);
}

/// Raises PostgreSQL's error if the statement was cancelled or the session ended.
fn check() {
    pgrx::check_for_interrupts!();
}
