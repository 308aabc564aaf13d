/*!
Free memory: returns it to the system at the end of a transaction that has split a large document.

The parts of a syntax tree are small, and glibc keeps them in the heap of the process. A backend would keep tens of
megabytes until its session ends, as often as it has one large document.
*/

use pgrx::{PgXactCallbackEvent, pg_sys, register_xact_callback};
use std::cell::Cell;

/// The least size of a large document in bytes. Its syntax tree may need 5 to 14 MB.
const LARGE: usize = 1 << 17;

/// Returns free memory at the end of the transaction if a document of this size is large.
pub fn return_later(bytes: usize) {
    thread_local! {
        static LAST_TRANSACTION: Cell<pg_sys::TimestampTz> = const { Cell::new(0) };
    }
    // SAFETY: reads a variable of the backend, in its one thread.
    let transaction = unsafe { pg_sys::GetCurrentTransactionStartTimestamp() };
    if bytes < LARGE || LAST_TRANSACTION.replace(transaction) == transaction {
        return;
    }
    for end in [PgXactCallbackEvent::Commit, PgXactCallbackEvent::Abort] {
        register_xact_callback(end, trim);
    }
}

/// Returns all free pages of the heap to the system.
fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // SAFETY: the function of glibc takes its own locks and changes only free memory.
        unsafe { malloc_trim(0) };
    }
}
