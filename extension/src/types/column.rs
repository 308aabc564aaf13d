/*!
Which Rust type reads a column of which type.

A value of PostgreSQL does not say what it is: read as another type, a number becomes an address.
So each type that is read names the one type of PostgreSQL that it is sound for, and
[`Rows`](crate::spi::Rows) compares before it reads. What an extension brings has no fixed oid; it is
known by its membership, for anybody may give a type of his own the same name.
*/

use super::{Json, Ltree, RawJsonb, RawText, TextArray, Tsvector};
use pgrx::datum::Uuid;
use pgrx::pg_sys;
use std::cell::Cell;
use std::ffi::CStr;

/// A Rust type that a column is read as.
///
/// # Safety
///
/// To read a value of a type that `reads` accepts must be sound.
pub unsafe trait Column {
    /// What PostgreSQL calls the type that is read.
    const SQL_TYPE: &'static str;

    /// Tells whether a column of a type can be read.
    fn reads(oid: pg_sys::Oid) -> bool;
}

macro_rules! reads {
    ($($name:ty, $sql:literal, $oid:ident;)*) => {$(
        // SAFETY: pgrx, or this module, reads exactly this type of `pg_catalog` so, whose oid is fixed.
        unsafe impl Column for $name {
            const SQL_TYPE: &'static str = $sql;

            fn reads(oid: pg_sys::Oid) -> bool {
                oid == pg_sys::$oid
            }
        }
    )*};
}

reads! {
    bool, "boolean", BOOLOID;
    i32, "integer", INT4OID;
    i64, "bigint", INT8OID;
    f32, "real", FLOAT4OID;
    f64, "double precision", FLOAT8OID;
    String, "text", TEXTOID;
    RawText, "text", TEXTOID;
    Uuid, "uuid", UUIDOID;
    Json, "jsonb", JSONBOID;
    RawJsonb, "jsonb", JSONBOID;
    Tsvector<'_>, "tsvector", TSVECTOROID;
    TextArray, "text[]", TEXTARRAYOID;
    Vec<Option<String>>, "text[]", TEXTARRAYOID;
    Vec<Option<i32>>, "integer[]", INT4ARRAYOID;
    Vec<pg_sys::Oid>, "oid[]", OIDARRAYOID;
    Vec<Option<f32>>, "real[]", FLOAT4ARRAYOID;
}

thread_local! {
    /// The type that was last found to be `ltree`; membership costs two scans of catalogs.
    static LTREE: Cell<pg_sys::Oid> = const { Cell::new(pg_sys::InvalidOid) };
}

// SAFETY: the type is the `ltree` of the extension, a value of variable length that is only copied, and
// returned where the install script declares the very same type.
unsafe impl Column for Ltree {
    const SQL_TYPE: &'static str = "ltree";

    fn reads(oid: pg_sys::Oid) -> bool {
        let known = LTREE.get() == oid;
        if !known && brought_by(oid, c"ltree").as_deref() == Some("ltree") {
            LTREE.set(oid);
        }
        LTREE.get() == oid
    }
}

/// Asks PostgreSQL to tell when a type changes; once for a backend.
pub fn watch() {
    #[pgrx::pg_guard]
    unsafe extern "C-unwind" fn changed(_argument: pg_sys::Datum, _cache: i32, _hash: u32) {
        LTREE.set(pg_sys::InvalidOid);
    }
    // SAFETY: the function lives as long as the backend, and only sets a variable.
    unsafe {
        pg_sys::CacheRegisterSyscacheCallback(
            pg_sys::SysCacheIdentifier::TYPEOID as i32,
            Some(changed),
            pg_sys::Datum::null(),
        );
    }
}

/// Returns the name of a base type that is a member of an extension.
///
/// The owner of an extension can make types of his own members of it, but base types are made by
/// superusers alone: a domain, an enum or a composite of that name is none.
#[expect(clippy::cast_ptr_alignment, reason = "PostgreSQL aligns what a tuple holds")]
pub fn brought_by(oid: pg_sys::Oid, extension: &CStr) -> Option<String> {
    // SAFETY: look-ups in the catalogs by oids, which return nothing for what is missing; the tuple is
    // released when its fields were copied, and the name of the extension is a string in memory of the
    // call.
    unsafe {
        let brings = pg_sys::getExtensionOfObject(pg_sys::TypeRelationId, oid);
        let name = pg_sys::get_extension_name(brings);
        if name.is_null() || CStr::from_ptr(name) != extension {
            return None;
        }
        let cache = pg_sys::SysCacheIdentifier::TYPEOID as i32;
        let tuple = pg_sys::SearchSysCache1(cache, pg_sys::Datum::from(oid));
        if tuple.is_null() {
            return None;
        }
        let of = &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_type>();
        let is_base = of.typtype as u8 == pg_sys::TYPTYPE_BASE && of.typlen == -1;
        let name = is_base.then(|| pgrx::name_data_to_str(&of.typname).to_owned());
        pg_sys::ReleaseSysCache(tuple);
        name
    }
}
