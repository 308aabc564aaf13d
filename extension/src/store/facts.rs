//! What is known of a store beyond its relations: its language, and what its embeddings are.

use super::Store;
use super::layout::Purpose;
use crate::spi::{Connection, Value};
use crate::types::Name;

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
                "SELECT dimensions, distance, language FROM passage.store_facts($1)".to_owned()
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
