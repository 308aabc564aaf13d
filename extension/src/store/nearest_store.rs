//! The store whose name a misspelled name resembles.

use crate::server::spi::{self, Access, Statement};
use crate::server::sql_text::EQUAL;
use passage_core::misspelling::edits;
use passage_split::interrupt::poll_periodically as pause;

/// Returns the store that the caller may use with the most similar name, or `None` if no name is similar.
pub fn nearest_store(name: &str) -> Option<String> {
    let statement = Statement::new(name, statement(), Access::Any);
    spi::connect(|connection| {
        let rows = connection.read(&statement, Vec::new());
        let similar = |row| {
            // A session may see the schemas of many tenants.
            pause(row);
            let store: String = rows.get(row, 0)?;
            Some((edits(name, &store)?, store))
        };
        (0..rows.len()).filter_map(similar).min().map(|(_, store)| store)
    })
}

/// Lists the schemas with a relation `chunks` that has the required columns. Nothing of these schemas runs.
fn statement() -> String {
    format!(
        "SELECT n.nspname::pg_catalog.text FROM pg_catalog.pg_namespace AS n \
         JOIN pg_catalog.pg_class AS c ON c.relnamespace {EQUAL} n.oid \
         JOIN pg_catalog.pg_attribute AS a ON a.attrelid {EQUAL} c.oid \
         WHERE c.relname {EQUAL} 'chunks' AND NOT a.attisdropped \
         AND a.attname {EQUAL} ANY ('{{id,document_id,ordinal,content}}'::pg_catalog.name[]) \
         AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') \
         GROUP BY n.nspname HAVING pg_catalog.count(*) {EQUAL} 4"
    )
}
