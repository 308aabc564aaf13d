//! `ingest`: splits a document and replaces its stored version.

use crate::server::error::Error;
use crate::server::spi;
use crate::server::types::{Json, Name, RawJsonb, from_sql, to_sql};
use crate::split::DocumentArguments;
use crate::store::{NewDocument, Outcome, Replaced, Store};
use passage_core::strategy::check_length;
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, pg_sys};
use serde_json::{Map, Value};

#[pg_extern(volatile, parallel_unsafe, schema = "passage")]
#[expect(clippy::too_many_arguments, reason = "those of the SQL function")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn ingest(
    uri: Option<String>,
    text: Option<&str>,
    media_type: default!(Option<String>, "NULL"),
    title: default!(Option<String>, "NULL"),
    collection: default!(Option<String>, "''"),
    version: default!(Option<String>, "''"),
    metadata: default!(Option<Json>, "'{}'"),
    kind: default!(Option<String>, "NULL"),
    base_url: default!(Option<String>, "NULL"),
    splitting: default!(Option<Json>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(document_id, Uuid),
            name!(outcome, &'static str),
            name!(chunks, i32),
            name!(kept, i32),
            name!(moved, i32),
            name!(added, i32),
            name!(removed, i32),
        ),
    >,
    ErrorReport,
> {
    let arguments = DocumentArguments { uri, media_type, title, kind, base_url, splitting };
    let storage = StorageArguments { collection, version, metadata, source_row: None };
    let (done, _) = replace(arguments, text, storage, store)?;
    Ok(TableIterator::once((
        to_sql(done.document),
        done.outcome.name(),
        done.chunks,
        done.kept,
        done.moved,
        done.added,
        done.removed,
    )))
}

/// Ingests the document of a row that `keep_in_step` follows, and returns the row that is recorded for it.
#[pg_extern(volatile, parallel_unsafe, schema = "_passage")]
#[expect(clippy::too_many_arguments, reason = "those of the SQL function")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn step_write(
    uri: Option<String>,
    text: Option<&str>,
    media_type: Option<String>,
    title: Option<String>,
    collection: Option<String>,
    version: Option<String>,
    metadata: Option<Json>,
    kind: Option<String>,
    base_url: Option<String>,
    source_row: Option<Json>,
    store: Option<Name>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(document_id, Uuid),
            name!(added, bool),
            name!(locked, bool),
            name!(recorded, Option<RawJsonb>),
        ),
    >,
    ErrorReport,
> {
    let arguments = DocumentArguments { uri, media_type, title, kind, base_url, splitting: None };
    let storage = StorageArguments { collection, version, metadata, source_row };
    let (done, (locked, recorded)) = replace(arguments, text, storage, store)?;
    let added = done.outcome == Outcome::Added;
    Ok(TableIterator::once((to_sql(done.document), added, added || locked, recorded)))
}

/// Records the row that an existing document comes from from now on. Returns false if a policy hides the document.
#[pg_extern(volatile, parallel_unsafe, schema = "_passage")]
fn step_record(document_id: Uuid, source_row: Json, store: Name) -> Result<bool, ErrorReport> {
    let store = Store::resolve_for("ingest", Some(store))?.writable()?;
    Ok(spi::connect(|connection| {
        store.record_source_row(connection, from_sql(document_id), source_row)
    }))
}

/// The arguments that a document is stored with, beside those that determine how it is split.
struct StorageArguments {
    collection: Option<String>,
    version: Option<String>,
    metadata: Option<Json>,
    source_row: Option<Json>,
}

/// Whether an existing document could be locked, and the row that is recorded for it.
type SourceRow = (bool, Option<RawJsonb>);

/// Replaces a document in a store. An existing document of a row is locked, also if it is unchanged and
/// not written: a session that removes it at the same time has either finished, or waits.
fn replace(
    arguments: DocumentArguments,
    text: Option<&str>,
    storage: StorageArguments,
    store: Option<Name>,
) -> Result<(Replaced, SourceRow), Error> {
    if arguments.uri.is_none() {
        return Err(Error::IsNull("uri"));
    }
    let Some(text) = text else { return Err(Error::IsNull("text")) };
    let StorageArguments { collection, version, metadata, source_row } = storage;
    check_length("collection", collection.as_deref())?;
    check_length("version", version.as_deref())?;
    let source = arguments.parse()?;
    let parsed = metadata.as_ref().map_or(Some(Map::new()), Json::parse::<Map<String, Value>>);
    let parsed = parsed.ok_or(Error::InvalidMetadata)?;
    let store = Store::resolve_for("ingest", store)?.writable()?;
    let is_of_row = source_row.is_some();
    if is_of_row {
        store.check_source_row()?;
    }
    // SAFETY: reads a variable of the backend, in its one thread.
    if unsafe { pg_sys::XactReadOnly } {
        // SAFETY: reads the shared memory of the server, which exists in each backend.
        return Err(Error::ReadOnly { is_standby: unsafe { pg_sys::RecoveryInProgress() } });
    }

    let document = source.prepare(text)?;
    let (content_hash, text_mark) = source.content_hash(text, &document, &parsed);
    let new = NewDocument {
        collection: collection.unwrap_or_default(),
        version: version.unwrap_or_default(),
        uri: source.uri.clone(),
        content_hash,
        text_mark,
        metadata: metadata.map_or_else(|| "{}".to_owned(), |metadata| metadata.text().to_owned()),
        source_row,
        document: &document,
    };
    spi::connect(|connection| {
        let done = store.replace(connection, &new, || source.split(&document))?;
        let source_row = if is_of_row && done.outcome != Outcome::Added {
            store.lock_source_row(connection, done.document)
        } else {
            (false, None)
        };
        Ok((done, source_row))
    })
}
