/*!
Searches: the rankings of their legs, the fusion of both, and the passages of the best hits.
*/

mod best_passages;
mod legs;
mod request;

pub use best_passages::{BestPassages, PassageChooser};
pub use request::SearchRequest;
