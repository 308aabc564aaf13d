/*!
`shard_rows`: the rows of a statement on the shards of a node.

A store that Citus distributes is read by this function, which runs where its shards are. The statement names
the tables of the store. Here each name becomes that of a shard, so the statement is a local one.

The statement runs read-only and with the rights of the caller, who can execute it without this function too.
*/

use crate::error::Error;
use crate::spi::{self, Access, MaterializedRows, Setting, Statement, Value};
use crate::store::index_settings;
use crate::types::Name;
use pgrx::datum::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{FromDatum, pg_extern, pg_sys};
use std::cell::RefCell;
use std::rc::Rc;

/// The most statements that a session keeps, each with its plan.
const CAPACITY: usize = 256;

thread_local! {
    /// The last used first.
    static STATEMENTS: RefCell<Vec<Rc<Statement>>> = RefCell::default();
}

/// Returns the rows of a statement on some shards.
///
/// `relations` are the tables as the statement names them, and `shards` has for each shard the number of each
/// table. `access` says how rows are found, and `nearest` how many a vector index is searched for. The
/// parameters have `types` and `arguments`, as their text. With `owners`, the first one is an array, and each
/// shard gets those elements whose owner it is: the position of the shard, from 0.
#[pg_extern(stable, parallel_restricted, schema = "_passage")]
#[expect(clippy::too_many_arguments, reason = "those of the SQL function")]
fn shard_rows(
    store: Name,
    relations: Vec<Option<String>>,
    shards: Vec<Option<i64>>,
    statement: String,
    access: String,
    nearest: Option<i64>,
    types: Vec<Option<pg_sys::Oid>>,
    arguments: Vec<Option<String>>,
    owners: Option<Vec<Option<i32>>>,
    call: pg_sys::FunctionCallInfo,
) -> Result<MaterializedRows, ErrorReport> {
    let result = MaterializedRows::new(call);
    let invalid = || Error::ShardArguments { store: store.0.clone() };
    let access = Access::from_name(&access).ok_or_else(invalid)?;
    let relations: Vec<_> = relations.into_iter().flatten().collect();
    let shards: Vec<_> = shards.into_iter().flatten().collect();
    let types: Vec<_> = types.into_iter().flatten().collect();
    if relations.is_empty() || types.len() != arguments.len() {
        return Err(invalid().into());
    }
    let limit = nearest.map(|count| usize::try_from(count).unwrap_or_default());
    spi::connect(|connection| -> Result<(), Error> {
        for (place, numbers) in shards.chunks(relations.len()).enumerate() {
            let names: Vec<_> = relations
                .iter()
                .zip(numbers)
                .map(|(relation, number)| (relation, shard_name(relation, *number)))
                .collect();
            let mut text = statement.clone();
            for (relation, name) in &names {
                text = text.replace(*relation, name);
            }
            let value = |(oid, argument): (&pg_sys::Oid, &Option<String>)| {
                let shard = names.iter().find(|(relation, _)| Some(*relation) == argument.as_ref());
                match shard {
                    Some((_, name)) if *oid == pg_sys::REGCLASSOID => {
                        Value::parse(*oid, Some(name))
                    }
                    _ => Value::parse(*oid, argument.as_deref()),
                }
            };
            let mut values: Vec<_> = types.iter().zip(&arguments).map(value).collect();
            if let (Some(owners), Some(first)) = (&owners, values.first_mut()) {
                *first = owned(*first, owners, place).ok_or_else(invalid)?;
            }
            let mut settings = limit.map(index_settings).unwrap_or_default();
            // Where a session has both the store and its shards, Citus hides the shards from the catalogs.
            settings.push(Setting {
                name: c"citus.override_table_visibility",
                value: c"off".to_owned(),
            });
            let statement = cached(&store.0, text, access);
            connection.read_into(&result, &statement, values, &settings)?;
        }
        Ok(())
    })?;
    Ok(result)
}

/// Returns the name of a shard of a table. Both are quoted.
fn shard_name(relation: &str, number: i64) -> String {
    let unquoted = relation.strip_suffix('"').unwrap_or(relation);
    format!("{unquoted}_{number}\"")
}

/// Returns an array of ids with NULL for those of other shards.
fn owned(ids: Value, owners: &[Option<i32>], place: usize) -> Option<Value> {
    if ids.type_oid() != pg_sys::UUIDARRAYOID {
        return None;
    }
    let datum = ids.datum()?;
    // SAFETY: the value is an array of ids, which `type_oid` has compared.
    let ids = unsafe { Vec::<Option<Uuid>>::from_datum(datum, false) }?;
    let is_own = |owner: &Option<i32>| owner.is_some_and(|owner| owner as usize == place);
    let own = ids.into_iter().zip(owners).map(|(id, owner)| id.filter(|_| is_own(owner)));
    Some(Value::new(own.collect::<Vec<Option<Uuid>>>()))
}

/// Returns a statement with the plan of its last execution.
fn cached(store: &str, text: String, access: Access) -> Rc<Statement> {
    STATEMENTS.with_borrow_mut(|statements| {
        let is_same =
            |of: &Rc<Statement>| of.access() == access && of.text() == text && of.store() == store;
        if let Some(position) = statements.iter().position(is_same) {
            statements[..=position].rotate_right(1);
        } else {
            statements.truncate(CAPACITY - 1);
            statements.insert(0, Rc::new(Statement::new(store, text, access)));
        }
        Rc::clone(&statements[0])
    })
}
