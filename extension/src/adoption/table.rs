//! The table that a store adopted, found by its name and checked.

use super::visibility::expressions_of;
use super::{check_right, named_chunks};
use crate::server::catalog::owner;
use crate::server::types::{Name, texts};
use pgrx::{Array, PgRelation, pg_sys};
use std::ffi::CString;

const LOCK: pg_sys::LOCKMODE = pg_sys::AccessShareLock as pg_sys::LOCKMODE;

/// Returns the oid of a table if it is the one that the store of a side table adopted. It stays locked until the end of
/// the transaction. A caller who may not read it gets an error and no lock.
pub fn find_adopted(
    schema: Name,
    relation: Name,
    side: pg_sys::Oid,
    visibility: &Array<'_, &str>,
) -> Option<pg_sys::Oid> {
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
    check_right(oid);
    // SAFETY: locks of the transaction, which any oid may have.
    unsafe { pg_sys::LockRelationOid(oid, LOCK) };
    // Another session can have replaced the table before it was locked.
    let is_adopted = find() == oid && is_adopted(oid, side, visibility);
    if !is_adopted {
        // SAFETY: the lock was acquired above.
        unsafe { pg_sys::UnlockRelationOid(oid, LOCK) };
    }
    is_adopted.then_some(oid)
}

/// Returns whether a table that is locked is the adopted one.
fn is_adopted(table: pg_sys::Oid, side: pg_sys::Oid, visibility: &Array<'_, &str>) -> bool {
    let owners = [table, side].map(|relation| owner(pg_sys::RelationRelationId, relation));
    // SAFETY: look-ups in the catalog, which raise no error for what is missing.
    let row = unsafe {
        let home = pg_sys::get_rel_namespace(side);
        pg_sys::get_relname_relid(c"adopted_row".as_ptr(), home)
    };
    if owners[0].is_none() || owners[0] != owners[1] || row == pg_sys::InvalidOid {
        return false;
    }
    // SAFETY: a relation is locked against its removal while it is read.
    let [table, row, side] =
        [table, row, side].map(|oid| unsafe { PgRelation::with_lock(oid, LOCK) });
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
    has_trigger(&table, side.oid())
        && known.iter().filter(|known| !known.attisdropped).all(is_present)
        && are_policies_followed(&table, &side, visibility)
}

/// Returns whether a trigger of a table names the side table.
fn has_trigger(table: &PgRelation, side: pg_sys::Oid) -> bool {
    // SAFETY: the relation is open, and its cached triggers are an array of that length, or NULL.
    let triggers = unsafe {
        let Some(cached) = (*table.as_ptr()).trigdesc.as_ref() else { return false };
        std::slice::from_raw_parts(cached.triggers, cached.numtriggers as usize)
    };
    triggers.iter().any(|trigger| named_chunks(trigger) == Some(side))
}

/// Returns whether the policies that apply to the caller, if any do, are those that the store follows: the side tables
/// have policies, and rows that differ in visibility are in different documents.
fn are_policies_followed(
    table: &PgRelation,
    side: &PgRelation,
    visibility: &Array<'_, &str>,
) -> bool {
    // SAFETY: a look-up by the oid of a relation that is open.
    let check = unsafe { pg_sys::check_enable_rls(table.oid(), pg_sys::InvalidOid, true) };
    if check != pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32 {
        return true;
    }
    // SAFETY: the relation is open, and so has its row of pg_class.
    let is_guarded = unsafe { (*side.rd_rel).relrowsecurity };
    is_guarded && expressions_of(table.oid()).iter().map(String::as_str).eq(texts(visibility))
}
