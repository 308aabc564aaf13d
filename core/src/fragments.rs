/*!
Fragments: the whole lines of a document that answer a query.

Search gives chunks, which were cut for a model; a fragment is what a person would quote: whole lines
as they stand in the source, with their numbers, so that they can be read, cited and edited. Chunks
are ranked by several signals ([`rank`]), the best are read with their neighbours and put together as
lines ([`stretches`]), and of those the budget takes what answers ([`choose`]).

# Source

The *Fragment Retrieval System* (seed 003), whose strategies these are.
*/

mod choose;
mod fences;
mod likeness;
mod proximity;
mod rank;
mod semantic;
mod spread;
mod strategy;
mod stretch;
mod terms;
mod uri;
mod variants;

pub use choose::{Cut, Fragment, Hit, Limits, choose};
pub use likeness::likeness;
pub use proximity::{Coverage, Proximity};
pub use rank::{Found, Ranked, Signal, rank};
pub use spread::spread;
pub use strategy::Strategy;
pub use stretch::{Line, Piece, Stretch, stretches};
pub use terms::{Match, Terms, Variant};
pub use uri::uri_words;
pub use variants::{alike, beginning, begins_others, missing};
