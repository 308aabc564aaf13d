//! Arrays of the type `uuid[]`, created in one step.

use super::array;
use pgrx::{IntoDatum, pg_sys};
use uuid::Uuid;

/// An array of ids.
#[derive(Clone, Debug)]
pub struct UuidArray(Vec<Uuid>);

impl FromIterator<Uuid> for UuidArray {
    fn from_iter<T: IntoIterator<Item = Uuid>>(ids: T) -> Self {
        Self(ids.into_iter().collect())
    }
}

impl IntoDatum for UuidArray {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        let ids = self.0;
        // SAFETY: an id is an array of bytes, of which the type has no others.
        let bytes =
            unsafe { std::slice::from_raw_parts(ids.as_ptr().cast(), size_of_val(&ids[..])) };
        Some(array::create(pg_sys::UUIDOID, ids.len(), bytes))
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::UUIDARRAYOID
    }
}

sql_result!(UuidArray);
sql_name!(UuidArray, "uuid[]");
