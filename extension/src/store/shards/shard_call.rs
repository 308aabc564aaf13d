//! A statement for shards, with its values.

use crate::server::error::Error;
use crate::server::spi::{Access, Setting, Statement, Value};
use crate::server::types::Name;
use crate::store::search::IndexScan;
use pgrx::datum::Uuid;
use pgrx::{FromDatum, pg_sys};
use std::cell::RefCell;
use std::rc::Rc;

/// The maximum number of statements on shards that a session keeps, each with its plan.
const CAPACITY: usize = 256;

thread_local! {
    /// Each with the types of its parameters, the last used first.
    static STATEMENTS: RefCell<Vec<(Vec<pg_sys::Oid>, Rc<Statement>)>> = RefCell::default();
}

/// A statement with its values, and the settings that it runs with.
pub type BoundStatement = (Rc<Statement>, Vec<Value>, Vec<Setting>);

/// A statement that names the tables of a store, for shards that are read instead of them.
pub struct ShardCall {
    pub store: String,
    /// The tables as the statement names them.
    pub relations: Vec<String>,
    pub statement: String,
    pub access: Access,
    /// How many rows the scan of a vector index visits.
    pub visited: Option<usize>,
    /// The types of the parameters, and their values as text.
    pub types: Vec<pg_sys::Oid>,
    pub arguments: Vec<Option<String>>,
    /// The first parameter is an array of which each shard gets its own elements: the key of the shard that owns each
    /// of them.
    pub owners: Option<Vec<Option<Uuid>>>,
}

impl ShardCall {
    /// Returns the statement for the shard with a key, with its values and settings. The shard has a number for each
    /// table, which its name ends in.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ShardArguments`] for values that do not fit.
    pub fn statement(&self, key: Uuid, numbers: &[i64]) -> Result<BoundStatement, Error> {
        let invalid = || Error::ShardArguments { store: self.store.clone() };
        // SAFETY: a look-up in the catalog, which is false for a type that is missing.
        let is_type = |oid: &pg_sys::Oid| unsafe { pg_sys::get_typisdefined(*oid) };
        if self.relations.is_empty()
            || self.relations.len() != numbers.len()
            || self.types.len() != self.arguments.len()
            || !self.types.iter().all(is_type)
        {
            return Err(invalid());
        }
        let names: Vec<_> = self
            .relations
            .iter()
            .zip(numbers)
            .map(|(relation, number)| (relation, shard_name(relation, *number)))
            .collect();
        let mut text = self.statement.clone();
        for (relation, name) in &names {
            text = text.replace(*relation, name);
        }
        let value = |(oid, argument): (&pg_sys::Oid, &Option<String>)| {
            let shard = names.iter().find(|(relation, _)| Some(*relation) == argument.as_ref());
            match shard {
                Some((_, name)) if *oid == pg_sys::REGCLASSOID => Value::parse(*oid, Some(name)),
                _ => Value::parse(*oid, argument.as_deref()),
            }
        };
        let mut values: Vec<_> = self.types.iter().zip(&self.arguments).map(value).collect();
        if let (Some(owners), Some(first)) = (&self.owners, values.first_mut()) {
            *first = owned(*first, owners, key).ok_or_else(invalid)?;
        }
        let scan = self.visited.map(IndexScan::of_all);
        let mut settings = scan.map(IndexScan::settings).unwrap_or_default();
        settings.push(visible_shards());
        Ok((cached(&self.store, text, self.access, &self.types), values, settings))
    }

    /// Returns the arguments of `_passage.shard_rows` after the key and the shard of keys.
    pub fn values(&self, numbers: Vec<i64>) -> Vec<Value> {
        vec![
            Value::new(Name(self.store.clone())),
            Value::new(self.relations.clone()),
            Value::new(numbers),
            Value::new(self.statement.clone()),
            Value::new(self.access.name().to_owned()),
            Value::new(self.visited.map(|count| count as i64)),
            Value::new(self.types.clone()),
            Value::new(self.arguments.clone()),
            Value::new(self.owners.clone()),
        ]
    }
}

/// Returns the setting for a statement on shards. Citus hides those of a session's own node from its queries on the catalogs.
pub fn visible_shards() -> Setting {
    Setting { name: c"citus.override_table_visibility", value: c"off".to_owned() }
}

/// Returns the name of a shard of a table. Both are quoted.
fn shard_name(relation: &str, number: i64) -> String {
    let unquoted = relation.strip_suffix('"').unwrap_or(relation);
    format!("{unquoted}_{number}\"")
}

/// Returns an array of ids with NULL for those of other shards.
fn owned(ids: Value, owners: &[Option<Uuid>], key: Uuid) -> Option<Value> {
    if ids.type_oid() != pg_sys::UUIDARRAYOID {
        return None;
    }
    let datum = ids.datum()?;
    // SAFETY: the value is an array of ids, which `type_oid` has compared.
    let ids = unsafe { Vec::<Option<Uuid>>::from_datum(datum, false) }?;
    let own = ids.into_iter().zip(owners).map(|(id, owner)| id.filter(|_| *owner == Some(key)));
    Some(Value::new(own.collect::<Vec<Option<Uuid>>>()))
}

/// Returns a statement with the plan of its last execution for parameters of the same types.
fn cached(store: &str, text: String, access: Access, types: &[pg_sys::Oid]) -> Rc<Statement> {
    STATEMENTS.with_borrow_mut(|statements| {
        let is_same = |(planned, statement): &(Vec<pg_sys::Oid>, Rc<Statement>)| {
            statement.access() == access
                && planned == types
                && statement.text() == text
                && statement.store() == store
        };
        if let Some(position) = statements.iter().position(is_same) {
            statements[..=position].rotate_right(1);
        } else {
            statements.truncate(CAPACITY - 1);
            let statement = Statement::new(store, text, access);
            statements.insert(0, (types.to_vec(), Rc::new(statement)));
        }
        Rc::clone(&statements[0].1)
    })
}
