//! The catalogs of PostgreSQL: names and owners of objects.

use pgrx::pg_sys;
use std::ffi::{CStr, CString};

/// Objects below this oid belong to PostgreSQL itself.
const FIRST_USER_OBJECT: u32 = 16_384;

/// Returns whether an object is not one of PostgreSQL itself.
pub fn is_of_user(object: pg_sys::Oid) -> bool {
    object.to_u32() >= FIRST_USER_OBJECT
}

/// Returns the owner of a relation, a function or a type, or `None` if it is missing.
#[expect(clippy::cast_ptr_alignment, reason = "PostgreSQL aligns what a tuple holds")]
pub fn owner(class: pg_sys::Oid, object: pg_sys::Oid) -> Option<pg_sys::Oid> {
    use pg_sys::SysCacheIdentifier::{PROCOID, RELOID, TYPEOID};
    let cache = match class {
        pg_sys::RelationRelationId => RELOID,
        pg_sys::ProcedureRelationId => PROCOID,
        _ => TYPEOID,
    };
    // SAFETY: a look-up by an oid, which returns NULL for a missing object; the tuple has the form of its catalog, and
    // is released when its owner was copied.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(cache as i32, pg_sys::Datum::from(object));
        if tuple.is_null() {
            return None;
        }
        let form = pg_sys::GETSTRUCT(tuple);
        let owner = match class {
            pg_sys::RelationRelationId => (*form.cast::<pg_sys::FormData_pg_class>()).relowner,
            pg_sys::ProcedureRelationId => (*form.cast::<pg_sys::FormData_pg_proc>()).proowner,
            _ => (*form.cast::<pg_sys::FormData_pg_type>()).typowner,
        };
        pg_sys::ReleaseSysCache(tuple);
        Some(owner)
    }
}

/// Returns the description of an object, such as `function public.f(text)`.
pub fn describe(class: pg_sys::Oid, object: pg_sys::Oid) -> String {
    // SAFETY: the object was found by the analysis of a statement; the description is a string in memory of the call.
    let text = unsafe { CStr::from_ptr(pg_sys::getObjectDescriptionOids(class, object)) };
    text.to_string_lossy().into_owned()
}

/// Returns the name of a role.
pub fn role_name(role: pg_sys::Oid) -> String {
    // SAFETY: a look-up that returns NULL for a missing role, else a string in memory of the call.
    let name = unsafe { pg_sys::GetUserNameFromId(role, true) };
    if name.is_null() {
        return role.to_u32().to_string();
    }
    // SAFETY: it is not NULL.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// Returns the name of the current role.
pub fn current_role() -> String {
    // SAFETY: reads a variable of the backend.
    role_name(unsafe { pg_sys::GetUserId() })
}

/// Returns an identifier as `quote_ident` writes it, with quotes only where SQL needs them.
pub fn identifier(name: &str) -> String {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: a string that ends in NUL, and a result that is this one or one in memory of the call.
    unsafe { CStr::from_ptr(pg_sys::quote_identifier(name.as_ptr())) }
        .to_string_lossy()
        .into_owned()
}
