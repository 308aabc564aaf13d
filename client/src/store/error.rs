//! What a server may refuse, each with what to do about it.

use super::sql::quoted;
use tokio_postgres::error::SqlState;
use uuid::Uuid;

/// Something that the server, or the way to it, did not give.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The connection string cannot be understood.
    #[error("the database URL cannot be read: {0}")]
    Url(String),
    /// No connection could be made.
    #[error("cannot connect to the server: {0}")]
    Connect(String),
    /// A pooler lends the server's processes to others between transactions.
    #[error("the connection goes through a transaction pooler")]
    Pooler,
    /// The connection ended.
    #[error("the connection to the server was lost")]
    Lost,
    /// The server refused a statement.
    #[error("{message}")]
    Refused {
        /// The SQLSTATE.
        code: SqlState,
        /// What the server said, which is never its DETAIL, where values may stand.
        message: String,
        /// What the server advises.
        hint: Option<String>,
        /// The store that was meant.
        store: String,
    },
    /// Administration was asked to work on something of another role, whose code it might run.
    #[error("{object} belongs to the role \"{owner}\", not to \"{caller}\"")]
    Foreign {
        /// What it is, as the server describes it.
        object: String,
        /// Whose it is.
        owner: String,
        /// The role that logged in.
        caller: String,
    },
    /// The store's embeddings are of another model, or of other dimensions.
    #[error("the store \"{store}\" holds embeddings of {theirs}, not of {ours}")]
    OtherModel {
        /// The store.
        store: String,
        /// What it remembers.
        theirs: String,
        /// What was to be used.
        ours: String,
    },
    /// The store was made without embeddings.
    #[error("the store \"{store}\" has no embeddings")]
    NoEmbeddings {
        /// The store.
        store: String,
    },
    /// No document has the uri.
    #[error("no document has the uri \"{0}\"")]
    NoDocument(String),
    /// No document is in the collection.
    #[error("no document is in the collection \"{0}\"")]
    NoCollection(String),
    /// No chunk has the id.
    #[error("no chunk has the id {0}")]
    NoChunk(Uuid),
    /// PostgreSQL takes a NUL in no text.
    #[error("\"{0}\" holds a NUL character")]
    Nul(&'static str),
    /// A reindex has put another store in its place.
    #[error("the store \"{0}\" was replaced while this ran")]
    Replaced(String),
    /// What depends on a store, or belongs to it, and cannot come along when another takes its place.
    #[error("the store \"{store}\" cannot be replaced while it has {}", .what.join(", "))]
    Obstacles {
        /// The store.
        store: String,
        /// Each, as the server describes it.
        what: Vec<String>,
    },
    /// A schema has the name that another store is to get.
    #[error("the schema \"{0}\" is in the way")]
    InTheWay(String),
    /// A schema holds what a reindex of another kind has left.
    #[error("the schema \"{0}\" holds a reindex that was begun otherwise")]
    OtherReindex(String),
    /// Somebody else reindexes the store.
    #[error("the store \"{0}\" is being reindexed already")]
    UnderWay(String),
    /// Long transactions keep the store from being replaced.
    #[error("transactions of others keep the store \"{0}\" from being replaced")]
    InUse(String),
    /// The store's name leaves no room for the names of a second one.
    #[error("the name \"{0}\" is too long for a second store beside it")]
    LongName(String),
    /// Others changed a document as often as it was tried.
    #[error("others keep changing \"{0}\"")]
    Contended(String),
}

impl Error {
    /// Takes what the driver reports.
    pub(super) fn new(store: &str, error: &tokio_postgres::Error) -> Self {
        if let Some(refusal) = error.as_db_error() {
            return Error::Refused {
                code: refusal.code().clone(),
                message: refusal.message().to_owned(),
                hint: refusal.hint().map(ToOwned::to_owned),
                store: store.to_owned(),
            };
        }
        if error.is_closed()
            || std::error::Error::source(error)
                .is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
        {
            return Error::Lost;
        }
        Error::Connect(error.to_string())
    }

