/*!
The one place that speaks SPI.

Every statement has a plan that is kept as long as it is. One that reads is executed read-only, so it
sees what the calling statement sees, also after a write in the same transaction. One that writes, or
looks for what to write, sees what is committed when it begins and what its own transaction has
written, as each statement of a session does; only functions that are VOLATILE may use it. What reads by
ids is planned generically, since a plan over a one-element array would otherwise be made anew at
each call (240 us against 60 us); what reads by words is planned for these words, common or rare. The
plan cache of PostgreSQL makes a kept plan anew when a relation, a policy or the role changes.

Two fences keep what others define out of a statement. All are parsed, planned and executed under the
`search_path` of [`PATH`], whatever the caller's is. And a column is read only as the type that the
result says it has: a wrong type is an error, never memory that is read as something else.
*/

use crate::error::Error;
use crate::interrupt::pause;
use crate::types::{Column, Row, Tsvector};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{FromDatum, IntoDatum, PgLogLevel, PgTupleDesc, pg_sys};
use std::cell::{Cell, OnceCell};
use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::rc::Rc;

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

/// The `search_path` of every statement. Temporary tables and types come first unless `pg_temp` is
/// listed, so it is, last.
const PATH: &CStr = c"pg_catalog, pg_temp";

/// A statement with its plan, which is made at the first execution.
///
/// It must outlive its executions, also those that a policy's own calls nest into them.
pub struct Statement {
    /// The store that it reads, for messages.
    store: Rc<str>,
    text: CString,
    access: Access,
    plan: Cell<pg_sys::SPIPlanPtr>,
    /// The types of its parameters, known from the first execution on.
    types: OnceCell<Vec<pg_sys::Oid>>,
    /// The role that it was planned for; policies may give another one another plan.
    role: Cell<pg_sys::Oid>,
}

impl Statement {
    /// Takes the text of a statement that reads a store.
    pub fn new(store: &str, text: String, access: Access) -> Self {
        let text = CString::new(text).expect("a statement holds no NUL");
        let (plan, types, role) = Default::default();
        Self { store: store.into(), text, access, plan, types, role }
    }

    /// Returns the plan, made for arguments of some types, which are the same at each execution.
    fn plan(&self, mut types: Vec<pg_sys::Oid>) -> pg_sys::SPIPlanPtr {
        if self.plan.get().is_null() {
            // SAFETY: the text ends in NUL, the types are as many as is said, and both outlive the
            // call; SPI is connected, for only a `Connection` executes; the plan is kept at once, so
            // it outlives the connection.
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
        let planned = self.types.get_or_init(|| types.clone());
        assert!(*planned == types, "a statement always takes values of the same types");
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

/// Settings for a time, taken back at its end; an error takes them back with its transaction or
/// subtransaction.
struct Settings(Option<i32>);

impl Settings {
    /// Pins the path, unless it is pinned: a call that a policy's function makes finds it so.
    fn pin_path() -> Self {
        // SAFETY: the variable of the setting points to a string from the start of a backend on, and
        // nothing changes it while the two are compared.
        let pinned = unsafe { CStr::from_ptr(pg_sys::namespace_search_path) == PATH };
        if pinned {
            return Self(None);
        }
        let level = Self::new_level();
        set(c"search_path", PATH);
        level
    }

    fn new_level() -> Self {
        // SAFETY: counts a level up; `close`, or the end of the transaction, takes it back.
        Self(Some(unsafe { pg_sys::NewGUCNestLevel() }))
    }

    /// Opens a level and sets what the statement is planned and executed with.
    fn open(statement: &Statement, plan: pg_sys::SPIPlanPtr, settings: &[Setting]) -> Self {
        // SAFETY: the one reads a variable of the backend; the plan that the other looks at is kept
        // for as long as the statement lives.
        let (role, valid) = unsafe { (pg_sys::GetUserId(), pg_sys::SPI_plan_is_valid(plan)) };
        let planned =
            statement.access == Access::Index && statement.role.replace(role) == role && valid;
        if planned && settings.is_empty() {
            return Self(None);
        }
        let level = Self::new_level();
        let without = if planned { &[] } else { statement.access.without() };
        for name in without {
            set(name, c"off");
        }
        for Setting { name, value } in settings {
            set(name, value);
        }
        level
    }

    fn close(self) {
        if let Some(level) = self.0 {
            // SAFETY: the level is the innermost that is open: levels are closed in the reverse of
            // the order that they are opened in, for each is closed where it was opened.
            unsafe { pg_sys::AtEOXact_GUC(true, level) };
        }
    }
}

/// Sets what the end of the level takes back, as the SET clause of a function does.
fn set(name: &CStr, value: &CStr) {
    // SAFETY: both are strings that end in NUL and outlive the call, and PostgreSQL copies what it
    // keeps.
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
            // SAFETY: the plan was kept by `plan` and is freed here alone; whoever executes it borrows
            // the statement, so none runs.
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

    /// Takes a row, which is of the same type at each execution of a statement.
    pub fn row(row: Row) -> Self {
        Self { oid: row.of, datum: Some(row.datum) }
    }
}

/// What a statement returned, for as long as the connection is open.
pub struct Rows<'c> {
    /// The values of all rows, one row after the other, each with whether it is NULL.
    values: Vec<(pg_sys::Datum, bool)>,
    count: usize,
    /// The type of each column.
    types: Vec<pg_sys::Oid>,
    /// The store that was read, for messages.
    store: Rc<str>,
    connection: PhantomData<&'c Connection>,
}

/// An open connection to the SPI manager.
pub struct Connection(());

/// Runs `read` while connected, with the path pinned.
///
/// When PostgreSQL raises an error, the end of the transaction disconnects.
pub fn connect<R>(read: impl FnOnce(&Connection) -> R) -> R {
    // SAFETY: only functions that PostgreSQL runs in a transaction call this, in its one thread; each
    // connect has its finish, or an error whose transaction finishes.
    let connected = unsafe { pg_sys::SPI_connect() };
    assert!(connected == pg_sys::SPI_OK_CONNECT as i32, "SPI can be entered");
    // Once for all statements of a call: to set it for each costs as much as some of them do.
    let path = Settings::pin_path();
    let result = read(&Connection(()));
    path.close();
    // SAFETY: connected above, and nothing that was read is left: `Rows` borrows the connection.
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
        let types: Vec<_> = values.iter().map(|value| value.oid).collect();
        let mut datums: Vec<_> =
            values.iter().map(|value| value.datum.unwrap_or(pg_sys::Datum::null())).collect();
        let nulls: Vec<_> = values
            .iter()
            .map(|value| (if value.datum.is_some() { b' ' } else { b'n' }) as std::ffi::c_char)
            .collect();
        // A function of the store that was called before may have set the path; nothing is parsed
        // under another one.
        let path = Settings::pin_path();
        let plan = statement.plan(types);
        let settings = Settings::open(statement, plan, settings);
        // SAFETY: the plan is kept for the statement, which is borrowed; datums and nulls are as many as
        // its parameters and of their types, which `plan` has compared.
        // The result is that of this very call: SPI sets it before it returns, and nothing ran since.
        let (done, table, count) = unsafe {
            let (datums, nulls) = (datums.as_mut_ptr(), nulls.as_ptr());
            let done = pg_sys::SPI_execute_plan(plan, datums, nulls, read_only, 0);
            (done, pg_sys::SPI_tuptable, pg_sys::SPI_processed as usize)
        };
        settings.close();
        path.close();
        assert!(done > 0, "the statement is one that SPI executes");
        assert!(!read_only || done == pg_sys::SPI_OK_SELECT as i32, "what reads is a SELECT");
        Rows::take(table, count, Rc::clone(&statement.store))
    }
}

impl<'c> Rows<'c> {
    /// Takes rows apart, all columns of one at once: to look for a column walks over those before.
    fn take(table: *mut pg_sys::SPITupleTable, count: usize, store: Rc<str>) -> Self {
        let (mut values, mut types) = (Vec::new(), Vec::new());
        if !table.is_null() {
            // SAFETY: the table is one that SPI has made in memory of the connection, which is borrowed
            // for as long as the rows live; it holds `count` tuples of its one description, and each
            // buffer has room for as many columns as that one has.
            unsafe {
                let description = (*table).tupdesc;
                let described = PgTupleDesc::from_pg_unchecked(description);
                types.extend(described.iter().map(|column| column.atttypid));
                let columns = types.len();
                values.reserve(count * columns);
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
            }
        }
        Self { values, count, types, store, connection: PhantomData }
    }

