//! The errors of a store and its server, each with a remedy.

mod remedy;

pub use remedy::{ConnectFailure, Operation};

use crate::postgres_text::quote_identifier;
use tokio_postgres::error::SqlState;
use uuid::Uuid;

/// A failure of the server, of the connection to it, or of a request to a store.
///
/// # Examples
///
/// ```
/// use passage_store::Error;
///
/// let error = Error::SchemaExists("rag_before".into());
/// assert_eq!(error.to_string(), "schema \"rag_before\" already exists");
/// assert!(error.remedy().contains("DROP SCHEMA \"rag_before\" CASCADE"));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The connection string, or another source of connection options, is invalid.
    #[error("invalid connection options: {0}")]
    Url(String),
    /// No connection could be opened.
    #[error("cannot connect to the server: {cause}")]
    Connect {
        /// The kind of failure, which decides the remedy.
        failure: ConnectFailure,
        /// The cause.
        cause: String,
    },
    /// A pooler shares the server's processes between clients, and the operation needs a session.
    #[error("the connection goes through a transaction pooler")]
    Pooler,
    /// A pooler allows no transactions.
    #[error("the connection goes through a statement pooler")]
    StatementPooler,
    /// The connection ended.
    #[error("the connection to the server was lost")]
    Lost,
    /// The driver could not interpret the server's response.
    #[error("unexpected response from the server: {0}")]
    Protocol(String),
    /// PostgreSQL reported an error.
    #[error("{message}")]
    Database {
        /// The SQLSTATE.
        code: SqlState,
        /// The primary message. The DETAIL is left out, since it may contain values.
        message: String,
        /// The HINT.
        hint: Option<String>,
        /// The store of the statement.
        store: String,
        /// The operation of the client.
        operation: Operation,
    },
    /// The database has neither the extension nor its SQL edition.
    #[error("{}", remedy::NOT_INSTALLED)]
    NotInstalled,
    /// `pg_passage` in the database is of a later release than the client.
    #[error("pg_passage {version} in the database is newer than this client, which has version {}", env!("CARGO_PKG_VERSION"))]
    ClientTooOld {
        /// The version in the database.
        version: String,
    },
    /// Objects use the functions of `pg_passage`, and would be lost with them.
    #[error("pg_passage cannot be replaced while the database has {}", .0.join(", "))]
    Dependents(Vec<String>),
    /// The extension in the database lacks functions that the client calls.
    #[error("pg_passage {version} is too old for this client")]
    ExtensionTooOld {
        /// The version of the extension.
        version: String,
    },
    /// A command of administration found an object of another role, which may run that role's code.
    #[error("{object} belongs to the role \"{owner}\", not to \"{caller}\"")]
    NotOwner {
        /// The object, as `pg_describe_object` describes it.
        object: String,
        /// The owner.
        owner: String,
        /// The role that logged in.
        caller: String,
    },
    /// The store's embeddings are of another model or have other dimensions.
    #[error("store \"{store}\" holds embeddings of {actual}, not of {requested}")]
    ModelMismatch {
        /// The store.
        store: String,
        /// The model and dimensions of the store.
        actual: String,
        /// The model and dimensions of the client.
        requested: String,
        /// Whether the store consists of views, so that no reindex can replace it.
        is_read_only: bool,
    },
    /// The store's embeddings were made with other texts before questions or documents.
    #[error("store \"{store}\" holds embeddings with the prefixes {actual}, not {requested}")]
    PrefixMismatch {
        /// The store.
        store: String,
        /// The prefixes of the store.
        actual: serde_json::Value,
        /// The prefixes of the client.
        requested: serde_json::Value,
        /// Whether the store consists of views, so that no reindex can replace it.
        is_read_only: bool,
    },
    /// Another program may have made the store's embeddings, and nothing records with which model.
    #[error("the model of the embeddings in store \"{store}\" is unknown")]
    UnknownModel {
        /// The store.
        store: String,
        /// Whether the store has a table that can record the model.
        has_settings: bool,
    },
    /// The store's documents and chunks are views of tables that another program writes.
    #[error("store \"{store}\" is read-only: it shows {}", shown(.table.as_deref()))]
    ReadOnly {
        /// The store.
        store: String,
        /// The table that was adopted; `None` for views that were defined by hand.
        table: Option<String>,
    },
    /// Citus distributes the documents of the store over several nodes, so it cannot be replaced as a whole.
    #[error("store \"{0}\" is distributed by document, so no other store can replace it at once")]
    Distributed(String),
    /// Citus distributes the store, and the session is not on the node that may replace it.
    #[error("store \"{0}\" can be reindexed only on the coordinator of Citus")]
    NotCoordinator(String),
    /// The store's embeddings are a view of embeddings that another program writes.
    #[error("store \"{store}\" cannot be embedded: its embeddings are those of {}", shown(.table.as_deref()))]
    ForeignEmbeddings {
        /// The store.
        store: String,
        /// The table that was adopted; `None` for views that were defined by hand.
        table: Option<String>,
    },
    /// The store's documents are split with another unit or other sizes.
    #[error("store \"{store}\" has chunks of {actual}, not of {requested}")]
    SplittingMismatch {
        /// The store.
        store: String,
        /// The unit and sizes of the store.
        actual: String,
        /// The unit and sizes of the client.
        requested: String,
    },
    /// The store was created without embeddings.
    #[error("store \"{store}\" has no embeddings")]
    NoEmbeddings {
        /// The store.
        store: String,
        /// Whether the store consists of views, so that the client cannot add them.
        is_read_only: bool,
    },
    /// No document has the uri.
    #[error("no document has the uri \"{0}\"")]
    NoDocument(String),
    /// The collection has no documents.
    #[error("no document is in the collection \"{0}\"")]
    NoCollection(String),
    /// No chunk has the id.
    #[error("no chunk has the id {0}")]
    NoChunk(Uuid),
    /// No chunk of an adopted store has the id, or the store is not adopted.
    #[error("no chunk has the id \"{0}\"")]
    NoSourceId(String),
    /// An argument of a call is unknown, is missing or has another type.
    #[error("{cause}")]
    Argument {
        /// The argument and the rule.
        cause: String,
        /// The action to take.
        remedy: String,
    },
    /// An argument contains a NUL character, which PostgreSQL does not accept.
    #[error("\"{0}\" contains a NUL character")]
    Nul(String),
    /// A reindex replaced the store during a run.
    #[error("store \"{0}\" was replaced during this run")]
    StoreReplaced(String),
    /// The store has objects that a reindex cannot carry over to the shadow store.
    #[error("store \"{store}\" cannot be replaced while it has {}", .objects.join(", "))]
    Obstacles {
        /// The store.
        store: String,
        /// The objects, as `pg_describe_object` describes them.
        objects: Vec<String>,
    },
    /// A schema has the name that a reindex needs for another store.
    #[error("schema \"{0}\" already exists")]
    SchemaExists(String),
    /// A schema holds a shadow store of a reindex with other options.
    #[error("schema \"{0}\" belongs to a reindex with other options")]
    ReindexMismatch(String),
    /// Another run reindexes the store.
    #[error("store \"{0}\" is already being reindexed")]
    ReindexRunning(String),
    /// Long transactions hold locks on the store, so that it cannot be replaced.
    #[error("other transactions prevent the replacement of store \"{0}\"")]
    InUse(String),
    /// The store's name is too long for the names that a reindex derives from it.
    #[error("store name \"{0}\" is too long for a shadow store")]
    NameTooLong(String),
    /// Other writers changed a document during every attempt.
    #[error("other writers keep changing \"{0}\"")]
    Contended(String),
}

