/*!
The Rust types that can read columns of a type of PostgreSQL.

A value of PostgreSQL does not carry its type: a number that is read as another type becomes an address.
So each Rust type names the one type of PostgreSQL for which reading is sound, and
[`Rows`](crate::server::spi::Rows) compares the types before it reads. The types of an extension have no fixed
oid. They are identified by membership, since any user may create a type of the same name.
*/

use super::{Json, Ltree, RawJsonb, RawText, TextArray, Tsvector};
use pgrx::datum::Uuid;
use pgrx::pg_sys;
use std::cell::Cell;
use std::ffi::CStr;

/// A Rust type that a column can be read as.
///
/// # Safety
///
/// Reading a value of a type that `reads` accepts must be sound.
pub unsafe trait Column {
    /// The name of the type in PostgreSQL, for messages.
    const SQL_TYPE: &'static str;

    /// Returns whether a column of a type can be read.
    fn reads(oid: pg_sys::Oid) -> bool;
}

macro_rules! reads {
    ($($name:ty, $sql:literal, $oid:ident;)*) => {$(
        // SAFETY: pgrx, or `types`, reads exactly this type of `pg_catalog`, whose oid is fixed.
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
    Vec<u8>, "bytea", BYTEAOID;
    Vec<Option<String>>, "text[]", TEXTARRAYOID;
    Vec<Option<i32>>, "integer[]", INT4ARRAYOID;
    pg_sys::Oid, "oid", OIDOID;
    Vec<pg_sys::Oid>, "oid[]", OIDARRAYOID;
    Vec<Option<f32>>, "real[]", FLOAT4ARRAYOID;
}

thread_local! {
    /// The oid that was last found to be `ltree`. Checking the membership costs two catalog scans.
    static LTREE: Cell<pg_sys::Oid> = const { Cell::new(pg_sys::InvalidOid) };
}

// SAFETY: the type is the `ltree` of the extension, a value of variable length that is only copied, and
// returned only where the install script declares the same type.
unsafe impl Column for Ltree {
    const SQL_TYPE: &'static str = "ltree";

    fn reads(oid: pg_sys::Oid) -> bool {
        let is_cached = LTREE.get() == oid;
        if !is_cached && extension_type_name(oid, c"ltree").as_deref() == Some("ltree") {
            LTREE.set(oid);
        }
        LTREE.get() == oid
    }
}

/// Asks PostgreSQL to report changes of types. Must be called once in a backend.
pub fn register() {
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
/// The owner of an extension can add types of their own to it, but only superusers can create base
/// types. So a domain, an enum or a composite type of that name does not count.
#[expect(clippy::cast_ptr_alignment, reason = "PostgreSQL aligns what a tuple holds")]
pub fn extension_type_name(oid: pg_sys::Oid, extension: &CStr) -> Option<String> {
    // SAFETY: look-ups in the catalogs by oids, which return nothing for what is missing; the tuple is
    // released when its fields were copied, and the name of the extension is a string in memory of the
    // call.
    unsafe {
        let owner = pg_sys::getExtensionOfObject(pg_sys::TypeRelationId, oid);
        let name = pg_sys::get_extension_name(owner);
        if name.is_null() || CStr::from_ptr(name) != extension {
            return None;
        }
        let cache = pg_sys::SysCacheIdentifier::TYPEOID as i32;
        let tuple = pg_sys::SearchSysCache1(cache, pg_sys::Datum::from(oid));
        if tuple.is_null() {
            return None;
        }
        let row = &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_type>();
        let is_base = row.typtype as u8 == pg_sys::TYPTYPE_BASE && row.typlen == -1;
        let name = is_base.then(|| pgrx::name_data_to_str(&row.typname).to_owned());
        pg_sys::ReleaseSysCache(tuple);
        name
    }
}
