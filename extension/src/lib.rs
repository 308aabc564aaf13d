/*!
The SQL interface of `passage_core`.

Each SQL function is a file of its own name in [`functions`]. It uses the folders [`search`], [`expansion`], [`fragments`],
[`adoption`] and [`steps`], which read from [`store`]; [`split`] splits documents for `store` and the functions. All of them
reach PostgreSQL through [`server`]. The dependencies run only in this direction, and `search` uses `expansion`. The
install script in `sql/` declares the functions.
*/

// The boundary to C is unsafe by nature; most of it is in `server`.
#![allow(unsafe_code)]
// pgrx passes arguments by value and expects its own report, which is large, as the error.
#![allow(clippy::needless_pass_by_value, clippy::result_large_err)]

mod adoption;
mod corrections;
mod expansion;
mod fragments;
mod functions;
mod search;
mod server;
mod split;
mod steps;
mod store;

pgrx::pg_module_magic!(name, version);

// pgrx needs a module for each schema that functions name. The install script creates the schemas.
#[pgrx::pg_schema]
mod passage {}

#[pgrx::pg_schema]
mod _passage {}

/// Runs when a backend loads the library.
#[pgrx::pg_guard]
pub extern "C-unwind" fn _PG_init() {
    server::register();
    store::register();
    steps::register();
    adoption::register();
}
