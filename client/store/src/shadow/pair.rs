//! The names of an original store and its shadow store.

/// The original store and its shadow store.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct StorePair {
    /// The name of the original store.
    pub(super) original_name: String,
    /// The name of the original store as a quoted identifier.
    pub(super) original: String,
    /// The name of the shadow store.
    pub(super) shadow_name: String,
    /// The name of the shadow store as a quoted identifier.
    pub(super) shadow: String,
    /// The name that the original store gets after the swap.
    pub(super) former_name: String,
    pub(super) columns: CopiedColumns,
    pub(super) original_has_embeddings: bool,
    pub(super) original_has_ratings: bool,
    pub(super) with_embeddings: bool,
    /// Whether the embeddings of the original are valid in the shadow store.
    pub(super) reuses_embeddings: bool,
}

/// The columns that are copied, as lists for a statement.
pub(super) struct CopiedColumns {
    pub(super) documents: String,
    pub(super) chunks: String,
    pub(super) strategies: String,
    /// The embedding, as the type of the shadow store.
    pub(super) embedding: String,
}

/// The setting that marks a shadow store until the swap.
pub(super) const MARK: &str = "reindex";

/// The table of a shadow store with the fingerprints of the rows that its documents were made from.
pub(super) const FINGERPRINTS: &str = "made";

/// The columns of `documents` that depend on how the document was split.
pub(super) const SPLIT_COLUMNS: [&str; 3] = ["content_hash", "chunk_count", "metadata"];

/// The lock mode for a store that is only read.
pub(super) const READ_LOCK: &str = "ACCESS SHARE";

/// The lock mode for a store that is written.
pub(super) const WRITE_LOCK: &str = "ROW EXCLUSIVE";
