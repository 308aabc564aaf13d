/*!
What keeps Rust's backtraces out of errors.

Where the environment of a server has `RUST_BACKTRACE`, as that of a developer often has, pgrx captures a
backtrace at each error and reports it as the DETAIL, in place of PostgreSQL's own. Whoever reads the
error can do nothing with frames of a library without symbols.
*/

use std::backtrace::Backtrace;
use std::env;

/// The variable that decides about backtraces of libraries, before `RUST_BACKTRACE` does.
const VARIABLE: &str = "RUST_LIB_BACKTRACE";

/// Turns backtraces off for this library; once for a backend.
///
/// The standard library looks at the environment at the first capture and remembers what it found, so
/// the variable need not stay, and what the server starts inherits nothing.
pub fn turn_off() {
    let before = env::var_os(VARIABLE);
    // SAFETY: a backend, and the postmaster that loads a library before it starts one, has one thread.
    unsafe { env::set_var(VARIABLE, "0") };
    drop(Backtrace::capture());
    // SAFETY: as above.
    unsafe {
        match before {
            Some(value) => env::set_var(VARIABLE, value),
            None => env::remove_var(VARIABLE),
        }
    }
}
