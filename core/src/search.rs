/*!
Search: which chunks answer a query, best first.

A query has words and, where there is one, an embedding, and each is a leg of its own: the words are
ranked by BM25 over the positions that a store's full text keeps, the embedding by its distance. Here
is all of it that needs no store: what a query asks for ([`Query`], [`identifier_parts`]), which
chunks are worth ranking ([`arms`]), what each is worth ([`bm25`]), how two rankings become one
([`fuse`]), and how many hits a budget is for ([`fitting`]).
*/

pub mod bm25;
mod candidates;
mod fitting;
mod fuse;
mod identifiers;
mod lexemes;
mod query;

pub use candidates::{Arm, Arms, CAP, Counts, ENOUGH, Frequencies, arms};
pub use fitting::{Offer, fitting, leading};
pub use fuse::{Fused, Leg, fuse};
pub use identifiers::identifier_parts;
pub use lexemes::{Lexemes, Word, quoted};
pub use query::Query;

use crate::words::words;

/// Which legs a search has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The embedding alone.
    Vector,
    /// The words alone.
    Text,
    /// Both, fused.
    Hybrid,
}

words!(
    Mode, "mode", r#""vector", "text" and "hybrid""#,
    "vector" => Vector, "text" => Text, "hybrid" => Hybrid
);
