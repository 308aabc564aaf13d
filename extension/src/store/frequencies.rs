/*!
How common words are, by the planner's statistics and by counting.

PostgreSQL counts the commonest lexemes of a column when it analyses a table. They are read once for
each role and remembered until the table changes or is analysed again. What is not among them is so
rare that it can be counted, up to a bound. Who reads under row-level security gets nothing of this,
and neither does who reads a view.
*/

use super::Store;
use super::layout::Purpose;
use super::operators::{EQUAL, MATCHES};
use crate::spi::{Connection, Value};
use passage_core::search::{Frequencies, LexemeCounts, MAX_CANDIDATES, QueryLexemes, quote_lexeme};
use pgrx::pg_sys;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What is known, for each role that asked.
pub type Known = RefCell<HashMap<pg_sys::Oid, Option<Rc<Frequencies>>>>;

impl Store {
    /// Returns how common the words of the store's chunks are, if that is known.
    pub fn frequencies(&self, connection: &Connection) -> Option<Rc<Frequencies>> {
        // SAFETY: reads a variable of the backend, in its one thread.
        let role = unsafe { pg_sys::GetUserId() };
        if let Some(known) = self.0.known.borrow().get(&role) {
            return known.clone();
        }
        let frequencies = self.read_frequencies(connection).map(Rc::new);
        self.0.known.borrow_mut().insert(role, frequencies.clone());
        frequencies
    }

    /// Counts the chunks that have each lexeme, if there are statistics to begin with.
    pub fn counts(&self, connection: &Connection, lexemes: &QueryLexemes) -> Option<LexemeCounts> {
        let known = self.frequencies(connection)?;
        let mut with: Vec<_> = lexemes
            .list
            .iter()
            .map(|lexeme| known.chunks_with(lexeme).unwrap_or(known.uncommon_bound()))
            .collect();
        let rare: Vec<_> =
            (0..with.len()).filter(|at| known.chunks_with(&lexemes.list[*at]).is_none()).collect();
        // Where all of them together are few, reading them counts them.
        if rare.len() as f64 * known.uncommon_bound() > f64::from(MAX_CANDIDATES) {
            let queries: Vec<_> = rare.iter().map(|at| quote_lexeme(&lexemes.list[*at])).collect();
            let statement = self.0.statement(Purpose::Counts, || {
                format!(
                    "SELECT (SELECT pg_catalog.count(*) FROM (SELECT FROM {} AS c \
                     WHERE c.tsv {MATCHES} w.query::pg_catalog.tsquery LIMIT {}) AS f) \
                     FROM pg_catalog.unnest($1) WITH ORDINALITY AS w (query, place) ORDER BY w.place",
                    self.0.chunks.name,
                    MAX_CANDIDATES + 1,
                )
            });
            let rows = connection.read(&statement, vec![Value::new(queries)]);
            for (row, lexeme) in rare.into_iter().enumerate() {
                with[lexeme] = rows.get::<i64>(row, 0).map_or(0.0, |count| count as f64);
            }
        }
        Some(LexemeCounts { chunks: known.chunks, chunks_with: with })
    }

    /// Tells whether policies stand between the caller and the store's chunks.
    pub fn has_policies(&self) -> bool {
        // SAFETY: a look-up in the catalogs of a relation by its oid, which returns "none" for one that
        // is missing.
        let state =
            unsafe { pg_sys::check_enable_rls(self.0.chunks.oid, pg_sys::InvalidOid, true) };
        state == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
    }

    fn read_frequencies(&self, connection: &Connection) -> Option<Frequencies> {
        if !self.0.chunks.is_table || self.has_policies() {
            return None;
        }
        let statement = self.0.statement(Purpose::Frequencies, statement);
        let rows = connection.read(&statement, vec![Value::new(self.0.chunks.oid)]);
        if rows.len() == 0 {
            return None;
        }
        let chunks = f64::from(rows.get::<f32>(0, 0)?);
        let lexemes = rows.get::<Vec<Option<String>>>(0, 1)?;
        // Behind the shares of the elements come the least and the greatest of them.
        let shares = rows.get::<Vec<Option<f32>>>(0, 2)?;
        let least = shares.get(lexemes.len()).copied().flatten()?;
        let of =
            |(lexeme, share): (Option<String>, &Option<f32>)| Some((lexeme?, f64::from((*share)?)));
        let shares = lexemes.into_iter().zip(&shares).filter_map(of).collect();
        (chunks > 0.0).then(|| Frequencies { chunks, shares, min_share: f64::from(least) })
    }
}

/// A partitioned table has statistics of all its parts together.
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
         WHERE r.oid {EQUAL} $1 AND s.attname {EQUAL} 'tsv' AND s.most_common_elems IS NOT NULL \
         ORDER BY s.inherited DESC LIMIT 1"
    )
}
