//! The errors of the extension: message, SQLSTATE and HINT.

mod denied;

use crate::server::catalog::{current_role, identifier};
use crate::server::sql_text::quote_identifier;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgSqlErrorCode, function_name, pg_sys};
use std::ffi::CStr;

pub use denied::explain_denied;

/// An error of a call.
#[derive(Debug)]
pub enum Error {
    /// A request that core rejects.
    Request(passage_core::Error),
    /// A document that `passage_split` rejects, or its options.
    Document(passage_split::Error),
    /// A row of a store's table `strategies` that core rejects.
    Row { strategy: String, error: passage_core::Error },
    /// A schema that does not exist or holds no relation `chunks`, and the store with the most similar name.
    NoStore { store: String, nearest: Option<String> },
    /// A relation without a required column.
    NoColumn { store: String, relation: &'static str, column: &'static str },
    /// A required column of a type that cannot be read.
    ColumnType {
        store: String,
        relation: &'static str,
        column: &'static str,
        sql_type: &'static str,
    },
    /// A column of a result, counted from 1, that has an unexpected type.
    ResultType { store: String, column: usize, actual: pg_sys::Oid, expected: &'static str },
    /// A row of another type than the rows of its table.
    RowType { actual: pg_sys::Oid, expected: pg_sys::Oid },
    /// A search by an embedding in a store without embeddings.
    NoEmbeddings { store: String },
    /// An embedding with another number of dimensions than the store's.
    Dimensions { store: String, given: usize, dimensions: Option<i32> },
    /// An embedding with a NULL, an infinity or a NaN.
    NotFinite,
    /// A mode of search, a filter or an option without the argument that it needs, and how to pass it.
    MissingArgument { subject: String, missing: &'static str, remedy: &'static str },
    /// A filter of chunks for fragments of one document.
    ChunkFilter,
    /// A uri that several documents have, with the collection and the version of each.
    AmbiguousUri { uri: String, documents: Vec<(String, String)> },
    /// A store to write to whose documents or chunks are a view, or missing.
    NoTable { store: String, relation: &'static str, missing: bool },
    /// Another relation took the name of one that a trigger was about to use.
    NameTaken { relation: String },
    /// A table with a trigger of `keep_in_step` that the writer may not read.
    UnreadableTable { table: String },
    /// Rows that must be written but that a policy hides.
    Hidden { store: String },
    /// A document must be written in a read-only transaction, or on a standby.
    ReadOnly { is_standby: bool },
    /// Several rows with one id in a table without keys.
    DuplicateIds { store: String, relation: &'static str },
    /// An argument that must not be NULL.
    IsNull(&'static str),
    /// Metadata that is not a JSON object, or that is nested too deeply to be parsed.
    InvalidMetadata,
    /// A template of a trigger that is too long to be parsed.
    LongTemplate,
    /// A document that decodes to a text with a NUL, which PostgreSQL does not store.
    Nul,
    /// Arguments that no statement on shards has.
    ShardArguments { store: String },
    /// The rows of a shard are more than a value of PostgreSQL can have.
    ShardResult { store: String },
    /// A shard has no row in the table of the keys.
    ShardKeys { store: String },
    /// A snapshot does not show the rows of a shard, which Citus has moved since.
    ShardMoved { store: String },
    /// An array that has more elements than a trigger can have arguments.
    TooManyArguments { max: usize },
    /// A panic of core while it splits a document.
    CorePanic,
    /// A statement would run code of a role that the role with whose rights it runs does not trust.
    ForeignObject { object: String, owner: String, role: String },
    /// The triggers of an adopted table must not write its store.
    Adopted { problem: String, detail: Option<String>, remedy: String },
    /// A trigger of `keep_adopted` that `adopt` did not create.
    AdoptedTrigger { trigger: String },
    /// A store that was not adopted.
    NotAdopted { store: String },
    /// A relation that the caller must own.
    NotOwner { relation: String },
}

impl From<passage_core::Error> for Error {
    fn from(error: passage_core::Error) -> Self {
        Self::Request(error)
    }
}

impl From<passage_split::Error> for Error {
    fn from(error: passage_split::Error) -> Self {
        Self::Document(error)
    }
}

impl From<Error> for ErrorReport {
    #[expect(clippy::too_many_lines, reason = "one list of all errors")]
    fn from(error: Error) -> Self {
        let mut detail = None;
        let (code, message, hint) = match error {
            Error::ForeignObject { object, owner, role } => {
                detail = Some(format!("It would run with the rights of role \"{role}\"."));
                (
                    PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                    format!("{object} belongs to role \"{owner}\""),
                    "Use functions, types and tables of your own, or of roles whose rights you have.".to_owned(),
                )
            }
            Error::Adopted { problem, detail: because, remedy } => {
                detail = because;
                (PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, problem, remedy)
            }
            Error::AdoptedTrigger { trigger } => (
                PgSqlErrorCode::ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
                format!("trigger \"{trigger}\" is not one that passage.adopt creates"),
                "Drop it, and call passage.adopt.".to_owned(),
            ),
            Error::NotAdopted { store } => (
                PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("store \"{store}\" is not an adopted store"),
                "Name a store that passage.adopt made.".to_owned(),
            ),
            Error::NotOwner { relation } => (
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!("must be owner of table {relation}"),
                "Run SET ROLE to the owner first.".to_owned(),
            ),
            Error::Request(error) => request(&error),
            Error::Document(error) => document(&error),
            Error::Row { strategy, error } => {
                let (code, message, hint) = request(&error);
                (code, format!("strategy \"{strategy:.100}\" of the store: {message}"), hint)
            }
            Error::ReadOnly { is_standby } => (
                PgSqlErrorCode::ERRCODE_READ_ONLY_SQL_TRANSACTION,
                "cannot execute passage.ingest() in a read-only transaction".to_owned(),
                if is_standby {
                    "This server is a standby: connect to the primary.".to_owned()
                } else {
                    "Run it in a transaction that may write.".to_owned()
                },
            ),
            Error::NoStore { store, nearest } => (
                PgSqlErrorCode::ERRCODE_INVALID_SCHEMA_NAME,
                format!("store \"{store}\" does not exist"),
                missing_store_hint(&store, nearest),
            ),
            Error::NoColumn { store, relation, column } => (
                PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN,
                format!("relation \"{store}.{relation}\" of the store has no column \"{column}\""),
                check_store(&store),
            ),
            Error::ColumnType { store, relation, column, sql_type } => (
                PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
                format!(
                    "column \"{column}\" of relation \"{store}.{relation}\" cannot be read as {sql_type}"
                ),
                check_store(&store),
            ),
            Error::ResultType { store, column, actual, expected } => (
                PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
                format!(
                    "column {column} of a result from store \"{store}\" has type {}, not {expected}",
                    type_name(actual)
                ),
                check_store(&store),
            ),
            Error::RowType { actual, expected } => (
                PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
                format!("row has type {}, not {}", type_name(actual), type_name(expected)),
                "The trigger passage.keep_in_step calls _passage.step_row with its own row."
                    .to_owned(),
            ),
            Error::NoEmbeddings { store } => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                format!("store \"{store}\" has no embeddings"),
                format!(
                    "Omit the embedding, or run SELECT passage.create_store({}, dimensions => n); and load embeddings.",
                    literal(&store)
                ),
            ),
            Error::Dimensions { store, given, dimensions } => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                match dimensions {
                    Some(expected) => format!(
                        "embedding must have {expected} dimensions as in store \"{store}\", not {given}"
                    ),
                    None => format!("embedding must not have {given} dimensions"),
                },
                "Embed the query with the model that embedded the chunks.".to_owned(),
            ),
            Error::NotFinite => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                "NULL, NaN and infinity are not allowed in an embedding".to_owned(),
                "Use finite numbers only.".to_owned(),
            ),
            Error::MissingArgument { subject, missing, remedy } => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                format!("{subject} requires {missing}"),
                format!("Pass {remedy}, or omit {subject}."),
            ),
            Error::ChunkFilter => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                "fragments of one document cannot be filtered by chunks".to_owned(),
                "Omit \"kind\", \"path\" and \"metadata\", or the uri and the document_id."
                    .to_owned(),
            ),
            Error::AmbiguousUri { uri, documents } => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                format!("uri \"{uri:.100}\" is in several collections or versions"),
                format!(
                    "Add collection, version or document_id. The uri is in {}.",
                    documents.iter().map(document_place).collect::<Vec<_>>().join(", ")
                ),
            ),
            Error::NoTable { store, relation, missing } => (
                PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
                if missing {
                    format!("store \"{store}\" has no table \"{relation}\"")
                } else {
                    format!("relation \"{relation}\" of store \"{store}\" is a view")
                },
                "Write to the tables behind the views, or name a store of tables, as passage.create_store creates it."
                    .to_owned(),
            ),
            Error::NameTaken { relation } => (
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!("relation {relation} was replaced while a trigger of passage.keep_in_step ran"),
                "Run the statement again. It names the owner if the trigger does not trust the relation."
                    .to_owned(),
            ),
            Error::UnreadableTable { table } => (
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!("role \"{0}\" may not read table {table}, whose documents a trigger writes", current_role()),
                format!(
                    "As the owner of the table, run GRANT SELECT ON {table} TO {};",
                    identifier(&current_role())
                ),
            ),
            Error::Hidden { store } => (
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!("row-level security of store \"{store}\" hides rows that must be written"),
                format!(
                    "Policies for SELECT, UPDATE and DELETE on documents, chunks and embeddings must show the rows. {}",
                    policies_hint(&store)
                ),
            ),
            Error::DuplicateIds { store, relation } => (
                PgSqlErrorCode::ERRCODE_CARDINALITY_VIOLATION,
                format!("relation \"{store}.{relation}\" has several rows with the same id"),
                format!("Delete all but one of them, and add a primary key. {}", check_store(&store)),
            ),
            Error::IsNull(argument) => (
                PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
                format!("\"{argument}\" must not be NULL"),
                match argument {
                    "text" => "To remove a document, call passage.remove(uri => ...). An empty text is a document without chunks.",
                    _ => "Pass the uri of the document, which identifies it.",
                }
                .to_owned(),
            ),
            Error::InvalidMetadata => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                "\"metadata\" must be a JSON object".to_owned(),
                r#"Pass an object such as {"author": "A. Writer"}, not nested too deeply."#.to_owned(),
            ),
            Error::LongTemplate => (
                PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
                "an argument of a trigger is over 1 MB".to_owned(),
                "Put long texts into a column of the table.".to_owned(),
            ),
            Error::Nul => (
                PgSqlErrorCode::ERRCODE_UNTRANSLATABLE_CHARACTER,
                "document contains an escaped NUL, which PostgreSQL cannot store".to_owned(),
                "Remove the NUL, or pass media_type => 'text/plain'.".to_owned(),
            ),
            Error::ShardArguments { store } => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                format!("invalid statement for the shards of store \"{store}\""),
                "Only functions of the schema passage call _passage.shard_rows.".to_owned(),
            ),
            Error::ShardResult { store } => (
                PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
                format!("rows of a shard of store \"{store}\" are over 1 GB"),
                "Ask for fewer chunks, or pass max_tokens.".to_owned(),
            ),
            Error::ShardKeys { store } => {
                let (schema, name) = (quote_identifier(&store), literal(&store));
                (
                    PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                    format!("a shard of store \"{store}\" has no key in table \"shard_keys\""),
                    format!("As the owner of the store, run DROP TABLE IF EXISTS {schema}.shard_keys; SELECT passage.upgrade_store({name});"),
                )
            }
            Error::ShardMoved { store } => (
                PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE,
                format!("a shard of store \"{store}\" moved during the transaction"),
                format!("Begin the transaction again. If the error stays, run SELECT * FROM passage.check_store({});", literal(&store)),
            ),
            Error::TooManyArguments { max } => (
                PgSqlErrorCode::ERRCODE_TOO_MANY_ARGUMENTS,
                format!("a trigger has at most {max} arguments"),
                "The trigger passage.keep_in_step passes its own arguments.".to_owned(),
            ),
            Error::CorePanic => (
                PgSqlErrorCode::ERRCODE_INTERNAL_ERROR,
                "could not split the document".to_owned(),
                "Pass media_type => 'text/plain', and report the error with the kind of document."
                    .to_owned(),
            ),
        };
        let report = ErrorReport::new(code, message, function_name!()).set_hint(hint);
        match detail {
            Some(detail) => report.set_detail(detail),
            None => report,
        }
    }
}

