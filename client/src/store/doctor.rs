/*!
What may be wrong with a server, its extensions and a store, each with what to do about it.

Nothing is written and no text of a document is read. What a store lacks is the extension's own
`check_store` to say; here is what lies around it: versions, rights, policies, statistics, sizes.

Whoever examines a store of somebody else runs none of his code. All is done in one transaction that
only reads, in which policies refuse instead of running; the catalogs are asked first, and where a
view or the like would run code of another role, nothing but the catalogs is asked.
*/

mod beside;

use super::ownership::{PINNED, Work, refuse_foreign};
use super::{Error, Store};
use serde::Serialize;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// As it should be.
    Good,
    /// It works, and could do so better.
    Warning,
    /// Something does not work.
    Bad,
}

/// Something that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What was looked at.
    pub what: String,
    /// What was found.
    pub finding: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

impl Finding {
    /// Something that is as it should be.
    pub fn good(what: impl Into<String>, finding: impl Into<String>) -> Self {
        let (what, finding) = (what.into(), finding.into());
        Self { severity: Severity::Good, what, finding, remedy: None }
    }

    /// Something that could be better.
    pub fn warning(
        what: impl Into<String>,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Warning,
            remedy: Some(remedy.into()),
            ..Self::good(what, finding)
        }
    }

    /// Something that does not work.
    pub fn bad(
        what: impl Into<String>,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Bad, ..Self::warning(what, finding, remedy) }
    }
}

/// The versions of PostgreSQL that the extension is made for.
const SUPPORTED: std::ops::RangeInclusive<i32> = 15..=18;

impl Store {
    /// Looks at the server, the extensions and the store. The connection stays in a transaction that
    /// only reads, and serves nothing else but [`doctor_model`](Self::doctor_model).
    ///
    /// # Errors
    ///
    /// If the server goes away; what is merely wrong is a finding.
    pub async fn doctor(&self) -> Result<Vec<Finding>, Error> {
        let mut findings = Vec::new();
        self.run(&format!("BEGIN READ ONLY; SET LOCAL row_security = off; SET LOCAL {PINNED}"))
            .await?;
        if !self.look_at_server(&mut findings).await? {
            return Ok(findings);
        }
        if let Err(error) = self.must_exist().await {
            findings.push(Finding::bad("store", error.to_string(), error.remedy()));
            return Ok(findings);
        }
        let is_safe = self.look_at_owners(&mut findings).await?;
        if is_safe {
            self.look_at_shape(&mut findings).await?;
        }
        if self.look_at_rights(&mut findings).await? {
            self.look_at_policies(&mut findings).await?;
            self.look_at_statistics(&mut findings).await?;
            self.look_at_sizes(&mut findings).await?;
            if is_safe {
                self.look_at_embeddings(&mut findings).await?;
            }
            self.look_beside(&mut findings).await?;
        }
        Ok(findings)
    }

