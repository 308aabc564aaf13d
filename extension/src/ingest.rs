//! `ingest`: splits a document and puts it into a store in place of what was there.

use crate::document::Given;
use crate::error::Error;
use crate::spi;
use crate::store::{Done, Store, Written};
use crate::types::{Json, Name, RawJsonb, to_sql};
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, pg_sys};
use serde_json::{Map, Value};

#[pg_extern(volatile, parallel_unsafe, schema = "passage")]
#[expect(clippy::too_many_arguments, reason = "they are those of the SQL function")]
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
    max_size: default!(Option<i32>, "NULL"),
    preferred_size: default!(Option<i32>, "NULL"),
    min_size: default!(Option<i32>, "NULL"),
    max_with_preamble: default!(Option<i32>, "NULL"),
    overlap: default!(Option<i32>, "0"),
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
    let Some(uri) = uri else { return Err(Error::IsNull("uri").into()) };
    let Some(text) = text else { return Err(Error::IsNull("text").into()) };
    let given = Given {
        uri: Some(uri),
        media_type,
        title,
        kind,
        base_url,
        max_size,
        preferred_size,
        min_size,
        max_with_preamble,
        overlap,
    };
    let beside = Beside { collection, version, metadata, source_row: None };
    let (done, _) = put(given, text, beside, store)?;
    Ok(TableIterator::once((
        to_sql(done.document),
        done.outcome,
        done.chunks as i32,
        done.kept as i32,
        done.moved as i32,
        done.added as i32,
        done.removed as i32,
    )))
}

/// Ingests the document of a row, and returns which row it is recorded for.
#[pg_extern(volatile, parallel_unsafe, schema = "_passage")]
#[expect(clippy::too_many_arguments, reason = "they are those of the SQL function")]
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
    let Some(uri) = uri else { return Err(Error::IsNull("uri").into()) };
    let Some(text) = text else { return Err(Error::IsNull("text").into()) };
    let (uri, overlap) = (Some(uri), Some(0));
    let given = Given { uri, media_type, title, kind, base_url, overlap, ..Given::default() };
    let beside = Beside { collection, version, metadata, source_row };
    let (done, (locked, recorded)) = put(given, text, beside, store)?;
    let added = done.outcome == "added";
    Ok(TableIterator::once((to_sql(done.document), added, added || locked, recorded)))
}

/// What a document is stored with, beside what says how it is split.
struct Beside {
    collection: Option<String>,
    version: Option<String>,
    metadata: Option<Json>,
    source_row: Option<Json>,
}

/// Whether a document that was there could be locked, and which row it is recorded for.
type Recorded = (bool, Option<RawJsonb>);

/// Puts a document into a store. One of a row that was there before is locked, also if it is unchanged
/// and so not written: whoever removes it at the same time has either done so by now, or waits.
fn put(
    given: Given,
    text: &str,
    beside: Beside,
    store: Option<Name>,
) -> Result<(Done, Recorded), Error> {
    let Beside { collection, version, metadata, source_row } = beside;
    let source = given.source()?;
    let told = metadata.as_ref().map_or(Some(Map::new()), Json::read::<Map<String, Value>>);
    let told = told.ok_or(Error::Metadata)?;
    let store = Store::resolve(store)?.writable()?;
    let is_of_row = source_row.is_some();
    if is_of_row {
        store.records_rows()?;
    }
    // SAFETY: the name ends in NUL and lives as long as the program; the function raises an error or
    // does nothing.
    unsafe { pg_sys::PreventCommandIfReadOnly(c"passage.ingest()".as_ptr()) };

    let document = source.document(text)?;
    let brought = Written {
        collection: collection.unwrap_or_default(),
        version: version.unwrap_or_default(),
        uri: source.uri.clone(),
        content_hash: source.content_hash(text, &document, &told),
        metadata: metadata.map_or_else(|| "{}".to_owned(), |metadata| metadata.text().to_owned()),
        source_row,
        document: &document,
    };
    spi::connect(|connection| {
        let done = store.replace(connection, &brought, || source.split(&document))?;
        let was_there = is_of_row && done.outcome != "added";
        let recorded =
            if was_there { store.recorded(connection, done.document) } else { (false, None) };
        Ok((done, recorded))
    })
}
