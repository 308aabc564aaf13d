//! The statement that makes lexemes of lines.

use crate::interrupt::pause;
use crate::spi::{Connection, Value};
use crate::store::Store;
use crate::store::layout::Purpose;
use crate::types::Tsvector;
use passage_core::search::identifier_parts;

impl Store {
    /// Returns the words of lines, as the store's language has them.
    pub fn words_in<'c>(
        &self,
        connection: &'c Connection,
        lines: &[&str],
    ) -> Vec<Option<Tsvector<'c>>> {
        let statement = self.0.statement(Purpose::WordsIn, || STATEMENT.to_owned());
        let language = self.facts(connection).language.clone();
        let text = |(place, line): (usize, &&str)| {
            pause(place);
            format!("{line} {}", identifier_parts(line))
        };
        let lines: Vec<_> = lines.iter().enumerate().map(text).collect();
        let rows = connection.read(&statement, vec![Value::new(language), Value::new(lines)]);
        (0..rows.len()).map(|row| rows.words(row, 0)).collect()
    }
}

const STATEMENT: &str = "SELECT pg_catalog.to_tsvector(s.language, l.line) \
     FROM (SELECT coalesce($1::pg_catalog.regconfig, pg_catalog.get_current_ts_config()) AS language) AS s, \
     pg_catalog.unnest($2) WITH ORDINALITY AS l (line, place) ORDER BY l.place";
