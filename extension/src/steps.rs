/*!
Steps: what a trigger of `keep_in_step` does with a row, cached between rows.

The SQL function `build_step_plan` reads the plan from the catalogs, which takes longer than writing a
document. The cache is in the memory of the backend, where no user can write: the statements of a plan run
with the rights of the role that writes the table, so no setting and no table could hold them. The plan also
stands for the check that these statements run no code of roles that the owner of the table does not trust. So
a change of the table, of the tables and code of the store, of any schema or of any role invalidates the cache.

A plan has the statement for a row, with PostgreSQL's plan for it, since planning it for each row takes as long as
writing a third of a document.
*/

use crate::server::error::Error;
use crate::server::relation_watch::RelationWatch;
use crate::server::spi::{self, Access, Statement, Value};
use crate::server::step_guard::StepGuard;
use crate::server::types::{Name, nullable_texts};
use pgrx::{Array, pg_sys};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A trigger on a table: the table, the name, ROW or STATEMENT, and the arguments.
pub type Trigger = (pg_sys::Oid, String, String, Vec<Option<String>>);

/// The cached plan of a trigger.
pub struct CachedPlan {
    pub plan: Vec<Option<String>>,
    pub guard: StepGuard,
    /// The statement for a row of the table.
    pub row: Statement,
}

/// The elements of a plan that are the store, the table and its oid, and the statement for a row; from 0.
const STORE: usize = 0;
const TABLE_NAME: usize = 1;
const TABLE: usize = 2;
const ROW: usize = 7;

/// The maximum number of arguments that PostgreSQL stores for a trigger.
const MAX_ARGUMENTS: usize = i16::MAX as usize;

/// The maximum number of plans that are cached.
const CAPACITY: usize = 256;

static WATCH: RelationWatch = RelationWatch::new();

thread_local! {
    static PLANS: RefCell<HashMap<Trigger, Rc<CachedPlan>>> = RefCell::default();
    static STATEMENT: Statement = Statement::new(
        "passage",
        "SELECT plan, owners, relations, functions, types FROM _passage.build_step_plan($1, $2, $3, $4)".to_owned(),
        Access::Any,
    );
}

/// Asks PostgreSQL to report changes. Must be called once in a backend.
pub fn register() {
    use pg_sys::SysCacheIdentifier::{
        AUTHMEMROLEMEM, AUTHOID, DATABASEOID, NAMESPACEOID, PROCOID, TYPEOID,
    };
    WATCH.register();
    // The owner of the database is a member of pg_database_owner.
    WATCH.register_catalogs(&[NAMESPACEOID, AUTHOID, AUTHMEMROLEMEM, DATABASEOID]);
    WATCH.register_objects(&[PROCOID, TYPEOID]);
}

/// Returns the arguments of a trigger, which become a part of the key of its plan.
pub fn owned(arguments: &Array<'_, &str>) -> Result<Vec<Option<String>>, Error> {
    if arguments.len() > MAX_ARGUMENTS {
        return Err(Error::TooManyArguments { max: MAX_ARGUMENTS });
    }
    Ok(nullable_texts(arguments).map(|argument| argument.map(str::to_owned)).collect())
}

/// Returns the plan of a trigger, from the cache or from the catalogs. The caller shares it while the
/// statement runs: the statement may write, and so invalidate the cache.
pub fn cached_plan(trigger: Trigger) -> Rc<CachedPlan> {
    // A statement that writes many rows holds its locks, and would not hear of changes before its end.
    // SAFETY: calls the callbacks of caches, in a transaction.
    unsafe { pg_sys::AcceptInvalidationMessages() };
    if WATCH.take_stale() || PLANS.with_borrow(|plans| plans.len() >= CAPACITY) {
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
    let changes = WATCH.changes();
    let (plan, [owners, relations, functions, types]) = spi::connect(|connection| {
        STATEMENT.with(|statement| {
            let rows = connection.read_latest(statement, values);
            let plan = rows.get::<Vec<Option<String>>>(0, 0).unwrap_or_default();
            let oids = |column| rows.get::<Vec<pg_sys::Oid>>(0, column).unwrap_or_default();
            (plan, [1, 2, 3, 4].map(oids))
        })
    });
    WATCH.add(relations);
    WATCH.add_objects(pg_sys::SysCacheIdentifier::PROCOID, functions);
    WATCH.add_objects(pg_sys::SysCacheIdentifier::TYPEOID, types);
    if WATCH.changes() != changes {
        WATCH.set_stale();
    }
    let element = |index: usize| plan.get(index).cloned().flatten().unwrap_or_default();
    let store = element(STORE);
    let table = pg_sys::Oid::from(element(TABLE).parse::<u32>().unwrap_or_default());
    let row = Statement::new(&store, element(ROW), access(table));
    let guard = StepGuard { store, owners, table, table_name: element(TABLE_NAME) };
    let cached = Rc::new(CachedPlan { plan, guard, row });
    PLANS.with_borrow_mut(|plans| plans.insert(trigger, Rc::clone(&cached)));
    cached
}

/// Returns how the row of a key is found. A generic plan opens all partitions of a table at each
/// execution, a custom plan only the partition of the row.
fn access(table: pg_sys::Oid) -> Access {
    // SAFETY: a look-up in the catalogs by an oid, which returns NUL for a missing relation.
    let kind = unsafe { pg_sys::get_rel_relkind(table) } as u8;
    if kind == pg_sys::RELKIND_PARTITIONED_TABLE { Access::Any } else { Access::Index }
}
