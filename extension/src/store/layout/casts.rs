/*!
Casts by which a column can be read as the type that a statement needs.

A cast through text shows the value in its error, and a cast that a user created is a function of that
user. So columns are cast only by PostgreSQL's own casts: between a domain and its base type, by a
built-in function that an assignment would call, and to `text`.
*/

use pgrx::pg_sys;

/// The number of the column `oid` in `pg_cast`, which the bindings do not define.
const OID: i16 = 1;

/// Returns whether a value of one type can be cast to another type without parsing its text and
/// without a cast that a user created.
pub fn can_cast(from: pg_sys::Oid, to: pg_sys::Oid) -> bool {
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
            // SAFETY: look-ups of types, which give an invalid oid for a type that is not an array.
            let element = |array| unsafe { pg_sys::get_element_type(array) };
            can_cast(element(from), element(to))
        }
        // Converting a value to text cannot fail, and the text of json can be read as jsonb.
        pg_sys::CoercionPathType::COERCION_PATH_COERCEVIAIO => {
            to == pg_sys::TEXTOID || (from, to) == (pg_sys::JSONOID, pg_sys::JSONBOID)
        }
        _ => false,
    }
}

/// Returns whether a cast is built into the server.
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
