//! The statement of `likeness`: what similar chunks are compared with.

use crate::server::spi::{Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::to_sql;
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use crate::store::shards::Route;
use passage_split::interrupt::poll_periodically as pause;
use uuid::Uuid;

/// The maximum number of chunks of a document, and of characters of a chunk, that are read.
const MAX_CHUNKS: i64 = 1_000;
const MAX_CHARACTERS: i32 = 4_000;

/// The maximum number of characters of the text.
const MAX_TEXT: usize = 100_000;

/// A chunk or a document to compare others with.
pub enum Original {
    Chunk(Uuid),
    Document(Uuid),
}

/// The text and the embedding that others are compared with.
#[derive(Default)]
pub struct Likeness {
    /// The titles of its sections, then its text.
    pub words: String,
    /// The mean of its embeddings.
    pub embedding: Option<Vec<f32>>,
    /// Its chunks; empty if the caller sees none.
    pub chunks: Vec<Uuid>,
}

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct LikenessStatement {
    of_chunk: bool,
}

impl StatementKey for LikenessStatement {}

impl Store {
    /// Reads a chunk, or the first chunks of a document.
    pub fn likeness(&self, connection: &Connection, original: Original) -> Likeness {
        let (of_chunk, ids) = match original {
            Original::Chunk(id) => (true, [id]),
            Original::Document(id) => (false, [id]),
        };
        let route = if of_chunk { Route::Chunks(&ids) } else { Route::Documents(&ids) };
        let key = LikenessStatement { of_chunk };
        let statement = self.0.statement(key, || statement(&self.0, of_chunk));
        let values = vec![Value::new(to_sql(ids[0]))];
        let rows = self.read(connection, &statement, values, route, None);
        let mut likeness = Likeness::default();
        let (mut titles, mut contents) = (Vec::new(), Vec::new());
        let (mut sum, mut count): (Vec<f64>, _) = (Vec::new(), 0_u32);
        for row in 0..rows.len() {
            pause(row);
            likeness.chunks.push(rows.uuid(row, 0));
            titles.extend(rows.get::<Vec<Option<String>>>(row, 1).into_iter().flatten().flatten());
            contents.extend(rows.get::<String>(row, 2));
            if let Some(embedding) = rows.get::<Vec<Option<f32>>>(row, 3) {
                sum.resize(embedding.len(), 0.0);
                let values = embedding.into_iter().flatten();
                sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += f64::from(value));
                count += 1;
            }
        }
        titles.extend(contents);
        likeness.words = titles.join(" ").chars().take(MAX_TEXT).collect();
        likeness.embedding = (count > 0)
            .then(|| sum.into_iter().map(|sum| (sum / f64::from(count)) as f32).collect());
        likeness
    }
}

fn statement(layout: &Layout, of_chunk: bool) -> String {
    let (embedding, join) = match (&layout.embeddings, layout.embedding_type()) {
        (Some(embeddings), Some((schema, embedding_type))) => {
            let document = if layout.chunks.ids_name_documents && embeddings.has_document_id() {
                format!(" AND e.document_id {EQUAL} c.document_id")
            } else {
                String::new()
            };
            // The column has exactly the type of pgvector, so no function of another role is chosen.
            (
                format!("{schema}.{embedding_type}_to_float4(e.embedding, -1, false)"),
                format!(" LEFT JOIN {} AS e ON e.chunk_id {EQUAL} c.id{document}", embeddings.name),
            )
        }
        _ => ("NULL::pg_catalog.float4[]".to_owned(), String::new()),
    };
    let condition =
        if of_chunk { layout.is_chunk("c") } else { format!("c.document_id {EQUAL} $1") };
    format!(
        "SELECT {id}, {section}, pg_catalog.left({content}, {MAX_CHARACTERS}), {embedding} \
         FROM {chunks} AS c{join} WHERE {condition} ORDER BY {ordinal}, c.id LIMIT {MAX_CHUNKS}",
        id = layout.chunks.column("c", "id", "uuid"),
        section = layout.section("c"),
        content = layout.chunks.column("c", "content", "text"),
        chunks = layout.chunks.name,
        ordinal = layout.chunks.column("c", "ordinal", "integer"),
    )
}
