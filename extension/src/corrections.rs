/*!
Corrections of misspelled words, for searches and fragments.

[`corrected_lexemes`] lists the words that differ by one slip, and [`present_variants`] selects those that the store has.
*/

mod corrected_lexemes;
mod corrected_query;
mod present_variants;

pub use corrected_lexemes::{corrected_lexemes, keep_likely};
pub use corrected_query::corrected_query;
pub use present_variants::{any_of, present_variants};
