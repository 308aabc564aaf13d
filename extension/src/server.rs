/*!
PostgreSQL as the extension sees it. Only [`spi`] uses SPI, and only [`error`] names SQLSTATEs.
*/

pub mod analysis;
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

/// Registers all of the server that lasts as long as a backend. Must be called once in a backend.
pub fn register() {
    backtrace::turn_off();
    settings::define();
    passage_split::interrupt::register(check_for_interrupts);
    types::register();
    step_guard::register();
    analysis::register();
}

/// Raises PostgreSQL's error if the statement was cancelled or the session was terminated.
fn check_for_interrupts() {
    pgrx::check_for_interrupts!();
}
