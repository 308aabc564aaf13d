//! The documents that the store already has, and their differences from documents to write.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::unnamed_statement::Parameter;
use super::arguments::{Arguments, parameters};
use super::document::DocumentWrite;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// A document of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingDocument {
    /// The id, which need not be a derived one.
    pub id: Uuid,
    /// The hash of everything that the chunks depended on.
    pub content_hash: Option<Vec<u8>>,
    /// Whether the document is marked as orphaned: its source no longer exists.
    pub is_orphan: bool,
}

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
    /// Returns the documents with one of the uris, by uri, with one statement.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn existing_documents(
        &self,
        collection: &str,
        version: &str,
        uris: &[&str],
    ) -> Result<HashMap<String, ExistingDocument>, Error> {
        let sql = "SELECT uri, id, content_hash, is_orphan \
             FROM _passage.stored_documents($1::text, 'load', $2, ARRAY[$3::text], ARRAY[$4::text])";
        let rows = self.query(sql, &[&self.name, &uris, &collection, &version]).await?;
        Ok(rows
            .into_iter()
            .map(|row| {
                let (id, content_hash, is_orphan) = (row.get(1), row.get(2), row.get(3));
                (row.get(0), ExistingDocument { id, content_hash, is_orphan })
            })
            .collect())
    }

    /// Returns one of the ids that a chunk of another document has.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn chunk_of_other_document(
        &self,
        ids: &[Uuid],
        document: Uuid,
    ) -> Result<Option<Uuid>, Error> {
        if ids.is_empty() {
            return Ok(None);
        }
        let sql = format!(
            "SELECT id FROM {}.chunks WHERE id = ANY ($1) AND document_id <> $2 LIMIT 1",
            self.schema
        );
        Ok(self.query_opt(&sql, &[&ids, &document]).await?.map(|row| row.get(0)))
    }

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
