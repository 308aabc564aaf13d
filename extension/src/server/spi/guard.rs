/*!
Guards: what the names of a statement may mean.

PostgreSQL resolves the names of a statement when it analyses it: at the first execution, and again after each change
of an object that the plan uses. A schema may have another name by then, and another role its former one. A role may
also have created a cast for a type of its own, or a function whose arguments fit better. So a statement that runs with
rights other than the caller's has a guard. It is asked after each analysis, and before anything is planned, since
planning already runs functions. It looks at oids and owners alone.

A guard covers the statement itself. The role that owns a function or a view answers for what that uses.
*/

use crate::server::catalog::{describe, is_of_user, owner, role_name};
use crate::server::error::Error;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, pg_guard, pg_sys};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};

/// The objects that a statement may use.
pub struct Guard {
    /// The role with whose rights the statement runs. It trusts superusers and the roles whose rights it has.
    role: pg_sys::Oid,
    /// The relations whose names the statement has. The first one is the one whose columns are collected.
    relations: Vec<pg_sys::Oid>,
    columns: RefCell<BTreeSet<i16>>,
}

thread_local! {
    /// The text of the statement that is being prepared or executed, and its guard.
    static ACTIVE: Cell<Option<(*const CStr, *const Guard)>> = const { Cell::new(None) };
}

/// Checks an analysed query with the active guard, if the query is its statement.
///
/// # Safety
///
/// The arguments must be those of `post_parse_analyze_hook`.
pub unsafe fn check_statement(state: *mut pg_sys::ParseState, query: *mut pg_sys::Query) {
    let Some((text, guard)) = ACTIVE.get() else { return };
    // SAFETY: the caller guarantees the arguments; the guard outlives the activation, which its statement borrows.
    unsafe {
        let source = (*state).p_sourcetext;
        if !source.is_null() && CStr::from_ptr(source) == &*text {
            (*guard).check(query);
        }
    }
}

/// The time in which a guard checks its statement.
pub(super) struct Activation(Option<(*const CStr, *const Guard)>);

impl Activation {
    /// Activates the guard of a statement with a text, if it has one. Statements of functions that it calls have other
    /// texts, and are not checked.
    pub(super) fn begin(text: &CStr, guard: Option<&Guard>) -> Option<Self> {
        let active = (std::ptr::from_ref(text), std::ptr::from_ref(guard?));
        Some(Self(ACTIVE.replace(Some(active))))
    }
}

impl Drop for Activation {
    fn drop(&mut self) {
        ACTIVE.set(self.0);
    }
}

impl Guard {
    /// Returns a guard for statements with the rights of a role, which name some relations.
    pub fn new(role: pg_sys::Oid, relations: Vec<pg_sys::Oid>) -> Self {
        Self { role, relations, columns: RefCell::default() }
    }

    /// Returns the numbers of the columns of the first relation that checked statements read, 0 for the whole row.
    pub fn columns(&self) -> BTreeSet<i16> {
        self.columns.borrow().clone()
    }

    /// Raises an error if a query uses an object of a role that is not trusted.
    ///
    /// # Safety
    ///
    /// The query must be an analysed one.
    unsafe fn check(&self, query: *mut pg_sys::Query) {
        let mut walk = Walk { guard: self, tables: Vec::new(), foreign: None };
        // SAFETY: the walk visits the nodes of the query, and lives as long as the visit.
        unsafe { visit(query.cast(), (&raw mut walk).cast()) };
        if let Some((class, object, owner)) = walk.foreign {
            let error = Error::ForeignObject {
                object: describe(class, object),
                owner: role_name(owner),
                role: role_name(self.role),
            };
            ErrorReport::from(error).report(PgLogLevel::ERROR);
        }
    }

    /// Returns whether code of an owner may run with the rights of the role.
    fn trusts(&self, owner: pg_sys::Oid) -> bool {
        // SAFETY: look-ups in the catalogs by oids.
        unsafe {
            owner == self.role
                || pg_sys::superuser_arg(owner)
                || !pg_sys::superuser_arg(self.role) && pg_sys::has_privs_of_role(self.role, owner)
        }
    }
}

