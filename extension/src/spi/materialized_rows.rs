//! A result of the type `SETOF record`, whose columns the caller of the function names.

use crate::error::Error;
use crate::interrupt::pause;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{PgTupleDesc, pg_sys};

/// The rows of a function, which PostgreSQL keeps in a file if they are many.
pub struct MaterializedRows(*mut pg_sys::ReturnSetInfo);

impl MaterializedRows {
    /// Creates an empty result. A caller that does not name the columns gets an error of PostgreSQL.
    pub fn new(call: pg_sys::FunctionCallInfo) -> Self {
        // SAFETY: the call is the one of the running function. The function raises an error unless the caller
        // accepts a set and names its columns; else it fills the result info that outlives the call.
        unsafe {
            pg_sys::InitMaterializedSRF(call, pg_sys::MAT_SRF_USE_EXPECTED_DESC);
            Self((*call).resultinfo.cast())
        }
    }

    /// Adds the rows of a table of SPI.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ShardArguments`] if the table has more or fewer columns than the result, and
    /// [`Error::ResultType`] if they have other types.
    ///
    /// # Safety
    ///
    /// The table must have `count` tuples.
    pub(super) unsafe fn add(
        &self,
        table: *mut pg_sys::SPITupleTable,
        count: usize,
        store: &str,
    ) -> Result<(), Error> {
        // SAFETY: SPI has made the table for a statement with columns; both descriptions are those of the
        // tuples, which the store of tuples copies.
        unsafe {
            let types = |of: pg_sys::TupleDesc| -> Vec<_> {
                PgTupleDesc::from_pg_unchecked(of).iter().map(|column| column.atttypid).collect()
            };
            let (actual, expected) = (types((*table).tupdesc), types((*self.0).setDesc));
            let store = || store.to_owned();
            if actual.len() != expected.len() {
                return Err(Error::ShardArguments { store: store() });
            }
            if let Some(column) =
                (0..actual.len()).find(|column| actual[*column] != expected[*column])
            {
                return Err(Error::ResultType {
                    store: store(),
                    column: column + 1,
                    actual: actual[column],
                    expected: "the type that the caller expects",
                });
            }
            for row in 0..count {
                pause(row);
                pg_sys::tuplestore_puttuple((*self.0).setResult, *(*table).vals.add(row));
            }
        }
        Ok(())
    }
}

// SAFETY: a function that materializes its result returns a NULL beside it.
unsafe impl pgrx::callconv::BoxRet for MaterializedRows {
    unsafe fn box_into<'fcx>(
        self,
        fcinfo: &mut pgrx::callconv::FcInfo<'fcx>,
    ) -> pgrx::datum::Datum<'fcx> {
        fcinfo.return_null()
    }
}

// SAFETY: the type has this name in the install script.
unsafe impl SqlTranslatable for MaterializedRows {
    const TYPE_IDENT: &'static str = concat!(module_path!(), "::MaterializedRows");
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("record"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("SETOF record")));
}