    /// Returns how many rows there are, or were written.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns how many columns there are.
    pub fn columns(&self) -> usize {
        self.types.len()
    }

    /// Returns a value, or `None` for NULL; rows and columns count from 0.
    ///
    /// # Panics
    ///
    /// Panics with an error of PostgreSQL, as it raises its own, if the column has not the type that
    /// `T` reads.
    pub fn get<T: Column + FromDatum>(&self, row: usize, column: usize) -> Option<T> {
        let datum = self.datum::<T>(row, column)?;
        // SAFETY: the value is of the type that `T` reads, as its column was found to be, and lives as
        // long as the connection, which is open.
        unsafe { T::from_datum(datum, false) }
    }

    /// Returns a value of the type `text` without copying it, unless it is compressed.
    ///
    /// # Panics
    ///
    /// Panics as [`Rows::get`] does.
    pub fn text(&self, row: usize, column: usize) -> Option<&'c str> {
        let datum = self.datum::<String>(row, column)?;
        // SAFETY: the value is a `text`, as its column was found to be; what was read, and what is
        // unpacked while connected, is freed with the connection.
        unsafe { <&str>::from_datum(datum, false) }
    }

    /// Returns a value of the type `tsvector` without copying it.
    ///
    /// # Panics
    ///
    /// Panics as [`Rows::get`] does.
    pub fn words(&self, row: usize, column: usize) -> Option<Tsvector<'c>> {
        let datum = self.datum::<Tsvector>(row, column)?;
        // SAFETY: the value is a `tsvector`, as its column was found to be; what was read, and what is
        // unpacked while connected, is freed with the connection.
        Some(unsafe { Tsvector::of(datum) })
    }

    /// Returns a value that is not NULL and of the type that `T` reads.
    fn datum<T: Column>(&self, row: usize, column: usize) -> Option<pg_sys::Datum> {
        let columns = self.types.len();
        assert!(row < self.count && column < columns, "the value exists");
        let (datum, null) = self.values[row * columns + column];
        if null {
            return None;
        }
        let found = self.types[column];
        if !T::reads(found) {
            let (store, column) = (self.store.to_string(), column + 1);
            let error = Error::ResultType { store, column, found, expected: T::SQL_TYPE };
            ErrorReport::from(error).report(PgLogLevel::ERROR);
        }
        Some(datum)
    }
}
