//! Arguments of the type `jsonb` that a release added to a function.

use super::Json;
use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{FromDatum, pg_sys};

/// An argument at an index from 0, after those of the first release.
///
/// Until `ALTER EXTENSION UPDATE`, the catalog of an earlier release calls the same symbol with fewer arguments.
/// Then the value is NULL.
pub struct AddedJson<const INDEX: usize>(Option<Json>);

impl<const INDEX: usize> AddedJson<INDEX> {
    /// Returns the value.
    pub fn into_json(self) -> Option<Json> {
        self.0
    }
}

// SAFETY: an index below the number of arguments is that of an argument of the type jsonb, as the install script
// declares it.
unsafe impl<'fcx, const INDEX: usize> ArgAbi<'fcx> for AddedJson<INDEX> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: PostgreSQL passes as many arguments as it states, each with its datum.
        unsafe {
            let call = <pg_sys::FunctionCallInfo as ArgAbi<'fcx>>::unbox_arg_unchecked(arg);
            let count = usize::try_from((*call).nargs).unwrap_or_default();
            let given = (*call).args.as_slice(count).get(INDEX);
            Self(given.and_then(|given| {
                Json::from_polymorphic_datum(given.value, given.isnull, pg_sys::JSONBOID)
            }))
        }
    }

    /// The argument may be missing, so it is not read in sequence.
    fn is_virtual_arg() -> bool {
        true
    }
}

// SAFETY: the type has this name in the install script.
unsafe impl<const INDEX: usize> SqlTranslatable for AddedJson<INDEX> {
    const TYPE_IDENT: &'static str = concat!(module_path!(), "::AddedJson");
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("jsonb"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("jsonb")));
}