/// A walk through a query.
struct Walk<'g> {
    guard: &'g Guard,
    /// The range tables of the queries around a node, the innermost last.
    tables: Vec<*mut pg_sys::List>,
    /// The first object of a role that is not trusted: its catalog, its oid and its owner.
    foreign: Option<(pg_sys::Oid, pg_sys::Oid, pg_sys::Oid)>,
}

impl Walk<'_> {
    /// Returns whether an object belongs to a role that is not trusted.
    fn is_foreign(&mut self, class: pg_sys::Oid, object: pg_sys::Oid) -> bool {
        if !is_of_user(object) {
            return false;
        }
        let Some(owner) = owner(class, object).filter(|owner| !self.guard.trusts(*owner)) else {
            return false;
        };
        self.foreign = Some((class, object, owner));
        true
    }

    /// Returns the relation that a column belongs to, if it is not that of a subquery or a function.
    unsafe fn relation(&self, column: &pg_sys::Var) -> Option<pg_sys::Oid> {
        let depth = self.tables.len().checked_sub(1 + column.varlevelsup as usize)?;
        // SAFETY: a column of an analysed query has the number of an entry in the range table of its level.
        let entry = unsafe {
            &*pg_sys::list_nth(self.tables[depth], column.varno - 1).cast::<pg_sys::RangeTblEntry>()
        };
        (entry.rtekind == pg_sys::RTEKind::RTE_RELATION).then_some(entry.relid)
    }
}

/// Visits a node and those below it, and returns whether an object of a role that is not trusted was found.
#[pg_guard]
#[expect(clippy::cast_ptr_alignment, reason = "a node begins with its tag, which tells its type")]
unsafe extern "C-unwind" fn visit(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
    if node.is_null() {
        return false;
    }
    // SAFETY: the context is the walk of `check`, which nothing else borrows during the visit; the type of a node is
    // that of its tag.
    unsafe {
        let walk = &mut *context.cast::<Walk>();
        let is_foreign = match (*node).type_ {
            pg_sys::NodeTag::T_Query => {
                let query = node.cast::<pg_sys::Query>();
                walk.tables.push((*query).rtable);
                let flags = pg_sys::QTW_EXAMINE_RTES_BEFORE | pg_sys::QTW_EXAMINE_SORTGROUP;
                let found = pg_sys::query_tree_walker(query, Some(visit), context, flags as i32);
                (*context.cast::<Walk>()).tables.pop();
                return found;
            }
            pg_sys::NodeTag::T_RangeTblEntry => {
                let entry = &*node.cast::<pg_sys::RangeTblEntry>();
                // The walker visits the parts of the entry next.
                return entry.rtekind == pg_sys::RTEKind::RTE_RELATION
                    && !walk.guard.relations.contains(&entry.relid)
                    && walk.is_foreign(pg_sys::RelationRelationId, entry.relid);
            }
            pg_sys::NodeTag::T_Var => {
                let column = &*node.cast::<pg_sys::Var>();
                if walk.relation(column) == walk.guard.relations.first().copied() {
                    walk.guard.columns.borrow_mut().insert(column.varattno);
                }
                false
            }
            // Its constraints are expressions of its owner.
            pg_sys::NodeTag::T_CoerceToDomain => {
                let domain = (*node.cast::<pg_sys::CoerceToDomain>()).resulttype;
                walk.is_foreign(pg_sys::TypeRelationId, domain)
            }
            pg_sys::NodeTag::T_SortGroupClause => {
                let sorted = &*node.cast::<pg_sys::SortGroupClause>();
                [sorted.eqop, sorted.sortop]
                    .into_iter()
                    .filter(|operator| *operator != pg_sys::InvalidOid)
                    .any(|operator| {
                        walk.is_foreign(pg_sys::ProcedureRelationId, pg_sys::get_opcode(operator))
                    })
            }
            _ => pg_sys::check_functions_in_node(node, Some(is_foreign_function), context),
        };
        is_foreign || pg_sys::expression_tree_walker(node, Some(visit), context)
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn is_foreign_function(
    function: pg_sys::Oid,
    context: *mut c_void,
) -> bool {
    // SAFETY: the context is the walk, as for `visit`.
    unsafe { (*context.cast::<Walk>()).is_foreign(pg_sys::ProcedureRelationId, function) }
}
