/*!
Names in filters that the store does not have, for a search that finds nothing.

The caller gets a NOTICE with the names that resemble them, among those that it may see. A search with results reads
nothing here. The cost is bounded: collections and versions are those of a limited number of documents, which the notice
says.

Its twin in SQL is `sql/edition/notices.sql`.
*/

use super::filters::Filters;
use crate::server::notices::{self, KnownNames};
use crate::server::spi::{Access, Connection, Statement, Value};
use crate::server::sql_text::EQUAL;
use crate::store::Store;
use crate::store::layout::{Relation, StatementKey};
use crate::store::shards::Route;
use passage_core::metadata_filter::OPERATORS;
use passage_core::misspelling::nearest;
use passage_core::search::SearchQuery;
use passage_core::version_order::compare;
use passage_split::interrupt::poll_periodically as pause;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The maximum number of documents of which collections and versions are counted, and of which uris are read.
const MAX_COUNTED: i64 = 100_000;
const MAX_URIS: i64 = 20_000;

/// The maximum number of names of a filter that are looked up, and that a notice lists.
const MAX_NAMES: usize = 5;

/// Identifies a statement.
#[derive(Clone, PartialEq)]
enum NameStatement {
    /// Counts the documents of each collection and version.
    Editions,
    /// Reads uris.
    Uris,
    /// Looks up uris.
    KnownUris,
}

impl StatementKey for NameStatement {
    fn access(&self) -> Access {
        match self {
            Self::Editions | Self::Uris => Access::Any,
            Self::KnownUris => Access::Index,
        }
    }
}

impl Store {
    /// Reports why a search may have found nothing: names that the store does not have, unknown operators, and a query
    /// without words. `embedded` is whether the search also used an embedding.
    pub fn explain_nothing(
        &self,
        connection: &Connection,
        filters: &Filters,
        query: Option<&str>,
        embedded: bool,
    ) {
        self.report_missing_names(connection, filters);
        if let Some(metadata) = &filters.metadata {
            for operator in &metadata.unknown_operators {
                let known = nearest(operator, OPERATORS.iter().copied());
                notices::report_unknown_operator(operator, known, OPERATORS);
            }
        }
        let Some(query) = query.filter(|query| !embedded && !query.trim().is_empty()) else {
            return;
        };
        let query = SearchQuery::parse(query);
        if query.is_empty() {
            if !query.excluded.is_empty() {
                notices::report_only_exclusions();
            }
        } else if self.has_lexemes() && self.parse_query(connection, &query).lexemes.list.is_empty()
        {
            notices::report_only_stop_words();
        }
    }

    /// Reports the names in filters that the store does not have. Returns whether there are any.
    pub fn report_missing_names(&self, connection: &Connection, filters: &Filters) -> bool {
        let Some(documents) = &self.0.documents else { return false };
        let uris = self.missing_uris(connection, documents, filters.uri.as_deref());
        let mut is_missing = !uris.is_empty();
        let versions = filters.version.as_ref().is_some_and(|version| !version.names.is_empty());
        if filters.collection.is_some() || versions {
            is_missing |= self.report_missing_editions(connection, documents, filters);
        }
        if !uris.is_empty() {
            let values = vec![Value::new(MAX_URIS)];
            let known = self.uris(connection, documents, &NameStatement::Uris, values);
            for uri in &uris {
                let known = KnownNames {
                    similar: similar_uris(uri, &known),
                    others: Vec::new(),
                    listing: format!("SELECT uri FROM {};", documents.name),
                };
                notices::report_missing_name("uri", uri, None, known);
            }
        }
        is_missing
    }

