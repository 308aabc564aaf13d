/*!
Finding chunks by words and by an embedding.

[`text_search`] ranks chunks that have words of the query, [`vector_search`] those nearest to the
embedding. Both statements have the conditions of [`filters`], so filters apply before any limit.
*/

mod editions;
mod filter_shape;
mod filters;
mod frequencies;
mod hit_listing;
mod hit_places;
mod index_scan;
mod lexemes;
mod match_reader;
mod metadata_conditions;
mod missing_names;
mod query_embedding;
mod ratings;
mod store_facts;
mod text_search;
mod vector_search;

pub use filter_shape::{FilterShape, MetadataPart};
pub use filters::{FilterArguments, Filters, VersionFilter};
pub use index_scan::IndexScan;
pub use lexemes::ParsedQuery;
pub use query_embedding::QueryEmbedding;
pub use text_search::{TextMatches, TextRanking};

use uuid::Uuid;

/// The chunks that a search found, best first, each with its score.
pub type RankedChunks = Vec<(Uuid, f64)>;
