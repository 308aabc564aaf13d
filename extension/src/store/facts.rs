//! What is known of a store beyond its relations: its language, and what its embeddings are.

use super::Store;
use super::layout::Purpose;
use crate::spi::{Connection, Value};
use crate::types::Name;
use pgrx::pg_sys;
use std::ffi::CStr;

/// What the catalogs say of a store, each where it says anything.
#[derive(Clone, Debug)]
pub struct Facts {
    /// How many numbers an embedding has.
    pub dimensions: Option<i32>,
    /// What nearness of embeddings is.
    pub distance: Distance,
    /// The text search configuration of its words.
    pub language: Option<String>,
}

/// What nearness of embeddings is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    Cosine,
    L2,
    InnerProduct,
}

impl Distance {
    /// Returns the operator that pgvector has for it.
    pub fn operator(self) -> &'static str {
        match self {
            Self::Cosine => "<=>",
            Self::L2 => "<->",
            Self::InnerProduct => "<#>",
        }
    }

    /// Returns a score for what the operator gives, higher being better.
    pub fn score(self, distance: f64) -> f64 {
        match self {
            Self::Cosine => 1.0 - distance,
            Self::L2 => 1.0 / (1.0 + distance),
            Self::InnerProduct => -distance,
        }
    }
}

impl Store {
    /// Returns what is known of the store.
    pub fn facts(&self, connection: &Connection) -> &Facts {
        self.0.facts.get_or_init(|| {
            let statement = self.0.statement(Purpose::Facts, || {
                let schema = internal_schema();
                format!("SELECT dimensions, distance, language FROM {schema}.store_facts($1)")
            });
            let name = Value::new(Name(self.0.store.clone()));
            let rows = connection.read(&statement, vec![name]);
            let distance = rows.get::<String>(0, 1);
            Facts {
                dimensions: rows.get(0, 0),
                distance: match distance.as_deref() {
                    Some("l2") => Distance::L2,
                    Some("inner_product") => Distance::InnerProduct,
                    _ => Distance::Cosine,
                },
                language: rows.get(0, 2),
            }
        })
    }
}

/// Returns the schema of the extension's internal functions.
///
/// That is `_passage`. Release 0.1.0 had them in `passage`, and its catalog calls this library until an
/// administrator runs the update. A schema `_passage` that is no member of the extension is somebody
/// else's.
fn internal_schema() -> &'static str {
    // SAFETY: look-ups in the catalogs, which return 0 and null for what is missing; the name of the
    // extension is a string in memory of the call.
    let is_ours = unsafe {
        let schema = pg_sys::get_namespace_oid(c"_passage".as_ptr(), true);
        let extension = pg_sys::getExtensionOfObject(pg_sys::NamespaceRelationId, schema);
        let name = pg_sys::get_extension_name(extension);
        !name.is_null() && CStr::from_ptr(name) == c"pg_passage"
    };
    if is_ours { "_passage" } else { "passage" }
}