    /// Reports the collections and versions that the store does not have. Returns whether there are any.
    fn report_missing_editions(
        &self,
        connection: &Connection,
        documents: &Relation,
        filters: &Filters,
    ) -> bool {
        let values = vec![Value::new(MAX_COUNTED + 1)];
        let statement = self.statement(documents, &NameStatement::Editions);
        let rows = self.read(connection, &statement, values, Route::All, None);
        let text = |row, column| rows.get::<String>(row, column).unwrap_or_default();
        let editions: Vec<_> = (0..rows.len()).map(|row| (text(row, 0), text(row, 1))).collect();
        let counted: i64 = (0..rows.len()).filter_map(|row| rows.get::<i64>(row, 2)).sum();
        let cut = (counted > MAX_COUNTED).then_some(MAX_COUNTED);
        let collections: BTreeSet<_> = editions.iter().map(|(name, _)| name.as_str()).collect();
        let given = filters.collection.as_deref().unwrap_or_default();
        let missing: Vec<_> = given
            .iter()
            .filter(|name| !collections.contains(name.as_str()))
            .take(MAX_NAMES)
            .collect();
        // The versions of the given collections, or of all if one is missing.
        let has_collection =
            |name: &String| !missing.is_empty() || given.is_empty() || given.contains(name);
        let mut versions: Vec<_> = editions
            .iter()
            .filter(|(name, _)| has_collection(name))
            .map(|(_, version)| version.as_str())
            .collect();
        versions.sort_by(|a, b| compare(b, a));
        versions.dedup();
        let report = |what, name: &str, similar: Option<&str>, others: Vec<&str>| {
            let listing = format!("SELECT DISTINCT collection, version FROM {};", documents.name);
            let known = KnownNames { similar: similar.into_iter().collect(), others, listing };
            notices::report_missing_name(what, name, cut, known);
        };
        for name in &missing {
            let similar = nearest(name, collections.iter().copied());
            report(
                "collection",
                name,
                similar,
                collections.iter().copied().take(MAX_NAMES).collect(),
            );
        }
        let names = filters.version.iter().flat_map(|version| &version.names);
        let missing_versions: Vec<_> =
            names.filter(|name| !versions.contains(&name.as_str())).take(MAX_NAMES).collect();
        versions.truncate(MAX_NAMES);
        for name in &missing_versions {
            // Other versions resemble it as much as the one that is meant.
            report("version", name, None, versions.clone());
        }
        !missing.is_empty() || !missing_versions.is_empty()
    }

    /// Returns the uris that no document has.
    fn missing_uris(
        &self,
        connection: &Connection,
        documents: &Relation,
        uris: Option<&[String]>,
    ) -> Vec<String> {
        let given: Vec<_> = uris.unwrap_or_default().iter().take(MAX_NAMES).cloned().collect();
        if given.is_empty() || !documents.has("uri") {
            return Vec::new();
        }
        let values = vec![Value::new(given.clone())];
        let known = self.uris(connection, documents, &NameStatement::KnownUris, values);
        given.into_iter().filter(|uri| !known.contains(uri)).collect()
    }

    fn uris(
        &self,
        connection: &Connection,
        documents: &Relation,
        key: &NameStatement,
        values: Vec<Value>,
    ) -> Vec<String> {
        let statement = self.statement(documents, key);
        let rows = self.read(connection, &statement, values, Route::All, None);
        let uri = |row| {
            pause(row);
            rows.get(row, 0)
        };
        (0..rows.len()).filter_map(uri).collect()
    }

    fn statement(&self, documents: &Relation, key: &NameStatement) -> Rc<Statement> {
        self.0.statement(key.clone(), || statement(documents, key))
    }
}

/// Returns the uris that a missing one resembles: with the same end, of the same file, or misspelled.
fn similar_uris<'n>(uri: &str, uris: &'n [String]) -> Vec<&'n str> {
    let file = uri.rsplit('/').next().unwrap_or(uri).to_lowercase();
    let is_file =
        |other: &&str| other.rsplit('/').next().is_some_and(|name| name.to_lowercase() == file);
    let uris = || {
        uris.iter().enumerate().map(|(index, uri)| {
            pause(index);
            uri.as_str()
        })
    };
    let nearest = nearest(uri, uris());
    let mut similar: Vec<_> =
        nearest.into_iter().chain(uris().filter(is_file).take(MAX_NAMES)).collect();
    similar.sort_unstable();
    similar.dedup();
    similar.truncate(MAX_NAMES);
    similar
}

fn statement(documents: &Relation, key: &NameStatement) -> String {
    let columns = [("collection", "text"), ("version", "text"), ("uri", "text")];
    let [collection, version, uri] =
        Relation::columns(Some(documents), "d", &columns).try_into().expect("three columns");
    let documents = &documents.name;
    match key {
        NameStatement::Editions => format!(
            "SELECT s.collection, s.version, pg_catalog.count(*) FROM (SELECT {collection} AS collection, \
             {version} AS version FROM {documents} AS d LIMIT $1) AS s GROUP BY s.collection, s.version"
        ),
        NameStatement::Uris => format!("SELECT {uri} FROM {documents} AS d LIMIT $1"),
        NameStatement::KnownUris => format!(
            "SELECT u.uri FROM pg_catalog.unnest($1) AS u (uri) \
             WHERE EXISTS (SELECT FROM {documents} AS d WHERE {uri} {EQUAL} u.uri)"
        ),
    }
}
