/*!
Reading hits and their context.

At most three statements answer a call, whatever the number of hits: [`hits`] reads the hits, [`containers`] what is around
those of code, and [`context_chunks`] all probes of their plan. If the call asks for linked sections, [`linked_sections`] finds
them in another one.
*/

mod chunk_columns;
mod containers;
mod context_chunks;
mod hit_document;
mod hit_lookup;
mod hits;
mod linked_sections;
mod neighborhood;
mod probe_query;
mod probe_subqueries;
mod strategy;
mod unit_sizes;

pub use chunk_columns::{ChunkColumns, StoredChunk};
pub use context_chunks::ContextChunks;
pub use hit_document::HitDocument;
pub use hits::{Hits, StoredHit};
pub use linked_sections::LinkedSections;
pub use strategy::StrategyRequest;