/// Returns the HINT for a row that policies of a table of a store refuse.
pub fn refused_hint(store: &str, table: &str, command: &str) -> String {
    format!(
        "A policy on {}.{table} must admit the row for {command}. {}",
        identifier(store),
        policies_hint(store)
    )
}

/// Returns where to find the policies that a role lacks.
fn policies_hint(store: &str) -> String {
    format!(
        "SELECT passage.create_store({}, dry_run => true); prints policies, and passage doctor --as {} those that the role lacks.",
        literal(store),
        current_role()
    )
}

/// Returns the collection of a document, and its version if it has one, as they are named in a call.
fn document_place((collection, version): &(String, String)) -> String {
    if version.is_empty() {
        format!("collection {}", literal(collection))
    } else {
        format!("collection {} version {}", literal(collection), literal(version))
    }
}

/// Returns SQLSTATE, message and HINT of a request that core rejects.
fn request(error: &passage_core::Error) -> (PgSqlErrorCode, String, String) {
    use passage_core::Error as Request;
    let (code, hint) = match error {
        Request::UnknownStrategy(_) => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "SELECT * FROM passage.strategies() lists the valid ones.".to_owned(),
        ),
        Request::UnknownValue { valid, .. } => {
            (PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, format!("Valid values are {valid}."))
        }
        Request::OutOfRange { max, .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            format!("Use a number from 0 to {max}."),
        ),
        Request::NumberOutOfRange { min, max, .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            format!("Use a number from {min} to {max}."),
        ),
        Request::TooLong { .. } => {
            (PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, "Pass a shorter text.".to_owned())
        }
        Request::InvalidWindows => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            r#"Valid kinds are "prose", "code" and "api-reference", as in {"code": 4}."#.to_owned(),
        ),
        Request::NotAnObject { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "Pass an object of names and values.".to_owned(),
        ),
        Request::UnknownKey { keys, .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            format!("Valid keys are {}.", list(keys)),
        ),
        Request::KeyType { expected, .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            format!("Pass {expected}, or omit the key."),
        ),
        Request::UnreadableValue { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "Use numbers within the range of double precision, and at most 100 levels.".to_owned(),
        ),
        Request::InvalidCondition { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "The guide to search lists the operators with their values.".to_owned(),
        ),
        Request::UnknownOperator { operators, .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            format!("Valid operators are {}.", list(operators)),
        ),
        Request::TooManyConditions { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "Use \"$in\" for a list of values, and fewer levels.".to_owned(),
        ),
        Request::TooManyValues { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "Pass fewer values, or a pattern.".to_owned(),
        ),
        Request::GivenTwice { .. } => {
            (PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, "Pass it once.".to_owned())
        }
        Request::ScoreCount { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "Pass one score for each id, NULL for an id without a score, or no scores at all."
                .to_owned(),
        ),
        _ => (PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, "Check the arguments.".to_owned()),
    };
    (code, error.to_string(), hint)
}

