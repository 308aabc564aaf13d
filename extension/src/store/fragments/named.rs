//! The statement that finds the document which a call names, and what is told of it.

use super::told::Told;
use crate::spi::{Connection, Value};
use crate::store::Store;
use crate::store::filters::{Filters, Shape};
use crate::store::hits::uuid;
use crate::store::layout::{Layout, Purpose, Relation};
use crate::store::operators::EQUAL;
use crate::types::to_sql;
use uuid::Uuid;

/// A document that a call names.
pub struct Named {
    pub id: Uuid,
    pub told: Told,
}

impl Store {
    /// Finds the document with an id, or that which passes the filters; of several the one with the
    /// smallest id.
    pub fn named(
        &self,
        connection: &Connection,
        id: Option<Uuid>,
        filters: &Filters,
    ) -> Option<Named> {
        let Some(documents) = &self.0.documents else {
            let nothing_asked = filters.uri.is_none() && filters.collection.is_none();
            return id.filter(|_| nothing_asked).map(|id| self.told_of(connection, id));
        };
        let (shape, by_id) = (filters.shape(), id.is_some());
        let purpose = Purpose::Named { filters: shape, by_id };
        let statement = self.0.statement(purpose, || statement(&self.0, documents, shape, by_id));
        let mut values = vec![Value::new(id.map(to_sql))];
        values.extend(filters.values());
        let rows = connection.read(&statement, values);
        (rows.len() > 0).then(|| self.told_of(connection, uuid(rows.get(0, 0))))
    }

    fn told_of(&self, connection: &Connection, id: Uuid) -> Named {
        Named { id, told: self.told(connection, &[id]).remove(&id).unwrap_or_default() }
    }
}

fn statement(layout: &Layout, documents: &Relation, filters: Shape, by_id: bool) -> String {
    let id = documents.column("n", "id", "uuid");
    // Every parameter must have a use.
    let by = if by_id { format!("n.id {EQUAL} $1") } else { "$1 IS NULL".to_owned() };
    // The filters speak of documents as `d`, and look up by themselves what they ask of others.
    format!(
        "SELECT {id} FROM {documents} AS n JOIN {documents} AS d ON d.id {EQUAL} n.id \
         WHERE {by}{conditions} ORDER BY 1 LIMIT 1",
        documents = documents.name,
        conditions = filters.conditions(layout, "n.id", None, 2),
    )
}
