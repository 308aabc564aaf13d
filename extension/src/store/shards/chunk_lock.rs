//! The lock on the chunks of a store in a database with Citus.
//!
//! A statement on a table locks it until the transaction ends, so it waits for a reindex that replaces the store, and
//! then reads the new one. A statement on shards names no table of the store, so it needs this lock.

use crate::spi::{self, Access, Statement, Value};
use crate::store::layout::Layout;
use pgrx::pg_sys;

/// Locks the chunks of a layout until the transaction ends, as a SELECT on them does.
///
/// Citus commits the swap of a reindex on one node after the other. A session that had to wait for it here also waits
/// for the other nodes, where the name of the store may still be that of the former one.
pub fn lock_chunks(layout: &Layout) {
    let mode = pg_sys::AccessShareLock as i32;
    // SAFETY: a lock on an oid, which is also possible if its relation was dropped. It is released with the transaction.
    unsafe {
        if pg_sys::ConditionalLockRelationOid(layout.chunks.oid, mode) {
            return;
        }
        pg_sys::LockRelationOid(layout.chunks.oid, mode);
    }
    let query = "SELECT pg_catalog.count(*) FROM pg_catalog.run_command_on_all_nodes($1)";
    let statement = Statement::new(&layout.store, query.to_owned(), Access::Any);
    let wait = format!("SELECT FROM {} LIMIT 0", layout.chunks.name);
    spi::connect(|connection| drop(connection.read(&statement, vec![Value::new(wait)])));
}