    /// Tells whether nothing more can be done on this connection.
    pub fn is_fatal(&self) -> bool {
        match self {
            Error::Refused { code, .. } => {
                // The connection is gone, or what fails for one document fails for each.
                [
                    &SqlState::ADMIN_SHUTDOWN,
                    &SqlState::CRASH_SHUTDOWN,
                    &SqlState::CANNOT_CONNECT_NOW,
                ]
                .contains(&code)
                    || !matches!(&code.code()[..2], "22" | "23" | "40" | "54")
            }
            Error::Lost
            | Error::Connect(_)
            | Error::Url(_)
            | Error::Pooler
            | Error::Foreign { .. }
            | Error::OtherModel { .. }
            | Error::NoEmbeddings { .. }
            | Error::NoCollection(_)
            | Error::Replaced(_)
            | Error::Obstacles { .. }
            | Error::InTheWay(_)
            | Error::OtherReindex(_)
            | Error::UnderWay(_)
            | Error::InUse(_)
            | Error::LongName(_) => true,
            Error::NoDocument(_) | Error::NoChunk(_) | Error::Contended(_) | Error::Nul(_) => false,
        }
    }

    /// Tells whether the server ended the connection.
    pub(super) fn is_ending(&self) -> bool {
        matches!(self, Error::Refused { code, .. } if code.code().starts_with("57P"))
    }

    /// Tells whether it may be otherwise in a while: the server restarts, or is full.
    pub fn is_passing(&self) -> bool {
        match self {
            Error::Lost | Error::Replaced(_) => true,
            Error::Connect(cause) => !["certificate", "password", "TLS", "the key "]
                .iter()
                .any(|word| cause.contains(word)),
            Error::Refused { code, .. } => ["08", "40", "53", "57"].contains(&&code.code()[..2]),
            _ => false,
        }
    }

    /// Says what to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Error::Url(_) => {
                "Set DATABASE_URL to postgresql://user@host/database, or to postgresql:///database?host=/socket/folder; what it \
                 leaves out may come from the variables and files of libpq."
                    .into()
            }
            Error::Connect(cause) if cause.contains("support TLS") => {
                "Turn TLS on in the server (ssl = on), or connect with sslmode=prefer, through a unix socket at best.".into()
            }
            Error::Connect(cause) if cause.contains("world access") => {
                "Keep the key from others: chmod 600, or 640 for one that root owns.".into()
            }
            Error::Connect(cause) if cause.contains("certificate") => {
                "Name the certificate of the authority that signed the server's by sslrootcert or PGSSLROOTCERT, and the \
                 server as it stands in its own."
                    .into()
            }
            Error::Connect(cause) if cause.contains("password") => {
                "Give the password by PGPASSWORD, ~/.pgpass or DATABASE_URL.".into()
            }
            Error::Connect(_) => "Check that the server runs and that DATABASE_URL or --database-url names it.".into(),
            Error::Pooler => {
                "Connect to the server itself, or through a pool in session mode (pool_mode = session): the client has prepared \
                 statements, settings and locks, which others would meet in a shared session."
                    .into()
            }
            Error::Lost => "Run the command again: each document is wholly old or wholly new.".into(),
            Error::Foreign { owner, .. } => format!(
                "Connect as \"{owner}\" or as a member of that role, let \"{owner}\" remove it, or choose another name \
                 with --store. SET ROLE does not help: code of \"{owner}\" could take it back."
            ),
            Error::OtherModel { .. } => {
                "Name the store's model with --model; or put a store of this one in its place with passage reindex.".into()
            }
            Error::NoEmbeddings { store } => {
                format!(
                    "passage init --store {store} adds them; or leave them out with --no-embed, and search with --mode text."
                )
            }
            Error::NoDocument(_) => "passage status counts what is there; a folder's files begin with its name.".into(),
            Error::NoCollection(_) => "passage status lists the collections and their versions.".into(),
            Error::NoChunk(_) => "passage search --json gives the ids of chunks, as chunk_ids.".into(),
            Error::Nul(_) => "Leave the NUL out: PostgreSQL takes it in no text.".into(),
            Error::Replaced(_) => "Run the command again: what was written before is in the new store.".into(),
            Error::Obstacles { .. } => {
                "Take it away and make it again afterwards, or reindex one --collection after the other, which is done in place.".into()
            }
            Error::InTheWay(schema) => {
                let schema = quoted(schema);
                format!("It may be a former store. If nobody wants it any more: DROP SCHEMA {schema} CASCADE.")
            }
            Error::OtherReindex(schema) => {
                let schema = quoted(schema);
                format!("Give the options that it was begun with, or begin anew after DROP SCHEMA {schema} CASCADE.")
            }
            Error::UnderWay(_) => "Wait until that is done.".into(),
            Error::InUse(_) => {
                "End them, and run the command again, which goes on from here: SELECT pid, xact_start, query \
                 FROM pg_stat_activity WHERE xact_start IS NOT NULL ORDER BY xact_start."
                    .into()
            }
            Error::LongName(_) => "Give it a name of at most 55 bytes: ALTER SCHEMA ... RENAME TO ....".into(),
            Error::Contended(_) => "Run the command again when the others are done.".into(),
            Error::Refused { code, message, hint, store } => {
                refused(code, message, store).or_else(|| hint.clone()).unwrap_or_else(|| "The server's log says more.".into())
            }
        }
    }
}

