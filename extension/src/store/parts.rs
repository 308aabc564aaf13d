/*!
The statement behind `assemble`: chosen chunks of one document, in order.

Its cost must grow with the number of ids alone. A generic plan compares `id = ANY ($2)` one id after
the other for each chunk of the document: 133,000 ids took 110 s, and five ids in a document of 133,000
chunks 30 ms. So a table is probed by id, once for each; OFFSET keeps the planner from turning the join
around. A view may number its chunks by a window function, which only a constant document bounds, so
it is read once, with the ids as a filter. PostgreSQL hashes the ids of a filter only if they are a
constant of the plan and at least nine, so for more than [`FEW`] the statement is planned anew.
*/

use super::Store;
use super::layout::{Layout, Purpose};
use super::operators::EQUAL;
use crate::interrupt::pause;
use crate::spi::{Connection, Value};
use crate::types::{UuidArray, to_sql};
use passage_core::MediaType;
use passage_core::assemble::Part;
use uuid::Uuid;

/// The most ids that a filter compares one after the other.
const FEW: usize = 8;

impl Store {
    /// Reads the media type of a document, and those of some chunks that belong to it. Each id must
    /// be given once.
    pub fn parts<'c>(
        &self,
        connection: &'c Connection,
        document_id: Uuid,
        chunk_ids: &[Uuid],
    ) -> (MediaType, Vec<Part<'c>>) {
        let is_filter = !self.0.chunks.has_ordinals;
        let purpose = Purpose::Parts { hashed: is_filter && chunk_ids.len() > FEW };
        let statement = self.0.statement(purpose, || statement(&self.0));
        let chunk_ids: UuidArray = chunk_ids.iter().copied().collect();
        let values = vec![Value::new(to_sql(document_id)), Value::new(chunk_ids)];
        let rows = connection.read(&statement, values);
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
    let columns =
        [layout.chunks.column("c", "content", "text"), column("start_byte"), column("end_byte")];
    let chunks = &layout.chunks.name;
    if !layout.chunks.has_ordinals {
        return format!(
            "SELECT {media_type}, {columns} FROM {chunks} AS c \
             WHERE c.document_id {EQUAL} $1 AND c.id {EQUAL} ANY ($2) ORDER BY c.ordinal, c.id",
            columns = columns.join(", "),
        );
    }
    let [content, start, end] = columns;
    format!(
        "SELECT {media_type}, c.content, c.first, c.last FROM pg_catalog.unnest($2) AS h (id) \
         CROSS JOIN LATERAL (SELECT {content} AS content, {start} AS first, {end} AS last, \
         c.ordinal, c.id FROM {chunks} AS c \
         WHERE c.document_id {EQUAL} $1 AND c.id {EQUAL} h.id OFFSET 0) AS c \
         ORDER BY c.ordinal, c.id",
    )
}
