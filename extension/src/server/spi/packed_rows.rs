//! The result of a statement as bytes, in the binary formats of its types.
//!
//! First the names of the types, then each value: its length, its bytes and a NUL. NULL has the length -1.

use super::rows::Rows;
use crate::server::error::Error;
use passage_split::interrupt::poll_periodically as pause;
use pgrx::{pg_sys, varlena};
use std::ffi::CStr;
use std::rc::Rc;

/// The maximum number of bytes of a value in PostgreSQL, without its header.
const MAX_BYTES: usize = (1 << 30) - 8;

/// The length of NULL.
const NULL_LENGTH: i32 = -1;

/// Returns the bytes of rows.
///
/// # Errors
///
/// Returns [`Error::ShardResult`] if they are too many for a value of PostgreSQL.
pub(super) fn pack(rows: &Rows, store: &str) -> Result<Vec<u8>, Error> {
    let mut packed = Vec::new();
    put(&mut packed, Some(type_names(rows.types()).as_bytes()));
    let mut functions: Vec<_> = rows.types().iter().map(|oid| send_function(*oid)).collect();
    for row in 0..rows.len() {
        pause(row);
        for (value, function) in rows.values(row).zip(&mut functions) {
            let Some(datum) = value.datum else {
                put(&mut packed, None);
                continue;
            };
            // SAFETY: the function is the one that the catalog has for the type of the value, and its result is freed once.
            unsafe {
                let sent = pg_sys::SendFunctionCall(function, datum);
                put(&mut packed, Some(varlena::varlena_to_byte_slice(sent.cast())));
                pg_sys::pfree(sent.cast());
            }
            if packed.len() > MAX_BYTES {
                return Err(Error::ShardResult { store: store.to_owned() });
            }
        }
    }
    Ok(packed)
}

/// Reads the result of a statement whose columns have some types.
///
/// # Errors
///
/// Returns [`Error::ShardArguments`] for bytes that are not such a result.
pub(super) fn unpack<'c>(
    packed: &[u8],
    types: &[pg_sys::Oid],
    store: Rc<str>,
) -> Result<Rows<'c>, Error> {
    let invalid = || Error::ShardArguments { store: store.to_string() };
    let mut rest = packed;
    let names = take(&mut rest).map_err(|()| invalid())?;
    if names.map(|names| &names[..names.len() - 1]) != Some(type_names(types).as_bytes()) {
        return Err(invalid());
    }
    let mut functions: Vec<_> = types.iter().map(|oid| receive_function(*oid)).collect();
    let mut values = Vec::new();
    while !rest.is_empty() {
        pause(values.len());
        for (function, parameter) in &mut functions {
            let Some(bytes) = take(&mut rest).map_err(|()| invalid())? else {
                values.push((pg_sys::Datum::null(), true));
                continue;
            };
            let length = bytes.len() as i32 - 1;
            let mut buffer = pg_sys::StringInfoData {
                data: bytes.as_ptr().cast_mut().cast(),
                len: length,
                maxlen: length + 1,
                cursor: 0,
            };
            // SAFETY: the function receives values of the type from bytes that end in NUL, and checks them. It
            // allocates the value in memory of the connection.
            let datum =
                unsafe { pg_sys::ReceiveFunctionCall(function, &raw mut buffer, *parameter, -1) };
            if buffer.cursor != length {
                return Err(invalid());
            }
            values.push((datum, false));
        }
    }
    let count = values.len() / types.len().max(1);
    Ok(Rows::new(values, types.to_vec(), count, store))
}

fn put(packed: &mut Vec<u8>, value: Option<&[u8]>) {
    let length = value.map_or(NULL_LENGTH, |bytes| bytes.len() as i32);
    packed.extend(length.to_be_bytes());
    if let Some(bytes) = value {
        packed.extend(bytes);
        packed.push(0);
    }
}

/// Takes a value with its NUL from the front, `None` for NULL. It is an error if there is none.
fn take<'a>(rest: &mut &'a [u8]) -> Result<Option<&'a [u8]>, ()> {
    let (length, after) = rest.split_first_chunk().ok_or(())?;
    *rest = after;
    let length = i32::from_be_bytes(*length);
    if length == NULL_LENGTH {
        return Ok(None);
    }
    let length = usize::try_from(length).map_err(drop)?;
    let (bytes, after) = rest.split_at_checked(length + 1).ok_or(())?;
    *rest = after;
    if bytes.last() == Some(&0) { Ok(Some(bytes)) } else { Err(()) }
}

/// Returns the names of types with their schemas. Their oids differ between servers.
fn type_names(types: &[pg_sys::Oid]) -> String {
    let name = |oid: &pg_sys::Oid| {
        // SAFETY: a look-up that gives "???" for a type that is missing, as a string in memory of the call.
        let name = unsafe {
            let qualified = pg_sys::FORMAT_TYPE_FORCE_QUALIFY as pg_sys::bits16;
            CStr::from_ptr(pg_sys::format_type_extended(*oid, -1, qualified))
        };
        name.to_string_lossy().into_owned()
    };
    types.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn send_function(oid: pg_sys::Oid) -> pg_sys::FmgrInfo {
    let (mut function, mut is_varlena) = Default::default();
    let mut info = pg_sys::FmgrInfo::default();
    // SAFETY: look-ups in the catalog, which raise an error for a type without a binary format.
    unsafe {
        pg_sys::getTypeBinaryOutputInfo(oid, &raw mut function, &raw mut is_varlena);
        pg_sys::fmgr_info(function, &raw mut info);
    }
    info
}

/// Returns the function that receives values of a type, and its parameter.
fn receive_function(oid: pg_sys::Oid) -> (pg_sys::FmgrInfo, pg_sys::Oid) {
    let (mut function, mut parameter) = Default::default();
    let mut info = pg_sys::FmgrInfo::default();
    // SAFETY: as in `send_function`.
    unsafe {
        pg_sys::getTypeBinaryInputInfo(oid, &raw mut function, &raw mut parameter);
        pg_sys::fmgr_info(function, &raw mut info);
    }
    (info, parameter)
}