/// A row that is not of its type.
impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Protocol(error.to_string())
    }
}

impl Error {
    /// Converts an error of the driver.
    pub(super) fn new(store: &str, error: &tokio_postgres::Error) -> Self {
        Self::during(Operation::Other, store, error)
    }

    /// Converts an error of the driver in an operation that has remedies of its own.
    pub(super) fn during(operation: Operation, store: &str, error: &tokio_postgres::Error) -> Self {
        if let Some(database) = error.as_db_error() {
            let lacks_extension = remedy::lacks_extension(database.code(), database.hint());
            let message = if lacks_extension && operation == Operation::Other {
                remedy::NOT_INSTALLED
            } else {
                database.message()
            };
            return Error::Database {
                code: database.code().clone(),
                message: message.to_owned(),
                hint: database.hint().map(ToOwned::to_owned),
                store: store.to_owned(),
                operation,
            };
        }
        if error.is_closed()
            || std::error::Error::source(error)
                .is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
        {
            return Error::Lost;
        }
        Error::Protocol(error.to_string())
    }

    /// Returns whether every later request of a run fails too.
    pub fn is_fatal(&self) -> bool {
        match self {
            Error::Database { code, .. } => {
                // Only errors in data, limits and conflicts depend on the document.
                [
                    &SqlState::ADMIN_SHUTDOWN,
                    &SqlState::CRASH_SHUTDOWN,
                    &SqlState::CANNOT_CONNECT_NOW,
                ]
                .contains(&code)
                    || !matches!(&code.code()[..2], "22" | "23" | "40" | "54")
            }
            Error::NoDocument(_)
            | Error::NoChunk(_)
            | Error::NoSourceId(_)
            | Error::Contended(_)
            | Error::Argument { .. }
            | Error::Nul(_) => false,
            _ => true,
        }
    }

