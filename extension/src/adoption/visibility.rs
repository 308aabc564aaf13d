/*!
Visibility: what decides which rows of a table its policies show.

A policy compares values of the row with the session, as in `tenant = current_user`, or looks them up in other tables.
Its result can differ between two rows only if one of the largest parts differs that depend on the row alone: here
`tenant`, and `metadata ->> 'tenant'` in `(metadata ->> 'tenant') = current_setting('app.tenant')`. So rows with
equal values of all these parts are visible to the same readers, whoever reads.
*/

use crate::server::catalog::is_of_user;
use crate::server::spi;
use pgrx::{PgRelation, pg_guard, pg_sys};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};

/// The name of the row in the expressions.
const ROW: &CStr = c"source";

/// The mark for a policy that can treat each row differently.
const EACH_ROW: &str = "*";

/// Returns these expressions, sorted, without a check of rights. The array is empty if row-level security is off.
pub fn expressions_of(relation: pg_sys::Oid) -> Vec<String> {
    let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
    // SAFETY: the relation exists; it is closed when its policies were read.
    let table = unsafe { PgRelation::with_lock(relation, lock) };
    // SAFETY: the relation is open. Its policies are a list in its cache, or NULL.
    let policies = unsafe {
        let is_enabled = (*table.rd_rel).relrowsecurity;
        let cached = (*table.as_ptr()).rd_rsdesc;
        if !is_enabled || cached.is_null() {
            return Vec::new();
        }
        (*cached).policies
    };
    // Expressions must have the same text in every session.
    spi::connect(|_| {
        let mut found = Found { relation, expressions: BTreeSet::new(), depth: 0 };
        // SAFETY: the items of the list are policies, whose conditions are trees or NULL.
        unsafe {
            for index in 0..pg_sys::list_length(policies) {
                let policy =
                    &*pg_sys::list_nth(policies, index).cast::<pg_sys::RowSecurityPolicy>();
                let is_for_reading = [b'*', b'r'].contains(&(policy.polcmd as u8));
                if is_for_reading {
                    visit(policy.qual.cast(), (&raw mut found).cast());
                }
            }
        }
        found.expressions.into_iter().collect()
    })
}

/// The expressions that were found, and where the search is.
struct Found {
    relation: pg_sys::Oid,
    expressions: BTreeSet<String>,
    /// The number of subqueries around the node.
    depth: u32,
}

impl Found {
    /// Adds a part of a policy that depends on the row alone.
    unsafe fn add(&mut self, part: *mut pg_sys::Node) {
        let quoting = Quoting::of_needed_names();
        // SAFETY: the part is an expression over the one relation of the context, as the caller promises; the text is a
        // string in memory of the call.
        let text = unsafe {
            let context = pg_sys::deparse_context_for(ROW.as_ptr(), self.relation);
            CStr::from_ptr(pg_sys::deparse_expression(part, context, true, false))
        };
        drop(quoting);
        self.expressions.insert(text.to_string_lossy().into_owned());
    }

    fn add_each_row(&mut self) {
        self.expressions.insert(EACH_ROW.to_owned());
    }
}

/// Visits a part of a policy. Never ends the walk.
#[pg_guard]
#[expect(clippy::cast_ptr_alignment, reason = "a node begins with its tag, which tells its type")]
unsafe extern "C-unwind" fn visit(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
    if node.is_null() {
        return false;
    }
    // SAFETY: the context is what the caller of the first visit owns, and nothing else borrows it during a visit; the type
    // of a node is that of its tag.
    unsafe {
        let found = &mut *context.cast::<Found>();
        match (*node).type_ {
            pg_sys::NodeTag::T_Query => {
                found.depth += 1;
                pg_sys::query_tree_walker(node.cast(), Some(visit), context, 0);
                (*context.cast::<Found>()).depth -= 1;
                return false;
            }
            pg_sys::NodeTag::T_Var => {
                let column = node.cast::<pg_sys::Var>();
                if (*column).varlevelsup != found.depth {
                    return false;
                }
                if (*column).varattno <= 0 {
                    found.add_each_row();
                    return false;
                }
                let mut column = *column;
                column.varlevelsup = 0;
                found.add((&raw mut column).cast());
                return false;
            }
            _ => {}
        }
        if found.depth == 0 && depends_on_row_alone(node) {
            found.add(node);
            return false;
        }
        if pg_sys::check_functions_in_node(node, Some(is_arbitrary), context) {
            found.add_each_row();
        }
        pg_sys::expression_tree_walker(node, Some(visit), context)
    }
}

/// Returns whether an expression has the same value for rows with equal columns, whoever reads.
unsafe fn depends_on_row_alone(node: *mut pg_sys::Node) -> bool {
    let mut has_other = false;
    // SAFETY: the node is an expression of a policy.
    unsafe {
        if !pg_sys::contain_var_clause(node)
            || pg_sys::contain_subplans(node)
            || pg_sys::contain_mutable_functions(node)
            || has_placeholder(node, std::ptr::null_mut())
        {
            return false;
        }
        let columns = pg_sys::pull_var_clause(node, 0);
        for index in 0..pg_sys::list_length(columns) {
            let column = &*pg_sys::list_nth(columns, index).cast::<pg_sys::Var>();
            has_other |= column.varattno <= 0;
        }
    }
    !has_other
}

/// Returns whether an expression has the place of a value that only the expression around it gives: an operand of a
/// subquery, or of CASE. An expression that gives the value itself has none. The context is NULL outside of such.
#[pg_guard]
unsafe extern "C-unwind" fn has_placeholder(node: *mut pg_sys::Node, giver: *mut c_void) -> bool {
    if node.is_null() {
        return false;
    }
    // SAFETY: the node is an expression of a policy, and the context is only compared with NULL.
    unsafe {
        let context = match (*node).type_ {
            pg_sys::NodeTag::T_Param | pg_sys::NodeTag::T_CoerceToDomainValue => return true,
            pg_sys::NodeTag::T_CaseTestExpr => return giver.is_null(),
            pg_sys::NodeTag::T_CaseExpr | pg_sys::NodeTag::T_ArrayCoerceExpr => node.cast(),
            _ => giver,
        };
        pg_sys::expression_tree_walker(node, Some(has_placeholder), context)
    }
}

/// Returns whether a function of PostgreSQL can return another value at each call, as `random` does. A function of a user
/// that is marked so by default is assumed to depend on its arguments and the session.
#[pg_guard]
unsafe extern "C-unwind" fn is_arbitrary(function: pg_sys::Oid, _context: *mut c_void) -> bool {
    // SAFETY: a look-up of a function that a policy calls.
    !is_of_user(function)
        && unsafe { pg_sys::func_volatile(function) } as u8 == pg_sys::PROVOLATILE_VOLATILE
}

/// The setting that puts all names in quotes, while it is off.
struct Quoting(bool);

impl Quoting {
    fn of_needed_names() -> Self {
        // SAFETY: a variable of the backend, which has one thread.
        unsafe {
            let former = pg_sys::quote_all_identifiers;
            pg_sys::quote_all_identifiers = false;
            Self(former)
        }
    }
}

impl Drop for Quoting {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { pg_sys::quote_all_identifiers = self.0 }
    }
}
