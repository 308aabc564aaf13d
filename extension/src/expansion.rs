/*!
The expansion of hits: from the arguments of a function to its context or its passages.

[`request`] reads hits and their context from a store, and core selects; [`passage_rows`] makes passages of them.
*/

mod arguments;
mod explanation;
mod passage_rows;
mod request;

pub use arguments::{joining, limits, skipped};
pub use explanation::{Explanation, explanations};
pub use passage_rows::{PassageRow, count_of, passage_rows, separator_of, tokens_of};
pub use request::{ExpandRequest, ExpandedContext, Expansion, ResultKind, scored_hits, strategy};
