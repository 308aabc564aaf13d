//! Reading a store: search, expansion, fragments, outlines, counts and stored documents.
//!
//! Search, expansion and assembly are functions of the extension; the client only calls them.

mod arguments;
mod browse;
mod call;
mod collections;
mod context;
mod duplicates;
mod export;
mod fragments;
mod functions;
mod outline;
mod reranked;
mod samples;
mod search;
mod search_results;
mod signature;
mod status;
mod stored_document;
mod texts;
mod value;

pub use browse::{ChunkKey, DocumentChunk, DocumentFilter, DocumentKey, ListedDocument};
pub use call::CallResult;
pub use collections::{Collection, DocumentRow};
pub use context::{ContextOptions, ContextRow};
pub use duplicates::{Duplicate, DuplicateDocument};
pub use export::{Export, ExportFilter, ExportedChunk, ExportedDocument};
pub use fragments::{Fragment, FragmentQuery};
pub use outline::OutlineRow;
pub use reranked::{DEFAULT_PASSAGES, RerankCandidates, RerankContext};
pub use samples::SampledChunk;
pub use search::{Filters, Search, SearchMode};
pub use search_results::{Hit, Passage, SearchResults};
pub(super) use signature::Signatures;
pub use signature::{Argument, Column, Function};
pub use status::Status;
pub(super) use stored_document::{ROW_VERSION, read_document};
pub use stored_document::{StoredChunk, StoredDocument};
