//! The statement that reads the words of a document's chunks.

use crate::interrupt::pause;
use crate::spi::{Connection, Value};
use crate::store::Store;
use crate::store::around::NO_KEY;
use crate::store::hits::uuid;
use crate::store::layout::{Layout, Purpose};
use crate::store::operators::{EQUAL, MATCHES};
use crate::types::{Tsvector, to_sql};
use uuid::Uuid;

/// The words of a chunk.
pub struct Words<'c> {
    pub id: Uuid,
    pub ordinal: Option<i32>,
    pub section: Option<i64>,
    /// How long it is.
    pub tokens: Option<i32>,
    pub tsv: Tsvector<'c>,
}

/// The most chunks of a document that are looked at.
const MOST: i64 = 100_000;

impl Store {
    /// Reads the words of a document's chunks: of those that match a `tsquery`, given as its text, or
    /// of all.
    pub fn words_of<'c>(
        &self,
        connection: &'c Connection,
        document: Uuid,
        query: Option<&str>,
    ) -> Vec<Words<'c>> {
        let purpose = Purpose::WordsOf { matching: query.is_some() };
        let statement = self.0.statement(purpose, || statement(&self.0, query.is_some()));
        let language = self.facts(connection).language.clone();
        let mut values = vec![Value::new(to_sql(document)), Value::new(MOST), Value::new(language)];
        values.extend(query.map(|query| Value::new(query.to_owned())));
        let rows = connection.read(&statement, values);
        let words = |row| {
            pause(row);
            Some(Words {
                id: uuid(rows.get(row, 0)),
                ordinal: rows.get(row, 1),
                section: rows.get(row, 2),
                tokens: rows.get(row, 3),
                tsv: rows.words(row, 4)?,
            })
        };
        (0..rows.len()).filter_map(words).collect()
    }
}

fn statement(layout: &Layout, matching: bool) -> String {
    let words = layout.words("c", "$3");
    let matching = if matching {
        format!(" AND {words} {MATCHES} $4::pg_catalog.tsquery")
    } else {
        String::new()
    };
    format!(
        "SELECT {id}, {ordinal}, {section}, {tokens}, {words} FROM {chunks} AS c \
         WHERE c.document_id {EQUAL} $1 AND ($3 IS NULL OR true){matching} LIMIT $2",
        id = layout.chunks.column("c", "id", "uuid"),
        ordinal = layout.chunks.column("c", "ordinal", "integer"),
        section = layout.section_key("c"),
        tokens = layout.chunks.column("c", "tokens", "integer"),
        chunks = layout.chunks.name,
    )
}

impl Layout {
    /// Returns the words of a chunk; a store that does not keep them has them made, of the beginning
    /// of a long content.
    fn words(&self, alias: &str, language: &str) -> String {
        if self.has_words() {
            return format!("{alias}.tsv");
        }
        format!(
            "pg_catalog.to_tsvector(\
             coalesce({language}::pg_catalog.regconfig, pg_catalog.get_current_ts_config()), \
             pg_catalog.left({}, 100000))",
            self.chunks.column(alias, "content", "text")
        )
    }

    /// Returns what tells the section of a chunk from others, NULL where it is unknown.
    pub fn section_key(&self, alias: &str) -> String {
        if self.has_kin() { format!("{alias}.section_key") } else { NO_KEY.to_owned() }
    }
}
