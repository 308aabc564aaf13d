/*!
Stores whose tables Citus distributes.

A statement that reads the tables of such a store runs on each shard that has rows for it, over the shard's own
tables: with its own indexes and statistics, the settings of pgvector, and a plan that the worker keeps. Citus
takes it there in one query for all shards, which calls `_passage.shard_rows` with the rights of the caller. The
nodes answer at the same time, and the caller gets the rows of all shards together.

A function in a query of Citus runs on a shard only for a row of it. So the layout `document` has a table
`shard_keys`, of which each shard has some rows, and a query calls the function for one row of each shard. Citus takes
it to the nodes that have the shards now, also while they move, and it sees what the transaction has written there.

A store without Citus is read directly.
*/

mod shard_call;
mod shard_key;
mod shard_map;

pub use shard_call::ShardCall;
pub use shard_map::Route;

use super::Store;
use super::layout::StatementKey;
use super::search::scan_settings;
use crate::server::error::Error;
use crate::server::spi::{Access, Connection, Rows, Statement, Value};
use crate::server::sql_text::{AT_LEAST, EQUAL, quote_identifier};
use crate::server::types::{from_sql, to_sql};
use pgrx::datum::Uuid as SqlUuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, pg_sys};
use shard_map::{Shard, ShardMap};
use std::cell::OnceCell;
use std::rc::Rc;

/// The shards of a layout, read when they are first needed. `None` if Citus does not distribute the store.
#[derive(Default)]
struct CachedMap(OnceCell<Option<Rc<ShardMap>>>);

/// The statement that reads shards.
#[derive(Clone, PartialEq)]
enum ShardQuery {
    /// The only shard of a store.
    Only,
    /// One of several shards, by the table of chunks.
    Rowless,
    /// One of several shards.
    One,
    /// Several shards.
    Several,
}

impl StatementKey for ShardQuery {
    fn access(&self) -> Access {
        match self {
            // Citus has no generic plan for several shards, or for a query with a subquery on one of them.
            Self::Several | Self::Rowless => Access::Any,
            Self::Only | Self::One => Access::Index,
        }
    }
}

impl Store {
    /// Returns whether Citus distributes the store.
    pub fn is_distributed(&self, connection: &Connection) -> bool {
        self.shard_map(connection).is_some()
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
        self.read_shards(connection, &map, statement, &values, route, visited).unwrap_or_else(
            |error| {
                ErrorReport::from(error).report(PgLogLevel::ERROR);
                unreachable!("an error ends the call")
            },
        )
    }

    fn read_shards<'c>(
        &self,
        connection: &'c Connection,
        map: &ShardMap,
        statement: &Statement,
        values: &[Value],
        route: Route,
        visited: Option<usize>,
    ) -> Result<Rows<'c>, Error> {
        let (shards, owners) = map.shards_of(route);
        let call = self.shard_call(map, statement, values, visited, (&shards, owners));
        let mut results: Vec<Option<Rows>> = shards.iter().map(|_| None).collect();
        let (mut others, mut rowless) = (Vec::new(), Vec::new());
        for (position, shard) in shards.iter().enumerate() {
            // Citus rejects a query within a query on a shard, as in a function over rows of the store. The shards of
            // the own node need no query of Citus.
            if shard.is_local {
                let (statement, values, settings) = call.statement(position)?;
                results[position] = Some(connection.read_with(&statement, values, &settings));
            } else if map.is_hashed() && !shard.key.has_row {
                rowless.push(to_sql(shard.key.id));
            } else {
                others.push(to_sql(shard.key.id));
            }
        }
        let mut queries: Vec<_> =
            rowless.into_iter().map(|key| (ShardQuery::Rowless, Value::new(key))).collect();
        match others[..] {
            [] => {}
            [key] if !map.is_hashed() => queries.push((ShardQuery::Only, Value::new(key))),
            [key] => queries.push((ShardQuery::One, Value::new(key))),
            _ => queries.push((ShardQuery::Several, Value::new(others))),
        }
        if !queries.is_empty() {
            let types = connection.result_types(statement, values);
            let arguments = call.into_values();
            for (query, keys) in queries {
                let statement = self.0.statement(query.clone(), || self.query_text(&query));
                let read = connection.read(&statement, [vec![keys], arguments.clone()].concat());
                for row in 0..read.len() {
                    let key = read.get::<SqlUuid>(row, 0).map(from_sql);
                    let position = shards.iter().position(|shard| Some(shard.key.id) == key);
                    if let (Some(position), Some(packed)) = (position, read.bytes(row, 1)) {
                        results[position] =
                            Some(connection.unpack(packed, &types, &self.0.store)?);
                    }
                }
            }
        }
        let missing = || Error::ShardKeys { store: self.0.store.clone() };
        let results: Vec<Rows> = results.into_iter().collect::<Option<_>>().ok_or_else(missing)?;
        let joined = results.into_iter().reduce(|mut joined, rows| {
            joined.extend(rows);
            joined
        });
        Ok(joined.expect("a distributed table has a shard"))
    }

    /// Returns the call of a statement on shards.
    fn shard_call(
        &self,
        map: &ShardMap,
        statement: &Statement,
        values: &[Value],
        visited: Option<usize>,
        (shards, owners): (&[&Shard], Option<Vec<usize>>),
    ) -> ShardCall {
        // A relation of a statement is the table of chunks.
        let text = |value: &Value| match value.type_oid() {
            pg_sys::REGCLASSOID => Some(self.0.chunks.name.clone()),
            _ => value.to_text(),
        };
        // An id belongs to one shard, and the others must not see it.
        let is_array = values.first().is_some_and(|value| value.type_oid() == pg_sys::UUIDARRAYOID);
        let owners = owners.filter(|_| is_array && shards.len() > 1);
        ShardCall {
            store: self.0.store.clone(),
            keys: shards.iter().map(|shard| to_sql(shard.key.id)).collect(),
            relations: map.relations.clone(),
            shards: shards.iter().flat_map(|shard| &shard.ids).copied().collect(),
            statement: statement.text().to_owned(),
            access: statement.access(),
            visited,
            types: values.iter().map(Value::type_oid).collect(),
            arguments: values.iter().map(text).collect(),
            owners: owners
                .map(|owners| owners.into_iter().map(|owner| Some(owner as i32)).collect()),
        }
    }

    /// Returns the text of a statement that Citus takes to shards. It calls the function for a row of each.
    fn query_text(&self, query: &ShardQuery) -> String {
        let (from, condition) = match query {
            // Citus takes a query to the node of the only table that it reads, or of its only shard with the id.
            ShardQuery::Only | ShardQuery::Rowless => (
                "(VALUES ($1)) AS k (document_id)".to_owned(),
                format!(
                    "(SELECT pg_catalog.count(*) FROM {} AS c WHERE c.document_id {EQUAL} $1) {AT_LEAST} 0",
                    self.0.chunks.name
                ),
            ),
            ShardQuery::One | ShardQuery::Several => (
                format!("{}.shard_keys AS k", quote_identifier(&self.0.store)),
                match query {
                    ShardQuery::Several => format!("k.document_id {EQUAL} ANY ($1)"),
                    _ => format!("k.document_id {EQUAL} $1"),
                },
            ),
        };
        format!(
            "SELECT k.document_id, _passage.shard_rows(k.document_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
             FROM {from} WHERE {condition}"
        )
    }
}
