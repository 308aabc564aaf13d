//! A connection to the SPI manager, which executes statements.

use super::packed_rows;
use super::receiver::Receiver;
use super::rows::{Rows, types_of};
use super::settings::{Setting, SettingsLevel};
use super::statement::{Statement, Value};
use crate::server::error::Error;
use pgrx::pg_sys;
use std::rc::Rc;

/// An open connection to the SPI manager, with its memory, which is freed when it is closed.
pub struct Connection(pg_sys::MemoryContext);

/// Calls `work` with an open connection and the fixed search path.
///
/// When PostgreSQL raises an error, the end of the transaction closes the connection.
pub fn connect<R>(work: impl FnOnce(&Connection) -> R) -> R {
    // SAFETY: only functions that PostgreSQL runs in a transaction call this, in its one thread; each
    // connect has its finish, or an error whose transaction finishes.
    let connected = unsafe { pg_sys::SPI_connect() };
    assert!(connected == pg_sys::SPI_OK_CONNECT as i32, "SPI can be entered");
    // Once for all statements of a call: setting it for each costs as much as some of them do.
    let search_path = SettingsLevel::with_search_path();
    // SAFETY: SPI has made its memory the current one.
    let result = work(&Connection(unsafe { pg_sys::CurrentMemoryContext }));
    search_path.close();
    // SAFETY: connected above, and no result of a statement is left: `Rows` borrows the connection.
    let finished = unsafe { pg_sys::SPI_finish() };
    assert!(finished == pg_sys::SPI_OK_FINISH as i32, "SPI was entered");
    result
}

