//! A row of a table, as the type `record`.

use pgrx::{FromDatum, pg_sys};

/// A row that a statement has as its parameter, with its composite type.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub datum: pg_sys::Datum,
    pub type_oid: pg_sys::Oid,
}

impl FromDatum for Record {
    #[expect(clippy::cast_ptr_alignment, reason = "PostgreSQL aligns what it unpacks")]
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type: pg_sys::Oid,
    ) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the value is a composite one, as the declared type of the argument is; unpacked it is
        // a tuple, in memory of the call, whose header holds the type.
        unsafe {
            let tuple = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
            let header = tuple.cast::<pg_sys::HeapTupleHeaderData>();
            let type_oid = (*header).t_choice.t_datum.datum_typeid;
            Some(Self { datum: pg_sys::Datum::from(tuple), type_oid })
        }
    }
}

sql_argument!(Record);
sql_name!(Record, "record");
