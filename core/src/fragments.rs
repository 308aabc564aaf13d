/*!
Fragments: the whole lines of a document that answer a query.

Search gives chunks, which were cut for a model; a fragment is what a person would quote: whole lines
as they stand in the source, with their numbers, so that they can be read, cited and edited. Chunks
are ranked by several signals ([`rank`]), the best are read with their neighbours and put together as
lines ([`text_runs`]), and of those the budget takes what answers ([`choose`]).

# Source

The *Fragment Retrieval System* (seed 003), whose strategies these are.
*/

mod choose;
mod fences;
mod neighbor_scores;
mod proximity;
mod rank;
mod semantic;
mod strategy;
mod terms;
mod text_run;
mod uri;
mod variants;
mod word_similarity;

pub use choose::{Fragment, FragmentHit, FragmentLimits, Truncation, select_fragments};
pub use neighbor_scores::add_neighbor_scores;
pub use proximity::{Coverage, Proximity};
pub use rank::{FragmentCandidate, RankedChunk, Signal, rank_chunks};
pub use strategy::FragmentStrategy;
pub use terms::{MatchKind, QueryTerms, TermVariant};
pub use text_run::{SourceChunk, TextLine, TextRun, text_runs};
pub use uri::uri_words;
pub use variants::{can_be_prefix, similar_words, unmatched_words, words_with_prefix};
pub use word_similarity::word_similarity;
