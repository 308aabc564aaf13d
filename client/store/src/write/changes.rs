//! The differences of a document to be written from its stored version.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::unnamed_statement::Parameter;
use super::arguments::{Arguments, parameters};
use super::document::DocumentWrite;
use std::collections::HashSet;

/// The differences of a document from its stored version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentChanges {
    /// Whether the store has exactly the values to be written, except the content hash, the time of the ingest and the mark
    /// of an orphan.
    pub is_same: bool,
    /// The ordinals of the chunks that keep their rows.
    pub kept: HashSet<usize>,
    /// The ordinals of the chunks without an embedding of their text.
    pub unembedded: Vec<usize>,
}

impl Store {
    /// Compares a document with its stored version.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn document_changes(
        &self,
        document: &DocumentWrite<'_>,
    ) -> Result<DocumentChanges, Error> {
        let arguments = Arguments::of(&[document]);
        let mut values: Vec<&dyn Parameter> = vec![&self.name, &arguments.documents];
        values.extend(arguments.chunks());
        let sql = format!(
            "SELECT is_same, kept, unembedded FROM _passage.document_changes($1::text::name, $2 -> 0, {})",
            parameters(3, values.len() - 2)
        );
        let row = self.query_one(&sql, &values).await?;
        let ordinals = |column: usize| {
            let places: Vec<i32> = row.get(column);
            places.into_iter().map(|place| place as usize - 1)
        };
        Ok(DocumentChanges {
            is_same: row.get(0),
            kept: ordinals(1).collect(),
            unembedded: ordinals(2).collect(),
        })
    }
}
