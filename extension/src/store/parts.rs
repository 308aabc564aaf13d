//! The statement behind `assemble`: chosen chunks of one document, in order.

use super::Store;
use super::layout::{Layout, Purpose};
use super::operators::EQUAL;
use crate::interrupt::pause;
use crate::spi::{Connection, Value};
use passage_core::MediaType;
use passage_core::assemble::Part;
use pgrx::datum::Uuid;

impl Store {
    /// Reads the media type of a document and those of the chunks that belong to it, each once.
    pub fn parts<'c>(
        &self,
        connection: &'c Connection,
        document_id: Uuid,
        chunk_ids: Vec<Uuid>,
    ) -> (MediaType, Vec<Part<'c>>) {
        let statement = self.0.statement(Purpose::Parts, || statement(&self.0));
        let rows =
            connection.read(&statement, vec![Value::new(document_id), Value::new(chunk_ids)]);
        let part = |row| {
            pause(row);
            let content = rows.text(row, 1).unwrap_or_default();
            let span = rows.get::<i32>(row, 2).zip(rows.get(row, 3));
            Part { content: content.into(), span: span.map(|(start, end)| start..end) }
        };
        let parts: Vec<_> = (0..rows.len()).map(part).collect();
        let media_type = if parts.is_empty() { None } else { rows.get::<String>(0, 0) };
        (media_type.as_deref().map_or(MediaType::PLAIN, MediaType::new), parts)
    }
}

fn statement(layout: &Layout) -> String {
    let column = |column: &str| layout.chunks.column("c", column, "integer");
    let media_type = layout.documents.as_ref().map_or_else(
        || "NULL::pg_catalog.text".to_owned(),
        |documents| {
            let media_type = documents.column("d", "media_type", "text");
            format!("(SELECT {media_type} FROM {} AS d WHERE d.id {EQUAL} $1)", documents.name)
        },
    );
    format!(
        "SELECT {media_type}, {content}, {start}, {end} FROM {chunks} AS c \
         WHERE c.document_id {EQUAL} $1 AND c.id {EQUAL} ANY ($2) ORDER BY c.ordinal, c.id",
        content = layout.chunks.column("c", "content", "text"),
        start = column("start_byte"),
        end = column("end_byte"),
        chunks = layout.chunks.name,
    )
}
