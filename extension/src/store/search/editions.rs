//! Editions: the collections of a store with their versions, and the highest version of each.

use super::filters::{Filters, VersionFilter};
use crate::server::spi::{Access, Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::store::Store;
use crate::store::layout::{Relation, StatementKey};
use crate::store::shards::Route;
use passage_core::version_order::compare;
use passage_split::interrupt::poll_periodically as pause;
use std::collections::BTreeMap;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct EditionStatement {
    of_collections: bool,
    include_orphaned: bool,
}

impl StatementKey for EditionStatement {
    fn access(&self) -> Access {
        Access::Any
    }
}

impl Filters {
    /// Finds the highest versions, if the filters select them. A search calls it once.
    pub fn find_latest(&mut self, store: &Store, connection: &Connection) {
        if let Some(version @ VersionFilter { has_latest: true, .. }) = &mut self.version {
            let collections = self.collection.clone();
            version.latest = store.latest(connection, collections, self.include_orphaned);
        }
    }
}

impl Store {
    /// Returns collections, all or some, and the highest version of each that the caller may see.
    fn latest(
        &self,
        connection: &Connection,
        collections: Option<Vec<String>>,
        include_orphaned: bool,
    ) -> [Vec<String>; 2] {
        let Some(documents) = &self.0.documents else { return Default::default() };
        let of_collections = collections.is_some();
        let include_orphaned = include_orphaned || !documents.has("orphaned_at");
        let key = EditionStatement { of_collections, include_orphaned };
        let statement =
            self.0.statement(key, || statement(documents, of_collections, include_orphaned));
        let values = collections.map(Value::new).into_iter().collect();
        let rows = self.read(connection, &statement, values, Route::All, None);
        let mut latest: BTreeMap<String, String> = BTreeMap::new();
        for row in 0..rows.len() {
            pause(row);
            let [collection, version] =
                [0, 1].map(|column| rows.get::<String>(row, column).unwrap_or_default());
            let highest = latest.entry(collection).or_insert_with(|| version.clone());
            if compare(&version, highest).is_gt() {
                *highest = version;
            }
        }
        let (collections, versions) = latest.into_iter().unzip();
        [collections, versions]
    }
}

fn statement(documents: &Relation, of_collections: bool, include_orphaned: bool) -> String {
    let columns = [("collection", "text"), ("version", "text")];
    let [collection, version] = Relation::columns(Some(documents), "d", &columns)
        .try_into()
        .expect("two columns were given");
    let of_collections =
        if of_collections { format!(" AND {collection} {EQUAL} ANY ($1)") } else { String::new() };
    let not_orphaned = if include_orphaned { "" } else { " AND d.orphaned_at IS NULL" };
    format!(
        "SELECT DISTINCT {collection}, {version} FROM {} AS d WHERE true{of_collections}{not_orphaned}",
        documents.name
    )
}
