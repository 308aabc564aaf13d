//! Arrays of the type `uuid[]`, created in one step.

use pgrx::{IntoDatum, pg_sys};
use uuid::Uuid;

/// An array of ids. pgrx appends the elements of an array one by one without a check for interrupts:
/// a million of them take about 100 ms.
#[derive(Clone, Debug)]
pub struct UuidArray(Vec<Uuid>);

/// The size of the header of an array with one dimension and no NULLs, in bytes: the length, the number
/// of dimensions, the offset of elements after a NULL bitmap, the type of the elements, their number, and
/// the first subscript.
const HEADER: usize = 24;

/// The size of an id, in bytes.
const ELEMENT: usize = 16;

impl FromIterator<Uuid> for UuidArray {
    fn from_iter<T: IntoIterator<Item = Uuid>>(ids: T) -> Self {
        Self(ids.into_iter().collect())
    }
}

impl IntoDatum for UuidArray {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        let ids = self.0;
        // SAFETY: an array without elements has no dimensions, and PostgreSQL creates that one. Of any
        // other, exactly `length` bytes are allocated and all are written: the header, whose fields
        // have four bytes each, and the ids, each of which is an array of 16 bytes.
        unsafe {
            if ids.is_empty() {
                return Some(pg_sys::construct_empty_array(pg_sys::UUIDOID).into());
            }
            let length = HEADER + ELEMENT * ids.len();
            let array = pg_sys::palloc(length).cast::<u8>();
            pgrx::set_varsize_4b(array.cast(), length as i32);
            let fields = [1, 0, pg_sys::UUIDOID.to_u32(), ids.len() as u32, 1];
            std::ptr::copy_nonoverlapping(fields.as_ptr().cast(), array.add(4), HEADER - 4);
            std::ptr::copy_nonoverlapping(
                ids.as_ptr().cast(),
                array.add(HEADER),
                ELEMENT * ids.len(),
            );
            Some(array.into())
        }
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::UUIDARRAYOID
    }
}

sql_result!(UuidArray);
sql_name!(UuidArray, "uuid[]");
