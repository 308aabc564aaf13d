/*!
Fragments: from the arguments of a call to the lines that answer it.

[`query`] takes the steps: [`candidates`] finds chunks, [`ranking`] orders them, and [`rows`] cuts their lines.
*/

mod candidates;
mod query;
mod ranking;
mod rows;
mod whole_document;

pub use query::FragmentArguments;
