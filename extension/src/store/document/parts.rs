/*!
The statement of `assemble`: given chunks of one document, in order.

Its cost must depend on the number of ids alone. For `id = ANY ($2)` a generic plan compares each chunk of
the document with one id after the other: 133,000 ids took 110 s, and five ids in a document of 133,000
chunks 30 ms. So a table is probed by id, once for each; OFFSET keeps the planner from reversing the
join. A view may compute ordinals with a window function, for which only a constant document bounds the
cost. So a view is read once, with the ids as a filter. PostgreSQL hashes the ids of a filter only if
they are at least nine and a constant of the plan, so with more than [`FEW`] ids the statement is planned
at each execution.
*/

use crate::server::spi::{Access, Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::{UuidArray, to_sql};
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use crate::store::shards::Route;
use passage_core::assemble::Part;
use passage_split::MediaType;
use passage_split::interrupt::poll_periodically as pause;
use uuid::Uuid;

/// The maximum number of ids that a filter compares one after the other.
const FEW: usize = 8;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct PartsStatement {
    /// Whether the ids are hashed, as a constant of the plan.
    hashed: bool,
}

impl StatementKey for PartsStatement {
    fn access(&self) -> Access {
        if self.hashed { Access::Matches } else { Access::Index }
    }
}

impl Store {
    /// Returns the media type of a document, and those of the given chunks that belong to it. Each id
    /// must be given once.
    pub fn parts<'c>(
        &self,
        connection: &'c Connection,
        document_id: Uuid,
        chunk_ids: &[Uuid],
    ) -> (MediaType, Vec<Part<'c>>) {
        let is_filter = !self.0.has_ordinals();
        let key = PartsStatement { hashed: is_filter && chunk_ids.len() > FEW };
        let statement = self.0.statement(key, || statement(&self.0));
        let chunk_ids: UuidArray = chunk_ids.iter().copied().collect();
        let values = vec![Value::new(to_sql(document_id)), Value::new(chunk_ids)];
        let rows =
            self.read(connection, &statement, values, Route::Documents(&[document_id]), None);
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
    if !layout.has_ordinals() {
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
