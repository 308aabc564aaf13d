/*!
Stores: what a schema holds, and the statements that read it.

A store is found by name in the catalog at each call, so renaming schemas takes effect at once. Its
relations may be tables or views, and only four columns of `chunks` must be there; a statement
names the columns that exist and NULL for the others, so what is missing degrades and never fails.

Two statements answer a call, whatever the number of hits: [`hits`] reads what plans need to know
of the hits, and [`chunks`] reads the hits and all probes of a plan.
*/

mod chunks;
mod hits;
mod outline;
mod parts;

pub use chunks::Chunks;
pub use hits::{Found, Wanted};

use crate::error::Error;
use crate::settings;
use crate::types::Name;
use pgrx::pg_sys;
use std::ffi::CString;

/// A schema that holds chunks.
pub struct Store {
    chunks: Relation,
    documents: Option<Relation>,
    strategies: Option<Relation>,
}

/// The columns of `chunks` without which there is no store.
const REQUIRED: [&str; 4] = ["id", "document_id", "ordinal", "content"];

impl Store {
    /// Finds the store of a name, or that of the setting `passage.store` for NULL.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoStore`] if the schema does not exist or holds no relation `chunks`, and
    /// [`Error::NoColumn`] if that one lacks a column that every store must have.
    pub fn resolve(name: Option<Name>) -> Result<Self, Error> {
        let name = name.map_or_else(settings::store, |Name(name)| name);
        let Some(chunks) = Relation::find(&name, "chunks") else {
            return Err(Error::NoStore(name));
        };
        if let Some(column) = REQUIRED.into_iter().find(|column| !chunks.has(column)) {
            return Err(Error::NoColumn { relation: format!("{name}.chunks"), column });
        }
        let documents = Relation::find(&name, "documents").filter(|documents| documents.has("id"));
        let strategies =
            Relation::find(&name, "strategies").filter(|strategies| strategies.has("name"));
        Ok(Self { chunks, documents, strategies })
    }

    /// Tells whether kin can be found: by sections and the keys that an index finds them by.
    fn has_kin(&self) -> bool {
        ["section", "section_key", "parent_key"].iter().all(|column| self.chunks.has(column))
    }
}

/// A table or view of a store.
struct Relation {
    oid: pg_sys::Oid,
    /// Its quoted name, for a statement.
    name: String,
}

impl Relation {
    fn find(schema: &str, name: &str) -> Option<Self> {
        let (schema_c, name_c) = (CString::new(schema).ok()?, CString::new(name).ok()?);
        // SAFETY: look-ups in the catalog, which raise no error for what is missing.
        let oid = unsafe {
            let schema = pg_sys::get_namespace_oid(schema_c.as_ptr(), true);
            pg_sys::get_relname_relid(name_c.as_ptr(), schema)
        };
        (oid != pg_sys::InvalidOid)
            .then(|| Self { oid, name: format!("{}.{}", quoted(schema), quoted(name)) })
    }

    fn has(&self, column: &str) -> bool {
        let column = CString::new(column).expect("a column's name holds no NUL");
        // SAFETY: a look-up in the catalog.
        unsafe { pg_sys::get_attnum(self.oid, column.as_ptr()) > 0 }
    }

    /// Returns the column of an alias, or a NULL of its type where the relation lacks it.
    fn column(&self, alias: &str, column: &str, sql_type: &str) -> String {
        if self.has(column) { format!("{alias}.{column}") } else { format!("NULL::{sql_type}") }
    }
}

/// An identifier for a statement.
fn quoted(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}
