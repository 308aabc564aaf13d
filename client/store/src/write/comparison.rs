//! Comparing a document to be written with the stored one.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::unnamed_statement::Parameter;
use super::chunks::Positions;
use super::document::{ChunkWrite, DocumentWrite};
use super::statements::is_as_written;

impl Store {
    /// Returns whether the store has a document with exactly the values to be written, except its content
    /// hash, its time of ingest and the mark of an orphan.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn is_as_written(&self, document: &DocumentWrite<'_>) -> Result<bool, Error> {
        let is_same = |chunk: &ChunkWrite<'_>| {
            chunk.exists && !chunk.preamble_changed && chunk.embedding.is_none()
        };
        if !document.removed_chunks.is_empty() || !document.chunks.iter().all(is_same) {
            return Ok(false);
        }
        let positions = Positions::of(document);
        let count = document.chunks.len() as i32;
        let DocumentWrite { title, media_type, source_media_type, metadata, .. } = document;
        let mut values = positions.parameters().to_vec();
        values.extend([title as &dyn Parameter, media_type, source_media_type, &count, metadata]);
        let row = self.query_opt(&is_as_written(&self.schema), &values).await?;
        Ok(row.is_some_and(|row| row.get(0)))
    }
}
