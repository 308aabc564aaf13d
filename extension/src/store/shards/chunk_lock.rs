//! The lock on the chunks of a store in a database with Citus.
//!
//! A statement on a table locks it until the transaction ends, so it waits for a reindex that replaces the store, and
//! then reads the new one. A statement on shards names no table of the store, so it needs this lock.

use crate::spi::{self, Access, Statement, Value};
use crate::store::layout::Layout;
use pgrx::pg_sys;

/// Locks the chunks of a layout until the transaction ends, as a SELECT on them does. A caller who may not read them
/// gets no lock, and the error from the statement that reads.
///
/// Citus commits the swap of a reindex on one node after the other. A session that had to wait for it here also waits
/// for the other nodes, where the name of the store may still be that of the former one.
pub fn lock_chunks(layout: &Layout) {
    let mode = pg_sys::AccessShareLock as i32;
    // SAFETY: look-ups of privileges, and a lock on an oid, which is also possible if its relation was dropped. It is
    // released with the transaction.
    unsafe {
        if !may_read(layout.chunks.oid)
            || pg_sys::ConditionalLockRelationOid(layout.chunks.oid, mode)
        {
            return;
        }
        pg_sys::LockRelationOid(layout.chunks.oid, mode);
    }
    let query = "SELECT pg_catalog.count(*) FROM pg_catalog.run_command_on_all_nodes($1)";
    let statement = Statement::new(&layout.store, query.to_owned(), Access::Any);
    let wait = format!("SELECT FROM {} LIMIT 0", layout.chunks.name);
    spi::connect(|connection| drop(connection.read(&statement, vec![Value::new(wait)])));
}

/// Returns whether the caller may read a column of a relation.
///
/// # Safety
///
/// The relation must exist, else PostgreSQL raises an error.
unsafe fn may_read(relation: pg_sys::Oid) -> bool {
    let (select, any) = (pg_sys::ACL_SELECT.into(), pg_sys::AclMaskHow::ACLMASK_ANY);
    // SAFETY: look-ups in the catalog.
    unsafe {
        let role = pg_sys::GetUserId();
        [
            pg_sys::pg_class_aclcheck(relation, role, select),
            pg_sys::pg_attribute_aclcheck_all(relation, role, select, any),
        ]
        .contains(&pg_sys::AclResult::ACLCHECK_OK)
    }
}
