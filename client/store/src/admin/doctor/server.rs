//! Checks of the server, the connection and the extensions.

use super::super::super::connection::Store;
use super::super::super::error::Error;
use super::finding::Finding;
use crate::postgres_text::quote_literal;

/// The PostgreSQL versions that the extension supports.
const SUPPORTED: std::ops::RangeInclusive<i32> = 15..=18;

impl Store {
    /// Checks the server and the extensions. Returns whether the database has `pg_passage`, as an extension
    /// or as the SQL edition.
    pub(super) async fn check_server(&self, findings: &mut Vec<Finding>) -> Result<bool, Error> {
        let sql = "SELECT current_setting('server_version'), current_setting('server_version_num')::integer / 10000, \
                   current_setting('server_encoding'), pg_is_in_recovery(), installed.*, \
                   (SELECT extversion FROM pg_extension WHERE extname = 'vector'), \
                   (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), inet_client_addr() IS NULL \
                   FROM (SELECT) AS one LEFT JOIN LATERAL (\
                   SELECT default_version, installed_version FROM pg_available_extensions WHERE name = 'pg_passage'\
                   ) AS installed ON true";
        let row = self.query_one(sql, &[]).await?;
        findings.push(server(row.get(0), row.get(1)));
        findings.push(connection(row.get(7), row.get(8)));
        if row.get::<_, String>(2) != "UTF8" {
            findings.push(encoding());
        }
        if row.get(3) {
            findings.push(Finding::warning(
                "server",
                "it is a standby: searches work, but documents cannot be loaded",
                "Load documents through the primary.",
            ));
        }
        let installed: Option<String> = row.get(5);
        let edition = match self.installed_version().await {
            Err(error @ Error::NotOwner { .. }) => {
                findings.push(Finding::bad("pg_passage", error.to_string(), error.remedy()));
                return Ok(false);
            }
            version => version?.filter(|_| installed.is_none()),
        };
        let has_functions = installed.is_some() || edition.is_some();
        findings.push(match edition {
            Some(version) => Finding::good("pg_passage", format!("SQL edition, version {version}")),
            None => extension(row.get(4), installed.as_deref(), &self.name),
        });
        findings.push(pgvector(row.get(6)));
        Ok(has_functions)
    }
}

pub(super) fn server(version: &str, major: i32) -> Finding {
    if SUPPORTED.contains(&major) {
        return Finding::good("server", format!("PostgreSQL {version}"));
    }
    let remedy = format!("Use PostgreSQL {} to {}.", SUPPORTED.start(), SUPPORTED.end());
    Finding::warning("server", format!("PostgreSQL {version} is not supported"), remedy)
}

pub(super) fn encoding() -> Finding {
    let remedy = "Create a database with ENCODING 'UTF8'.";
    Finding::bad("encoding", "the encoding of the database is not UTF8", remedy)
}

fn connection(is_encrypted: Option<bool>, is_socket: bool) -> Finding {
    match (is_encrypted, is_socket) {
        (_, true) => Finding::good("connection", "through a Unix socket"),
        (Some(true), _) => Finding::good("connection", "encrypted with TLS"),
        _ => Finding::warning(
            "connection",
            "not encrypted",
            "Enable TLS in the server (ssl = on) and connect with sslmode=verify-full.",
        ),
    }
}

fn extension(available: Option<&str>, installed: Option<&str>, store: &str) -> Finding {
    match (available, installed) {
        (None, _) => Finding::bad(
            "pg_passage",
            "it is not installed on the server",
            "make install PG_CONFIG=/path/to/pg_config",
        ),
        (Some(_), None) => Finding::bad(
            "pg_passage",
            "it is not installed in the database",
            "Run passage init, or CREATE EXTENSION pg_passage CASCADE.",
        ),
        (Some(available), Some(installed)) if available != installed => Finding::warning(
            "pg_passage",
            format!("the database has version {installed}, the server has {available}"),
            format!(
                "ALTER EXTENSION pg_passage UPDATE; SELECT passage.upgrade_store({});",
                quote_literal(store)
            ),
        ),
        (_, Some(installed)) => Finding::good("pg_passage", format!("version {installed}")),
    }
}

fn pgvector(version: Option<&str>) -> Finding {
    match version.map(|version| (version, has_iterative_scans(version))) {
        None => Finding::good("pgvector", "not installed: stores have no embeddings"),
        Some((version, true)) => {
            Finding::good("pgvector", format!("version {version}, with iterative scans"))
        }
        Some((version, false)) => Finding::warning(
            "pgvector",
            format!(
                "version {version} has no iterative scans: searches with filters may miss hits"
            ),
            "Install pgvector 0.8 or later, then ALTER EXTENSION vector UPDATE.",
        ),
    }
}

/// Returns whether a version of pgvector continues an index scan when a filter leaves too few rows: since
/// 0.8.
fn has_iterative_scans(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(0), Some(8))
}

#[cfg(test)]
mod tests {
    use super::has_iterative_scans;

    #[test]
    fn iterative_scans_exist_since_0_8() {
        assert!(
            has_iterative_scans("0.8.0")
                && has_iterative_scans("0.10")
                && has_iterative_scans("1.0")
        );
        assert!(!has_iterative_scans("0.7.4") && !has_iterative_scans("0"));
    }
}
