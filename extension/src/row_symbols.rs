/*!
Symbols of functions whose rows have more columns than in an earlier release.

A session keeps the library that it has loaded, but sees the catalog of an update at once. A library of the earlier
release would then build rows of too few columns, and PostgreSQL would read memory behind them. So the catalog names a
symbol that the earlier library lacks, and such a session gets an error until it reconnects. The former symbols
remain for databases without the update, whose catalog reads the first columns only.
*/

use pgrx::pg_sys;

macro_rules! symbols {
    ($($function:path => $symbol:ident, $info:ident;)*) => {$(
        /// Calls the function.
        ///
        /// # Safety
        ///
        /// Only PostgreSQL may call it, with the arguments of the catalog.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $symbol(call: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
            // SAFETY: the caller keeps the contract, which is the same.
            unsafe { $function(call) }
        }

        /// Returns the calling convention.
        #[unsafe(no_mangle)]
        pub extern "C-unwind" fn $info() -> &'static pg_sys::Pg_finfo_record {
            &pg_sys::Pg_finfo_record { api_version: 1 }
        }
    )*};
}

symbols! {
    crate::expand_context::expand_context_wrapper => expand_context_0_2_wrapper, pg_finfo_expand_context_0_2_wrapper;
    crate::expand_context::expand_contexts_wrapper => expand_contexts_0_2_wrapper, pg_finfo_expand_contexts_0_2_wrapper;
    crate::explain_context::explain_context_wrapper => explain_context_0_2_wrapper, pg_finfo_explain_context_0_2_wrapper;
    crate::fragments::fragments_wrapper => fragments_0_2_wrapper, pg_finfo_fragments_0_2_wrapper;
    crate::reassemble::reassemble_wrapper => reassemble_0_2_wrapper, pg_finfo_reassemble_0_2_wrapper;
    crate::search::search_wrapper => search_0_2_wrapper, pg_finfo_search_0_2_wrapper;
    crate::search_hits::search_hits_wrapper => search_hits_0_2_wrapper, pg_finfo_search_hits_0_2_wrapper;
}
