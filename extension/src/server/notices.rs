//! Notices about a named document that a call returns nothing of, with what the caller can do.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, PgSqlErrorCode, function_name};

/// Reports that no document has the given name and passes the filters.
pub fn report_no_document() {
    report(
        "no document has this uri or document_id",
        "SELECT uri, collection, version, orphaned_at FROM documents of the store lists them. \
         Orphaned documents need include_orphaned => true.",
    );
}

/// Reports that no document has a uri. `name` is the uri with its collection and version, `remedy` what finds it.
pub fn report_no_uri(name: &str, remedy: String) {
    report(format!("no document has {name}"), remedy);
}

/// Reports that the named document does not match the query.
pub fn report_no_match(embedded: bool) {
    let hint = if embedded {
        "The document has no embeddings. Use other words, or return_full => true for its text."
    } else {
        "Use other words, pass an embedding of the query, or use return_full => true for the text of the document."
    };
    report("the document has no chunk that matches the query", hint);
}

fn report(message: impl Into<String>, hint: impl Into<String>) {
    ErrorReport::new(
        PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION,
        message.into(),
        function_name!(),
    )
    .set_hint(hint.into())
    .report(PgLogLevel::NOTICE);
}
