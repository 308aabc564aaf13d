/*!
`shard_rows`: the rows of a statement on a shard.

A store that Citus distributes is read by this function, which runs where its shards are. The statement names
the tables of the store. Each name becomes that of the shard, so the statement is a local one.

The statement runs read-only and with the rights of the caller, who can execute it without this function too.
Any role can call it, so the names of the tables are checked: a replaced name must not contain another one, or the
statement would grow without limit.
*/

use crate::server::error::Error;
use crate::server::spi::{self, Access};
use crate::server::types::{Name, nullable_texts};
use crate::store::ShardCall;
use pgrx::datum::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{Array, pg_extern, pg_sys};
use std::ffi::CStr;

/// The maximum number of tables of a statement: those of a store.
const MAX_RELATIONS: usize = 5;

/// Returns whether a name has a schema, and both are quoted.
fn is_quoted(relation: &str) -> bool {
    relation.starts_with('"') && relation.ends_with('"') && relation.contains("\".\"")
}

/// Returns the number that the name of a shard ends in.
fn shard_number(shard: pg_sys::Oid) -> Option<i64> {
    // SAFETY: a look-up in the catalog, which is NULL for a relation that is missing.
    let name = unsafe { pg_sys::get_rel_name(shard) };
    // SAFETY: the name ends in a zero byte.
    let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })?;
    name.to_str().ok()?.rsplit_once('_')?.1.parse().ok()
}

#[pg_extern(stable, parallel_restricted, schema = "_passage")]
#[expect(clippy::too_many_arguments, reason = "those of the SQL function")]
fn shard_rows(
    key: Option<Uuid>,
    shard: Option<pg_sys::Oid>,
    store: Option<Name>,
    relations: Option<Array<'_, &str>>,
    numbers: Option<Vec<Option<i64>>>,
    statement: Option<String>,
    access: Option<String>,
    visited: Option<i64>,
    types: Option<Vec<Option<pg_sys::Oid>>>,
    arguments: Option<Array<'_, &str>>,
    owners: Option<Vec<Option<Uuid>>>,
) -> Result<Vec<u8>, ErrorReport> {
    let store = store.map_or_else(String::new, |Name(name)| name);
    let access = access.as_deref().and_then(Access::from_name);
    let relations = relations.filter(|names| names.len() <= MAX_RELATIONS);
    let relations: Option<Vec<_>> =
        relations.map(|names| names.iter().flatten().map(str::to_owned).collect());
    let relations = relations.filter(|names| names.iter().all(|name| is_quoted(name)));
    let first = shard.map_or(Some(0), shard_number);
    let (Some(key), Some(first), Some(statement), Some(access), Some(relations)) =
        (key, first, statement, access, relations)
    else {
        return Err(Error::ShardArguments { store }.into());
    };
    let call = ShardCall {
        store,
        relations,
        statement,
        access,
        visited: visited.map(|count| usize::try_from(count).unwrap_or_default()),
        types: types.unwrap_or_default().into_iter().flatten().collect(),
        arguments: arguments.map_or_else(Vec::new, |arguments| {
            nullable_texts(&arguments).map(|text| text.map(str::to_owned)).collect()
        }),
        owners,
    };
    let numbers = numbers.unwrap_or_default().into_iter().flatten();
    let numbers: Vec<_> = numbers.map(|number| number.wrapping_add(first)).collect();
    let (statement, values, settings) = call.statement(key, &numbers)?;
    Ok(spi::connect(|connection| connection.read_packed(&statement, values, &settings))?)
}
