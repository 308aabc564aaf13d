/*!
The one place that speaks SPI.

Every statement has a plan that is kept as long as it is. One that reads is executed read-only, so it
sees what the calling statement sees, also after a write in the same transaction. One that writes, or
looks for what to write, sees what is committed when it begins and what its own transaction has
written, as each statement of a session does; only functions that are VOLATILE may use it. What reads by
ids is planned generically, since a plan over a one-element array would otherwise be made anew at
each call (240 us against 60 us); what reads by words is planned for these words, common or rare. The
plan cache of PostgreSQL makes a kept plan anew when a relation, a policy or the role changes.
*/

use crate::interrupt::pause;
use crate::types::Tsvector;
use pgrx::{FromDatum, IntoDatum, pg_sys};
use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::marker::PhantomData;

/// How a statement finds its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Few rows by a btree or an index of vectors; planned once, whatever the values.
    Index,
    /// What an index of words, documents or many ids finds, planned for the values of each execution.
    Matches,
    /// However the planner likes, planned for the values of each execution.
    Any,
}

/// A statement with its plan, which is made at the first execution.
///
/// It must outlive its executions, also those that a policy's own calls nest into them.
pub struct Statement {
    text: CString,
    access: Access,
    plan: Cell<pg_sys::SPIPlanPtr>,
    /// The role that it was planned for; policies may give another one another plan.
    role: Cell<pg_sys::Oid>,
}

impl Statement {
    /// Takes the text of a statement.
    pub fn new(text: String, access: Access) -> Self {
        let text = CString::new(text).expect("a statement holds no NUL");
        Self { text, access, plan: Cell::default(), role: Cell::default() }
    }

    /// Returns the plan, made for arguments of some types.
    fn plan(&self, types: &mut [pg_sys::Oid]) -> pg_sys::SPIPlanPtr {
        if self.plan.get().is_null() {
            // SAFETY: the text and the types outlive the call, and the plan is kept at once.
            let plan = unsafe {
                let plan = pg_sys::SPI_prepare_cursor(
                    self.text.as_ptr(),
                    types.len() as i32,
                    types.as_mut_ptr(),
                    self.access.planned() as i32,
                );
                assert!(!plan.is_null(), "the statement can be prepared");
                pg_sys::SPI_keepplan(plan);
                plan
            };
            self.plan.set(plan);
        }
        self.plan.get()
    }
}

impl Access {
    /// Returns for how long a plan is good.
    fn planned(self) -> u32 {
        match self {
            Self::Index => pg_sys::CURSOR_OPT_GENERIC_PLAN,
            Self::Matches | Self::Any => pg_sys::CURSOR_OPT_CUSTOM_PLAN,
        }
    }

    /// Returns what a plan may not use: a read by index is one also where statistics are missing or
    /// a table is so small that a scan of it looks cheaper. What is ruled out counts as very dear
    /// until PostgreSQL 17, and a dear plan would be compiled for seconds.
    fn without(self) -> &'static [&'static CStr] {
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
            Self::Matches => &[c"jit", c"enable_seqscan"],
            Self::Any => &[c"jit"],
        }
    }
}

/// A setting for the time of one execution.
pub struct Setting {
    /// Its name.
    pub name: &'static CStr,
    /// Its value.
    pub value: CString,
}

/// Settings of an execution, taken back at its end; an error takes them back with its transaction.
struct Settings(Option<i32>);

impl Settings {
    /// Opens a level and sets what the statement is planned and executed with.
    fn open(statement: &Statement, plan: pg_sys::SPIPlanPtr, settings: &[Setting]) -> Self {
        // SAFETY: plain look-ups; the plan is kept.
        let (role, valid) = unsafe { (pg_sys::GetUserId(), pg_sys::SPI_plan_is_valid(plan)) };
        let planned =
            statement.access == Access::Index && statement.role.replace(role) == role && valid;
        if planned && settings.is_empty() {
            return Self(None);
        }
        // SAFETY: the level takes the settings back.
        let level = unsafe { pg_sys::NewGUCNestLevel() };
        let without = if planned { &[] } else { statement.access.without() };
        for name in without {
            set(name, c"off");
        }
        for Setting { name, value } in settings {
            set(name, value);
        }
        Self(Some(level))
    }

    fn close(self) {
        if let Some(level) = self.0 {
            // SAFETY: the level was opened above.
            unsafe { pg_sys::AtEOXact_GUC(true, level) };
        }
    }
}

/// Sets what the end of the level takes back, as the SET clause of a function does.
fn set(name: &CStr, value: &CStr) {
    // SAFETY: both are strings, and PostgreSQL copies what it keeps.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_SAVE,
            true,
            0,
            false,
        );
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        let plan = self.plan.get();
        if !plan.is_null() {
            // SAFETY: the plan was kept, and whoever executes it holds the statement.
            unsafe { pg_sys::SPI_freeplan(plan) };
        }
    }
}

/// An argument of a statement; several may share one value.
#[derive(Clone, Copy)]
pub struct Value {
    oid: pg_sys::Oid,
    datum: Option<pg_sys::Datum>,
}

impl Value {
    /// Takes a value of a type that PostgreSQL has built in.
    pub fn new<T: IntoDatum>(value: T) -> Self {
        Self { oid: T::type_oid(), datum: value.into_datum() }
    }
}

