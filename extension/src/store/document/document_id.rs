//! The document that a call names by its uri or its id.

use crate::server::error::Error;
use crate::server::spi::{Connection, Value};
use crate::server::sql_text::{EQUAL, like_pattern};
use crate::server::types::to_sql;
use crate::store::Store;
use crate::store::layout::{Layout, Relation, StatementKey};
use crate::store::search::{FilterShape, Filters, MetadataPart};
use crate::store::shards::Route;
use std::slice;
use uuid::Uuid;

/// The maximum number of documents with one uri that an error lists.
const MAX_LISTED: usize = 20;

/// Identifies the statement that finds a document.
#[derive(Clone, PartialEq)]
struct NameStatement {
    filters: FilterShape,
    by_id: bool,
}

impl StatementKey for NameStatement {}

impl Store {
    /// Returns the id of the document with an id, or of the one that passes the filters.
    ///
    /// # Errors
    ///
    /// Returns [`Error::AmbiguousUri`] if several documents pass the filters.
    pub fn document_id(
        &self,
        connection: &Connection,
        id: Option<Uuid>,
        filters: &Filters,
    ) -> Result<Option<Uuid>, Error> {
        let Some(documents) = &self.0.documents else {
            let is_unfiltered = filters.uri.is_none() && filters.collection.is_none();
            return Ok(id.filter(|_| is_unfiltered));
        };
        let (shape, by_id) = (filters.shape(), id.is_some());
        let key = NameStatement { filters: shape.clone(), by_id };
        let statement = self.0.statement(key, || name_statement(&self.0, documents, &shape, by_id));
        let read = |route| {
            let mut values = vec![Value::new(id.map(to_sql))];
            values.extend(filters.values());
            self.read(connection, &statement, values, route, None)
        };
        let derived = filters.identity().filter(|_| self.is_distributed(connection));
        let known = id.or(derived);
        let mut rows = read(match &known {
            Some(id) => Route::Documents(slice::from_ref(id)),
            None => Route::All,
        });
        if rows.len() == 0 && !by_id && derived.is_some() {
            // A document that was inserted by SQL can have another id.
            rows = read(Route::All);
        }
        if rows.len() > 1 {
            let document = |row| {
                let text = |column| rows.get::<String>(row, column).unwrap_or_default();
                (text(1), text(2))
            };
            let documents = (0..rows.len()).map(document).collect();
            return Err(Error::AmbiguousUri {
                uri: filters.uri.iter().flatten().next().cloned().unwrap_or_default(),
                documents,
            });
        }
        Ok((rows.len() > 0).then(|| rows.uuid(0, 0)))
    }

    /// Returns a statement that lists documents whose uri contains a text, or `None` if the store has no uris.
    pub fn uri_listing(&self, part: &str) -> Option<String> {
        let documents = self.0.documents.as_ref().filter(|documents| documents.has("uri"))?;
        let columns: Vec<_> = ["uri", "collection", "version"]
            .into_iter()
            .filter(|column| documents.has(column))
            .collect();
        let pattern = like_pattern(part).replace('\'', "''");
        Some(format!(
            "SELECT {} FROM {} WHERE uri LIKE '%{pattern}%';",
            columns.join(", "),
            documents.name
        ))
    }
}

fn name_statement(
    layout: &Layout,
    documents: &Relation,
    filters: &FilterShape,
    by_id: bool,
) -> String {
    let id = documents.column("n", "id", "uuid");
    let names = [("collection", "text"), ("version", "text")];
    let names = Relation::columns(Some(documents), "n", &names).join(", ");
    // An unused parameter would have no type.
    let by = if by_id { format!("n.id {EQUAL} $1") } else { "$1 IS NULL".to_owned() };
    // The filters are conditions on the alias `d`.
    format!(
        "SELECT {id}, {names} FROM {documents} AS n JOIN {documents} AS d ON d.id {EQUAL} n.id \
         WHERE {by}{conditions} ORDER BY 2, 3, 1 LIMIT {MAX_LISTED}",
        documents = documents.name,
        conditions = filters.conditions(layout, "n.id", None, 2, MetadataPart::All),
    )
}
