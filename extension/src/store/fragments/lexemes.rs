//! The lexemes of chunks and lines, read for fragments.

use crate::server::spi::{Access, Connection, Value};
use crate::server::sql_text::{EQUAL, MATCHES};
use crate::server::types::{Tsvector, to_sql};
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use crate::store::search::{FilterShape, Filters, MetadataPart};
use crate::store::shards::Route;
use passage_core::search::identifier_parts;
use passage_split::interrupt::poll_periodically as pause;
use uuid::Uuid;

/// The lexemes of a chunk.
pub struct ChunkLexemes<'c> {
    pub id: Uuid,
    pub ordinal: Option<i32>,
    /// The section key.
    pub section: Option<i64>,
    /// The length of the chunk.
    pub tokens: Option<i32>,
    pub tsv: Tsvector<'c>,
}

/// The maximum number of chunks that are read of a document.
const MAX_DOCUMENT_CHUNKS: i64 = 100_000;

/// The maximum number of chunks that are read for the variants of words by the full-text index.
pub const MAX_MATCHING: usize = 500;

/// Identifies the statement for a document.
#[derive(Clone, PartialEq)]
struct DocumentLexemes {
    matching: bool,
}

impl StatementKey for DocumentLexemes {}

/// Identifies the statement for chunks that match a query.
#[derive(Clone, PartialEq)]
struct MatchingLexemes {
    filters: FilterShape,
}

impl StatementKey for MatchingLexemes {
    fn access(&self) -> Access {
        Access::Matches
    }
}

/// Identifies the statement for lines.
#[derive(Clone, PartialEq)]
struct LineLexemes;

impl StatementKey for LineLexemes {}

impl Store {
    /// Reads the lexemes of a document's chunks. With a `tsquery`, given as its text, only those of
    /// chunks that match it.
    pub fn document_lexemes<'c>(
        &self,
        connection: &'c Connection,
        document: Uuid,
        query: Option<&str>,
    ) -> Vec<ChunkLexemes<'c>> {
        let key = DocumentLexemes { matching: query.is_some() };
        let statement = self.0.statement(key, || document_statement(&self.0, query.is_some()));
        let language = self.facts(connection).language.clone();
        let limit = Value::new(MAX_DOCUMENT_CHUNKS);
        let mut values = vec![Value::new(to_sql(document)), limit, Value::new(language)];
        values.extend(query.map(|query| Value::new(query.to_owned())));
        let rows = self.read(connection, &statement, values, Route::Documents(&[document]), None);
        let chunk = |row| {
            pause(row);
            Some(ChunkLexemes {
                id: rows.uuid(row, 0),
                ordinal: rows.get(row, 1),
                section: rows.get(row, 2),
                tokens: rows.get(row, 3),
                tsv: rows.tsvector(row, 4)?,
            })
        };
        (0..rows.len()).filter_map(chunk).collect()
    }

    /// Reads the lexemes of at most `limit` chunks that match a `tsquery`, given as its text, and pass the
    /// filters, each with the document of the chunk. Without a query all chunks match.
    pub fn matching_lexemes<'c>(
        &self,
        connection: &'c Connection,
        query: Option<&str>,
        filters: &Filters,
        limit: usize,
    ) -> Vec<(Uuid, ChunkLexemes<'c>)> {
        if !self.0.has_lexemes() {
            return Vec::new();
        }
        let shape = filters.shape();
        let key = MatchingLexemes { filters: shape.clone() };
        let statement = self.0.statement(key, || matching_statement(&self.0, &shape));
        let values = |limits: &[usize]| {
            let mut values =
                vec![Value::new(query.map(str::to_owned)), Value::new(limits[0] as i64)];
            values.extend(filters.values());
            values
        };
        let rows = self.read_limited(connection, &statement, &[limit], values, |_, _| 0);
        let chunk = |row| {
            pause(row);
            let tsv = rows.tsvector(row, 3)?;
            let chunk = ChunkLexemes {
                id: rows.uuid(row, 0),
                ordinal: None,
                tokens: None,
                section: rows.get(row, 2),
                tsv,
            };
            Some((rows.uuid(row, 1), chunk))
        };
        (0..rows.len()).filter_map(chunk).collect()
    }

    /// Returns the lexemes of lines, by the store's language.
    pub fn line_lexemes<'c>(
        &self,
        connection: &'c Connection,
        lines: &[&str],
    ) -> Vec<Option<Tsvector<'c>>> {
        let statement = self.0.statement(LineLexemes, || LINE_STATEMENT.to_owned());
        let language = self.facts(connection).language.clone();
        let text = |(index, line): (usize, &&str)| {
            pause(index);
            format!("{line} {}", identifier_parts(line))
        };
        let lines: Vec<_> = lines.iter().enumerate().map(text).collect();
        let rows = connection.read(&statement, vec![Value::new(language), Value::new(lines)]);
        (0..rows.len()).map(|row| rows.tsvector(row, 0)).collect()
    }
}

fn document_statement(layout: &Layout, matching: bool) -> String {
    let tsv = tsvector(layout, "c", "$3");
    let matching = if matching {
        format!(" AND {tsv} {MATCHES} $4::pg_catalog.tsquery")
    } else {
        String::new()
    };
    format!(
        "SELECT {id}, {ordinal}, {section}, {tokens}, {tsv} FROM {chunks} AS c \
         WHERE c.document_id {EQUAL} $1 AND ($3 IS NULL OR true){matching} LIMIT $2",
        id = layout.chunks.column("c", "id", "uuid"),
        ordinal = layout.chunks.column("c", "ordinal", "integer"),
        section = layout.section_key("c"),
        tokens = layout.chunks.column("c", "tokens", "integer"),
        chunks = layout.chunks.name,
    )
}

fn matching_statement(layout: &Layout, filters: &FilterShape) -> String {
    // The planner knows the query, so it removes one side of the OR.
    format!(
        "SELECT {id}, {document}, {section}, c.tsv FROM {chunks} AS c{documents} \
         WHERE ($1 IS NULL OR c.tsv {MATCHES} $1::pg_catalog.tsquery){conditions} LIMIT $2",
        id = layout.chunks.column("c", "id", "uuid"),
        document = layout.chunks.column("c", "document_id", "uuid"),
        section = layout.section_key("c"),
        chunks = layout.chunks.name,
        documents = filters.join(layout, "c.document_id"),
        conditions = filters.conditions(layout, "c.document_id", None, 3, MetadataPart::All),
    )
}

const LINE_STATEMENT: &str = "SELECT pg_catalog.to_tsvector(s.language, _passage.searchable_text(s.language, l.line)) \
     FROM (SELECT coalesce($1::pg_catalog.regconfig, pg_catalog.get_current_ts_config()) AS language) AS s, \
     pg_catalog.unnest($2) WITH ORDINALITY AS l (line, place) ORDER BY l.place";

/// Returns the lexemes of a chunk as SQL. In a store without a column `tsv` they are computed from the
/// beginning of the content.
fn tsvector(layout: &Layout, alias: &str, language: &str) -> String {
    if layout.has_lexemes() {
        return format!("{alias}.tsv");
    }
    let language =
        format!("coalesce({language}::pg_catalog.regconfig, pg_catalog.get_current_ts_config())");
    format!(
        "pg_catalog.to_tsvector({language}, \
         _passage.searchable_text({language}, pg_catalog.left({}, 100000)))",
        layout.chunks.column(alias, "content", "text")
    )
}