    /// Returns whether a row exists with a key that was to be written.
    pub fn is_conflict_of_keys(&self) -> bool {
        matches!(self, Error::Database { code, .. } if *code == SqlState::UNIQUE_VIOLATION)
    }

    /// Returns whether the role lacks a privilege.
    pub fn is_denied(&self) -> bool {
        matches!(self, Error::Database { code, .. } if *code == SqlState::INSUFFICIENT_PRIVILEGE)
    }

    /// Returns whether the server ended the connection.
    pub(super) fn is_shutdown(&self) -> bool {
        matches!(self, Error::Database { code, .. } if code.code().starts_with("57P"))
    }

    /// Returns whether the connection ended, so that the next statement needs another one.
    pub fn ended_connection(&self) -> bool {
        matches!(self, Error::Lost) || self.is_shutdown()
    }

    /// Returns whether a later attempt can succeed, for example after a restart of the server.
    pub fn is_transient(&self) -> bool {
        match self {
            Error::Lost | Error::StoreReplaced(_) | Error::Protocol(_) => true,
            Error::Connect { failure, .. } => *failure == ConnectFailure::Unreachable,
            Error::Database { code, .. } => ["08", "40", "53", "57"].contains(&&code.code()[..2]),
            _ => false,
        }
    }

    /// Returns what to do, in full sentences.
    pub fn remedy(&self) -> String {
        match self {
            Error::Url(_) => {
                "Set DATABASE_URL to postgresql://user@host/database, or to postgresql:///database?host=/socket/folder. The \
                 defaults of other options come from the environment variables and files of libpq."
                    .into()
            }
            Error::Connect { failure, .. } => remedy::connect(*failure).into(),
            Error::Pooler => {
                "Connect to the server directly, or through a pool in session mode (pool_mode = session). The reindex of a \
                 whole store sets the role and holds a lock, which other clients of a shared session would have too."
                    .into()
            }
            Error::StatementPooler => remedy::NO_TRANSACTIONS.into(),
            Error::Lost => remedy::RUN_AGAIN.into(),
            Error::Protocol(_) => "Check that DATABASE_URL names a PostgreSQL server.".into(),
            Error::Database { code, operation, hint, store, .. } => {
                remedy::database(code, *operation, hint.as_deref(), store)
            }
            Error::NotInstalled => remedy::INIT.into(),
            Error::ClientTooOld { version } => {
                format!("Install version {version} of the client.")
            }
            Error::Dependents(_) => {
                "They use its functions or columns that these compute. Drop them, and create them again afterwards.".into()
            }
            Error::ExtensionTooOld { .. } => remedy::UPGRADE.into(),
            Error::NotOwner { owner, .. } => format!(
                "Connect as \"{owner}\" or as a member of that role, ask \"{owner}\" to drop the object, or choose another name \
                 with --store. SET ROLE does not help: code of \"{owner}\" could reset it."
            ),
            Error::ModelMismatch { is_read_only, .. } => remedy::model_mismatch(*is_read_only).into(),
            Error::PrefixMismatch { is_read_only, .. } => {
                remedy::prefix_mismatch(*is_read_only).into()
            }
            Error::UnknownModel { store, has_settings } => remedy::unknown_model(store, *has_settings),
            Error::ReadOnly { table: Some(table), .. } => format!(
                "Write to {table}: the store follows each change. To load documents with passage, name another store with \
                 --store; passage init creates it."
            ),
            Error::ReadOnly { table: None, .. } => {
                "Write to the tables behind the views. To load documents with passage, name another store with --store; passage \
                 init creates it."
                    .into()
            }
            Error::ForeignEmbeddings { .. } => {
                "Create missing embeddings with the program that writes this table. passage doctor counts them.".into()
            }
            Error::SplittingMismatch { .. } => {
                "Leave out --sizer, --overlap, --split-at and the options for sizes to split as the store records. Or run passage \
                 reindex with these options, which splits all documents of the store again."
                    .into()
            }
            Error::NoEmbeddings { is_read_only: true, .. } => {
                "To search by words only: passage search --mode text. If the adopted table has embeddings, adopt it again with the \
                 argument embedding of passage.adopt."
                    .into()
            }
            Error::NoEmbeddings { store, .. } => format!(
                "Run passage init --store {store} to add them. To work without them, use --no-embed, and search with --mode text."
            ),
            Error::NoDocument(_) => {
                "Run passage status to list the collections. The uri of a file in a folder begins with the folder's name.".into()
            }
            Error::NoCollection(_) => "Run passage status to list the collections and their versions.".into(),
            Error::NoChunk(_) | Error::NoSourceId(_) => {
                "Run passage search --json, which returns the ids of chunks as chunk_ids. In an adopted store, the ids of the adopted \
                 table name chunks too."
                    .into()
            }
            Error::Argument { remedy, .. } => remedy.clone(),
            Error::Nul(_) => "Remove the NUL character: PostgreSQL does not accept it in text.".into(),
            Error::StoreReplaced(_) => {
                "Run the command again: the new store contains everything that was written before.".into()
            }
            Error::Obstacles { .. } => {
                "Drop the objects and create them again afterwards, or reindex each --collection, which happens in place.".into()
            }
            Error::SchemaExists(schema) => {
                let schema = quote_identifier(schema);
                format!("It may be the former store of a reindex. If it is no longer needed: DROP SCHEMA {schema} CASCADE.")
            }
            Error::ReindexMismatch(schema) => {
                let schema = quote_identifier(schema);
                format!("Use the options of the earlier run, or start again after DROP SCHEMA {schema} CASCADE.")
            }
            Error::Distributed(_) => remedy::BY_DOCUMENT.into(),
            Error::NotCoordinator(_) => remedy::OTHER_NODE.into(),
            Error::ReindexRunning(_) => "Wait until the other run ends.".into(),
            Error::InUse(_) => {
                "End the transactions and run the command again, which continues from here. SELECT pid, xact_start, query \
                 FROM pg_stat_activity WHERE xact_start IS NOT NULL ORDER BY xact_start lists them."
                    .into()
            }
            Error::NameTooLong(_) => {
                "Rename the store to at most 55 bytes: ALTER SCHEMA ... RENAME TO ....".into()
            }
            Error::Contended(_) => "Run the command again when the other writers are done.".into(),
        }
    }
}

/// Returns the name of what a store of views shows.
fn shown(table: Option<&str>) -> String {
    table.map_or_else(|| "views".into(), |table| format!("the table {table}"))
}

/// Returns whether a transaction failed because of concurrent transactions, so that a retry can succeed.
pub(super) fn is_conflict(error: &tokio_postgres::Error) -> bool {
    matches!(
        error.code(),
        Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED)
    )
}

/// Returns whether the server does not offer an extension to the role: its provider allows others, or it was not installed.
pub(super) fn is_unavailable(error: &Error) -> bool {
    matches!(error, Error::Database { code, .. } if [
        &SqlState::FEATURE_NOT_SUPPORTED,
        &SqlState::INSUFFICIENT_PRIVILEGE,
        &SqlState::UNDEFINED_FILE,
    ].contains(&code))
}
