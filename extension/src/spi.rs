/*!
The one place that speaks SPI.

Every read is a statement whose plan is kept for the life of the backend. It is executed read-only,
so it sees what the calling statement sees, also after a write in the same transaction; and it is
planned generically, since a plan over a one-element array would otherwise be made anew at each
call (240 us against 60 us). The plan cache of PostgreSQL makes a kept plan anew when a relation,
a policy or the role changes.
*/

use pgrx::{FromDatum, IntoDatum, pg_sys};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::marker::PhantomData;

/// How many plans are kept; the statements of further stores are planned at each call. A plan is
/// never freed, since a policy could call a function while its plan runs.
const KEPT: usize = 64;

thread_local! {
    static PLANS: RefCell<HashMap<String, pg_sys::SPIPlanPtr>> = RefCell::new(HashMap::new());
}

/// An argument of a statement.
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
    table: *mut pg_sys::SPITupleTable,
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
    pub fn read(&self, statement: &str, values: Vec<Value>) -> Rows<'_> {
        let mut types: Vec<_> = values.iter().map(|value| value.oid).collect();
        let mut datums: Vec<_> =
            values.iter().map(|value| value.datum.unwrap_or(pg_sys::Datum::null())).collect();
        let nulls: Vec<_> = values
            .iter()
            .map(|value| (if value.datum.is_some() { b' ' } else { b'n' }) as std::ffi::c_char)
            .collect();
        let plan = plan(statement, &mut types);
        // SAFETY: the plan is kept and takes as many values as there are types.
        let (done, table, count) = unsafe {
            let done = pg_sys::SPI_execute_plan(plan, datums.as_mut_ptr(), nulls.as_ptr(), true, 0);
            (done, pg_sys::SPI_tuptable, pg_sys::SPI_processed as usize)
        };
        assert!(done == pg_sys::SPI_OK_SELECT as i32, "the statement is a SELECT");
        Rows { table, count, connection: PhantomData }
    }
}

/// Finds the kept plan of a statement, or makes it.
fn plan(statement: &str, types: &mut [pg_sys::Oid]) -> pg_sys::SPIPlanPtr {
    if let Some(plan) = PLANS.with_borrow(|plans| plans.get(statement).copied()) {
        return plan;
    }
    let text = CString::new(statement).expect("a statement holds no NUL");
    // SAFETY: the text and the types outlive the call.
    let plan = unsafe {
        pg_sys::SPI_prepare_cursor(
            text.as_ptr(),
            types.len() as i32,
            types.as_mut_ptr(),
            pg_sys::CURSOR_OPT_GENERIC_PLAN as i32,
        )
    };
    assert!(!plan.is_null(), "the statement can be prepared");
    PLANS.with_borrow_mut(|plans| {
        if plans.len() < KEPT {
            // SAFETY: the plan was made above, and nobody else has it.
            unsafe { pg_sys::SPI_keepplan(plan) };
            plans.insert(statement.to_owned(), plan);
        }
    });
    plan
}

impl Rows<'_> {
    /// Returns how many rows there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns a value, or `None` for NULL; rows and columns count from 0.
    ///
    /// The column must have the type that `T` reads.
    pub fn get<T: FromDatum>(&self, row: usize, column: usize) -> Option<T> {
        assert!(row < self.count, "the row exists");
        // A large result takes long to read; the statement must stay cancellable.
        if row.is_multiple_of(1024) {
            pgrx::check_for_interrupts!();
        }
        let mut null = false;
        // SAFETY: the table lives as long as the connection, and the row is one of it.
        unsafe {
            let table = &*self.table;
            let tuple = *table.vals.add(row);
            let datum =
                pg_sys::SPI_getbinval(tuple, table.tupdesc, column as i32 + 1, &raw mut null);
            T::from_datum(datum, null)
        }
    }
}
