/*!
PostgreSQL as the extension sees it. Only [`spi`] uses SPI, and only [`error`] names SQLSTATEs.
*/

pub mod backtrace;
pub mod catalog;
pub mod error;
pub mod notices;
pub mod relation_watch;
pub mod settings;
pub mod spi;
pub mod sql_text;
pub mod step_guard;
pub mod types;

use pgrx::{pg_guard, pg_sys};
use std::cell::Cell;

thread_local! {
    /// The hook of another extension.
    static NEXT: Cell<pg_sys::post_parse_analyze_hook_type> = const { Cell::new(None) };
}

/// Registers all of the server that lasts as long as a backend. Must be called once in a backend.
pub fn register() {
    backtrace::turn_off();
    settings::define();
    passage_split::interrupt::register(check_for_interrupts);
    types::register();
    step_guard::register();
    register_analysis();
}

/// Raises PostgreSQL's error if the statement was cancelled or the session was terminated.
fn check_for_interrupts() {
    pgrx::check_for_interrupts!();
}

/// Asks PostgreSQL to show each query that it has analysed, whose names are oids then, and has not planned yet.
fn register_analysis() {
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
