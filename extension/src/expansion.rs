/*!
The expansion of hits: from the arguments of a function to its context or its passages.

[`request`] reads hits and their context from a store, and core selects; [`passage_rows`] makes passages of them.
*/

mod arguments;
mod passage_rows;
mod request;

pub use arguments::{PassageArguments, limits};
pub use passage_rows::{PassageRow, TextOptions, passage_rows, separator_of};
pub use request::{ExpandRequest, ExpandedContext, Expansion, ResultKind, strategy};
