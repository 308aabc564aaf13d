/*!
Which types of columns can be read as the type that a statement needs.

A cast that parses the text of a value shows the value in its error, and a cast that a user made is a
function of that user. So a column is cast only by what PostgreSQL itself has: between types of one
domain, by a function of its own that an assignment would call, and to `text`.
*/

use pgrx::pg_sys;

/// The place of a cast's oid in the catalog of casts, whose header is not among the bindings.
const OID: i16 = 1;

/// Tells whether a value of one type can be cast to another one without parsing its text and without
/// a cast that a user made.
pub fn converts(from: pg_sys::Oid, to: pg_sys::Oid) -> bool {
    // SAFETY: look-ups of types, which raise an error where one is missing.
    let (from, to) = unsafe { (pg_sys::getBaseType(from), pg_sys::getBaseType(to)) };
    if from == to {
        return true;
    }
    let mut function = pg_sys::InvalidOid;
    // SAFETY: a look-up of one cast; the pointer is to an oid that outlives it.
    let path = unsafe {
        let context = pg_sys::CoercionContext::COERCION_ASSIGNMENT;
        pg_sys::find_coercion_pathway(to, from, context, &raw mut function)
    };
    match path {
        pg_sys::CoercionPathType::COERCION_PATH_FUNC
        | pg_sys::CoercionPathType::COERCION_PATH_RELABELTYPE => is_built_in(from, to),
        pg_sys::CoercionPathType::COERCION_PATH_ARRAYCOERCE => {
            // SAFETY: look-ups of types, which give an invalid oid for what is no array.
            let element = |of| unsafe { pg_sys::get_element_type(of) };
            converts(element(from), element(to))
        }
        // To write a value as text shows nothing, and the text of json can be read as jsonb.
        pg_sys::CoercionPathType::COERCION_PATH_COERCEVIAIO => {
            to == pg_sys::TEXTOID || (from, to) == (pg_sys::JSONOID, pg_sys::JSONBOID)
        }
        _ => false,
    }
}

/// Tells whether a cast came with the server.
fn is_built_in(from: pg_sys::Oid, to: pg_sys::Oid) -> bool {
    // SAFETY: a look-up of a cast by two oids, which gives an invalid oid where there is none.
    let cast = unsafe {
        pg_sys::GetSysCacheOid(
            pg_sys::SysCacheIdentifier::CASTSOURCETARGET as i32,
            OID,
            pg_sys::Datum::from(from),
            pg_sys::Datum::from(to),
            pg_sys::Datum::null(),
            pg_sys::Datum::null(),
        )
    };
    cast != pg_sys::InvalidOid && cast.to_u32() < pg_sys::FirstNormalObjectId
}