/// What a statement returned, for as long as the connection is open.
pub struct Rows<'c> {
    /// The values of all rows, one row after the other, each with whether it is NULL.
    values: Vec<(pg_sys::Datum, bool)>,
    columns: usize,
    count: usize,
    connection: PhantomData<&'c Connection>,
}

/// An open connection to the SPI manager.
pub struct Connection(());

/// Runs `read` while connected.
///
/// When PostgreSQL raises an error, the end of the transaction disconnects.
pub fn connect<R>(read: impl FnOnce(&Connection) -> R) -> R {
    // SAFETY: called from a function that PostgreSQL runs; every connect has its finish.
    let connected = unsafe { pg_sys::SPI_connect() };
    assert!(connected == pg_sys::SPI_OK_CONNECT as i32, "SPI can be entered");
    let result = read(&Connection(()));
    // SAFETY: as above.
    let finished = unsafe { pg_sys::SPI_finish() };
    assert!(finished == pg_sys::SPI_OK_FINISH as i32, "SPI was entered");
    result
}

impl Connection {
    /// Executes a statement, read-only.
    pub fn read(&self, statement: &Statement, values: Vec<Value>) -> Rows<'_> {
        self.read_with(statement, values, &[])
    }

    /// Executes a statement, read-only, under some settings.
    pub fn read_with(
        &self,
        statement: &Statement,
        values: Vec<Value>,
        settings: &[Setting],
    ) -> Rows<'_> {
        self.execute(statement, values, settings, true)
    }

    /// Executes a statement that writes, locks, or reads what is there by now.
    ///
    /// What it returns has as many rows as it wrote, also where it returns no columns of them.
    pub fn write(&self, statement: &Statement, values: Vec<Value>) -> Rows<'_> {
        self.execute(statement, values, &[], false)
    }

    #[expect(clippy::unused_self, reason = "only who is connected can execute")]
    fn execute(
        &self,
        statement: &Statement,
        values: Vec<Value>,
        settings: &[Setting],
        read_only: bool,
    ) -> Rows<'_> {
        let mut types: Vec<_> = values.iter().map(|value| value.oid).collect();
        let mut datums: Vec<_> =
            values.iter().map(|value| value.datum.unwrap_or(pg_sys::Datum::null())).collect();
        let nulls: Vec<_> = values
            .iter()
            .map(|value| (if value.datum.is_some() { b' ' } else { b'n' }) as std::ffi::c_char)
            .collect();
        let plan = statement.plan(&mut types);
        let settings = Settings::open(statement, plan, settings);
        // SAFETY: the plan is kept and takes as many values as there are types.
        let (done, table, count) = unsafe {
            let (datums, nulls) = (datums.as_mut_ptr(), nulls.as_ptr());
            let done = pg_sys::SPI_execute_plan(plan, datums, nulls, read_only, 0);
            (done, pg_sys::SPI_tuptable, pg_sys::SPI_processed as usize)
        };
        settings.close();
        assert!(done > 0, "the statement is one that SPI executes");
        assert!(!read_only || done == pg_sys::SPI_OK_SELECT as i32, "what reads is a SELECT");
        Rows::take(table, count)
    }
}

impl<'c> Rows<'c> {
    /// Takes rows apart, all columns of one at once: to look for a column walks over those before.
    fn take(table: *mut pg_sys::SPITupleTable, count: usize) -> Self {
        if table.is_null() {
            return Self { values: Vec::new(), columns: 0, count, connection: PhantomData };
        }
        // SAFETY: the table holds so many rows of its description, and lives as long as the
        // connection.
        unsafe {
            let description = (*table).tupdesc;
            let columns = (*description).natts as usize;
            let mut values = Vec::with_capacity(count * columns);
            let mut datums = vec![pg_sys::Datum::null(); columns];
            let mut nulls = vec![false; columns];
            for row in 0..count {
                // A large result takes long to read; the statement must stay cancellable.
                pause(row);
                let tuple = *(*table).vals.add(row);
                pg_sys::heap_deform_tuple(
                    tuple,
                    description,
                    datums.as_mut_ptr(),
                    nulls.as_mut_ptr(),
                );
                values.extend(datums.iter().copied().zip(nulls.iter().copied()));
            }
            Self { values, columns, count, connection: PhantomData }
        }
    }

    /// Returns how many rows there are, or were written.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns how many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns a value, or `None` for NULL; rows and columns count from 0.
    ///
    /// The column must have the type that `T` reads.
    pub fn get<T: FromDatum>(&self, row: usize, column: usize) -> Option<T> {
        assert!(row < self.count && column < self.columns, "the value exists");
        let (datum, null) = self.values[row * self.columns + column];
        // SAFETY: the value lives as long as the connection, and has the type of its column.
        unsafe { T::from_datum(datum, null) }
    }

    /// Returns a value of the type `tsvector` without copying it.
    pub fn words(&self, row: usize, column: usize) -> Option<Tsvector<'c>> {
        assert!(row < self.count && column < self.columns, "the value exists");
        let (datum, null) = self.values[row * self.columns + column];
        // SAFETY: what was read, and what is unpacked while connected, is freed with the connection.
        (!null).then(|| unsafe { Tsvector::of(datum) })
    }
}
