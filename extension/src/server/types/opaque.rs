//! Values that are copied from a table to a result without being parsed.

use pgrx::{FromDatum, IntoDatum, pg_sys};

/// A value of variable length that is not parsed, in memory of the function that returns it.
///
/// It is freed with the result, not one by one: a result may have a million rows with three of them.
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

    /// Copies a value to memory that outlives the connection.
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

    /// Copies a value of variable length, and keeps the compression that it has in its row.
    ///
    /// A value outside of its row is fetched, for the caller may use the result after its table has
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

            // Only arrays of the type need it, and there are none.
            fn type_oid() -> pg_sys::Oid {
                pg_sys::InvalidOid
            }
        }

        // `Column` reads no other type than the declared one.
        sql_result!($name);
        sql_name!($name, $sql);
    };
}

opaque! {
    /// A path, as the type `ltree`.
    Ltree, "ltree", copy
}

opaque! {
    /// A value of the type `jsonb` that is not parsed.
    RawJsonb, "jsonb", copy
}

opaque! {
    /// The titles of a section, as the type `text[]`.
    TextArray, "text[]", copy
}

opaque! {
    /// A content, as the type `text`. Most are sent without being decompressed.
    RawText, "text", copy_packed
}

impl RawText {
    /// Returns an empty text.
    pub fn empty() -> Self {
        let empty = "".into_datum().expect("it is not NULL");
        // SAFETY: a text is a value of variable length; SPI is connected, for it replaces a NULL that
        // was read.
        unsafe { Self(Opaque::copy(empty)) }
    }
}

impl TextArray {
    /// Returns an empty array.
    pub fn empty() -> Self {
        // SAFETY: an empty array is a value of variable length; SPI is connected, for it replaces a
        // NULL that was read.
        unsafe {
            let empty = pg_sys::construct_empty_array(pg_sys::TEXTOID);
            Self(Opaque::copy(pg_sys::Datum::from(empty)))
        }
    }
}
