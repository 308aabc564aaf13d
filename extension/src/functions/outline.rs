//! `outline`: the tree of a document, which a call names by its uri or its id.

use crate::server::error::Error;
use crate::server::notices;
use crate::server::spi;
use crate::server::spi::Connection;
use crate::server::types::{Name, from_sql, integer};
use crate::store::{Filters, Store, VersionFilter};
use passage_core::outline::outline as draw;
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};

/// A section, as the columns of the functions.
type Section = (
    String,
    Vec<String>,
    Option<i32>,
    i32,
    i32,
    i32,
    Option<i32>,
    Option<i32>,
    Option<i32>,
    Option<i32>,
);

// PostgreSQL prefers a text for a literal of unknown type, so this function also takes an id as text.
#[pg_extern(stable, parallel_restricted, schema = "passage", name = "outline")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn outline_of_uri(
    uri: Option<String>,
    collection: default!(Option<String>, "NULL"),
    version: default!(Option<String>, "NULL"),
    hit_ids: default!(Option<Vec<Option<Uuid>>>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(outline, String),
            name!(section, Vec<String>),
            name!(level, Option<i32>),
            name!(chunks, i32),
            name!(hits, i32),
            name!(tokens, i32),
            name!(first_ordinal, Option<i32>),
            name!(last_ordinal, Option<i32>),
            name!(first_line, Option<i32>),
            name!(last_line, Option<i32>),
        ),
    >,
    ErrorReport,
> {
    let filters = Filters::of_document(collection, version, uri);
    Ok(TableIterator::new(sections(None, filters, hit_ids, store)?))
}

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn outline(
    document_id: Option<Uuid>,
    uri: default!(Option<String>, "NULL"),
    hit_ids: default!(Option<Vec<Option<Uuid>>>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(outline, String),
            name!(section, Vec<String>),
            name!(level, Option<i32>),
            name!(chunks, i32),
            name!(hits, i32),
            name!(tokens, i32),
            name!(first_ordinal, Option<i32>),
            name!(last_ordinal, Option<i32>),
            name!(first_line, Option<i32>),
            name!(last_line, Option<i32>),
        ),
    >,
    ErrorReport,
> {
    let filters = Filters::of_document(None, None, uri);
    Ok(TableIterator::new(sections(document_id, filters, hit_ids, store)?))
}

/// Returns the sections of the document with an id, or with the uri of the filters.
fn sections(
    id: Option<Uuid>,
    mut filters: Filters,
    hit_ids: Option<Vec<Option<Uuid>>>,
    store: Option<Name>,
) -> Result<Vec<Section>, Error> {
    let store = Store::resolve(store)?;
    let id = id.map(from_sql);
    let hits = hit_ids.unwrap_or_default().into_iter().flatten().map(from_sql).collect();
    spi::connect(|connection| {
        filters.find_latest(&store, connection);
        let document = match (id, &filters.uri) {
            (id, None) => id,
            (Some(_), Some(_)) => {
                store.document_id(connection, id, &Filters { include_orphaned: true, ..filters })?
            }
            (None, Some(_)) => document_with_uri(&store, connection, &filters)?,
        };
        let Some(document) = document else { return Ok(Vec::new()) };
        let lines = draw(&store.outline_chunks(connection, document, &hits));
        Ok(lines
            .into_iter()
            .map(|line| {
                (
                    line.outline,
                    line.section,
                    line.level,
                    integer(line.chunks),
                    integer(line.hits),
                    integer(line.tokens),
                    line.first_ordinal,
                    line.last_ordinal,
                    line.first_line,
                    line.last_line,
                )
            })
            .collect())
    })
}

/// Returns the document with the uri of the filters, or with the id that the uri spells. An orphaned document counts
/// if no other one has the uri. Reports an unknown uri.
fn document_with_uri(
    store: &Store,
    connection: &Connection,
    filters: &Filters,
) -> Result<Option<uuid::Uuid>, Error> {
    let with_orphaned = Filters { include_orphaned: true, ..filters.clone() };
    for filters in [filters, &with_orphaned] {
        if let Some(id) = store.document_id(connection, None, filters)? {
            return Ok(Some(id));
        }
    }
    let uri = filters.uri.iter().flatten().next().map_or("", String::as_str);
    if let Ok(id) = uuid::Uuid::parse_str(uri) {
        let by_id = Filters { uri: None, ..with_orphaned };
        if let Some(id) = store.document_id(connection, Some(id), &by_id)? {
            return Ok(Some(id));
        }
    }
    let collection = filters.collection.iter().flatten().next();
    let version = filters.version.as_ref().and_then(VersionFilter::text);
    let named = [("collection", collection.map(String::as_str)), ("version", version)];
    let named = named.map(|(what, name)| {
        name.map_or_else(String::new, |name| format!(" and {what} \"{name:.100}\""))
    });
    let remedy = store.uri_listing(file_stem(uri)).map_or_else(
        || "The store has no uris. Pass document_id => ... of a chunk.".to_owned(),
        |listing| format!("Run {listing} to find it."),
    );
    notices::report_no_uri(&format!("uri \"{uri:.100}\"{}", named.concat()), remedy);
    Ok(None)
}

/// Returns the name of a file without its folder and its extension, which another spelling of its uri also has.
fn file_stem(uri: &str) -> &str {
    let name = uri.trim_end_matches('/').rsplit('/').next().unwrap_or(uri);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let end = stem.char_indices().nth(40).map_or(stem.len(), |(end, _)| end);
    &stem[..end]
}
