//! The columns of a store's table `chunks`, for the writers of stores.

/// The columns of the table `chunks` that a writer fills, in the order of the table. The other columns are
/// generated.
///
/// # Examples
///
/// ```
/// let columns = passage_core::CHUNK_COLUMNS.join(", ");
/// assert!(columns.starts_with("id, document_id, ordinal, "));
/// ```
pub const CHUNK_COLUMNS: [&str; 15] = [
    "id",
    "document_id",
    "ordinal",
    "level",
    "section",
    "kind",
    "unit",
    "content",
    "preamble",
    "tokens",
    "start_byte",
    "end_byte",
    "first_line",
    "last_line",
    "metadata",
];
