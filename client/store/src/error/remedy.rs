//! The remedies for failed connections and for the errors of PostgreSQL.
//!
//! They depend on the SQLSTATE and the client's operation, never on the text of a message, which the
//! server translates.

use crate::postgres_text::quote_identifier;
use tokio_postgres::error::SqlState;

/// The reason why no connection was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectFailure {
    /// The server did not respond, or rejected the connection for a reason without its own variant.
    Unreachable,
    /// The server does not support TLS.
    TlsUnsupported,
    /// A certificate is missing, unreadable or not trusted.
    Certificate,
    /// The client's private key is missing or unreadable.
    PrivateKey,
    /// Other users can read the client's private key.
    PrivateKeyPermissions,
    /// The server requires a password.
    PasswordMissing,
}

/// An operation of the client whose errors have remedies of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Opens a connection.
    Connect,
    /// Installs pgvector in the database.
    CreateVector,
    /// Installs `pg_passage` in the database.
    CreateExtension,
    /// Replaces the functions of `pg_passage` in the database.
    ReplaceFunctions,
    /// Creates or renames the schema of a store.
    CreateStore,
    /// Runs `passage.search`.
    Search,
    /// Anything else.
    Other,
}

/// The message for a database without `pg_passage`.
pub(super) const NOT_INSTALLED: &str = "pg_passage is not installed in the database";

/// The remedy for a database without `pg_passage`.
pub(super) const INIT: &str = "Run passage init, or CREATE EXTENSION pg_passage CASCADE.";

/// The remedy for functions of another version.
pub(super) const UPGRADE: &str = "Run passage upgrade.";

/// Citus distributes a store by document.
pub(super) const BY_DOCUMENT: &str = "Reindex each collection with --collection. For another model create a second store, load it, \
    and rename both schemas.";

/// The session is on another node of Citus than the coordinator.
pub(super) const OTHER_NODE: &str = "Connect to the node that SELECT nodename, nodeport FROM pg_dist_node WHERE groupid = 0 returns, \
    or reindex each --collection, which any node can do.";

/// The remedy behind a statement pooler.
pub(super) const NO_TRANSACTIONS: &str = "Connect to the server directly, or through a pool in transaction mode \
    (pool_mode = transaction). The client needs transactions.";

/// The remedy after the loss of a connection.
pub(super) const RUN_AGAIN: &str =
    "Run the command again: each document is written completely or not at all.";

/// Returns the remedy for a failed connection.
pub(super) fn connect(failure: ConnectFailure) -> &'static str {
    match failure {
        ConnectFailure::Unreachable => {
            "Check that the server runs and that DATABASE_URL or --database-url names it."
        }
        ConnectFailure::TlsUnsupported => {
            "Enable TLS in the server (ssl = on), or connect with sslmode=prefer, preferably through a Unix socket."
        }
        ConnectFailure::Certificate => {
            "Set sslrootcert or PGSSLROOTCERT to the certificate of the authority that signed the server's certificate, and \
             use the host name of that certificate."
        }
        ConnectFailure::PrivateKey => {
            "Set sslkey or PGSSLKEY to the private key of the client's certificate (sslcert)."
        }
        ConnectFailure::PrivateKeyPermissions => {
            "Make the key private: chmod 600, or 640 for a key that root owns."
        }
        ConnectFailure::PasswordMissing => {
            "Set the password in PGPASSWORD, ~/.pgpass or DATABASE_URL."
        }
    }
}

/// Returns the remedy for a store with embeddings of another model.
pub(super) fn model_mismatch(is_read_only: bool) -> &'static str {
    if is_read_only {
        "Name the store's model with --model, or its service with --embed-url and --embed-model. To search by words \
         only: passage search --mode text, passage fragments --no-embed."
    } else {
        "Name the store's model with --model, and its dimensions with --dimensions, or run passage reindex to replace the \
         store by one of this model."
    }
}

/// Returns the remedy for a store whose embeddings were made with other prefixes.
pub(super) fn prefix_mismatch(is_read_only: bool) -> &'static str {
    if is_read_only {
        "Leave out --query-prefix and --document-prefix to use those of the store."
    } else {
        "Leave out --query-prefix and --document-prefix to use those of the store, or run passage reindex with them to \
         embed the store again."
    }
}

/// Returns the remedy for a store whose model is unknown.
pub(super) fn unknown_model(store: &str, has_settings: bool) -> String {
    let schema = quote_identifier(store);
    let record = if has_settings {
        format!(
            ", or record it: INSERT INTO {schema}.settings (key, value) VALUES ('model', '\"NAME\"');"
        )
    } else {
        ".".into()
    };
    format!(
        "Name the model with --model-name{record} To search by words only: passage search --mode text, passage fragments --no-embed."
    )
}

