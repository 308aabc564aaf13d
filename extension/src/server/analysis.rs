//! The checks of queries that PostgreSQL has analysed, whose names are oids then, and has not planned yet.

use super::{spi, step_guard};
use pgrx::{pg_guard, pg_sys};
use std::cell::Cell;

thread_local! {
    /// The hook of another extension.
    static NEXT: Cell<pg_sys::post_parse_analyze_hook_type> = const { Cell::new(None) };
}

/// Asks PostgreSQL to show each analysed query. Must be called once in a backend.
pub fn register() {
    // SAFETY: a variable of the backend, whose former value is called by the new one.
    unsafe {
        NEXT.set(pg_sys::post_parse_analyze_hook);
        pg_sys::post_parse_analyze_hook = Some(check);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn check(
    state: *mut pg_sys::ParseState,
    query: *mut pg_sys::Query,
    jumbled: *mut pg_sys::JumbleState,
) {
    // SAFETY: the arguments are those that PostgreSQL passes.
    unsafe {
        if let Some(next) = NEXT.get() {
            next(state, query, jumbled);
        }
        spi::check_statement(state, query);
        step_guard::check_names(query);
    }
}
