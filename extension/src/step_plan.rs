//! `step_plan`: what a trigger of `keep_in_step` does with a row, remembered between rows.
//!
//! `build_step_plan` of SQL reads it from the catalogs, which takes longer than to write a document. It
//! is remembered here since nobody else can write here: the statements in it run with the rights of
//! whoever writes the table, so no setting and no table could hold them. It is forgotten when the table,
//! the documents of the store or any schema changes.
//!
//! `step_row` executes the statement for a row and keeps what PostgreSQL planned for it, since to plan it
//! for each row takes as long as to write a third of a document.

use crate::error::Error;
use crate::spi::{self, Access, Statement, Value};
use crate::types::{Name, RawJsonb, RawText, Row};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{name, pg_extern, pg_sys};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A trigger on a table, with its arguments.
type Trigger = (pg_sys::Oid, String, String, Vec<Option<String>>);

/// What is remembered of a trigger.
struct Remembered {
    plan: Vec<Option<String>>,
    /// The statement for a row of the table.
    row: Statement,
}

/// Where a plan has the store, the oid of the table, and the statement for a row; from 0.
const STORE: usize = 0;
const TABLE: usize = 2;
const ROW: usize = 7;

/// The most plans that are remembered.
const REMEMBERED: usize = 256;

thread_local! {
    static PLANS: RefCell<HashMap<Trigger, Rc<Remembered>>> = RefCell::default();
    static WATCHED: RefCell<HashSet<pg_sys::Oid>> = RefCell::default();
    static STALE: Cell<bool> = const { Cell::new(false) };
    static READER: Cell<pg_sys::TransactionId> = const { Cell::new(pg_sys::InvalidTransactionId) };
    static STATEMENT: Statement = Statement::new(
        "passage",
        "SELECT plan, watched FROM _passage.build_step_plan($1, $2, $3, $4)".to_owned(),
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

#[pg_extern(stable, parallel_restricted, schema = "_passage")]
fn step_plan(
    relation: pg_sys::Oid,
    trigger: Name,
    level: String,
    arguments: Vec<Option<String>>,
) -> Vec<Option<String>> {
    remembered((relation, trigger.0, level, arguments)).plan.clone()
}

/// Looks for the row of a key in the table of a trigger, by the statement of its plan: `named` gives
/// the key and the uri, and `was` is how the row was before.
#[pg_extern(volatile, parallel_unsafe, schema = "_passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn step_row(
    relation: pg_sys::Oid,
    trigger: Name,
    arguments: Vec<Option<String>>,
    named: Row,
    was: Row,
) -> Result<
    TableIterator<
        'static,
        (
            name!(uri, Option<RawText>),
            name!(collection, Option<RawText>),
            name!(version, Option<RawText>),
            name!(key, Option<RawJsonb>),
            name!(had_text, Option<bool>),
            name!(moved, Option<bool>),
            name!(found, Option<bool>),
            name!(is_same, Option<bool>),
            name!(text, Option<RawText>),
            name!(title, Option<RawText>),
            name!(media_type, Option<RawText>),
            name!(metadata, Option<RawText>),
            name!(kind, Option<RawText>),
            name!(base_url, Option<RawText>),
        ),
    >,
    ErrorReport,
> {
    // SAFETY: a look-up in the catalogs by an oid, which returns 0 for what is missing.
    let expected = unsafe { pg_sys::get_rel_type_id(relation) };
    if let Some(other) = [named, was].iter().find(|row| row.of != expected) {
        return Err(Error::RowType { found: other.of, expected }.into());
    }
    let remembered = remembered((relation, trigger.0, "ROW".to_owned(), arguments));
    Ok(spi::connect(|connection| {
        let values = vec![Value::row(named), Value::row(was)];
        let rows = connection.write(&remembered.row, values);
        let text = |column| rows.get::<RawText>(0, column);
        let flag = |column| rows.get::<bool>(0, column);
        TableIterator::once((
            text(0),
            text(1),
            text(2),
            rows.get::<RawJsonb>(0, 3),
            flag(4),
            flag(5),
            flag(6),
            flag(7),
            text(8),
            text(9),
            text(10),
            text(11),
            text(12),
            text(13),
        ))
    }))
}

/// Returns what is remembered of a trigger, and reads it from the catalogs where nothing is. Whoever
/// executes its statement holds it: the statement may write, and so have it forgotten.
fn remembered(trigger: Trigger) -> Rc<Remembered> {
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
        // Freed when nobody borrows the map.
        drop(PLANS.with_borrow_mut(std::mem::take));
        WATCHED.with_borrow_mut(HashSet::clear);
    }
    if let Some(remembered) = PLANS.with_borrow(|plans| plans.get(&trigger).cloned()) {
        return remembered;
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
    let part = |place: usize| plan.get(place).cloned().flatten().unwrap_or_default();
    let row = Statement::new(&part(STORE), part(ROW), access(&part(TABLE)));
    let remembered = Rc::new(Remembered { plan, row });
    PLANS.with_borrow_mut(|plans| plans.insert(trigger, Rc::clone(&remembered)));
    remembered
}

/// Returns how the row of a key is found. A plan that is kept opens all partitions of a table at each
/// execution, one for the values at hand only that of the row.
fn access(table: &str) -> Access {
    let table = pg_sys::Oid::from(table.parse::<u32>().unwrap_or_default());
    // SAFETY: a look-up in the catalogs by an oid, which returns NUL for what is missing.
    let kind = unsafe { pg_sys::get_rel_relkind(table) } as u8;
    if kind == pg_sys::RELKIND_PARTITIONED_TABLE { Access::Any } else { Access::Index }
}