/// Returns whether the database lacks the extension: PostgreSQL then misses an internal schema, and its error has no
/// HINT, while an error of the extension has one.
pub(super) fn lacks_extension(code: &SqlState, hint: Option<&str>) -> bool {
    *code == SqlState::INVALID_SCHEMA_NAME && hint.is_none()
}

/// Returns the remedy for an error of PostgreSQL: the client's, else the server's HINT.
pub(super) fn database(
    code: &SqlState,
    operation: Operation,
    hint: Option<&str>,
    store: &str,
) -> String {
    match (code.code(), operation) {
        ("0A000" | "58P01", Operation::CreateExtension) => {
            "Install the extension on the server: make install PG_CONFIG=/path/to/pg_config. For a managed server: passage init \
             --edition sql."
                .into()
        }
        ("0A000" | "58P01", Operation::CreateVector) => {
            "Install pgvector on the server, or create a store without embeddings: --no-embed.".into()
        }
        ("58P01", _) => {
            "Install the files of pg_passage (make install PG_CONFIG=/path/to/pg_config) and of pgvector on the server.".into()
        }
        _ if lacks_extension(code, hint) => INIT.into(),
        ("42P06", Operation::CreateExtension) => {
            "Rename the schema if it has objects of yours. If an installation left it: DROP SCHEMA IF EXISTS passage, _passage \
             CASCADE; passage init then creates the columns of the store again."
                .into()
        }
        ("2BP01" | "42P13", Operation::ReplaceFunctions) => {
            "Drop the objects that use the functions of pg_passage, and create them again afterwards.".into()
        }
        ("42501", Operation::ReplaceFunctions) => {
            "Run the command as the role that installed pg_passage, which also owns the objects that use its functions.".into()
        }
        ("3F000" | "42P01", _) => format!("Run passage init --store {store} to create the store."),
        ("42883", _) => UPGRADE.into(),
        ("42704", Operation::CreateStore) => {
            "List the text search configurations: SELECT cfgname FROM pg_ts_config.".into()
        }
        ("42703", _) => {
            format!("List the missing columns of the store: SELECT * FROM passage.check_store('{store}').")
        }
        ("42501", Operation::CreateExtension | Operation::CreateVector) => {
            "Ask the owner of the database to run passage init, or CREATE EXTENSION pg_passage CASCADE. The owner of a \
             managed one: passage init --edition sql."
                .into()
        }
        ("42501", Operation::CreateStore) if hint.is_none() => {
            "Ask the owner of the database for the privilege CREATE on it.".into()
        }
        // The errors of the extension name the missing grants and policies, those of PostgreSQL do not.
        ("42501", _) if hint.is_none() => format!(
            "As the owner of the store, run passage doctor --store {store} --as ROLE with the role that you connect as: it prints \
             the missing grants and policies."
        ),
        ("28P01" | "28000", _) => {
            "Check the user and the password in DATABASE_URL, PGUSER, PGPASSWORD or ~/.pgpass.".into()
        }
        ("08P01", Operation::Connect) => {
            "A pooler may not support the startup parameters in PGOPTIONS or options=: remove them, or connect to the server \
             directly."
                .into()
        }
        ("3D000", _) => {
            "Create the database, or name another one in DATABASE_URL or PGDATABASE.".into()
        }
        ("22021" | "22P05", _) => {
            "Remove NUL characters and text that is not UTF-8: PostgreSQL does not accept them.".into()
        }
        ("22025", _) => "Write \\\\ for a backslash in a pattern.".into(),
        ("42601", Operation::Search) => {
            "Write --path as in 'Guide.*' or '*.errors.*', one label for each title.".into()
        }
        ("25006", _) => "Connect to the primary server: this one is read-only.".into(),
        ("53300", _) => "Wait for a free connection, or increase max_connections.".into(),
        ("57P01" | "57P02" | "57P03", _) => {
            format!("Wait until the server is available. {RUN_AGAIN}")
        }
        _ => hint.unwrap_or("See the log of the server.").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_depend_on_sqlstate_operation_and_hint() {
        let remedy =
            |code, operation, hint| database(&SqlState::from_code(code), operation, hint, "rag");
        assert_eq!(
            remedy("3F000", Operation::Other, Some("SELECT passage.create_store('rag') makes it.")),
            "Run passage init --store rag to create the store."
        );
        assert!(remedy("3F000", Operation::Other, None).contains("CREATE EXTENSION pg_passage"));
        assert!(remedy("0A000", Operation::CreateExtension, None).contains("make install"));
        assert!(remedy("42501", Operation::CreateStore, None).contains("CREATE"));
        assert!(
            remedy("42501", Operation::Other, None).contains("passage doctor --store rag --as")
        );
        assert_eq!(remedy("42501", Operation::Other, Some("GRANT it.")), "GRANT it.");
        assert_eq!(remedy("22023", Operation::Other, Some("Ask.")), "Ask.");
        assert_eq!(remedy("22023", Operation::Other, None), "See the log of the server.");
    }
}