    /// Returns whether the extension is there.
    async fn look_at_server(&self, findings: &mut Vec<Finding>) -> Result<bool, Error> {
        let sql = "SELECT current_setting('server_version'), current_setting('server_version_num')::integer / 10000, \
                   current_setting('server_encoding'), pg_is_in_recovery(), installed.*, \
                   (SELECT extversion FROM pg_extension WHERE extname = 'vector'), \
                   (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), inet_client_addr() IS NULL \
                   FROM (SELECT) AS one LEFT JOIN LATERAL (\
                   SELECT default_version, installed_version FROM pg_available_extensions WHERE name = 'pg_passage'\
                   ) AS installed ON true";
        let row = self.one(sql).await?;
        let (version, major): (String, i32) = (row.get(0), row.get(1));
        findings.push(if SUPPORTED.contains(&major) {
            Finding::good("server", format!("PostgreSQL {version}"))
        } else {
            let (first, last) = (SUPPORTED.start(), SUPPORTED.end());
            let remedy = format!("Use PostgreSQL {first} to {last}.");
            Finding::warning("server", format!("PostgreSQL {version} is untried"), remedy)
        });
        let encrypted: Option<bool> = row.get(7);
        findings.push(match (encrypted, row.get(8)) {
            (_, true) => Finding::good("connection", "through a socket of this machine"),
            (Some(true), _) => Finding::good("connection", "with TLS"),
            _ => Finding::warning(
                "connection",
                "in the clear",
                "Turn TLS on in the server (ssl = on) and connect with sslmode=verify-full.",
            ),
        });
        if row.get::<_, String>(2) != "UTF8" {
            let remedy = "Make a database with ENCODING 'UTF8'.";
            findings.push(Finding::bad("encoding", "the database is not in UTF8", remedy));
        }
        if row.get(3) {
            findings.push(Finding::warning(
                "server",
                "it is a standby: searches work, and nothing can be loaded",
                "Load through the primary.",
            ));
        }
        let (available, installed): (Option<String>, Option<String>) = (row.get(4), row.get(5));
        findings.push(match (&available, &installed) {
            (None, _) => Finding::bad(
                "pg_passage",
                "it is not installed on the server",
                "make install PG_CONFIG=/path/to/pg_config",
            ),
            (Some(_), None) => Finding::bad(
                "pg_passage",
                "the database does not have it",
                "passage init brings it, or CREATE EXTENSION pg_passage CASCADE.",
            ),
            (Some(available), Some(installed)) if available != installed => Finding::warning(
                "pg_passage",
                format!("the database has {installed}, and the server {available}"),
                "ALTER EXTENSION pg_passage UPDATE; SELECT passage.upgrade_store();",
            ),
            (_, Some(installed)) => Finding::good("pg_passage", format!("version {installed}")),
        });
        let vector: Option<String> = row.get(6);
        findings.push(match vector.as_deref().map(|version| (version, iterates(version))) {
            None => Finding::good("pgvector", "not there: stores hold text alone"),
            Some((version, true)) => {
                Finding::good("pgvector", format!("version {version}, with iterative scans"))
            }
            Some((version, false)) => Finding::warning(
                "pgvector",
                format!("version {version} has no iterative scans: filters may cost answers"),
                "Install pgvector 0.8 or later, then ALTER EXTENSION vector UPDATE.",
            ),
        });
        Ok(installed.is_some())
    }