/// Tells whether a transaction failed for what others did at the same time, and may be tried again.
pub(super) fn is_contended(error: &tokio_postgres::Error) -> bool {
    matches!(
        error.code(),
        Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED)
    )
}

/// What this client advises; where it knows nothing better, the server's own hint stands.
fn refused(code: &SqlState, message: &str, store: &str) -> Option<String> {
    // A password or a role that does not fit, and a missing database, come while connecting.
    Some(match code.code() {
        "0A000" | "58P01" if message.contains("pg_passage") => {
            "Install it on the server first: make install PG_CONFIG=/path/to/pg_config.".into()
        }
        "0A000" | "58P01" if message.contains("vector") => {
            "Install pgvector on the server, or leave embeddings out with --no-embed.".into()
        }
        "3F000" if ["\"passage\"", "\"_passage\""].iter().any(|schema| message.contains(schema)) => {
            "The database lacks the extension: passage init brings it, or CREATE EXTENSION pg_passage CASCADE.".into()
        }
        // A missing schema, relation or function.
        "3F000" | "42P01" => format!("passage init --store {store} makes the store."),
        "42883" if message.contains("passage.") => "ALTER EXTENSION pg_passage UPDATE brings the extension up to date.".into(),
        "42704" if message.starts_with("text search configuration") => {
            "SELECT cfgname FROM pg_ts_config lists them, english and simple among them.".into()
        }
        "42703" => format!("SELECT * FROM passage.check_store('{store}') says what the store lacks."),
        "42501" if message.contains("extension") => {
            "Let the database's owner run passage init, or CREATE EXTENSION pg_passage CASCADE.".into()
        }
        "42501" if message.contains("for database") => "Ask the owner of the database for CREATE on it.".into(),
        "42501" => format!("Ask the owner of the store \"{store}\" for rights on its schema and tables."),
        "28P01" | "28000" => "Check the user and the password: in DATABASE_URL, PGUSER, PGPASSWORD or ~/.pgpass.".into(),
        "08P01" if message.contains("startup parameter") => {
            "A pooler does not take what PGOPTIONS or options= sends: leave it out, or connect to the server itself.".into()
        }
        "3D000" => "Create the database, or name another in DATABASE_URL or PGDATABASE.".into(),
        "22021" | "22P05" => {
            "Take the NUL out, or what is no UTF-8: PostgreSQL has no place for it.".into()
        }
        "22025" => "Write \\\\ for a backslash in a pattern.".into(),
        "42601" if message.starts_with("lquery") => {
            "Write it as in 'Guide.*' or '*.errors.*', one label for each title.".into()
        }
        "25006" => "Connect to the primary: this server only reads.".into(),
        "53300" => "Wait for a connection to become free, or raise max_connections.".into(),
        "57P01" | "57P02" | "57P03" => "Run the command again when the server is back: each document is wholly old or wholly new.".into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_tells_what_to_do() {
        let remedy = |code, message: &str| {
            let code = SqlState::from_code(code);
            Error::Refused {
                code,
                message: message.into(),
                hint: Some("Ask.".into()),
                store: "rag".into(),
            }
            .remedy()
        };
        assert_eq!(
            remedy("3F000", "store \"rag\" does not exist"),
            "passage init --store rag makes the store."
        );
        assert!(
            remedy("3F000", "schema \"passage\" does not exist")
                .contains("CREATE EXTENSION pg_passage")
        );
        assert!(
            remedy("0A000", "extension \"pg_passage\" is not available").contains("make install")
        );
        assert_eq!(remedy("22023", "unrecognized strategy \"x\""), "Ask.");
    }
}
