/*!
Types of PostgreSQL that pgrx has no name for.

`name` is an argument of every function that reads a store. `ltree` and `jsonb` go from a table to a
result as they are, and so may sections and contents, so they are carried as bytes and never looked
into.
*/

use passage_core::section::Section;
use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::{Datum, Uuid};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{FromDatum, IntoDatum, pg_sys};

/// An identifier, as the type `name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(pub String);

impl FromDatum for Name {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type: pg_sys::Oid,
    ) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the value is a `name`, as the declared type of the argument is: 64 bytes that end in
        // NUL.
        let name = unsafe { std::ffi::CStr::from_ptr(datum.cast_mut_ptr()) };
        Some(Self(name.to_string_lossy().into_owned()))
    }
}

impl IntoDatum for Name {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        let mut name = self.0.into_bytes();
        name.truncate(63);
        // SAFETY: 64 bytes are allocated and zeroed and at most 63 of them written, so the name ends
        // in NUL.
        unsafe {
            let bytes = pg_sys::palloc0(64).cast::<u8>();
            std::ptr::copy_nonoverlapping(name.as_ptr(), bytes, name.len());
            Some(pg_sys::Datum::from(bytes))
        }
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::NAMEOID
    }
}

macro_rules! argument {
    ($name:ident) => {
        // SAFETY: the install script declares the argument with the type that is read, which
        // tests/tests/schema.rs compares.
        unsafe impl<'fcx> ArgAbi<'fcx> for $name {
            unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
                // SAFETY: the argument has the declared type, and pgrx takes NULL as `None` before.
                unsafe { arg.unbox_arg_using_from_datum() }.expect("the argument is NOT NULL")
            }
        }
    };
}

argument!(Name);

/// A value that goes through as it is, in memory of the function that returns it.
///
/// It lives as long as the result does and is freed with it, not one by one: a result may have a
/// million rows with three of them.
#[derive(Clone, Copy, Debug)]
struct Opaque(pg_sys::Datum);

impl Opaque {
    /// Copies a value of variable length, unpacked.
    ///
    /// # Safety
    ///
    /// The datum must be a pointer to such a value, and SPI be connected.
    unsafe fn copy(datum: pg_sys::Datum) -> Self {
        // SAFETY: the datum points to a value of variable length, as the caller promises, and what is
        // unpacked is one, too.
        unsafe { Self::keep(pg_sys::pg_detoast_datum(datum.cast_mut_ptr())) }
    }

    /// Copies a value to where it outlives the connection.
    ///
    /// # Safety
    ///
    /// As above.
    unsafe fn keep(value: *const pg_sys::varlena) -> Self {
        // SAFETY: the value is as long as it says, as the caller promises, and so many bytes are
        // allocated; the two do not overlap, for one is new.
        unsafe {
            let length = pgrx::varsize_any(value);
            let bytes = pg_sys::SPI_palloc(length).cast::<u8>();
            std::ptr::copy_nonoverlapping(value.cast::<u8>(), bytes, length);
            Self(pg_sys::Datum::from(bytes))
        }
    }

    /// Copies a value of variable length, compressed if it lies so in its row.
    ///
    /// One that lies outside of its row is fetched, for the caller may go on when its table has
    /// changed.
    ///
    /// # Safety
    ///
    /// As above.
    unsafe fn copy_packed(datum: pg_sys::Datum) -> Self {
        // SAFETY: the datum points to a value of variable length, as the caller promises.
        unsafe {
            let value = datum.cast_mut_ptr();
            if pgrx::varatt_is_1b_e(value) { Self::copy(datum) } else { Self::keep(value) }
        }
    }
}

macro_rules! opaque {
    ($(#[$doc:meta])* $name:ident, $sql:literal, $copy:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(Opaque);

        impl FromDatum for $name {
            unsafe fn from_polymorphic_datum(
                datum: pg_sys::Datum,
                is_null: bool,
                _type: pg_sys::Oid,
            ) -> Option<Self> {
                // SAFETY: the value is of a type of variable length: only `Rows` reads this, which has
                // compared the type of the column, while SPI is connected.
                (!is_null).then(|| Self(unsafe { Opaque::$copy(datum) }))
            }
        }

        impl IntoDatum for $name {
            fn into_datum(self) -> Option<pg_sys::Datum> {
                Some(self.0.0)
            }

            // Only arrays ask for it, and there are none.
            fn type_oid() -> pg_sys::Oid {
                pg_sys::InvalidOid
            }
        }

        // SAFETY: the value is one of the type that the install script declares, for `Column` lets no
        // other be read.
        unsafe impl BoxRet for $name {
            unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
                // SAFETY: the datum is a value of the declared type, in memory that outlives the call.
                unsafe { fcinfo.return_raw_datum(self.0.0) }
            }
        }

        translate!($name, $sql);
    };
}

macro_rules! translate {
    ($name:ident, $sql:literal) => {
        // SAFETY: the type stands under this name in the install script.
        unsafe impl SqlTranslatable for $name {
            const TYPE_IDENT: &'static str = concat!(module_path!(), "::", stringify!($name));
            const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
            const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> =
                Ok(SqlMappingRef::literal($sql));
            const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
                Ok(ReturnsRef::One(SqlMappingRef::literal($sql)));
        }
    };
}

opaque! {
    /// A path, as the type `ltree`.
    Ltree, "ltree", copy
}

opaque! {
    /// A value of the type `jsonb` that is not looked into.
    RawJsonb, "jsonb", copy
}

opaque! {
    /// The titles of a section, as the type `text[]`.
    TextArray, "text[]", copy
}

opaque! {
    /// A content, as the type `text`; most are not unpacked before they are sent.
    RawText, "text", copy_packed
}

impl RawText {
    /// Returns a text without characters.
    pub fn empty() -> Self {
        let empty = "".into_datum().expect("it is not NULL");
        // SAFETY: a text is a value of variable length; SPI is connected, for it stands for one that
        // was read.
        unsafe { Self(Opaque::copy(empty)) }
    }
}

impl TextArray {
    /// Returns an array without elements.
    pub fn empty() -> Self {
        // SAFETY: an empty array is a value of variable length; SPI is connected, for it stands for one
        // that was read.
        unsafe {
            let empty = pg_sys::construct_empty_array(pg_sys::TEXTOID);
            Self(Opaque::copy(pg_sys::Datum::from(empty)))
        }
    }
}

translate!(Name, "name");

// Behind the macros, which they use.
mod column;
mod json;
mod row;
mod tsvector;
mod uuid_array;
pub use column::{Column, brought_by, watch};
pub use json::{Json, JsonArray};
pub use row::Row;
pub use tsvector::Tsvector;
pub use uuid_array::UuidArray;

/// Returns an id as SQL takes it.
pub fn to_sql(id: uuid::Uuid) -> Uuid {
    Uuid::from_bytes(*id.as_bytes())
}

/// Returns an id as the model takes it.
pub fn from_sql(id: Uuid) -> uuid::Uuid {
    uuid::Uuid::from_bytes(*id.as_bytes())
}

/// Returns titles as the model takes them; a NULL counts as empty.
pub fn titles(section: Vec<Option<String>>) -> Section {
    section.into_iter().map(Option::unwrap_or_default).collect()
}
