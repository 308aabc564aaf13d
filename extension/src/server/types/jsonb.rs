/*!
Arrays of objects as jsonb, written in PostgreSQL's own layout.

A passage cites each of its chunks. To write the citations as text and let PostgreSQL parse it took an eighth of a call
with ten passages, and a million citations took seconds without a check for interrupts.

An array or an object is a header with the number of elements or keys, an entry of four bytes for each, and the elements.
An object has the entries of its keys, which are sorted by length and then by bytes, and then those of its values:

```text
{"ordinal": 7, "end": 120}     2 keys | string 3, string 7, number 8, number 9 | end ordinal 120 .7
```

An entry has the type of its element and its length. Numbers and objects begin at a multiple of four bytes, and their
length includes the padding before them. Every 32nd entry has the end offset instead of the length.

# Source

`convertJsonbValue` of `jsonb_util.c`, `jsonb.h`, and `make_result` of `numeric.c`; the layout is the same since 9.4.
*/

use passage_split::interrupt::poll_periodically as pause;
use pgrx::{IntoDatum, pg_sys};
use serde_json::Value;
use std::ffi::CString;

/// The bits of an entry that are a length or an offset.
const LENGTH: u32 = 0x0fff_ffff;
/// Marks an entry that has an end offset.
const IS_END: u32 = 0x8000_0000;
/// One entry of so many has an end offset.
const STRIDE: usize = 32;

/// The types of entries.
const TEXT: u32 = 0x0000_0000;
const NUMBER: u32 = 0x1000_0000;
const NULL: u32 = 0x4000_0000;
const CONTAINER: u32 = 0x5000_0000;

/// Mark the header of an array and of an object.
const IS_ARRAY: u32 = 0x4000_0000;
const IS_OBJECT: u32 = 0x2000_0000;

/// The size of a part of an array from which the next one begins, in bytes.
const PART: usize = 1 << 20;

/// Marks a number in the short format, and a negative one.
const IS_SHORT: u16 = 0x8000;
const IS_NEGATIVE: u16 = 0x2000;
/// The base of the digits of a number.
const BASE: u64 = 10_000;

/// A value of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar<'a> {
    Null,
    Integer(i64),
    Unsigned(u64),
    Text(&'a str),
}

impl<'a> Scalar<'a> {
    /// Returns a text or a number without a sign; NULL for other values.
    pub fn of(value: &'a Value) -> Self {
        let number = || value.as_u64().map_or(Self::Null, Self::Unsigned);
        value.as_str().map_or_else(number, Self::Text)
    }
}

/// A jsonb array of objects.
#[derive(Clone, Debug, Default)]
pub struct ObjectArray {
    entries: Vec<u32>,
    /// The elements in parts. They are copied once, at the end: a buffer that grows to 150 MB would be copied without a
    /// check for interrupts.
    parts: Vec<Vec<u8>>,
    /// The size of all elements, in bytes.
    length: usize,
}

impl ObjectArray {
    /// Adds an object with different keys, in any order.
    pub fn push(&mut self, mut fields: Vec<(&str, Scalar)>) {
        let mut padding = 0;
        if let Some(part) = self.parts.last_mut() {
            let length = part.len();
            part.resize(length.next_multiple_of(4), 0);
            padding = part.len() - length;
        }
        if self.parts.last().is_none_or(|part| part.len() >= PART) {
            self.parts.push(Vec::new());
        }
        let part = self.parts.last_mut().expect("one was added");
        let start = part.len();
        fields.sort_unstable_by_key(|(key, _)| (key.len(), *key));
        write_object(part, &fields);
        let length = padding + part.len() - start;
        self.length += length;
        self.entries.push(CONTAINER | length as u32);
    }
}

/// Writes an object whose keys are sorted, at a multiple of four bytes.
fn write_object(bytes: &mut Vec<u8>, fields: &[(&str, Scalar)]) {
    bytes.extend((fields.len() as u32 | IS_OBJECT).to_ne_bytes());
    let entries = bytes.len();
    bytes.resize(entries + 8 * fields.len(), 0);
    let elements = bytes.len();
    let keys = fields.iter().map(|(key, _)| Scalar::Text(key));
    let values = fields.iter().map(|(_, value)| *value);
    for (index, element) in keys.chain(values).enumerate() {
        let start = bytes.len();
        let kind = write_scalar(bytes, element);
        let entry = if index.is_multiple_of(STRIDE) {
            kind | IS_END | (bytes.len() - elements) as u32
        } else {
            kind | (bytes.len() - start) as u32
        };
        bytes[entries + 4 * index..][..4].copy_from_slice(&entry.to_ne_bytes());
    }
}

