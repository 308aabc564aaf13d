/*!
Stores: what a schema holds, and the statements that read it.

A store is found by name in the catalog at each call, so renaming schemas takes effect at once. Its
relations may be tables or views, and only four columns of `chunks` must be there; a statement
names the columns that exist and NULL for the others, so what is missing degrades and never fails.

Two statements answer a call that reads, whatever the number of hits: that of [`hits`] reads the hits, and
that of [`chunks`] all probes of their plan. Only [`replace`] writes, and only to a store of tables.
*/

mod around;
mod casts;
mod chunks;
mod columns;
mod containers;
mod document;
mod facts;
mod filters;
mod fragments;
mod frequencies;
mod hits;
mod layout;
mod lexemes;
mod listing;
mod matches;
mod operators;
mod outline;
mod parts;
mod replace;
mod statements;
mod strategy;
mod units;
mod vectors;
mod writable;

pub use chunks::Chunks;
pub use columns::Columns;
pub use filters::Filters;
pub use fragments::{Named, Pieces, Told, Words};
pub use hits::{Found, Hits};
pub use matches::{Matches, Ranked};
pub use replace::{Done, Written};
pub use strategy::Wanted;
pub use vectors::Vectors;

use crate::error::Error;
use crate::settings;
use crate::types::Name;
use layout::Layout;
pub use layout::watch;
use pgrx::pg_sys;
use std::rc::Rc;

/// The types that an ordinal is compared as.
const NUMBERS: [pg_sys::Oid; 6] = [
    pg_sys::INT4OID,
    pg_sys::INT8OID,
    pg_sys::INT2OID,
    pg_sys::NUMERICOID,
    pg_sys::FLOAT8OID,
    pg_sys::FLOAT4OID,
];

/// A schema that holds chunks.
pub struct Store(Rc<Layout>);

/// The columns of `chunks` without which there is no store.
const REQUIRED: [(&str, &str); 4] =
    [("id", "uuid"), ("document_id", "uuid"), ("ordinal", "integer"), ("content", "text")];

impl Store {
    /// Finds the store of a name, or that of the setting `passage.store` for NULL.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoStore`] if the schema does not exist or holds no relation `chunks`,
    /// [`Error::NoColumn`] if that one lacks a column that every store must have, and
    /// [`Error::ColumnType`] if such a column, or the id of documents or embeddings, has a type that
    /// cannot be read.
    pub fn resolve(name: Option<Name>) -> Result<Self, Error> {
        let name = name.map_or_else(settings::store, |Name(name)| name);
        let Some(layout) = layout::find(&name) else { return Err(Error::NoStore(name)) };
        if !layout.is_checked.get() {
            check(&layout)?;
            layout.is_checked.set(true);
        }
        Ok(Self(layout))
    }
}

/// Makes sure that a layout has what every store must have, in types that can be read.
fn check(layout: &Layout) -> Result<(), Error> {
    for (column, sql_type) in REQUIRED {
        if !layout.chunks.has(column) {
            return Err(Error::NoColumn {
                store: layout.store.clone(),
                relation: "chunks",
                column,
            });
        }
        let reads = match sql_type {
            "uuid" => layout.chunks.has_base(column, &[pg_sys::UUIDOID]),
            "integer" => layout.chunks.has_base(column, &NUMBERS),
            _ => layout.chunks.gives(column, sql_type),
        };
        if !reads {
            return Err(Error::ColumnType {
                store: layout.store.clone(),
                relation: "chunks",
                column,
                sql_type,
            });
        }
    }
    let beside = [
        ("documents", "id", layout.documents.as_ref()),
        ("embeddings", "chunk_id", layout.embeddings.as_ref()),
    ];
    for (relation, column, of) in beside {
        if of.is_some_and(|of| !of.has_base(column, &[pg_sys::UUIDOID])) {
            return Err(Error::ColumnType {
                store: layout.store.clone(),
                relation,
                column,
                sql_type: "uuid",
            });
        }
    }
    Ok(())
}
