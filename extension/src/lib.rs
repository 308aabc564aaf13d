/*!
The shell that gives the model to SQL.

Each function of the SQL surface is a file of its own name. It takes its arguments from SQL, asks
[`store`] what to read, lets `passage_core` decide, and returns rows. Only [`spi`] speaks SPI, only
[`error`] names SQLSTATEs, and the install script in `sql/` declares what is here.
*/

// The boundary to C is unsafe by nature; most of it is kept in `spi` and `types`.
#![allow(unsafe_code)]
// pgrx hands arguments over by value and wants its own report, which is large, as the error.
#![allow(clippy::needless_pass_by_value, clippy::result_large_err)]

mod assemble;
mod backtrace;
mod call;
mod document;
mod error;
mod expand_context;
mod explain_context;
mod fragments;
mod ingest;
mod interrupt;
mod jsonb;
mod outline;
mod question;
mod reassemble;
mod search;
mod search_hits;
mod section;
mod settings;
mod spi;
mod split;
mod step_plan;
mod store;
mod strategies;
mod types;

pgrx::pg_module_magic!(name, version);

// pgrx needs a module for each schema that functions name. The install script creates the schemas.
#[pgrx::pg_schema]
mod passage {}

#[pgrx::pg_schema]
mod _passage {}

/// Runs when a backend loads the library.
#[pgrx::pg_guard]
pub extern "C-unwind" fn _PG_init() {
    backtrace::turn_off();
    settings::define();
    interrupt::watch();
    store::watch();
    types::watch();
    step_plan::watch();
}