impl Connection {
    /// Executes a statement read-only.
    pub fn read(&self, statement: &Statement, values: Vec<Value>) -> Rows<'_> {
        self.read_with(statement, values, &[])
    }

    /// Executes a statement read-only with the latest snapshot, as PostgreSQL finds objects by their names: a
    /// transaction that keeps its snapshot would read outdated catalogs.
    pub fn read_latest(&self, statement: &Statement, values: Vec<Value>) -> Rows<'_> {
        // SAFETY: the snapshot is popped when the statement has ended; after an error the end of the transaction
        // or subtransaction pops it.
        unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot()) };
        let rows = self.read(statement, values);
        // SAFETY: pushed above, and the statement has popped what it pushed.
        unsafe { pg_sys::PopActiveSnapshot() };
        rows
    }

    /// Executes a statement read-only with some settings.
    pub fn read_with(
        &self,
        statement: &Statement,
        values: Vec<Value>,
        settings: &[Setting],
    ) -> Rows<'_> {
        self.execute(statement, values, settings, true)
    }

    /// Executes a statement that writes, locks, or reads with a new snapshot.
    ///
    /// The result has as many rows as were written, also if the statement returns no columns.
    pub fn write(&self, statement: &Statement, values: Vec<Value>) -> Rows<'_> {
        self.execute(statement, values, &[], false)
    }

    /// Returns the plan of a statement, which is kept for it.
    #[expect(clippy::unused_self, reason = "preparing needs an open connection")]
    fn plan(&self, statement: &Statement, values: &[Value]) -> pg_sys::SPIPlanPtr {
        let search_path = SettingsLevel::with_search_path();
        let guard = statement.activate_guard();
        let plan = statement.plan(values.iter().map(|value| value.oid).collect());
        drop(guard);
        search_path.close();
        plan
    }

    /// Analyses a statement without parameters, which its guard then checks, without executing it.
    pub fn analyse(&self, statement: &Statement) {
        self.plan(statement, &[]);
    }

    /// Gives statements the transition tables of a trigger, under the names that the trigger has for them.
    ///
    /// # Safety
    ///
    /// The data must be that of the running trigger.
    #[expect(clippy::unused_self, reason = "the tables belong to the open connection")]
    pub unsafe fn add_transition_tables(&self, data: &pg_sys::TriggerData) {
        // SAFETY: the caller's promise; PostgreSQL reads the data.
        let added =
            unsafe { pg_sys::SPI_register_trigger_data(std::ptr::from_ref(data).cast_mut()) };
        assert!(added == pg_sys::SPI_OK_TD_REGISTER as i32, "no statement has these names");
    }

    /// Returns the types of the columns of a result, without executing the statement.
    pub fn result_types(&self, statement: &Statement, values: &[Value]) -> Vec<pg_sys::Oid> {
        let plan = self.plan(statement, values);
        // SAFETY: the plan is kept for the statement; it has one source for its one command, and the description
        // of its result is copied.
        unsafe {
            let sources = pg_sys::SPI_plan_get_plan_sources(plan);
            let source = pg_sys::list_nth(sources, 0).cast::<pg_sys::CachedPlanSource>();
            types_of((*source).resultDesc)
        }
    }

    /// Executes a statement read-only, and returns its rows as bytes for another server.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ShardArguments`] if it is not one statement that returns rows, and [`Error::ShardResult`]
    /// for more than a value of PostgreSQL can have, about 1 GB.
    pub fn read_packed(
        &self,
        statement: &Statement,
        values: Vec<Value>,
        settings: &[Setting],
    ) -> Result<Vec<u8>, Error> {
        let plan = self.plan(statement, &values);
        // SAFETY: the plan is kept for the statement.
        if !unsafe { pg_sys::SPI_is_cursor_plan(plan) } {
            return Err(Error::ShardArguments { store: statement.store.to_string() });
        }
        packed_rows::pack(&self.read_with(statement, values, settings), &statement.store)
    }

    /// Returns the rows that another server has read with [`Connection::read_packed`].
    ///
    /// # Errors
    ///
    /// Returns [`Error::ShardArguments`] for other bytes, or columns of other types.
    #[expect(clippy::unused_self, reason = "the values are in memory of an open connection")]
    pub fn unpack(
        &self,
        packed: &[u8],
        types: &[pg_sys::Oid],
        store: &str,
    ) -> Result<Rows<'_>, Error> {
        packed_rows::unpack(packed, types, store.into())
    }

    fn execute(
        &self,
        statement: &Statement,
        values: Vec<Value>,
        settings: &[Setting],
        read_only: bool,
    ) -> Rows<'_> {
        let types: Vec<_> = values.iter().map(|value| value.oid).collect();
        // A function of the store that ran before may have changed the path, and no statement may be
        // parsed under another one.
        let search_path = SettingsLevel::with_search_path();
        let guard = statement.activate_guard();
        let plan = statement.plan(types);
        let settings = SettingsLevel::with(statement, plan, settings);
        let mut receiver = Receiver::new(self.0);
        // SAFETY: the plan is kept for the statement, which is borrowed; the parameters are as many as it has and of their
        // types, which `plan` has compared. The receiver lives until the statement has ended.
        // The count is that of this very call: SPI sets it before it returns, and nothing ran since.
        let (done, count) = unsafe {
            let options = pg_sys::SPIExecuteOptions {
                params: parameters(&values),
                read_only,
                dest: receiver.base(),
                ..pg_sys::SPIExecuteOptions::default()
            };
            let done = pg_sys::SPI_execute_plan_extended(plan, &raw const options);
            (done, pg_sys::SPI_processed as usize)
        };
        settings.close();
        drop(guard);
        search_path.close();
        assert!(done > 0, "the statement is one that SPI executes");
        assert!(
            !read_only || done == pg_sys::SPI_OK_SELECT as i32,
            "a reading statement is a SELECT"
        );
        let types = receiver.types();
        Rows::new(receiver.values, types, count, Rc::clone(&statement.store))
    }
}

/// Returns values as the parameters of a statement, in memory of the connection.
fn parameters(values: &[Value]) -> pg_sys::ParamListInfo {
    if values.is_empty() {
        return std::ptr::null_mut();
    }
    // SAFETY: the list has as many parameters as it is asked for, of which all fields are set.
    unsafe {
        let list = pg_sys::makeParamList(values.len() as i32);
        let parameters = (*list).params.as_mut_slice(values.len());
        for (parameter, value) in parameters.iter_mut().zip(values) {
            parameter.value = value.datum.unwrap_or(pg_sys::Datum::null());
            parameter.isnull = value.datum.is_none();
            parameter.pflags = pg_sys::PARAM_FLAG_CONST as u16;
            parameter.ptype = value.oid;
        }
        list
    }
}
