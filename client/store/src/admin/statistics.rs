//! The planner's statistics, which a large load makes outdated.

use super::super::connect::Notice;
use super::super::connection::Store;
use super::super::error::Error;
use crate::postgres_text::quote_identifier;

/// A table is analyzed if more than one of this many rows has changed.
const SHARE: f64 = 10.0;

/// A table of which a run has changed rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The chunks, with their documents and embeddings.
    Chunks,
    /// The embeddings alone.
    Embeddings,
}

impl Changed {
    fn name(self) -> &'static str {
        match self {
            Changed::Chunks => "chunks",
            Changed::Embeddings => "embeddings",
        }
    }
}

impl Store {
    /// Updates the planner's statistics after a run that changed `rows` rows of `table`: if a table of the
    /// store has none, or if more than a tenth of the rows has changed.
    ///
    /// Returns a note if PostgreSQL does not allow it or fails. The rows are committed anyway.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends.
    pub async fn analyze_after(
        &self,
        table: Changed,
        rows: usize,
    ) -> Result<Option<Notice>, Error> {
        // Partitions have statistics of their own. A view has none. Those of a distributed table are on its shards.
        let (estimate, shards) = if self.is_distributed().await? {
            (
                "CASE WHEN is_analyzed THEN estimate ELSE -1 END",
                "LEFT JOIN _passage.shard_tables($1::text::name) ON relation = relname",
            )
        } else {
            ("reltuples::float8", "")
        };
        let sql = format!(
            "SELECT relname::text, pg_get_userbyid(relowner)::text, {estimate}, \
                   pg_has_role(relowner, 'USAGE') OR pg_has_role(datdba, 'USAGE') \
                   OR CASE WHEN current_setting('server_version_num')::integer >= 170000 \
                   THEN has_table_privilege(pg_class.oid, 'MAINTAIN') ELSE false END \
                   FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
                   JOIN pg_database ON datname = current_database() {shards} \
                   WHERE nspname = $1 AND relkind IN ('r', 'p') AND relname IN ('documents', 'chunks', 'embeddings') \
                   ORDER BY relname"
        );
        let least = rows as f64 * SHARE;
        let rows = match self.query(&sql, &[&self.name]).await {
            // A node with shards is down.
            Err(error @ Error::Database { .. }) if !error.is_shutdown() => {
                let tables = [format!("{}.{}", self.schema, table.name())];
                return Ok(Some(not_analyzed(&error.to_string(), &tables, None)));
            }
            rows => rows?,
        };
        let is_outdated = rows.iter().any(|row| {
            let (name, estimate): (&str, f64) = (row.get(0), row.get(2));
            estimate < 0.0 || (name == table.name() && estimate < least)
        });
        if !is_outdated {
            return Ok(None);
        }
        let table =
            |row: &tokio_postgres::Row| format!("{}.{}", self.schema, row.get::<_, &str>(0));
        let (own, other): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.get(3));
        if !own.is_empty() {
            let own: Vec<_> = own.into_iter().map(table).collect();
            // Another session may hold a lock for long, for example to build an index.
            let analyzed = self.run(&format!("ANALYZE (SKIP_LOCKED) {}", own.join(", "))).await;
            match analyzed {
                Err(error @ Error::Database { .. }) if !error.is_shutdown() => {
                    return Ok(Some(not_analyzed(&error.to_string(), &own, None)));
                }
                analyzed => analyzed?,
            }
        }
        let Some(first) = other.first() else { return Ok(None) };
        let owner: String = first.get(1);
        let tables: Vec<_> = other.iter().copied().map(table).collect();
        Ok(Some(not_analyzed("only their owner may do that", &tables, Some(&owner))))
    }
}

fn not_analyzed(cause: &str, tables: &[String], owner: Option<&str>) -> Notice {
    let statement = format!("ANALYZE {};", tables.join(", "));
    Notice {
        message: format!("the planner's statistics were not updated: {cause}"),
        hint: Some(match owner {
            Some(owner) => format!("Ask {} to run {statement}", quote_identifier(owner)),
            None => format!("Run {statement}"),
        }),
    }
}
