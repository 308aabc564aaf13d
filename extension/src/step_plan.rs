/*!
`step_plan`: what a trigger of `keep_in_step` does with a row, cached between rows.

The SQL function `build_step_plan` reads the plan from the catalogs, which takes longer than writing a
document. The cache is in the memory of the backend, where no user can write: the statements of a plan run
with the rights of the role that writes the table, so no setting and no table could hold them. A change of
the table, of the store's documents or of any schema invalidates the cache.

`step_row` executes the statement for a row and keeps PostgreSQL's plan for it, since planning it for each
row takes as long as writing a third of a document.
*/

use crate::error::Error;
use crate::relation_watch::RelationWatch;
use crate::spi::{self, Access, Statement, Value};
use crate::types::{Name, RawJsonb, RawText, Row, nullable_texts};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{Array, name, pg_extern, pg_sys};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// A trigger on a table: the table, the name, ROW or STATEMENT, and the arguments.
type Trigger = (pg_sys::Oid, String, String, Vec<Option<String>>);

/// The cached plan of a trigger.
struct CachedPlan {
    plan: Vec<Option<String>>,
    /// The statement for a row of the table.
    row: Statement,
}

/// The elements of a plan that are the store, the oid of the table, and the statement for a row; from 0.
const STORE: usize = 0;
const TABLE: usize = 2;
const ROW: usize = 7;

/// The most arguments that PostgreSQL stores for a trigger.
const MOST_ARGUMENTS: usize = i16::MAX as usize;

/// The most plans that are cached.
const CAPACITY: usize = 256;

static WATCH: RelationWatch = RelationWatch::new();

thread_local! {
    static PLANS: RefCell<HashMap<Trigger, Rc<CachedPlan>>> = RefCell::default();
    /// The transaction that filled the cache, if it keeps its snapshot.
    static READER: Cell<pg_sys::TransactionId> = const { Cell::new(pg_sys::InvalidTransactionId) };
    static STATEMENT: Statement = Statement::new(
        "passage",
        "SELECT plan, watched FROM _passage.build_step_plan($1, $2, $3, $4)".to_owned(),
        Access::Any,
    );
}

/// Asks PostgreSQL to report changes of relations and schemas. Must be called once in a backend.
pub fn register() {
    #[pgrx::pg_guard]
    unsafe extern "C-unwind" fn schema(_argument: pg_sys::Datum, _cache: i32, _hash: u32) {
        WATCH.set_stale();
    }
    WATCH.register();
    // SAFETY: the function lives as long as the backend.
    unsafe {
        let namespaces = pg_sys::SysCacheIdentifier::NAMESPACEOID as i32;
        pg_sys::CacheRegisterSyscacheCallback(namespaces, Some(schema), pg_sys::Datum::null());
    }
}

#[pg_extern(stable, parallel_restricted, schema = "_passage")]
fn step_plan(
    relation: pg_sys::Oid,
    trigger: Name,
    level: String,
    arguments: Array<'_, &str>,
) -> Result<Vec<Option<String>>, ErrorReport> {
    Ok(cached_plan((relation, trigger.0, level, owned(&arguments)?)).plan.clone())
}

/// Reads the row of a key from the table of a trigger, by the statement of its plan. `named` has the key
/// and the uri, and `was` is the previous version of the row.
#[pg_extern(volatile, parallel_unsafe, schema = "_passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn step_row(
    relation: pg_sys::Oid,
    trigger: Name,
    arguments: Array<'_, &str>,
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
    // SAFETY: a look-up in the catalogs by an oid, which returns 0 for a missing relation.
    let expected = unsafe { pg_sys::get_rel_type_id(relation) };
    if let Some(other) = [named, was].iter().find(|row| row.type_oid != expected) {
        return Err(Error::RowType { actual: other.type_oid, expected }.into());
    }
    let cached = cached_plan((relation, trigger.0, "ROW".to_owned(), owned(&arguments)?));
    Ok(spi::connect(|connection| {
        let values = vec![Value::row(named), Value::row(was)];
        let rows = connection.write(&cached.row, values);
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

/// Returns the arguments of a trigger, which become a part of the key of its plan.
fn owned(arguments: &Array<'_, &str>) -> Result<Vec<Option<String>>, Error> {
    if arguments.len() > MOST_ARGUMENTS {
        return Err(Error::TooManyArguments { most: MOST_ARGUMENTS });
    }
    Ok(nullable_texts(arguments).map(|argument| argument.map(str::to_owned)).collect())
}

/// Returns the plan of a trigger, from the cache or from the catalogs. The caller shares it while the
/// statement runs: the statement may write, and so invalidate the cache.
fn cached_plan(trigger: Trigger) -> Rc<CachedPlan> {
    // A transaction that keeps its snapshot may read outdated catalogs.
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
    if WATCH.take_stale() || is_other || PLANS.with_borrow(|plans| plans.len() >= CAPACITY) {
        // The plans are freed after the borrow of the map has ended.
        drop(PLANS.with_borrow_mut(std::mem::take));
        WATCH.clear();
    }
    if let Some(cached) = PLANS.with_borrow(|plans| plans.get(&trigger).cloned()) {
        return cached;
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
    WATCH.add(watched);
    let element = |index: usize| plan.get(index).cloned().flatten().unwrap_or_default();
    let row = Statement::new(&element(STORE), element(ROW), access(&element(TABLE)));
    let cached = Rc::new(CachedPlan { plan, row });
    PLANS.with_borrow_mut(|plans| plans.insert(trigger, Rc::clone(&cached)));
    cached
}

/// Returns how the row of a key is found. A generic plan opens all partitions of a table at each
/// execution, a custom plan only the partition of the row.
fn access(table: &str) -> Access {
    let table = pg_sys::Oid::from(table.parse::<u32>().unwrap_or_default());
    // SAFETY: a look-up in the catalogs by an oid, which returns NUL for a missing relation.
    let kind = unsafe { pg_sys::get_rel_relkind(table) } as u8;
    if kind == pg_sys::RELKIND_PARTITIONED_TABLE { Access::Any } else { Access::Index }
}
