//! Checks for interrupts, so that PostgreSQL can cancel a call between two statements.

pub use passage_core::interrupt::poll_periodically as pause;

/// Registers PostgreSQL's check with core, which polls it while it works.
pub fn register() {
    passage_core::interrupt::register(check);
}

/// Raises PostgreSQL's error if the statement was cancelled or the session was terminated.
fn check() {
    pgrx::check_for_interrupts!();
}
