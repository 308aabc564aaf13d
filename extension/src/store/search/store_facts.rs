//! Facts about a store that a search needs, from the catalogs: language, dimensions, distance and the kind of index.

use crate::server::spi::{Connection, Value};
use crate::server::types::Name;
use crate::store::Store;
use crate::store::layout::StatementKey;
use std::cell::OnceCell;
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
                "SELECT dimensions, distance, language, embedding_type FROM _passage.store_facts($1)".to_owned()
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
