//! Stores that can be written to: tables with every column that a loader writes.

use crate::server::error::Error;
use crate::store::Store;
use crate::store::layout::Relation;
use passage_core::CHUNK_COLUMNS;

/// The columns of `documents` that are written.
const DOCUMENTS: [&str; 12] = [
    "id",
    "collection",
    "version",
    "uri",
    "title",
    "media_type",
    "source_media_type",
    "content_hash",
    "chunk_count",
    "orphaned_at",
    "metadata",
    "ingested_at",
];

/// A store whose documents and chunks are tables with all columns.
pub struct WritableStore(pub(super) Store);

impl WritableStore {
    /// Checks that the store can record the source row of a document.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoColumn`] if the store was created by a version without that column.
    pub fn check_source_row(&self) -> Result<(), Error> {
        let layout = &self.0.0;
        let column = "source_row";
        match &layout.documents {
            Some(documents) if documents.has(column) => Ok(()),
            _ => {
                Err(Error::NoColumn { store: layout.store.clone(), relation: "documents", column })
            }
        }
    }
}

impl Store {
    /// Checks that documents can be written.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoTable`] if documents or chunks are a view or missing, as in an adopted store,
    /// and [`Error::NoColumn`] if one of them lacks a column.
    pub fn writable(self) -> Result<WritableStore, Error> {
        let (store, chunks) = (&self.0.store, &self.0.chunks);
        let relations = [
            ("documents", self.0.documents.as_ref(), &DOCUMENTS[..]),
            ("chunks", Some(chunks), &CHUNK_COLUMNS[..]),
        ];
        for (name, relation, columns) in relations {
            let table = relation.filter(|relation| relation.is_table);
            let Some(table) = table else {
                let missing = relation.is_none();
                return Err(Error::NoTable { store: store.clone(), relation: name, missing });
            };
            if let Some(column) = columns.iter().find(|column| !Relation::has(table, column)) {
                return Err(Error::NoColumn { store: store.clone(), relation: name, column });
            }
        }
        Ok(WritableStore(self))
    }
}