/// Writes a value with the padding before it, and returns the type of its entry.
fn write_scalar(bytes: &mut Vec<u8>, value: Scalar) -> u32 {
    match value {
        Scalar::Null => NULL,
        Scalar::Text(text) => {
            bytes.extend_from_slice(text.as_bytes());
            TEXT
        }
        Scalar::Integer(number) => {
            write_number(bytes, number < 0, number.unsigned_abs());
            NUMBER
        }
        Scalar::Unsigned(number) => {
            write_number(bytes, false, number);
            NUMBER
        }
    }
}

/// Writes a number as `numeric`: the length, a header with sign and weight, and the digits without zeros at the end.
fn write_number(bytes: &mut Vec<u8>, is_negative: bool, mut rest: u64) {
    // The least significant digit first.
    let mut digits = [0_u16; 5];
    let mut count = 0;
    while rest > 0 {
        digits[count] = (rest % BASE) as u16;
        rest /= BASE;
        count += 1;
    }
    let zeros = digits[..count].iter().take_while(|digit| **digit == 0).count();
    let weight = count.saturating_sub(1) as u16;
    let sign = if is_negative { IS_NEGATIVE } else { 0 };
    let length = pg_sys::VARHDRSZ + 2 + 2 * (count - zeros);
    let start = bytes.len().next_multiple_of(4);
    bytes.resize(start + pg_sys::VARHDRSZ, 0);
    // SAFETY: the four bytes of the length were added at this place.
    unsafe { pgrx::set_varsize_4b(bytes[start..].as_mut_ptr().cast(), length as i32) };
    bytes.extend((IS_SHORT | sign | weight).to_ne_bytes());
    for digit in digits[zeros..count].iter().rev() {
        bytes.extend(digit.to_ne_bytes());
    }
}

impl IntoDatum for ObjectArray {
    fn into_datum(mut self) -> Option<pg_sys::Datum> {
        assert!(self.length <= LENGTH as usize, "the objects are more than a jsonb holds");
        let mut end = 0;
        for (index, entry) in self.entries.iter_mut().enumerate() {
            pause(index);
            end += *entry & LENGTH;
            if index.is_multiple_of(STRIDE) {
                *entry = CONTAINER | IS_END | end;
            }
        }
        let count = self.entries.len();
        let length = pg_sys::VARHDRSZ + 4 * (1 + count) + self.length;
        // SAFETY: exactly `length` bytes are allocated, and written one part after the other: the length
        // itself, the header, an entry for each element, the elements.
        unsafe {
            let value = pg_sys::palloc(length).cast::<u8>();
            pgrx::set_varsize_4b(value.cast(), length as i32);
            let header = (count as u32 | IS_ARRAY).to_ne_bytes();
            let mut at = value.add(pg_sys::VARHDRSZ);
            std::ptr::copy_nonoverlapping(header.as_ptr(), at, header.len());
            at = at.add(header.len());
            std::ptr::copy_nonoverlapping(self.entries.as_ptr().cast(), at, 4 * count);
            at = at.add(4 * count);
            for part in self.parts {
                pgrx::check_for_interrupts!();
                std::ptr::copy_nonoverlapping(part.as_ptr(), at, part.len());
                at = at.add(part.len());
            }
            Some(pg_sys::Datum::from(value))
        }
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONBOID
    }
}

sql_result!(ObjectArray);
sql_name!(ObjectArray, "jsonb");

/// Parses a text as jsonb.
pub fn parse(text: &str) -> pg_sys::Datum {
    let text = CString::new(text).expect("JSON holds no NUL");
    // SAFETY: the function has one argument, a string that ends in NUL, keeps no pointer to it, and
    // raises an error for a text that is not JSON.
    unsafe {
        let text = Some(pg_sys::Datum::from(text.as_ptr()));
        pgrx::direct_function_call_as_datum(pg_sys::jsonb_in, &[text]).expect("it is not NULL")
    }
}
