/*!
Fragments: whole-line excerpts of a document that answer a query.

A search returns chunks, which are cut for an embedding model. A fragment is an excerpt that a person
can quote: whole lines as in the source, with their line numbers. The module works in three steps:

1. [`rank_chunks`] ranks the candidate chunks by words, by proximity of the words and by embedding.
2. The caller reads the best chunks with their neighbours, and [`text_runs`] joins them into lines.
3. [`select_fragments`] spends the budget on whole lines.

# Source

The strategies are those of the *Fragment Retrieval System* (seed 003).
*/

mod build_text_runs;
mod corrections;
mod fences;
mod fragment;
mod neighbor_scores;
mod proximity;
mod rank;
mod ranking;
mod select_fragments;
mod semantic;
mod terms;
mod text_run;
mod variants;
mod word_similarity;

pub use crate::search::uri_words;
pub use build_text_runs::text_runs;
pub use corrections::{Correction, corrections};
pub use fragment::{Fragment, FragmentHit, FragmentLimits, Truncation};
pub use neighbor_scores::add_neighbor_scores;
pub use proximity::{Coverage, Proximity};
pub use rank::rank_chunks;
pub use ranking::{FragmentCandidate, FragmentStrategy, RankedChunk, Signal};
pub use select_fragments::select_fragments;
pub use terms::{MatchKind, QueryTerms, TermVariant};
pub use text_run::{SourceChunk, TextLine, TextRun};
pub use variants::{can_be_prefix, similar_words, unmatched_words, words_with_prefix};
pub use word_similarity::word_similarity;
