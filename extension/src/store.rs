/*!
Stores: what a schema holds, and the statements that read it.

A store is found by name in the catalog at each call, so renaming schemas takes effect at once. Its
relations may be tables or views, and only four columns of `chunks` must be there; a statement
names the columns that exist and NULL for the others, so what is missing degrades and never fails.

Two statements answer a call that reads, whatever the number of hits: that of [`hits`] reads the hits, and
that of [`chunks`] all probes of their plan. Only [`replace`] writes, and only to a store of tables.
*/

mod around;
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
pub use replace::Written;
pub use strategy::Wanted;
pub use vectors::Vectors;

use crate::error::Error;
use crate::settings;
use crate::types::Name;
use layout::Layout;
pub use layout::watch;
use std::rc::Rc;

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
    /// Returns [`Error::NoStore`] if the schema does not exist or holds no relation `chunks`, and
    /// [`Error::NoColumn`] or [`Error::ColumnType`] if that one lacks a column that every store
    /// must have, or has it with a type that cannot be read.
    pub fn resolve(name: Option<Name>) -> Result<Self, Error> {
        let name = name.map_or_else(settings::store, |Name(name)| name);
        let Some(layout) = layout::find(&name) else { return Err(Error::NoStore(name)) };
        for (column, sql_type) in REQUIRED {
            if !layout.chunks.has(column) {
                return Err(Error::NoColumn { store: name, relation: "chunks", column });
            }
            if !layout.chunks.gives(column, sql_type) {
                return Err(Error::ColumnType { store: name, column, sql_type });
            }
        }
        Ok(Self(layout))
    }
}
