//! Facts about a store that a search needs, from the catalogs: language, dimensions, distance and the kind of index.

use crate::spi::{Connection, Value};
use crate::store::Store;
use crate::store::layout::StatementKey;
use crate::types::Name;
use pgrx::pg_sys;
use std::cell::OnceCell;
use std::ffi::CStr;
use std::rc::Rc;

/// Facts about a store that a search needs.
#[derive(Clone, Debug)]
pub struct StoreFacts {
    /// The number of dimensions of an embedding.
    pub dimensions: Option<i32>,
    pub distance: Distance,
    /// The text search configuration.
    pub language: Option<String>,
    /// Whether the index has only the signs of the embeddings.
    pub is_binary: bool,
}

/// The facts of a layout, read when they are first needed.
#[derive(Default)]
struct CachedFacts(OnceCell<Rc<StoreFacts>>);

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct FactsStatement;

impl StatementKey for FactsStatement {}

/// The distance of embeddings that the store's index uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    Cosine,
    L2,
    InnerProduct,
}

impl Distance {
    /// Returns pgvector's operator.
    pub fn operator(self) -> &'static str {
        match self {
            Self::Cosine => "<=>",
            Self::L2 => "<->",
            Self::InnerProduct => "<#>",
        }
    }

    /// Returns the score for a result of the operator. Higher is better.
    pub fn score(self, distance: f64) -> f64 {
        match self {
            Self::Cosine => 1.0 - distance,
            Self::L2 => 1.0 / (1.0 + distance),
            Self::InnerProduct => -distance,
        }
    }
}

impl Store {
    /// Returns the facts about the store that a search needs.
    pub fn facts(&self, connection: &Connection) -> Rc<StoreFacts> {
        let cached = self.0.slot::<CachedFacts>();
        let facts = cached.0.get_or_init(|| {
            let statement = self.0.statement(FactsStatement, || {
                let schema = internal_schema();
                format!("SELECT dimensions, distance, language, embedding_type FROM {schema}.store_facts($1)")
            });
            let name = Value::new(Name(self.0.store.clone()));
            let rows = connection.read(&statement, vec![name]);
            let distance = rows.get::<String>(0, 1);
            Rc::new(StoreFacts {
                dimensions: rows.get(0, 0),
                distance: match distance.as_deref() {
                    Some("l2") => Distance::L2,
                    Some("inner_product") => Distance::InnerProduct,
                    _ => Distance::Cosine,
                },
                language: rows.get(0, 2),
                is_binary: rows.get::<String>(0, 3).as_deref() == Some("binary"),
            })
        });
        Rc::clone(facts)
    }
}

/// Returns the schema of the extension's internal functions.
///
/// That is `_passage`. Release 0.1.0 had them in `passage`, and its catalog calls this library until an
/// administrator runs the update. A schema `_passage` that is not a member of the extension belongs to
/// another user.
fn internal_schema() -> &'static str {
    // SAFETY: look-ups in the catalogs, which return 0 and null for missing objects; the name of the
    // extension is a string in memory of the call.
    let is_ours = unsafe {
        let schema = pg_sys::get_namespace_oid(c"_passage".as_ptr(), true);
        let extension = pg_sys::getExtensionOfObject(pg_sys::NamespaceRelationId, schema);
        let name = pg_sys::get_extension_name(extension);
        !name.is_null() && CStr::from_ptr(name) == c"pg_passage"
    };
    if is_ours { "_passage" } else { "passage" }
}
