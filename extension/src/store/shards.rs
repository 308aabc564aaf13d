/*!
Stores whose tables Citus distributes.

A statement that reads the tables of such a store runs on each shard that has rows for it, over the shard's own
tables: with its own indexes and statistics, the settings of pgvector, and a plan that the worker keeps. Citus
takes it there in one query for each shard, which calls `_passage.shard_rows` with the rights of the caller. The
caller gets the rows of all shards together.

A store without Citus is read directly.
*/

mod route;
mod shard_call;
mod shard_map;

pub use route::Route;
pub use shard_call::ShardCall;

use super::Store;
use super::layout::StatementKey;
use super::search::scan_settings;
use super::sql_text::{AT_LEAST, EQUAL};
use crate::spi::{Connection, Rows, Statement, Value};
use crate::types::Name;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, pg_sys};
use shard_map::ShardMap;
use std::cell::OnceCell;
use std::ffi::CStr;
use std::rc::Rc;
use uuid::Uuid;

/// The shards of a layout, read when they are first needed. `None` if Citus does not distribute the store.
#[derive(Default)]
struct CachedMap(OnceCell<Option<Rc<ShardMap>>>);

/// Identifies the statement that calls a shard: by the columns of its result, and by a document whose id leads to
/// the shard.
#[derive(Clone, PartialEq)]
struct CallStatement {
    columns: Vec<pg_sys::Oid>,
    representative: Uuid,
}

impl StatementKey for CallStatement {}

impl Store {
    /// Returns whether Citus distributes the store.
    pub fn is_distributed(&self, connection: &Connection) -> bool {
        self.shard_map(connection).is_some()
    }

    /// Returns whether Citus distributes the store by document.
    pub fn is_spread(&self, connection: &Connection) -> bool {
        self.shard_map(connection).is_some_and(|map| map.is_hashed())
    }

    fn shard_map(&self, connection: &Connection) -> Option<Rc<ShardMap>> {
        let cached = self.0.slot::<CachedMap>();
        cached.0.get_or_init(|| ShardMap::read(connection, &self.0).map(Rc::new)).clone()
    }

    /// Executes a reading statement on the tables of the store, or on those of each shard. With `visited`, the
    /// scan of its vector index visits so many rows.
    pub(super) fn read<'c>(
        &self,
        connection: &'c Connection,
        statement: &Statement,
        values: Vec<Value>,
        route: Route,
        visited: Option<usize>,
    ) -> Rows<'c> {
        let Some(map) = self.shard_map(connection) else {
            let settings = visited.map(scan_settings).unwrap_or_default();
            return connection.read_with(statement, values, &settings);
        };
        let (shards, owners) = map.shards_of(route);
        let columns = connection.result_types(statement, &values);
        // An id belongs to one shard, and the others must not see it.
        let is_array = values.first().is_some_and(|of| of.type_oid() == pg_sys::UUIDARRAYOID);
        let owners = owners.filter(|_| is_array && shards.len() > 1);
        let types: Vec<_> = values.iter().map(Value::type_oid).collect();
        // A relation of a statement is the table of chunks.
        let text = |value: &Value| match value.type_oid() {
            pg_sys::REGCLASSOID => Some(self.0.chunks.name.clone()),
            _ => value.to_text(),
        };
        let texts: Vec<_> = values.iter().map(text).collect();
        let mut rows: Option<Rows> = None;
        let mut add = |read| match &mut rows {
            Some(rows) => Rows::extend(rows, read),
            None => rows = Some(read),
        };
        // Citus takes a query to the node that has its shard now, also while shards move. And it sees the rows that
        // the transaction has written to the shard. So each shard has a query of its own.
        for (index, shard) in shards {
            let place = |owner: &usize| (*owner == index).then_some(0);
            let call = ShardCall {
                store: self.0.store.clone(),
                relations: map.relations.clone(),
                shards: shard.ids.clone(),
                statement: statement.text().to_owned(),
                access: statement.access(),
                visited,
                types: types.clone(),
                arguments: texts.clone(),
                owners: owners.as_ref().map(|owners| owners.iter().map(place).collect()),
            };
            // Citus rejects a query within a query on a shard, as in a function over rows of the store. The shards of
            // the own node need no query of Citus.
            if shard.is_local {
                let read = call.each(|statement, values, settings| {
                    add(connection.read_with(statement, values, settings));
                    Ok(())
                });
                read.unwrap_or_else(|error| ErrorReport::from(error).report(PgLogLevel::ERROR));
                continue;
            }
            let representative = shard.representative;
            let key = CallStatement { columns: columns.clone(), representative };
            let statement = map.calls.borrow_mut().get(&self.0.store, key, || {
                call_statement(&self.0.chunks.name, &columns, representative)
            });
            add(connection.read(&statement, values_of(call)));
        }
        rows.expect("a distributed table has a shard")
    }
}

/// Returns the arguments of `_passage.shard_rows`.
fn values_of(call: ShardCall) -> Vec<Value> {
    vec![
        Value::new(Name(call.store)),
        Value::new(call.relations),
        Value::new(call.shards),
        Value::new(call.statement),
        Value::new(call.access.name().to_owned()),
        Value::new(call.visited.map(|count| count as i64)),
        Value::new(call.types),
        Value::new(call.arguments),
        Value::new(call.owners),
    ]
}

/// Returns the text of a statement that Citus takes to the shard of a document. The document need not exist.
///
/// Citus takes a whole query there, if its only table has a constant for the distribution column, and sends the
/// parameters with it.
fn call_statement(chunks: &str, columns: &[pg_sys::Oid], representative: Uuid) -> String {
    let column = |(index, oid): (usize, &pg_sys::Oid)| format!("c{index} {}", type_name(*oid));
    let columns: Vec<_> = columns.iter().enumerate().map(column).collect();
    format!(
        "SELECT f.* FROM _passage.shard_rows($1, $2, $3, $4, $5, $6, $7, $8, $9) AS f({}) \
         WHERE (SELECT pg_catalog.count(*) FROM {chunks} AS c \
         WHERE c.document_id {EQUAL} '{representative}'::pg_catalog.uuid) {AT_LEAST} 0",
        columns.join(", ")
    )
}

/// Returns the name of a type with its schema.
fn type_name(oid: pg_sys::Oid) -> String {
    // SAFETY: a look-up that gives "???" for a type that is missing, as a string in memory of the call.
    let name = unsafe {
        let qualified = pg_sys::FORMAT_TYPE_FORCE_QUALIFY as pg_sys::bits16;
        CStr::from_ptr(pg_sys::format_type_extended(oid, -1, qualified))
    };
    name.to_string_lossy().into_owned()
}
