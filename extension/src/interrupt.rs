//! What lets PostgreSQL cancel a call while it does not execute a statement.

/// Lets PostgreSQL interrupt, now and then while many rows are gone through.
pub fn pause(row: usize) {
    if row % 1024 == 1023 {
        pgrx::check_for_interrupts!();
    }
}
