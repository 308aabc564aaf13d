//! Notices about calls that return nothing, with what the caller can do.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, PgSqlErrorCode, function_name};

/// Reports that no document has the given name and passes the filters.
pub fn report_no_document() {
    report(
        "no document has this uri or document_id",
        "SELECT uri, collection, version, orphaned_at FROM documents of the store lists them. \
         Orphaned documents need filter => '{\"include_orphaned\": true}'.",
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

/// The names that a caller can use instead of one that no document has: those that resemble it, else some others, else
/// a statement that lists them.
pub struct KnownNames<'n> {
    pub similar: Vec<&'n str>,
    pub others: Vec<&'n str>,
    pub listing: String,
}

/// Reports that no document has a name, or none of the first ones.
pub fn report_missing_name(what: &str, name: &str, first: Option<i64>, known: KnownNames<'_>) {
    let quoted = |names: Vec<&str>| {
        let names: Vec<_> = names.iter().map(|name| format!("\"{name:.100}\"")).collect();
        names.join(", ")
    };
    let hint = match known {
        KnownNames { similar, others, listing } if similar.is_empty() && others.is_empty() => {
            format!("{listing} lists those that you may see.")
        }
        KnownNames { similar, others, .. } if similar.is_empty() => {
            format!("Documents have {}.", quoted(others))
        }
        KnownNames { similar, .. } => format!("Perhaps you mean {}.", quoted(similar)),
    };
    let first = first.map_or_else(String::new, |count| format!(" of the first {count}"));
    report(format!("no document{first} has {what} \"{name:.100}\""), hint);
}

/// Reports that a word with a dollar sign in the filter `metadata` is not an operator, and was compared as a key.
pub fn report_unknown_operator(word: &str, nearest: Option<&str>, operators: &[&str]) {
    let hint = match nearest {
        Some(nearest) => format!("Perhaps you mean \"{nearest}\"."),
        None => format!("Operators are {}.", operators.join(", ")),
    };
    report(
        format!("\"{word:.100}\" in \"metadata\" is not an operator, so it was compared as a key"),
        hint,
    );
}

/// Reports that a query has only words that the store does not index.
pub fn report_only_stop_words() {
    report(
        "the query has only stop words of the language of the store",
        "Use other words, or pass an embedding of the query.",
    );
}

/// Reports that a word of the query was searched as another one, which chunks have.
pub fn report_correction(misspelled: &str, corrected: &str) {
    report(
        format!("no chunk has \"{misspelled:.100}\", so \"{corrected:.100}\" was searched"),
        "Put the word in double quotes to search for it as it is written.",
    );
}

/// Reports that a query has nothing to search for.
pub fn report_only_exclusions() {
    report("the query has only exclusions", "Add words that a chunk should have.");
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
