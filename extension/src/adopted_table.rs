//! `adopted_table`: the oid of the table that a store adopted, for the planner.

use crate::types::Name;
use pgrx::{PgRelation, pg_extern, pg_sys};
use std::ffi::{CStr, CString};

const LOCK: pg_sys::LOCKMODE = pg_sys::AccessShareLock as pg_sys::LOCKMODE;

/// Returns the oid of a table if it is the one that the store of a side table adopted: it has a trigger of the store,
/// and the columns that the views of the store read, in their types.
///
/// The table stays locked until the end of the transaction, so its name keeps its meaning.
#[pg_extern(immutable, strict, parallel_safe, schema = "_passage")]
fn adopted_table(schema: Name, relation: Name, side: pg_sys::Oid) -> Option<pg_sys::Oid> {
    let (schema, relation) = (CString::new(schema.0).ok()?, CString::new(relation.0).ok()?);
    // SAFETY: look-ups in the catalog by strings that end in NUL, which raise no error for what is missing.
    let find = || unsafe {
        let schema = pg_sys::get_namespace_oid(schema.as_ptr(), true);
        pg_sys::get_relname_relid(relation.as_ptr(), schema)
    };
    let oid = find();
    if oid == pg_sys::InvalidOid {
        return None;
    }
    // SAFETY: locks of the transaction, which any oid may have.
    unsafe { pg_sys::LockRelationOid(oid, LOCK) };
    // Another session can have replaced the table before it was locked.
    let is_adopted = find() == oid && is_adopted(oid, side);
    if !is_adopted {
        // SAFETY: the lock was acquired above.
        unsafe { pg_sys::UnlockRelationOid(oid, LOCK) };
    }
    is_adopted.then_some(oid)
}

/// Returns whether a table that is locked is the adopted one.
fn is_adopted(table: pg_sys::Oid, side: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the catalog, which raise no error for what is missing.
    let (home, row) = unsafe {
        let home = pg_sys::get_rel_namespace(side);
        (home, pg_sys::get_relname_relid(c"adopted_row".as_ptr(), home))
    };
    if row == pg_sys::InvalidOid {
        return false;
    }
    // SAFETY: a relation is locked against its removal while it is read.
    let [table, row] = [table, row].map(|oid| unsafe { PgRelation::with_lock(oid, LOCK) });
    let (actual, known) = (table.tuple_desc(), row.tuple_desc());
    let is_present = |known: &pg_sys::FormData_pg_attribute| {
        actual.iter().any(|actual| {
            !actual.attisdropped
                && actual.name() == known.name()
                && actual.atttypid == known.atttypid
                && actual.atttypmod == known.atttypmod
                && actual.attcollation == known.attcollation
        })
    };
    has_trigger(&table, home) && known.iter().filter(|known| !known.attisdropped).all(is_present)
}

/// Returns whether a table has a trigger with the function `keep_adopted` of a schema. Only the owner of the function
/// can create one.
fn has_trigger(table: &PgRelation, home: pg_sys::Oid) -> bool {
    // SAFETY: the relation is open, and its cached triggers are an array of that length, or NULL.
    let triggers = unsafe {
        let Some(cached) = (*table.as_ptr()).trigdesc.as_ref() else { return false };
        std::slice::from_raw_parts(cached.triggers, cached.numtriggers as usize)
    };
    triggers.iter().any(|trigger| {
        // SAFETY: look-ups of a function, which give NULL for one that is missing, else a string in memory of the call.
        unsafe {
            let name = pg_sys::get_func_name(trigger.tgfoid);
            !name.is_null()
                && CStr::from_ptr(name) == c"keep_adopted"
                && pg_sys::get_func_namespace(trigger.tgfoid) == home
        }
    })
}
