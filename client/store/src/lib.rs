/*!
The store: a schema in PostgreSQL, and every statement that the client sends to the server.

[`Store`] is a store and its connection. Its methods are in four groups:

- queries: [`search`](Store::search), [`context`](Store::context), [`fragments`](Store::fragments),
  [`outline`](Store::outline), [`status`](Store::status). Search, expansion and assembly are functions of
  the extension;
- writes: [`write`](Store::write) writes several documents in one transaction, each completely or not at
  all;
- administration: [`init`](Store::init), [`upgrade`](Store::upgrade), [`doctor`](Store::doctor), [`doctor_setup`](Store::doctor_setup), [`remove`](Store::remove), the settings
  and the vector index;
- a [`ShadowStore`] replaces a whole store.

An error of the server becomes an [`Error`] with a remedy. No error contains a document's text.
*/

mod admin;
mod connect;
mod connection;
mod error;
mod installed;
mod layout;
mod postgres_text;
mod query;
mod relations;
mod shadow;
mod unnamed_statement;
mod write;

pub use admin::{
    Changed, Created, EmbeddingModel, Finding, InitOptions, Installation, OtherSizes,
    RecordedEmbedding, Removal, RemovalSummary, Settings, Severity, Splitting, Upgraded,
    setup_without_connection,
};
pub use connect::Notice;
pub use connection::{Identity, Store};
pub use error::{ConnectFailure, Error, Operation};
pub use installed::{Edition, Installed};
pub use postgres_text::quote_identifier;
pub use query::{
    Argument, CallResult, ChunkKey, Collection, Column, ContextOptions, ContextRow,
    DEFAULT_PASSAGES, DocumentChunk, DocumentFilter, DocumentKey, DocumentRow, Duplicate,
    DuplicateDocument, Export, ExportFilter, ExportedChunk, ExportedDocument, Filters, Fragment,
    FragmentQuery, Function, Hit, ListedDocument, OutlineRow, Passage, RerankCandidates,
    RerankContext, SampledChunk, Search, SearchMode, SearchResults, Status, StoredChunk,
    StoredDocument,
};
pub use shadow::{OutdatedDocument, PendingSwap, ShadowDocument, ShadowOptions, ShadowStore};
pub use write::{
    ChunkWrite, ClaimCursor, DocumentChanges, DocumentState, DocumentWrite, ExistingDocument,
    MarkedClaim, MarkedDocument, Replaced, UnembeddedChunk, WriteOutcome,
};
