//! Checks of the server, the connection and the extensions.

use super::super::super::connection::Store;
use super::super::super::error::Error;
use super::super::super::installed::{Edition, Installed};
use super::finding::Finding;

/// The PostgreSQL versions that the extension supports.
const SUPPORTED: std::ops::RangeInclusive<i32> = 15..=18;

/// The remedy for another version than that of the server or of the client.
const UPGRADE: &str = "passage upgrade";

impl Store {
    /// Checks the server and the extensions. Returns whether the database has `pg_passage`, as an extension
    /// or as the SQL edition.
    pub(super) async fn check_server(&self, findings: &mut Vec<Finding>) -> Result<bool, Error> {
        let sql = "SELECT current_setting('server_version'), current_setting('server_version_num')::integer / 10000, \
                   current_setting('server_encoding'), pg_is_in_recovery(), (SELECT default_version FROM pg_available_extensions WHERE name = 'pg_passage'), \
                   (SELECT extversion FROM pg_extension WHERE extname = 'vector'), \
                   (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), inet_client_addr() IS NULL";
        let row = self.query_one(sql, &[]).await?;
        findings.push(server(row.get(0), row.get(1)));
        findings.push(connection(row.get(6), row.get(7)));
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
        let available: Option<String> = row.get(4);
        let installed = match self.installed().await {
            Err(error @ Error::NotOwner { .. }) => {
                findings.push(Finding::bad("pg_passage", error.to_string(), error.remedy()));
                return Ok(false);
            }
            installed => installed?,
        };
        findings.push(match &installed {
            Some(Installed { edition: Edition::Sql, version, .. }) => sql_edition(version),
            _ => extension(available.as_deref(), installed.as_ref().map(|native| &*native.version)),
        });
        if available.is_some()
            && installed.as_ref().is_some_and(|installed| installed.edition == Edition::Sql)
        {
            findings.push(Finding::good(
                "pg_passage",
                "the server has the native extension: passage init --edition native moves the database to it",
            ));
        }
        findings.push(pgvector(row.get(5)));
        Ok(installed.is_some())
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

/// Returns the finding about the SQL edition, which the client updates.
fn sql_edition(version: &str) -> Finding {
    let finding = format!("SQL edition, version {version}");
    if version != env!("CARGO_PKG_VERSION") {
        let finding =
            format!("{finding}, and the client has version {}", env!("CARGO_PKG_VERSION"));
        return Finding::warning("pg_passage", finding, UPGRADE);
    }
    let lacks = Edition::Sql.lacks().join(", ");
    Finding::good("pg_passage", format!("{finding}; it lacks {lacks}"))
}

fn extension(available: Option<&str>, installed: Option<&str>) -> Finding {
    match (available, installed) {
        (None, _) => Finding::bad(
            "pg_passage",
            "it is not installed on the server",
            "make install PG_CONFIG=/path/to/pg_config, or passage init, which installs the SQL edition.",
        ),
        (Some(_), None) => Finding::bad(
            "pg_passage",
            "it is not installed in the database",
            "Run passage init, or CREATE EXTENSION pg_passage CASCADE.",
        ),
        (Some(available), Some(installed)) if available != installed => Finding::warning(
            "pg_passage",
            format!("the database has version {installed}, the server has {available}"),
            UPGRADE,
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
