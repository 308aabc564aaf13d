/*!
Search: which chunks answer a query, best first.

A query has words and, where there is one, an embedding, and each is a leg of its own: the words are
ranked by BM25 over the positions that a store's full text keeps, the embedding by its distance. Here
is all of it that needs no store: what a query asks for ([`SearchQuery`], [`identifier_parts`]), which
chunks are worth ranking ([`arms`]), what each is worth ([`bm25`]), how two rankings become one
([`fuse`]), and how many hits a budget is for ([`select_within_budget`]).
*/

pub mod bm25;
mod fuse;
mod hit_budget;
mod identifiers;
mod lexemes;
mod query;
mod subqueries;

pub use fuse::{FusedHit, RankedList, fuse};
pub use hit_budget::{HitCost, count_for_passages, select_within_budget};
pub use identifiers::{identifier_parts, uri_words};
pub use lexemes::{QueryLexemes, QueryWord, quote_lexeme};
pub use query::SearchQuery;
pub use subqueries::{
    ENOUGH_CANDIDATES, Frequencies, LexemeCounts, MAX_CANDIDATES, Subquery, SubqueryPlan,
    plan_subqueries,
};

use crate::error::sql_enum;

/// Which legs a search has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMode {
    /// The embedding alone.
    Vector,
    /// The words alone.
    Text,
    /// Both, fused.
    Hybrid,
}

sql_enum!(
    SearchMode, "mode", r#""vector", "text" and "hybrid""#,
    "vector" => Vector, "text" => Text, "hybrid" => Hybrid
);
