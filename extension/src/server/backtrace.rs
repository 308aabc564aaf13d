/*!
Turning off Rust's backtraces in errors.

If the environment of a server has `RUST_BACKTRACE`, as that of a developer often has, pgrx captures a
backtrace at each error and reports it as the DETAIL instead of PostgreSQL's own. The frames of a library
without symbols are useless to the reader of the error.
*/

use std::backtrace::Backtrace;
use std::env;

/// The variable that controls backtraces of libraries. It takes precedence over `RUST_BACKTRACE`.
const VARIABLE: &str = "RUST_LIB_BACKTRACE";

/// Turns off backtraces for this library. Must be called once in a backend.
///
/// The standard library reads the environment at the first capture and caches the result. So the
/// variable is reset afterwards, and processes that the server starts do not inherit it.
pub fn turn_off() {
    let before = env::var_os(VARIABLE);
    // SAFETY: a backend, and the postmaster when it preloads the library, has one thread.
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
