/*!
Types of PostgreSQL that pgrx does not provide, and conversions of values.

`name` is an argument of every function that reads a store. Values of `ltree` and `jsonb`, and often
sections and contents, are copied from a table to a result as bytes, without being parsed.
*/

/// Implements the arguments of functions for a type that implements `FromDatum`.
macro_rules! sql_argument {
    ($name:ident) => {
        // SAFETY: the install script declares the argument with the type that is read, which the
        // test `library::schema` compares.
        unsafe impl<'fcx> pgrx::callconv::ArgAbi<'fcx> for $name {
            unsafe fn unbox_arg_unchecked(arg: pgrx::callconv::Arg<'_, 'fcx>) -> Self {
                // SAFETY: the argument has the declared type, and pgrx handles NULL before.
                unsafe { arg.unbox_arg_using_from_datum() }.expect("the argument is NOT NULL")
            }
        }
    };
}

/// Implements the results of functions for a type that implements `IntoDatum`.
macro_rules! sql_result {
    ($name:ident) => {
        // SAFETY: the datum is of the type that the install script declares, which the test
        // `library::schema` compares.
        unsafe impl pgrx::callconv::BoxRet for $name {
            unsafe fn box_into<'fcx>(
                self,
                fcinfo: &mut pgrx::callconv::FcInfo<'fcx>,
            ) -> pgrx::datum::Datum<'fcx> {
                let datum = pgrx::IntoDatum::into_datum(self).expect("the value is NOT NULL");
                // SAFETY: the datum is a value of the declared type, in memory that outlives the call.
                unsafe { fcinfo.return_raw_datum(datum) }
            }
        }
    };
}

/// Declares the name of a type in SQL.
macro_rules! sql_name {
    ($name:ident, $sql:literal) => {
        // SAFETY: the type has this name in the install script.
        unsafe impl pgrx::pgrx_sql_entity_graph::metadata::SqlTranslatable for $name {
            const TYPE_IDENT: &'static str = concat!(module_path!(), "::", stringify!($name));
            const TYPE_ORIGIN: pgrx::pgrx_sql_entity_graph::metadata::TypeOrigin =
                pgrx::pgrx_sql_entity_graph::metadata::TypeOrigin::External;
            const ARGUMENT_SQL: Result<
                pgrx::pgrx_sql_entity_graph::metadata::SqlMappingRef,
                pgrx::pgrx_sql_entity_graph::metadata::ArgumentError,
            > = Ok(pgrx::pgrx_sql_entity_graph::metadata::SqlMappingRef::literal($sql));
            const RETURN_SQL: Result<
                pgrx::pgrx_sql_entity_graph::metadata::ReturnsRef,
                pgrx::pgrx_sql_entity_graph::metadata::ReturnsError,
            > = Ok(pgrx::pgrx_sql_entity_graph::metadata::ReturnsRef::One(
                pgrx::pgrx_sql_entity_graph::metadata::SqlMappingRef::literal($sql),
            ));
        }
    };
}

// Below the macros, which they use.
mod array;
mod column;
mod json;
mod jsonb;
mod name;
mod opaque;
mod record;
mod text_list;
mod text_search_config;
mod tsvector;

pub use array::UuidArray;
pub use column::{Column, extension_type_name, register};
pub use json::Json;
pub use jsonb::{ObjectArray, Scalar};
pub use name::Name;
pub use opaque::{Ltree, RawJsonb, RawText, TextArray};
pub use record::Record;
pub use text_list::{TextList, nullable_texts, texts};
pub use text_search_config::TextSearchConfig;
pub use tsvector::Tsvector;

use passage_split::section::Section;
use pgrx::datum::Uuid;

/// Converts an id of core to one of pgrx.
pub fn to_sql(id: uuid::Uuid) -> Uuid {
    Uuid::from_bytes(*id.as_bytes())
}

/// Converts an id of pgrx to one of core.
pub fn from_sql(id: Uuid) -> uuid::Uuid {
    uuid::Uuid::from_bytes(*id.as_bytes())
}

/// Converts a count of tokens or chunks to an integer, which every driver reads as a number. A greater count, which
/// only made-up sizes of chunks reach, is the greatest integer.
pub fn integer(count: i64) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// Converts a section of SQL to one of core. A NULL counts as an empty title.
pub fn section_from_sql(titles: Vec<Option<String>>) -> Section {
    titles.into_iter().map(Option::unwrap_or_default).collect()
}
