//! Arrays without NULLs, created in one block of memory.
//!
//! pgrx appends the elements of an array one by one without a check for interrupts: a million ids take about 100 ms.

use pgrx::{IntoDatum, pg_sys};
use uuid::Uuid;

/// The size of the header of an array with one dimension and no NULLs, in bytes: the length, the number
/// of dimensions, the offset of elements after a NULL bitmap, the type of the elements, their number, and
/// the first subscript.
pub const HEADER: usize = 24;

/// Creates an array of `count` elements from their bytes as PostgreSQL stores them, in memory of the call.
pub fn create(element: pg_sys::Oid, count: usize, elements: &[u8]) -> pg_sys::Datum {
    // SAFETY: an array without elements has no dimensions, and PostgreSQL creates that one. Of any
    // other, exactly `length` bytes are allocated and all are written: the header, whose fields
    // have four bytes each, and the elements.
    unsafe {
        if count == 0 {
            return pg_sys::construct_empty_array(element).into();
        }
        let length = HEADER + elements.len();
        let array = pg_sys::palloc(length).cast::<u8>();
        pgrx::set_varsize_4b(array.cast(), length as i32);
        let fields = [1, 0, element.to_u32(), count as u32, 1];
        std::ptr::copy_nonoverlapping(fields.as_ptr().cast(), array.add(4), HEADER - 4);
        std::ptr::copy_nonoverlapping(elements.as_ptr(), array.add(HEADER), elements.len());
        array.into()
    }
}

/// An array of ids.
#[derive(Clone, Debug)]
pub struct UuidArray(Vec<Uuid>);

impl UuidArray {
    /// Returns whether it has no ids.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

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
        Some(create(pg_sys::UUIDOID, ids.len(), bytes))
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::UUIDARRAYOID
    }
}

sql_result!(UuidArray);
sql_name!(UuidArray, "uuid[]");
