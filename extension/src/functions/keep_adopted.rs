/*!
`keep_adopted`: the trigger that keeps an adopted store in step with its table, and `refresh_adopted`, which compares all
rows.

Programs that write the table need no rights on the store, so the trigger takes the rights of the owner of the table, as
PostgreSQL's own triggers for foreign keys do. It binds what it uses by oid (`adoption`), and a guard checks the names in
its statements (`spi`).
*/

use crate::adoption::{self, Change, Rights};
use crate::server::catalog::owner;
use crate::server::error::Error;
use crate::server::spi;
use crate::server::types::Name;
use pgrx::heap_tuple::PgHeapTuple;
use pgrx::pg_sys::panic::{CaughtError, ErrorReport};
use pgrx::trigger_support::{
    trigger_fired_after, trigger_fired_by_delete, trigger_fired_by_insert,
    trigger_fired_by_truncate, trigger_fired_for_statement,
};
use pgrx::{
    AllocatedByPostgres, PgLogLevel, PgSqlErrorCode, PgTrigger, PgTryBuilder, pg_extern, pg_sys,
};
use std::panic::AssertUnwindSafe;

#[pgrx::pg_schema]
mod _passage {
    use super::{AllocatedByPostgres, ErrorReport, PgHeapTuple, PgLogLevel, PgTrigger};

    #[pgrx::pg_trigger]
    #[expect(
        clippy::unnecessary_wraps,
        reason = "pgrx expects a Result, and reports an Err without its SQLSTATE"
    )]
    fn keep_adopted<'t>(
        trigger: &'t PgTrigger<'t>,
    ) -> Result<Option<PgHeapTuple<'t, AllocatedByPostgres>>, ErrorReport> {
        if let Err(error) = super::keep_in_step(trigger) {
            ErrorReport::from(error).report(PgLogLevel::ERROR);
        }
        Ok(None)
    }
}

fn keep_in_step(trigger: &PgTrigger) -> Result<(), Error> {
    let data = trigger.trigger_data();
    let event = data.tg_event;
    // SAFETY: the relation of a running trigger is open.
    let source = unsafe { (*data.tg_relation).rd_id };
    let chunks = adoption::named_chunks(trigger.trigger())
        .filter(|_| trigger_fired_for_statement(event) && trigger_fired_after(event));
    let Some(chunks) = chunks else {
        let trigger = trigger.name().unwrap_or_default().to_owned();
        return Err(Error::AdoptedTrigger { trigger });
    };
    let adoption = adoption::find(source, chunks)?;
    let change = if trigger_fired_by_truncate(event) {
        None
    } else if trigger_fired_by_insert(event) {
        Some(Change::Inserted)
    } else if trigger_fired_by_delete(event) {
        Some(Change::Deleted)
    } else {
        Some(Change::Updated)
    };
    let rights = Rights::of(adoption.owner);
    explain(&adoption.store, || match change {
        Some(change) => spi::connect(|connection| {
            // SAFETY: the data is that of the running trigger.
            unsafe { connection.add_transition_tables(data) };
            adoption.writer.follow(connection, change);
        }),
        None => truncate(&[adoption.chunks, adoption.documents]),
    });
    rights.give_back();
    Ok(())
}

/// Compares all rows of an adopted table with its store. The caller must be the owner of both.
#[pg_extern(volatile, strict, parallel_unsafe, schema = "_passage")]
fn refresh_adopted(store: Name) -> Result<(), ErrorReport> {
    let Some((source, chunks)) = adoption::recorded(&store.0) else {
        return Err(Error::NotAdopted { store: store.0 }.into());
    };
    // SAFETY: a variable of the backend.
    let caller = unsafe { pg_sys::GetUserId() };
    let is_own = |relation| owner(pg_sys::RelationRelationId, relation) == Some(caller);
    if !(is_own(source) && is_own(chunks)) {
        return Err(Error::NotOwner { relation: format!("{}.adopted_chunks", store.0) }.into());
    }
    // No writer may come between the rows that are read and those that are written.
    // SAFETY: a lock of the transaction on a relation of the caller.
    unsafe { pg_sys::LockRelationOid(source, pg_sys::ShareRowExclusiveLock as i32) };
    let adoption = adoption::find(source, chunks)?;
    explain(&adoption.store, || {
        spi::connect(|connection| adoption.writer.follow(connection, Change::Any));
    });
    Ok(())
}

/// Empties tables of the owner, in one step and by their oids: TRUNCATE has no statement that names them so.
fn truncate(tables: &[pg_sys::Oid]) {
    let lock = pg_sys::AccessExclusiveLock as i32;
    // SAFETY: the tables exist, since the adoption was just checked. They are open until they were emptied, and the lists
    // are in memory of the call.
    unsafe {
        let relations: Vec<_> = tables.iter().map(|oid| pg_sys::table_open(*oid, lock)).collect();
        let (mut opened, mut oids) = (std::ptr::null_mut(), std::ptr::null_mut());
        for (relation, oid) in std::iter::zip(&relations, tables) {
            pg_sys::CheckTableNotInUse(*relation, c"TRUNCATE".as_ptr());
            opened = pg_sys::lappend(opened, relation.cast());
            oids = pg_sys::lappend_oid(oids, *oid);
        }
        let is_logged = pg_sys::wal_level >= pg_sys::WalLevel::WAL_LEVEL_LOGICAL as i32;
        let logged = if is_logged { oids } else { std::ptr::null_mut() };
        let behavior = pg_sys::DropBehavior::DROP_RESTRICT;
        #[cfg(feature = "pg15")]
        pg_sys::ExecuteTruncateGuts(opened, oids, logged, behavior, false);
        #[cfg(not(feature = "pg15"))]
        pg_sys::ExecuteTruncateGuts(opened, oids, logged, behavior, false, false);
        for relation in relations {
            pg_sys::table_close(relation, pg_sys::NoLock as i32);
        }
    }
}

/// Does some work. If an expression of the adoption names a missing object, or one that the owner may not use, the error
/// says what to do.
fn explain(store: &str, work: impl FnOnce()) {
    PgTryBuilder::new(AssertUnwindSafe(work))
        .catch_others(|caught| match &caught {
            CaughtError::PostgresError(report) if is_about_names(report.sql_error_code()) => {
                let problem =
                    format!("store \"{store}\" cannot follow its table: {}", report.message());
                let store = store.replace('\'', "''");
                let remedy = format!(
                    "Repair it, or run SELECT passage.unadopt('{store}'); and adopt the table again."
                );
                let detail = report.detail().map(str::to_owned);
                ErrorReport::from(Error::Adopted { problem, detail, remedy })
                    .report(PgLogLevel::ERROR);
            }
            _ => caught.rethrow(),
        })
        .execute();
}

/// Returns whether an error is about an object that is missing or must not be used.
fn is_about_names(code: PgSqlErrorCode) -> bool {
    [
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION,
        PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
        PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN,
        PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
        PgSqlErrorCode::ERRCODE_INVALID_SCHEMA_NAME,
    ]
    .contains(&code)
}