/// Returns SQLSTATE, message and HINT of a document that `passage_split` rejects.
fn document(error: &passage_split::Error) -> (PgSqlErrorCode, String, String) {
    use passage_split::Error as Document;
    let (code, hint) = match error {
        Document::UnknownMediaType { valid, .. } => {
            (PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, format!("Valid values are {valid}."))
        }
        Document::OutOfRange { max, .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            format!("Use a number from 0 to {max}."),
        ),
        Document::OffsetBehindEnd { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "Pass offsets in bytes of the text as it is stored, as start_byte of its chunks counts them."
                .to_owned(),
        ),
        Document::InvalidPattern { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_REGULAR_EXPRESSION,
            "Pass a regular expression for the lines before which the document is divided, such as splitting => passage.splitting(split_at => '^=== ')."
                .to_owned(),
        ),
        Document::InvalidNotebook { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "Pass media_type => 'application/json' for JSON that is not a notebook.".to_owned(),
        ),
        Document::PageTooLarge { .. } | Document::PageTooComplex { .. } => (
            PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            "Split the page into several documents, or pass media_type => 'text/plain' to store its source."
                .to_owned(),
        ),
        _ => (PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, "Check the document.".to_owned()),
    };
    (code, error.to_string(), hint)
}

/// Returns names as a HINT lists them.
fn list(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match &quoted[..] {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        quoted => quoted.concat(),
    }
}

/// Returns the HINT for a store that does not exist.
pub fn missing_store_hint(store: &str, nearest: Option<String>) -> String {
    let creation = format!("SELECT passage.create_store({});", literal(store));
    nearest.map_or_else(
        || format!("Run {creation} to create it."),
        |nearest| {
            format!("Perhaps you mean store \"{nearest}\". To create \"{store}\", run {creation}")
        },
    )
}

/// Returns the HINT for a store that cannot be used.
fn check_store(store: &str) -> String {
    format!(
        "Run SELECT * FROM passage.check_store({}); to see what the store lacks.",
        literal(store)
    )
}

/// Returns a text as an SQL literal.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns the name of a type.
fn type_name(oid: pg_sys::Oid) -> String {
    // SAFETY: a look-up that returns "???" for a missing type, as a string in memory of the call.
    let name = unsafe { CStr::from_ptr(pg_sys::format_type_be(oid)) };
    name.to_string_lossy().into_owned()
}
