//! A statement with its plan, and its arguments.

use super::guard::{Activation, Guard};
use crate::server::types::Record;
use pgrx::{IntoDatum, pg_sys};
use std::cell::{Cell, OnceCell};
use std::ffi::{CStr, CString};
use std::rc::Rc;

/// How a statement finds its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Few rows by a btree or a vector index. The plan is generic.
    Index,
    /// Many rows by a btree, joined as the planner chooses. The plan is generic.
    Keys,
    /// Rows of a full-text index, of documents, or of many ids. Planned for the arguments of each
    /// execution.
    Matches,
    /// Any way that the planner chooses. Planned for the arguments of each execution.
    Any,
}

impl Access {
    /// Returns the name, as a call of `_passage.shard_rows` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Keys => "keys",
            Self::Matches => "matches",
            Self::Any => "any",
        }
    }

    /// Returns the access of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Index, Self::Keys, Self::Matches, Self::Any]
            .into_iter()
            .find(|access| access.name() == name)
    }

    /// Returns the cursor option that decides between generic and custom plans.
    fn plan_option(self) -> u32 {
        match self {
            Self::Index | Self::Keys => pg_sys::CURSOR_OPT_GENERIC_PLAN,
            Self::Matches | Self::Any => pg_sys::CURSOR_OPT_CUSTOM_PLAN,
        }
    }

    /// Returns whether the plan is made for any arguments, and so kept from one execution to the next.
    pub(super) fn is_generic(self) -> bool {
        self.plan_option() == pg_sys::CURSOR_OPT_GENERIC_PLAN
    }

    /// Returns the planner settings that are turned off. A read by index stays one where statistics are
    /// missing, or where a table is so small that a scan looks cheaper. JIT is off because until
    /// PostgreSQL 17 a disabled plan node counts as very expensive, and an expensive plan would be
    /// compiled for seconds.
    pub(super) fn disabled_settings(self) -> &'static [&'static CStr] {
        match self {
            Self::Index => &[
                c"jit",
                c"enable_seqscan",
                c"enable_bitmapscan",
                c"enable_hashjoin",
                c"enable_mergejoin",
                c"enable_sort",
                c"enable_material",
            ],
            Self::Keys | Self::Matches => &[c"jit", c"enable_seqscan"],
            Self::Any => &[c"jit"],
        }
    }
}

/// A statement with its plan, which is prepared at the first execution.
///
/// It must outlive its executions, also those that a policy's own calls nest into them.
pub struct Statement {
    /// The store that it reads, for messages.
    pub(super) store: Rc<str>,
    pub(super) access: Access,
    text: CString,
    plan: Cell<pg_sys::SPIPlanPtr>,
    /// The types of its parameters, known from the first execution on.
    types: OnceCell<Vec<pg_sys::Oid>>,
    /// The role that it was planned for. Policies may give another role another plan.
    pub(super) role: Cell<pg_sys::Oid>,
    guard: Option<Rc<Guard>>,
}

impl Statement {
    /// Creates a statement from its text. `store` is the store that it reads or writes.
    pub fn new(store: &str, text: String, access: Access) -> Self {
        let text = CString::new(text).expect("a statement holds no NUL");
        let (plan, types, role) = Default::default();
        Self { store: store.into(), access, text, plan, types, role, guard: None }
    }

    /// Creates a statement whose names a guard checks.
    pub fn guarded(store: &str, text: String, access: Access, guard: Rc<Guard>) -> Self {
        let mut statement = Self::new(store, text, access);
        statement.guard = Some(guard);
        statement
    }

    /// Activates the guard, if there is one.
    pub(super) fn activate_guard(&self) -> Option<Activation> {
        Activation::begin(&self.text, self.guard.as_deref())
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        self.text.to_str().expect("the text was a string")
    }

    /// Returns the store that the statement reads.
    pub fn store(&self) -> &str {
        &self.store
    }

    /// Returns how the statement finds its rows.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns the plan for parameters of some types, which are the same at each execution.
    pub(super) fn plan(&self, mut types: Vec<pg_sys::Oid>) -> pg_sys::SPIPlanPtr {
        if self.plan.get().is_null() {
            // SAFETY: the text ends in NUL, the number of types is passed along, and both outlive the
            // call; SPI is connected, for only a `Connection` executes; the plan is kept at once, so
            // it outlives the connection.
            let plan = unsafe {
                let plan = pg_sys::SPI_prepare_cursor(
                    self.text.as_ptr(),
                    types.len() as i32,
                    types.as_mut_ptr(),
                    self.access.plan_option() as i32,
                );
                assert!(!plan.is_null(), "the statement can be prepared");
                pg_sys::SPI_keepplan(plan);
                plan
            };
            self.plan.set(plan);
        }
        let planned = self.types.get_or_init(|| types.clone());
        assert!(*planned == types, "a statement always has parameters of the same types");
        self.plan.get()
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        let plan = self.plan.get();
        if !plan.is_null() {
            // SAFETY: the plan was kept by `plan` and is freed here alone; an execution borrows the
            // statement, so none runs.
            unsafe { pg_sys::SPI_freeplan(plan) };
        }
    }
}

/// An argument of a statement. Several parameters may share one value.
#[derive(Clone, Copy)]
pub struct Value {
    pub(super) oid: pg_sys::Oid,
    pub(super) datum: Option<pg_sys::Datum>,
}

impl Value {
    /// Creates a value of a built-in type.
    pub fn new<T: IntoDatum>(value: T) -> Self {
        Self { oid: T::type_oid(), datum: value.into_datum() }
    }

    /// Creates a value that names a relation.
    pub fn relation(oid: pg_sys::Oid) -> Self {
        Self { oid: pg_sys::REGCLASSOID, datum: Some(oid.into()) }
    }

    /// Creates a value of a built-in type from its text. An invalid text is an error of PostgreSQL.
    pub fn parse(oid: pg_sys::Oid, text: Option<&str>) -> Self {
        let text = text.map(|text| CString::new(text).expect("a text of PostgreSQL holds no NUL"));
        let datum = text.map(|text| {
            let (mut input, mut element) = Default::default();
            // SAFETY: look-ups of a type, which raise an error for a missing one; its input function reads a
            // string that ends in NUL.
            unsafe {
                pg_sys::getTypeInputInfo(oid, &raw mut input, &raw mut element);
                pg_sys::OidInputFunctionCall(input, text.as_ptr().cast_mut(), element, -1)
            }
        });
        Self { oid, datum }
    }

    /// Returns the type.
    pub fn type_oid(&self) -> pg_sys::Oid {
        self.oid
    }

    /// Returns the value as PostgreSQL passes it, `None` for NULL.
    pub fn datum(&self) -> Option<pg_sys::Datum> {
        self.datum
    }

    /// Returns the value as its text, `None` for NULL.
    pub fn to_text(self) -> Option<String> {
        let datum = self.datum?;
        let (mut output, mut is_varlena) = Default::default();
        // SAFETY: the datum is of the type, whose output function returns a string that ends in NUL.
        let text = unsafe {
            pg_sys::getTypeOutputInfo(self.oid, &raw mut output, &raw mut is_varlena);
            CStr::from_ptr(pg_sys::OidOutputFunctionCall(output, datum))
        };
        Some(text.to_string_lossy().into_owned())
    }

    /// Creates a value from a row, whose type is the same at each execution of a statement.
    pub fn row(row: Record) -> Self {
        Self { oid: row.type_oid, datum: Some(row.datum) }
    }
}
