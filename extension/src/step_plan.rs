//! `step_plan`: what a trigger of `keep_in_step` does with a row, remembered between rows.
//!
//! `step_plan_made` of SQL reads it from the catalogs, which takes longer than to write a document. It
//! is remembered here since nobody else can write here: the statements in it run with the rights of
//! whoever writes the table, so no setting and no table could hold them. It is forgotten when the table,
//! the documents of the store or any schema changes.

use crate::spi::{self, Access, Statement, Value};
use crate::types::Name;
use pgrx::{pg_extern, pg_sys};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// A trigger on a table, with its arguments.
type Trigger = (pg_sys::Oid, String, String, Vec<Option<String>>);

/// The most plans that are remembered.
const REMEMBERED: usize = 256;

thread_local! {
    static PLANS: RefCell<HashMap<Trigger, Vec<Option<String>>>> = RefCell::default();
    static WATCHED: RefCell<HashSet<pg_sys::Oid>> = RefCell::default();
    static STALE: Cell<bool> = const { Cell::new(false) };
    static READER: Cell<pg_sys::TransactionId> = const { Cell::new(pg_sys::InvalidTransactionId) };
    static STATEMENT: Statement = Statement::new(
        "passage",
        "SELECT plan, watched FROM passage.step_plan_made($1, $2, $3, $4)".to_owned(),
        Access::Any,
    );
}

/// Asks PostgreSQL to tell when a relation or a schema changes; once for a backend.
pub fn watch() {
    #[pgrx::pg_guard]
    unsafe extern "C-unwind" fn relation(_argument: pg_sys::Datum, relation: pg_sys::Oid) {
        let concerns = relation == pg_sys::InvalidOid
            || WATCHED.with_borrow(|watched| watched.contains(&relation));
        if concerns {
            STALE.set(true);
        }
    }
    #[pgrx::pg_guard]
    unsafe extern "C-unwind" fn schema(_argument: pg_sys::Datum, _cache: i32, _hash: u32) {
        STALE.set(true);
    }
    // SAFETY: the functions live as long as the backend.
    unsafe {
        pg_sys::CacheRegisterRelcacheCallback(Some(relation), pg_sys::Datum::null());
        let namespaces = pg_sys::SysCacheIdentifier::NAMESPACEOID as i32;
        pg_sys::CacheRegisterSyscacheCallback(namespaces, Some(schema), pg_sys::Datum::null());
    }
}

#[pg_extern(stable, parallel_restricted, schema = "passage")]
fn step_plan(
    relation: pg_sys::Oid,
    trigger: Name,
    level: String,
    arguments: Vec<Option<String>>,
) -> Vec<Option<String>> {
    // A transaction that keeps its snapshot may read catalogs that are out of date by then.
    // SAFETY: plain look-ups.
    let reader = unsafe {
        let keeps_snapshot = pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32;
        if keeps_snapshot {
            pg_sys::GetTopTransactionIdIfAny()
        } else {
            pg_sys::InvalidTransactionId
        }
    };
    let is_other = READER.replace(reader) != reader;
    if STALE.replace(false) || is_other || PLANS.with_borrow(|plans| plans.len() >= REMEMBERED) {
        PLANS.with_borrow_mut(HashMap::clear);
        WATCHED.with_borrow_mut(HashSet::clear);
    }
    let trigger = (relation, trigger.0, level, arguments);
    if let Some(plan) = PLANS.with_borrow(|plans| plans.get(&trigger).cloned()) {
        return plan;
    }
    let (relation, name, level, arguments) = trigger.clone();
    let values = vec![
        Value::new(relation),
        Value::new(Name(name)),
        Value::new(level),
        Value::new(arguments),
    ];
    let (plan, watched) = spi::connect(|connection| {
        STATEMENT.with(|statement| {
            let rows = connection.read(statement, values);
            (rows.get::<Vec<Option<String>>>(0, 0), rows.get::<Vec<pg_sys::Oid>>(0, 1))
        })
    });
    let (plan, watched) = (plan.unwrap_or_default(), watched.unwrap_or_default());
    WATCHED.with_borrow_mut(|of| of.extend(watched));
    PLANS.with_borrow_mut(|plans| plans.insert(trigger, plan.clone()));
    plan
}
