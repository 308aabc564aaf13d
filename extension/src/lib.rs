/*!
The SQL interface of `passage_core`.

Each SQL function is a file of its own name. It parses its arguments, reads from [`store`], calls
`passage_core` to decide, and returns rows. Only [`spi`] uses SPI, and only [`error`] names SQLSTATEs. The
install script in `sql/` declares the functions.
*/

// The boundary to C is unsafe by nature; most of it is in `spi` and `types`.
#![allow(unsafe_code)]
// pgrx passes arguments by value and expects its own report, which is large, as the error.
#![allow(clippy::needless_pass_by_value, clippy::result_large_err)]

mod adopted_id;
mod adopted_table;
mod adoption;
mod analysis;
mod arguments;
mod assemble;
mod backtrace;
mod best_passages;
mod catalog;
mod chain_order;
mod document;
mod error;
mod expand_context;
mod expand_request;
mod explain_context;
mod expression_columns;
mod filter_argument;
mod fragments;
mod free_memory;
mod ingest;
mod interrupt;
mod jsonb;
mod keep_adopted;
mod missing_store_hint;
mod notices;
mod outline;
mod passage_rows;
mod reassemble;
mod relation_watch;
mod rights;
mod search;
mod search_hits;
mod search_legs;
mod search_request;
mod section;
mod section_runs;
mod settings;
mod shard_rows;
mod spi;
mod split;
mod step_guard;
mod step_plan;
mod store;
mod strategies;
mod template_parts;
mod types;
mod visibility;

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
    interrupt::register();
    store::register();
    types::register();
    step_plan::register();
    step_guard::register();
    adoption::register();
    analysis::register();
}
