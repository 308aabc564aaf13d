//! The lexemes of a query, by the text search configuration of the store.

use crate::server::spi::{Connection, Value};
use crate::store::Store;
use crate::store::layout::StatementKey;
use passage_core::search::{
    QueryLexemes, SearchQuery, is_syllable, is_unspaced_run, query_parts, term,
};
use passage_split::interrupt::poll_periodically as pause;

/// A query that PostgreSQL's text search has parsed.
#[derive(Clone)]
pub struct ParsedQuery {
    pub lexemes: QueryLexemes,
    /// The phrases that a chunk must match or must not match, as the text of a `tsquery`. May be empty.
    pub required: String,
}

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct LexemeStatement;

impl StatementKey for LexemeStatement {}

/// Identifies the statement for words without a query.
#[derive(Clone, PartialEq)]
struct WordStatement;

impl StatementKey for WordStatement {}

impl Store {
    /// Parses a query by the store's language.
    pub fn parse_query(&self, connection: &Connection, query: &SearchQuery) -> ParsedQuery {
        // Each word is followed by its parts.
        let words = query.words.iter().flat_map(|word| [word.clone(), query_parts(word)]);
        let words: Vec<_> = words.collect();
        let phrases: Vec<_> = query.phrases.iter().chain(&query.excluded).cloned().collect();
        let statement = self.0.statement(LexemeStatement, || STATEMENT.to_owned());
        let language = self.facts(connection).language.clone();
        let count = words.len();
        let values = vec![Value::new(language), Value::new(words), Value::new(phrases)];
        let rows = connection.read(&statement, values);
        let mut word_lexemes = vec![Vec::new(); count];
        let mut required = Vec::new();
        for row in 0..rows.len() {
            let position = rows.get::<i64>(row, 0).expect("a place is NOT NULL");
            let text: String = rows.get(row, 1).unwrap_or_default();
            if position > 0 {
                word_lexemes[position as usize - 1].push(text);
            } else if !text.is_empty() {
                // The phrase has a word that is not a stop word.
                let is_phrase = (-position as usize) <= query.phrases.len();
                // A phrase of one lexeme is this lexeme in quotes.
                let single = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
                let text = single.filter(|lexeme| is_syllable(lexeme)).map_or(text.clone(), term);
                required.push(if is_phrase { format!("({text})") } else { format!("!({text})") });
            }
        }
        let mut lexemes = QueryLexemes::default();
        let mut word_lexemes = word_lexemes.into_iter();
        for word in &query.words {
            if let (Some(whole), Some(parts)) = (word_lexemes.next(), word_lexemes.next()) {
                if is_unspaced_run(word) {
                    lexemes.add_run(whole);
                } else {
                    lexemes.add(word, whole, parts);
                }
            }
        }
        ParsedQuery { lexemes, required: required.join("&") }
    }

    /// Returns the lexemes of words by the store's language, each with the index of its word. Stop words
    /// have none.
    pub fn word_lexemes(&self, connection: &Connection, words: Vec<&str>) -> Vec<(usize, String)> {
        let statement = self.0.statement(WordStatement, || WORD_STATEMENT.to_owned());
        let language = self.facts(connection).language.clone();
        let words: Vec<_> = words.into_iter().map(str::to_owned).collect();
        let rows = connection.read(&statement, vec![Value::new(language), Value::new(words)]);
        let lexeme = |row| {
            pause(row);
            let place: i64 = rows.get(row, 0)?;
            Some((place as usize - 1, rows.get(row, 1)?))
        };
        (0..rows.len()).filter_map(lexeme).collect()
    }
}

/// Returns the lexeme of each word. Two lexemes of one word would be a compound.
const WORD_STATEMENT: &str = "SELECT w.place, l.lexeme \
     FROM (SELECT coalesce($1::pg_catalog.regconfig, pg_catalog.get_current_ts_config()) AS language) AS s, \
     pg_catalog.unnest($2) WITH ORDINALITY AS w (word, place), \
     pg_catalog.unnest(pg_catalog.to_tsvector(s.language, w.word)) AS l (lexeme, positions, weights)";

/// Words are numbered from 1 up, phrases from -1 down.
const STATEMENT: &str = "SELECT w.place, l.lexeme, l.positions[1]::pg_catalog.int4 \
     FROM (SELECT coalesce($1::pg_catalog.regconfig, pg_catalog.get_current_ts_config()) AS language) AS s, \
     pg_catalog.unnest($2) WITH ORDINALITY AS w (word, place), \
     pg_catalog.unnest(pg_catalog.to_tsvector(s.language, _passage.searchable_text(s.language, w.word))) \
     AS l (lexeme, positions, weights) \
     UNION ALL \
     SELECT OPERATOR(pg_catalog.-) p.place, \
     pg_catalog.phraseto_tsquery(s.language, _passage.searchable_text(s.language, p.phrase))::pg_catalog.text, NULL \
     FROM (SELECT coalesce($1::pg_catalog.regconfig, pg_catalog.get_current_ts_config()) AS language) AS s, \
     pg_catalog.unnest($3) WITH ORDINALITY AS p (phrase, place) \
     ORDER BY 1, 3, 2";
