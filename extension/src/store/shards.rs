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
use super::search::IndexScan;
use crate::server::error::Error;
use crate::server::spi::{Access, Connection, Rows, Statement, Value};
use crate::server::sql_text::{AT_LEAST, EQUAL, quote_identifier};
use crate::server::types::to_sql;
use passage_split::interrupt::poll_periodically as pause;
use pgrx::datum::Uuid as SqlUuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, pg_sys};
use shard_call::visible_shards;
use shard_map::{Shard, ShardMap};
use std::cell::OnceCell;
use std::ffi::CString;
use std::rc::Rc;

/// The fewest rows of a limit that a shard returns.
const LEAST_SHARE: usize = 100;

/// The shards of a layout, read when they are first needed. `None` if Citus does not distribute the store.
#[derive(Default)]
struct CachedMap(OnceCell<Option<Rc<ShardMap>>>);

/// Identifies the statement that looks for a shard of `shard_keys` on the session's own node.
#[derive(Clone, PartialEq)]
struct LocalKey {
    number: i64,
}

impl StatementKey for LocalKey {}

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
    /// All shards. Their keys are not listed, or each shard would get the keys of all others.
    All,
}

impl ShardQuery {
    /// Returns whether it takes its shards from the table `shard_keys`.
    fn reads_keys(&self) -> bool {
        matches!(self, Self::One | Self::Several | Self::All)
    }
}

impl StatementKey for ShardQuery {
    fn access(&self) -> Access {
        match self {
            // Citus has no generic plan for several shards, or for a query with a subquery on one of them.
            Self::Several | Self::All | Self::Rowless => Access::Any,
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

    /// Executes a reading statement on the tables of the store, or on those of each shard. With `scan`, the
    /// scan of its vector index visits so many rows.
    pub(super) fn read<'c>(
        &self,
        connection: &'c Connection,
        statement: &Statement,
        values: Vec<Value>,
        route: Route,
        scan: Option<IndexScan>,
    ) -> Rows<'c> {
        joined(self.read_parts(connection, statement, values, route, scan))
    }

