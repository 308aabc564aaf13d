/*!
The frequencies of lexemes, from the planner's statistics and by counting.

ANALYZE counts the most common lexemes of a column. They are read once for each role, and cached until the
table changes or is analyzed again. A lexeme that is not among them is so rare that a statement can count
it, up to a limit. Under row-level security, and for a view, there are no frequencies.
*/

use crate::server::spi::{Access, Connection, Rows, Value};
use crate::server::sql_text::{EQUAL, MATCHES};
use crate::store::Store;
use crate::store::layout::StatementKey;
use crate::store::shards::Route;
use passage_core::search::{
    Frequencies, LexemeCounts, MAX_CANDIDATES, QueryLexemes, is_syllable, term,
};
use pgrx::pg_sys;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The frequencies of a layout, for each role that has read them.
#[derive(Default)]
struct CachedFrequencies(RefCell<HashMap<pg_sys::Oid, Option<Rc<Frequencies>>>>);

/// Identifies the statement that reads the statistics.
#[derive(Clone, PartialEq)]
struct FrequencyStatement;

impl StatementKey for FrequencyStatement {
    fn access(&self) -> Access {
        Access::Any
    }
}

/// Identifies the statement that counts rare lexemes.
#[derive(Clone, PartialEq)]
struct CountStatement;

impl StatementKey for CountStatement {
    fn access(&self) -> Access {
        Access::Matches
    }
}

impl Store {
    /// Returns the frequencies of the store's lexemes, if they are known.
    fn frequencies(&self, connection: &Connection) -> Option<Rc<Frequencies>> {
        let cached = self.0.slot::<CachedFrequencies>();
        // SAFETY: reads a variable of the backend, in its one thread.
        let role = unsafe { pg_sys::GetUserId() };
        if let Some(frequencies) = cached.0.borrow().get(&role) {
            return frequencies.clone();
        }
        let frequencies = self.read_frequencies(connection).map(Rc::new);
        cached.0.borrow_mut().insert(role, frequencies.clone());
        frequencies
    }

    /// Counts the chunks that have each lexeme, if there are statistics.
    pub fn lexeme_counts(
        &self,
        connection: &Connection,
        lexemes: &QueryLexemes,
    ) -> Option<LexemeCounts> {
        let known = self.frequencies(connection)?;
        let mut with: Vec<_> = lexemes
            .list
            .iter()
            .map(|lexeme| known.chunks_with(lexeme).unwrap_or(known.uncommon_bound()))
            .collect();
        let rare: Vec<_> =
            (0..with.len()).filter(|at| known.chunks_with(&lexemes.list[*at]).is_none()).collect();
        // If all of them together are few, reading them counts them. A syllable may begin many rare pairs.
        if rare.len() as f64 * known.uncommon_bound() > f64::from(MAX_CANDIDATES)
            || rare.iter().any(|at| is_syllable(&lexemes.list[*at]))
        {
            let queries: Vec<_> = rare.iter().map(|at| term(&lexemes.list[*at])).collect();
            let statement = self.0.statement(CountStatement, || {
                format!(
                    "SELECT (SELECT pg_catalog.count(*) FROM (SELECT FROM {} AS c \
                     WHERE c.tsv {MATCHES} w.query::pg_catalog.tsquery LIMIT {}) AS f) \
                     FROM pg_catalog.unnest($1) WITH ORDINALITY AS w (query, place) ORDER BY w.place",
                    self.0.lexeme_table().unwrap_or(&self.0.chunks).name,
                    MAX_CANDIDATES + 1,
                )
            });
            let values = vec![Value::new(queries)];
            let rows = self.read(connection, &statement, values, Route::All, None);
            for lexeme in &rare {
                with[*lexeme] = 0.0;
            }
            // Each shard of the store counts all of them.
            for (row, lexeme) in (0..rows.len()).zip(rare.iter().cycle()) {
                with[*lexeme] += rows.get::<i64>(row, 0).map_or(0.0, |count| count as f64);
            }
        }
        Some(LexemeCounts { chunks: known.chunks, chunks_with: with })
    }

    /// Returns whether policies restrict which chunks the caller sees.
    pub fn has_policies(&self) -> bool {
        self.0.lexeme_table().unwrap_or(&self.0.chunks).has_policies()
    }

    fn read_frequencies(&self, connection: &Connection) -> Option<Frequencies> {
        let table = self.0.lexeme_table().filter(|_| !self.has_policies())?;
        let statement = self.0.statement(FrequencyStatement, statement);
        let values = vec![Value::relation(table.oid)];
        let rows = self.read(connection, &statement, values, Route::All, None);
        let mut found: Vec<_> = (0..rows.len()).filter_map(|row| frequencies(&rows, row)).collect();
        // One table has its statistics as they are, several shards have them together.
        if found.len() > 1 { Frequencies::merged(&found) } else { found.pop() }
    }
}

/// Reads the frequencies of a table.
fn frequencies(rows: &Rows, row: usize) -> Option<Frequencies> {
    let chunks = f64::from(rows.get::<f32>(row, 0)?);
    let lexemes = rows.get::<Vec<Option<String>>>(row, 1)?;
    // After the shares of the elements come the smallest and the largest of them.
    let shares = rows.get::<Vec<Option<f32>>>(row, 2)?;
    let least = shares.get(lexemes.len()).copied().flatten()?;
    let known =
        |(lexeme, share): (Option<String>, &Option<f32>)| Some((lexeme?, f64::from((*share)?)));
    let shares = lexemes.into_iter().zip(&shares).filter_map(known).collect();
    (chunks > 0.0).then(|| Frequencies { chunks, shares, min_share: f64::from(least) })
}

/// Reads the statistics of a table; of a partitioned one those of all its partitions together.
fn statement() -> String {
    format!(
        "SELECT greatest(r.reltuples, (SELECT pg_catalog.sum(greatest(p.reltuples, 0)) \
         FROM pg_catalog.pg_partition_tree($1) AS t \
         JOIN pg_catalog.pg_class AS p ON p.oid {EQUAL} t.relid::pg_catalog.oid \
         WHERE t.isleaf))::pg_catalog.float4, \
         s.most_common_elems::pg_catalog.text::pg_catalog.text[], s.most_common_elem_freqs \
         FROM pg_catalog.pg_class AS r \
         JOIN pg_catalog.pg_namespace AS n ON n.oid {EQUAL} r.relnamespace \
         JOIN pg_catalog.pg_stats AS s ON s.schemaname {EQUAL} n.nspname \
         AND s.tablename {EQUAL} r.relname \
         WHERE r.oid {EQUAL} $1::pg_catalog.oid AND s.attname {EQUAL} 'tsv' AND s.most_common_elems IS NOT NULL \
         ORDER BY s.inherited DESC LIMIT 1"
    )
}