    /// Returns whether rows can be read without running code of another role.
    async fn look_at_owners(&self, findings: &mut Vec<Finding>) -> Result<bool, Error> {
        match refuse_foreign(&self.client, &[&self.name], Work::Reading).await {
            Ok(()) => Ok(true),
            Err(Error::Foreign { object, owner, .. }) => {
                findings.push(Finding::bad(
                    "owner",
                    format!(
                        "{object} belongs to the role \"{owner}\": the store was not looked into, since that could run code of \"{owner}\""
                    ),
                    format!("Run passage doctor as \"{owner}\" or as a member of that role."),
                ));
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Asks something that reads rows of the store; `None` where a policy refuses, which is said.
    async fn ask<T>(
        &self,
        what: &str,
        findings: &mut Vec<Finding>,
        asking: impl Future<Output = Result<T, Error>>,
    ) -> Result<Option<T>, Error> {
        self.run("SAVEPOINT asking").await?;
        match asking.await {
            Ok(answer) => Ok(Some(answer)),
            Err(error @ Error::Refused { .. }) if !error.is_ending() => {
                self.run("ROLLBACK TO asking").await?;
                findings.push(Finding::warning(
                    what,
                    format!("not looked at: {error}"),
                    "Run passage doctor as the owner of the store.",
                ));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Looks whether a model is the store's, after [`doctor`](Self::doctor).
    ///
    /// # Errors
    ///
    /// If the server goes away.
    pub async fn doctor_model(&self, model: &(String, usize)) -> Result<Vec<Finding>, Error> {
        let mut findings = Vec::new();
        // It reads the settings, which may be anybody's.
        if refuse_foreign(&self.client, &[&self.name], Work::Reading).await.is_err() {
            return Ok(findings);
        }
        let checked = async {
            match self.check_model(model).await {
                Err(error @ Error::Refused { .. }) => Err(error),
                checked => Ok(checked),
            }
        };
        if let Some(checked) = self.ask("model", &mut findings, checked).await? {
            findings.push(match checked {
                Ok(_) => Finding::good("model", format!("{}, {} dimensions", model.0, model.1)),
                Err(error) => Finding::bad("model", error.to_string(), error.remedy()),
            });
        }
        Ok(findings)
    }

    /// What the extension says of the store.
    async fn look_at_shape(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let sql = "SELECT object, problem, remedy FROM passage.check_store($1::text::name)";
        let name: &(dyn ToSql + Sync) = &self.name;
        let name = [name];
        let asking =
            async { self.client.query(sql, &name).await.map_err(|error| self.error(&error)) };
        let asked = self.ask("store", findings, asking).await?;
        let Some(rows) = asked else { return Ok(()) };
        if rows.is_empty() {
            let what = format!("store \"{}\"", self.name);
            findings
                .push(Finding::good(what, "tables, indexes and settings are as they should be"));
        }
        for row in rows {
            let (object, problem, remedy): (String, String, String) =
                (row.get(0), row.get(1), row.get(2));
            findings.push(Finding::bad(object, problem, remedy));
        }
        Ok(())
    }

    /// Returns whether the store can be read.
    async fn look_at_rights(&self, findings: &mut Vec<Finding>) -> Result<bool, Error> {
        let sql = "SELECT current_user::text, has_schema_privilege(pg_namespace.oid, 'USAGE'), \
                   coalesce(string_agg(relname, ', ' ORDER BY relname) FILTER \
                   (WHERE NOT has_table_privilege(pg_class.oid, 'SELECT')), ''), \
                   coalesce(string_agg(relname, ', ' ORDER BY relname) FILTER \
                   (WHERE relname IN ('documents', 'chunks', 'embeddings') AND NOT (\
                   has_table_privilege(pg_class.oid, 'INSERT') AND has_table_privilege(pg_class.oid, 'UPDATE') \
                   AND has_table_privilege(pg_class.oid, 'DELETE'))), '') \
                   FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid \
                   AND relname IN ('documents', 'chunks', 'embeddings', 'strategies', 'settings') \
                   WHERE nspname = $1 GROUP BY pg_namespace.oid";
        let row =
            self.client.query_one(sql, &[&self.name]).await.map_err(|error| self.error(&error))?;
        let (role, unread, unwritten): (String, String, String) =
            (row.get(0), row.get(2), row.get(3));
        let what = format!("rights of \"{role}\"");
        let schema = &self.schema;
        if !row.get::<_, bool>(1) {
            let remedy = format!("GRANT USAGE ON SCHEMA {schema} TO \"{role}\";");
            findings.push(Finding::bad(what, "none on the schema", remedy));
            return Ok(false);
        }
        if !unread.is_empty() {
            let remedy = format!("GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO \"{role}\";");
            findings.push(Finding::bad(what, format!("may not read {unread}"), remedy));
            return Ok(false);
        }
        findings.push(if unwritten.is_empty() {
            Finding::good(what, "may search and load")
        } else {
            let remedy = format!(
                "To load, too: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO \"{role}\";"
            );
            Finding::warning(what, format!("may search, and not write {unwritten}"), remedy)
        });
        Ok(true)
    }

    /// Policies that full-text search pays for.
    async fn look_at_policies(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let sql = "SELECT coalesce(bool_or(row_security_active(pg_class.oid)), false) FROM pg_class \
                   JOIN pg_namespace ON pg_namespace.oid = relnamespace \
                   WHERE nspname = $1 AND relname = 'chunks' AND relkind IN ('r', 'p')";
        let row =
            self.client.query_one(sql, &[&self.name]).await.map_err(|error| self.error(&error))?;
        if row.get(0) {
            findings.push(Finding::warning(
                "row-level security",
                "this role is under policies: search by words, and by path, reads all chunks that it may see",
                "Give tenants who search by text stores of their own; expansion and search by meaning keep their indexes.",
            ));
        }
        Ok(())
    }

    /// What the planner knows, and what lies about.
    async fn look_at_statistics(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let sql = "SELECT bool_or(reltuples < 0), coalesce(max(n_dead_tup::float8 / greatest(n_live_tup, 1)) \
                   FILTER (WHERE n_dead_tup > 10000), 0) FROM pg_class \
                   JOIN pg_stat_all_tables ON relid = pg_class.oid \
                   WHERE schemaname = $1 AND pg_class.relname IN ('documents', 'chunks', 'embeddings')";
        let row =
            self.client.query_one(sql, &[&self.name]).await.map_err(|error| self.error(&error))?;
        let schema = &self.schema;
        if row.get::<_, Option<bool>>(0) == Some(true) {
            findings.push(Finding::warning(
                "statistics",
                "there are none yet, so search does not know which words are rare",
                format!("ANALYZE {schema}.documents, {schema}.chunks;"),
            ));
        }
        let dead: f64 = row.get(1);
        if dead > 0.2 {
            findings.push(Finding::warning(
                "dead rows",
                format!("{:.0} % of a table", dead * 100.0),
                format!("VACUUM {schema}.documents, {schema}.chunks, {schema}.embeddings; autovacuum may be too slow for it."),
            ));
        }
        Ok(())
    }

    /// How much room the store takes.
    async fn look_at_sizes(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let sql = "SELECT pg_size_pretty(pg_database_size(current_database())), \
                   pg_size_pretty(coalesce(sum(pg_total_relation_size(pg_class.oid)) FILTER (WHERE relkind IN ('r', 'm')), 0)), \
                   coalesce(sum(pg_relation_size(pg_class.oid)) FILTER (WHERE relname = 'embeddings_embedding_idx'), 0)::bigint, \
                   pg_size_bytes(current_setting('effective_cache_size')) FROM pg_class \
                   JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1";
        let row =
            self.client.query_one(sql, &[&self.name]).await.map_err(|error| self.error(&error))?;
        let (database, store): (String, String) = (row.get(0), row.get(1));
        findings.push(Finding::good("disk", format!("{store} of {database} in the database")));
        let (index, cache): (i64, i64) = (row.get(2), row.get(3));
        if index > cache {
            findings.push(Finding::warning(
                "vector index",
                "it is larger than what the server takes for its cache",
                "Give the server more memory, or make a store with --embedding-type halfvec.",
            ));
        }
        Ok(())
    }

    /// What is embedded.
    async fn look_at_embeddings(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        if !self.has_embeddings().await? {
            return Ok(());
        }
        let counted = self.ask("embeddings", findings, self.count_missing(None)).await?;
        let Some(missing) = counted else { return Ok(()) };
        findings.push(if missing == 0 {
            Finding::good("embeddings", "every chunk has one")
        } else {
            let s = if missing == 1 { "chunk has none" } else { "chunks have none" };
            Finding::warning("embeddings", format!("{missing} {s}"), "passage embed makes them.")
        });
        Ok(())
    }

    async fn one(&self, sql: &str) -> Result<Row, Error> {
        self.client.query_one(sql, &[]).await.map_err(|error| self.error(&error))
    }
}

/// Tells whether a version of pgvector goes on looking where a filter leaves too few: from 0.8 on.
fn iterates(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(0), Some(8))
}

#[cfg(test)]
mod tests {
    use super::iterates;

    #[test]
    fn iterative_scans_came_with_0_8() {
        assert!(iterates("0.8.0") && iterates("0.10") && iterates("1.0"));
        assert!(!iterates("0.7.4") && !iterates("0"));
    }
}
