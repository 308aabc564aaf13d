//! Identifiers, as the type `name`.

use pgrx::{FromDatum, IntoDatum, pg_sys};

/// An identifier.
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

sql_argument!(Name);
sql_name!(Name, "name");
