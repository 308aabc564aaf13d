//! `adopted_table`: the oid of the table that a store adopted, for the planner, and `adopted_is_readable`, the same as a
//! condition. `visibility_expressions`: what its policies compare.

use crate::adoption::{check_right, expressions_of, find_adopted};
use crate::server::spi::{self, Access, Statement, Value};
use crate::server::types::{Name, TextList, texts};
use pgrx::{Array, pg_extern, pg_sys};

/// Returns the oid of a table if it is the one that the store of a side table adopted: it belongs to the owner of the
/// side table, a trigger of it names the side table, and it has the columns that the views of the store read, in their
/// types. Policies that hide rows from the caller must be those that the store follows.
///
/// The table stays locked until the end of the transaction, so its name keeps its meaning. A caller who may not read it
/// gets an error and no lock.
#[pg_extern(immutable, strict, parallel_safe, schema = "_passage")]
fn adopted_table(
    schema: Name,
    relation: Name,
    side: pg_sys::Oid,
    visibility: Array<'_, &str>,
) -> Option<pg_sys::Oid> {
    find_adopted(schema, relation, side, &visibility)
}

/// Returns true if the table of a store is the one that it adopted. Otherwise PostgreSQL raises the error that says what
/// has changed.
#[pg_extern(stable, strict, parallel_restricted, schema = "_passage")]
fn adopted_is_readable(
    schema: Name,
    relation: Name,
    side: pg_sys::Oid,
    visibility: Array<'_, &str>,
) -> bool {
    thread_local! {
        static EXPLANATION: Statement = Statement::new(
            "passage",
            "SELECT _passage.adopted_source(pg_catalog.format('%I.%I', $1, $2), $3, $4)".to_owned(),
            Access::Any,
        );
    }
    let [named, named_relation] = [&schema, &relation].map(|name| Value::new(name.clone()));
    if find_adopted(schema, relation, side, &visibility).is_none() {
        let visibility: TextList = texts(&visibility).collect();
        let values = vec![named, named_relation, Value::relation(side), Value::new(visibility)];
        spi::connect(|connection| {
            EXPLANATION.with(|statement| connection.read(statement, values).len());
        });
    }
    true
}

/// Returns the expressions that decide which rows the policies of a table show, sorted.
#[pg_extern(stable, strict, parallel_safe, schema = "_passage")]
fn visibility_expressions(relation: pg_sys::Oid) -> Vec<String> {
    // SAFETY: a look-up by an oid, which returns NULL for a missing relation.
    let is_missing = unsafe { pg_sys::get_rel_name(relation) }.is_null();
    if is_missing {
        return Vec::new();
    }
    check_right(relation);
    expressions_of(relation)
}
