//! The statement that makes lexemes of a query's words, by the text search configuration of the store.

use super::Store;
use super::layout::Purpose;
use crate::spi::{Connection, Value};
use passage_core::search::{QueryLexemes, SearchQuery, identifier_parts};

/// What PostgreSQL makes of a query.
pub struct Asked {
    /// Its lexemes.
    pub lexemes: QueryLexemes,
    /// What a chunk must match besides, as the text of a `tsquery`; empty if nothing.
    pub required: String,
}

impl Store {
    /// Takes a query as the store's language has it.
    pub fn ask(&self, connection: &Connection, query: &SearchQuery) -> Asked {
        // Each word is followed by its parts.
        let words = query.words.iter().flat_map(|word| [word.clone(), identifier_parts(word)]);
        let words: Vec<_> = words.collect();
        let phrases: Vec<_> = query.phrases.iter().chain(&query.excluded).cloned().collect();
        let statement = self.0.statement(Purpose::Lexemes, || STATEMENT.to_owned());
        let language = self.facts(connection).language.clone();
        let count = words.len();
        let values = vec![Value::new(language), Value::new(words), Value::new(phrases)];
        let rows = connection.read(&statement, values);
        let mut found = vec![Vec::new(); count];
        let mut required = Vec::new();
        for row in 0..rows.len() {
            let place = rows.get::<i64>(row, 0).expect("a place is NOT NULL");
            let text: String = rows.get(row, 1).unwrap_or_default();
            if place > 0 {
                found[place as usize - 1].push(text);
            } else if !text.is_empty() {
                // A phrase of stop words asks for nothing.
                let must = (-place as usize) <= query.phrases.len();
                required.push(if must { format!("({text})") } else { format!("!({text})") });
            }
        }
        let mut lexemes = QueryLexemes::default();
        let mut found = found.into_iter();
        while let (Some(whole), Some(parts)) = (found.next(), found.next()) {
            lexemes.add(whole, parts);
        }
        Asked { lexemes, required: required.join("&") }
    }
}

/// Words have places from 1 on, phrases from -1 down.
const STATEMENT: &str = "SELECT w.place, l.lexeme, l.positions[1]::pg_catalog.int4 \
     FROM (SELECT coalesce($1::pg_catalog.regconfig, pg_catalog.get_current_ts_config()) AS language) AS s, \
     pg_catalog.unnest($2) WITH ORDINALITY AS w (word, place), \
     pg_catalog.unnest(pg_catalog.to_tsvector(s.language, w.word)) AS l (lexeme, positions, weights) \
     UNION ALL \
     SELECT OPERATOR(pg_catalog.-) p.place, \
     pg_catalog.phraseto_tsquery(s.language, p.phrase)::pg_catalog.text, NULL \
     FROM (SELECT coalesce($1::pg_catalog.regconfig, pg_catalog.get_current_ts_config()) AS language) AS s, \
     pg_catalog.unnest($3) WITH ORDINALITY AS p (phrase, place) \
     ORDER BY 1, 3, 2";
