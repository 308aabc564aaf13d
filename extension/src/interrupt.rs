//! What lets PostgreSQL cancel a call while it does not execute a statement.

use passage_core::{Characters, Sizer};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Lets PostgreSQL interrupt, now and then while many rows are gone through.
pub fn pause(row: usize) {
    if row % 1024 == 1023 {
        pgrx::check_for_interrupts!();
    }
}

/// Counts characters, and lets PostgreSQL interrupt now and then: a splitter asks for the size of
/// all that it sees.
#[derive(Default)]
pub struct Interruptible(AtomicUsize);

impl Sizer for Interruptible {
    fn size(&self, text: &str) -> usize {
        pause(self.0.fetch_add(1, Ordering::Relaxed));
        Characters.size(text)
    }
}