    /// Executes a reading statement whose rows have limits, on all shards. Each of them returns a share, and more only if a
    /// shard has so many that rows are missing: else a search would get as many rows from each shard as from a whole store.
    /// `values` gets the limits, and `limit_of` the index of that of a row.
    pub(super) fn read_limited<'c>(
        &self,
        connection: &'c Connection,
        statement: &Statement,
        limits: &[usize],
        values: impl Fn(&[usize]) -> Vec<Value>,
        limit_of: impl Fn(&Rows, usize) -> usize,
    ) -> Rows<'c> {
        let shards = self.shard_map(connection).map_or(1, |map| map.len());
        let read =
            |limits| self.read_parts(connection, statement, values(limits), Route::All, None);
        if shards == 1 {
            return joined(read(limits));
        }
        let of_shard: Vec<_> = limits.iter().map(|limit| share(*limit, shards)).collect();
        let parts = read(&of_shard);
        let counts: Vec<Vec<usize>> = parts
            .iter()
            .map(|rows| {
                let mut counts = vec![0; limits.len()];
                for row in 0..rows.len() {
                    pause(row);
                    counts[limit_of(rows, row)] += 1;
                }
                counts
            })
            .collect();
        let lacks_rows = |index: usize| {
            let is_cut = counts.iter().any(|counts| counts[index] >= of_shard[index]);
            is_cut && counts.iter().map(|counts| counts[index]).sum::<usize>() < limits[index]
        };
        let must_repeat = (0..limits.len()).any(lacks_rows);
        joined(if must_repeat { read(limits) } else { parts })
    }

    /// Returns the rows of each shard.
    fn read_parts<'c>(
        &self,
        connection: &'c Connection,
        statement: &Statement,
        values: Vec<Value>,
        route: Route,
        scan: Option<IndexScan>,
    ) -> Vec<Rows<'c>> {
        let Some(map) = self.shard_map(connection) else {
            let settings = scan.map(IndexScan::settings).unwrap_or_default();
            return vec![connection.read_with(statement, values, &settings)];
        };
        self.read_shards(connection, &map, statement, &values, route, scan).unwrap_or_else(
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
        scan: Option<IndexScan>,
    ) -> Result<Vec<Rows<'c>>, Error> {
        let (shards, owners) = map.shards_of(route);
        let call = self.shard_call(map, statement, values, scan, (&shards, owners));
        let mut results: Vec<Option<Rows>> = shards.iter().map(|_| None).collect();
        let mut queries: Vec<(ShardQuery, Vec<SqlUuid>, Vec<i64>)> = Vec::new();
        for (position, shard) in shards.iter().enumerate() {
            let key = to_sql(shard.key.id);
            // Citus rejects a query within a query on a shard, as in a function over rows of the store. The shards of
            // the own node need no query of Citus.
            if shard.is_local {
                self.must_see_shard(connection, shard)?;
                let (statement, values, settings) = call.statement(key, &shard.ids)?;
                results[position] = Some(connection.read_with(&statement, values, &settings));
            } else if !map.is_hashed() {
                queries.push((ShardQuery::Only, vec![key], shard.ids.clone()));
            } else if !shard.key.has_row {
                queries.push((ShardQuery::Rowless, vec![key], shard.ids.clone()));
            } else if let Some(first) = shard.number {
                let numbers: Vec<_> = shard.ids.iter().map(|id| id.wrapping_sub(first)).collect();
                // All shards have the same relative numbers, unless some were split.
                match queries.iter_mut().find(|query| query.0.reads_keys() && query.2 == numbers) {
                    Some((query, keys, _)) => {
                        *query = ShardQuery::Several;
                        keys.push(key);
                    }
                    None => queries.push((ShardQuery::One, vec![key], numbers)),
                }
            }
        }
        if let [(query @ ShardQuery::Several, keys, _)] = &mut queries[..]
            && keys.len() == map.len()
            && call.owners.is_none()
        {
            *query = ShardQuery::All;
        }
        if !queries.is_empty() {
            let types = connection.result_types(statement, values);
            for (query, keys, numbers) in queries {
                let statement = self.0.statement(query.clone(), || self.query_text(&query));
                let keys = match query {
                    ShardQuery::Several => Value::new(keys),
                    _ => Value::new(keys[0]),
                };
                let read = connection.read(&statement, [vec![keys], call.values(numbers)].concat());
                for row in 0..read.len() {
                    let key = read.uuid(row, 0);
                    let position = match query {
                        ShardQuery::All => Some(map.shard_of(key)),
                        _ => shards.iter().position(|shard| shard.key.id == key),
                    };
                    if let (Some(position), Some(packed)) = (position, read.bytes(row, 1)) {
                        results[position] =
                            Some(connection.unpack(packed, &types, &self.0.store)?);
                    }
                }
            }
        }
        let missing = || {
            let store = self.0.store.clone();
            if keeps_snapshot() { Error::ShardMoved { store } } else { Error::ShardKeys { store } }
        };
        results.into_iter().collect::<Option<_>>().ok_or_else(missing)
    }

    /// Checks that the snapshot of the transaction shows a shard of the session's own node.
    fn must_see_shard(&self, connection: &Connection, shard: &Shard) -> Result<(), Error> {
        let (Some(number), true) = (shard.number, shard.key.has_row && keeps_snapshot()) else {
            return Ok(());
        };
        let name = format!("shard_keys_{number}");
        let text = || {
            let (schema, table) = (quote_identifier(&self.0.store), quote_identifier(&name));
            format!("SELECT FROM {schema}.{table} AS k WHERE k.document_id {EQUAL} $1")
        };
        let statement = self.0.statement(LocalKey { number }, text);
        // The shard was dropped when it moved away.
        let name = CString::new(&*name).expect("a name has no zero byte");
        // SAFETY: look-ups in the catalogs.
        let is_there = unsafe {
            let schema = pg_sys::get_rel_namespace(self.0.chunks.oid);
            pg_sys::get_relname_relid(name.as_ptr(), schema) != pg_sys::InvalidOid
        };
        let values = vec![Value::new(to_sql(shard.key.id))];
        if !is_there || connection.read_with(&statement, values, &[visible_shards()]).len() == 0 {
            return Err(Error::ShardMoved { store: self.0.store.clone() });
        }
        Ok(())
    }

    /// Returns the call of a statement on shards.
    fn shard_call(
        &self,
        map: &ShardMap,
        statement: &Statement,
        values: &[Value],
        scan: Option<IndexScan>,
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
            relations: map.relations.clone(),
            statement: statement.text().to_owned(),
            access: statement.access(),
            visited: scan.map(|scan| scan.visited),
            types: values.iter().map(Value::type_oid).collect(),
            arguments: values.iter().map(text).collect(),
            owners: owners.map(|owners| {
                owners.into_iter().map(|owner| Some(to_sql(shards[owner].key.id))).collect()
            }),
        }
    }

    /// Returns the text of a statement that Citus takes to shards. It calls the function for a row of each.
    fn query_text(&self, query: &ShardQuery) -> String {
        let (shard, from, condition) = if query.reads_keys() {
            let condition = match query {
                // The first row of each shard. An unused parameter would have no type.
                ShardQuery::All => format!("k.ctid {EQUAL} '(0,1)' AND $1 IS NOT NULL"),
                ShardQuery::Several => format!("k.document_id {EQUAL} ANY ($1)"),
                _ => format!("k.document_id {EQUAL} $1"),
            };
            let from = format!("{}.shard_keys AS k", quote_identifier(&self.0.store));
            ("k.tableoid", from, condition)
        } else {
            // Citus takes a query to the node of the only table that it reads, or of its only shard with the id.
            (
                "NULL",
                "(VALUES ($1)) AS k (document_id)".to_owned(),
                format!(
                    "(SELECT pg_catalog.count(*) FROM {} AS c WHERE c.document_id {EQUAL} $1) {AT_LEAST} 0",
                    self.0.chunks.name
                ),
            )
        };
        format!(
            "SELECT k.document_id, _passage.shard_rows(k.document_id, {shard}, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
             FROM {from} WHERE {condition}"
        )
    }
}

/// Returns how many rows of a limit one of several shards returns. Documents are spread by a hash, so twice its part is enough
/// for most shards.
fn share(limit: usize, shards: usize) -> usize {
    (limit * 2 / shards).max(LEAST_SHARE).min(limit)
}

/// Returns the rows of all parts; there is one at least.
fn joined<'c>(parts: Vec<Rows<'c>>) -> Rows<'c> {
    let join = |mut joined: Rows<'c>, rows| {
        joined.extend(rows);
        joined
    };
    parts.into_iter().reduce(join).expect("a distributed table has a shard")
}

/// Returns whether all statements of the transaction see one snapshot. It is older than the rows of a shard that has moved
/// to another node since.
fn keeps_snapshot() -> bool {
    // SAFETY: reads a variable of the backend, in its one thread.
    unsafe { pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32 }
}
