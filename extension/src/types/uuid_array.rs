//! Arrays of the type `uuid[]`, made in one piece.

use pgrx::callconv::{BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{IntoDatum, pg_sys};
use uuid::Uuid;

/// An array of ids. pgrx adds the elements of an array one by one, which nobody can cancel: a
/// million of them take about 100 ms.
#[derive(Clone, Debug)]
pub struct UuidArray(pub Vec<Uuid>);

/// How many bytes stand before the elements of an array of one dimension without NULLs: the length,
/// the number of dimensions, the offset of elements behind a bitmap of NULLs, the type of the
/// elements, the number of elements, and the first subscript.
const HEADER: usize = 24;

/// How many bytes an id has.
const ELEMENT: usize = 16;

impl FromIterator<Uuid> for UuidArray {
    fn from_iter<T: IntoIterator<Item = Uuid>>(ids: T) -> Self {
        Self(ids.into_iter().collect())
    }
}

impl IntoDatum for UuidArray {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        let ids = self.0;
        // SAFETY: an array without elements has no dimensions, and PostgreSQL makes that one. Of any
        // other, exactly `length` bytes are allocated and all are written: the header, whose fields
        // have four bytes each, and the ids, which lie in memory as an array of 16 bytes each.
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

// SAFETY: the value is a `uuid[]`, which the install script declares.
unsafe impl BoxRet for UuidArray {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        // SAFETY: the datum is an array that was just made, in memory of the call.
        unsafe { fcinfo.return_raw_datum(self.into_datum().expect("it is not NULL")) }
    }
}

translate!(UuidArray, "uuid[]");
