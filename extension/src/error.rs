//! What users read when something is wrong: message, SQLSTATE and what to do.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgSqlErrorCode, function_name, pg_sys};
use std::ffi::CStr;

/// Why a call cannot be answered.
#[derive(Debug)]
pub enum Error {
    /// A request that the model refuses.
    Request(passage_core::Error),
    /// A row of a store's table `strategies` that the model refuses.
    Row { strategy: String, error: passage_core::Error },
    /// A schema that does not exist or holds no relation `chunks`.
    NoStore(String),
    /// A relation without a column that every store must have.
    NoColumn { store: String, relation: &'static str, column: &'static str },
    /// A relation with such a column of a type that cannot be read as the one it must have.
    ColumnType {
        store: String,
        relation: &'static str,
        column: &'static str,
        sql_type: &'static str,
    },
    /// A column of a result, counted from 1, that has another type than is read.
    ResultType { store: String, column: usize, found: pg_sys::Oid, expected: &'static str },
    /// A row of another type than the rows of the table it is given for.
    RowType { found: pg_sys::Oid, expected: pg_sys::Oid },
    /// A search by an embedding in a store without any.
    NoEmbeddings { store: String },
    /// An embedding that is not of the store's dimensions.
    Dimensions { store: String, given: usize, dimensions: Option<i32> },
    /// An embedding with a NULL, an infinity or a NaN.
    NoNumber,
    /// A mode of search, or a filter, without what it searches by.
    Lacks { what: String, lacks: &'static str },
    /// A store to write to whose documents or chunks are a view, or missing.
    NoTable { store: String, relation: &'static str, missing: bool },
    /// Rows that have to be written and that a policy keeps the caller from.
    Hidden { store: String },
    /// Rows to write of which there are several where one is expected.
    Several { store: String, relation: &'static str },
    /// An argument that must not be NULL.
    IsNull(&'static str),
    /// Metadata of a document that is no JSON object, or one that cannot be read.
    Metadata,
    /// A text that decodes to one with a NUL, which PostgreSQL does not store.
    Nul,
    /// A panic of the model over a document.
    Broken,
}

impl From<passage_core::Error> for Error {
    fn from(error: passage_core::Error) -> Self {
        Self::Request(error)
    }
}

impl From<Error> for ErrorReport {
    #[expect(clippy::too_many_lines, reason = "one list of all errors")]
    fn from(error: Error) -> Self {
        let (code, message, hint) = match error {
            Error::Request(error) => request(&error),
            Error::Row { strategy, error } => {
                let (code, message, hint) = request(&error);
                (code, format!("strategy \"{strategy:.100}\" of the store: {message}"), hint)
            }
            Error::NoStore(store) => (
                PgSqlErrorCode::ERRCODE_INVALID_SCHEMA_NAME,
                format!("store \"{store}\" does not exist"),
                format!("SELECT passage.create_store({}) makes it.", literal(&store)),
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
            Error::ResultType { store, column, found, expected } => (
                PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
                format!(
                    "column {column} of what was read from store \"{store}\" is of type {}, not {expected}",
                    type_name(found)
                ),
                check_store(&store),
            ),
            Error::RowType { found, expected } => (
                PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
                format!("row is of type {}, not {}", type_name(found), type_name(expected)),
                "The trigger passage.keep_in_step calls _passage.step_row with its own row."
                    .to_owned(),
            ),
            Error::NoEmbeddings { store } => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                format!("store \"{store}\" has no embeddings"),
                format!(
                    "Leave the embedding out, or SELECT passage.create_store({}, dimensions => n) and load them.",
                    literal(&store)
                ),
            ),
            Error::Dimensions { store, given, dimensions } => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                match dimensions {
                    Some(has) => {
                        format!(
                            "the embedding has {given} dimensions, those of store \"{store}\" have {has}"
                        )
                    }
                    None => format!("the embedding has {given} dimensions"),
                },
                "Embed the query with the model that embedded the chunks.".to_owned(),
            ),
            Error::NoNumber => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                "the embedding holds a value that is no number".to_owned(),
                "Give finite numbers, without NULL.".to_owned(),
            ),
            Error::Lacks { what, lacks } => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                format!("{what} needs {lacks}"),
                format!("Give {lacks}, or leave it out."),
            ),
            Error::NoTable { store, relation, missing } => (
                PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
                if missing {
                    format!("store \"{store}\" has no table {relation} to write to")
                } else {
                    format!("{relation} of store \"{store}\" is a view")
                },
                "Write to the tables that the store shows, or name a store that passage.create_store made."
                    .to_owned(),
            ),
            Error::Hidden { store } => (
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!("row-level security of store \"{store}\" hides rows that have to be written"),
                "Whoever writes a document needs policies for SELECT, INSERT, UPDATE and DELETE on it and its chunks."
                    .to_owned(),
            ),
            Error::Several { store, relation } => (
                PgSqlErrorCode::ERRCODE_CARDINALITY_VIOLATION,
                format!("relation \"{store}.{relation}\" has several rows with the same id"),
                format!("Delete all but one of them, and add the keys. {}", check_store(&store)),
            ),
            Error::IsNull(argument) => (
                PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
                format!("\"{argument}\" is NULL"),
                match argument {
                    "text" => "passage.remove(uri => ...) removes a document; an empty text is one without chunks.",
                    _ => "A document is known by its uri.",
                }
                .to_owned(),
            ),
            Error::Metadata => (
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
                "\"metadata\" is no JSON object that can be read".to_owned(),
                r#"Give an object such as {"author": "A. Writer"}."#.to_owned(),
            ),
            Error::Nul => (
                PgSqlErrorCode::ERRCODE_UNTRANSLATABLE_CHARACTER,
                "the document holds an escaped NUL, which PostgreSQL cannot store".to_owned(),
                "Take it out, or pass media_type => 'text/plain'.".to_owned(),
            ),
            Error::Broken => (
                PgSqlErrorCode::ERRCODE_INTERNAL_ERROR,
                "the document could not be split".to_owned(),
                "Pass media_type => 'text/plain', and please report what kind of document it is."
                    .to_owned(),
            ),
        };
        ErrorReport::new(code, message, function_name!()).set_hint(hint)
    }
}

/// The words for a request that the model refuses.
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
        Request::OutOfRange { most, .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            format!("Give a number from 0 to {most}."),
        ),
        Request::NumberOutOfRange { least, most, .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            format!("Give a number from {least} to {most}."),
        ),
        Request::InvalidWindows => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            r#"Valid kinds are "prose", "code" and "api-reference", as in {"code": 4}."#.to_owned(),
        ),
        Request::ScoreCount { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "Give one score for each id, NULL for an id without one, or no scores at all."
                .to_owned(),
        ),
        Request::InvalidNotebook { .. } => (
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "Pass media_type => 'application/json' for JSON that is no notebook.".to_owned(),
        ),
        Request::PageTooLarge { .. } | Request::PageTooComplex { .. } => (
            PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            "Split the page into several documents, or pass media_type => 'text/plain' to store it as it is."
                .to_owned(),
        ),
        _ => (PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, "Check the arguments.".to_owned()),
    };
    (code, error.to_string(), hint)
}

/// What tells more about a store that cannot be read.
fn check_store(store: &str) -> String {
    format!("SELECT * FROM passage.check_store({}) tells what a store needs.", literal(store))
}

/// A text as an SQL literal.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A type as PostgreSQL writes it.
fn type_name(oid: pg_sys::Oid) -> String {
    // SAFETY: a look-up that gives "???" for a type that is missing, as a string in memory of the call.
    let name = unsafe { CStr::from_ptr(pg_sys::format_type_be(oid)) };
    name.to_string_lossy().into_owned()
}
