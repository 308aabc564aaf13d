/*!
Long arrays of jsonb, parsed in parts.

PostgreSQL parses a jsonb without a check for interrupts, and a million citations take it seconds. So an
array is parsed in parts, and their elements are concatenated in PostgreSQL's own layout: a header with
the number of elements, an entry of four bytes for each, and the elements, each of them aligned. An entry
has the length of its element; every 32nd entry has the end offset instead.

# Source

`convertJsonbArray` and `jsonb.h` of PostgreSQL; the layout is the same since 9.4.
*/

use pgrx::{PgMemoryContexts, pg_sys};
use std::ffi::CString;

/// The bits of an entry that are a length or an offset, and the bits of a header that are a count.
const LENGTH: u32 = 0x0fff_ffff;
/// Marks an entry that has an end offset.
const IS_END: u32 = 0x8000_0000;
/// The bits of an entry that are the type of its element.
const TYPE: u32 = 0x7000_0000;
/// Marks the header of an array.
const IS_ARRAY: u32 = 0x4000_0000;
/// One entry of so many has an end offset.
const STRIDE: usize = 32;

/// An array under construction.
#[derive(Default)]
struct Array {
    entries: Vec<u32>,
    /// The elements of each part. They are copied once, at the end: a buffer that grows to 150 MB
    /// would be copied without a check for interrupts.
    elements: Vec<Vec<u8>>,
    /// The size of all elements, in bytes.
    length: usize,
}

/// Concatenates JSON arrays of objects to one jsonb.
///
/// # Panics
///
/// Panics with PostgreSQL's own error if a jsonb cannot hold so many elements.
pub fn concatenate(parts: &[String]) -> pg_sys::Datum {
    if let [part] = parts {
        return parse(part);
    }
    let mut array = Array::default();
    for part in parts {
        pgrx::check_for_interrupts!();
        let mut context = PgMemoryContexts::new("citations");
        // SAFETY: `jsonb_in` returns a value of variable length that is neither packed nor toasted, as
        // long as it says; its bytes are copied, and nothing that was allocated in the context is used
        // after its end.
        unsafe {
            context.switch_to(|_| {
                let value: *mut pg_sys::varlena = parse(part).cast_mut_ptr();
                let bytes =
                    std::slice::from_raw_parts(value.cast::<u8>(), pgrx::varsize_any(value));
                array.add(&bytes[pg_sys::VARHDRSZ..]);
            });
        }
    }
    array.finish()
}

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

impl Array {
    /// Adds the elements of a part, given without the length of the value.
    fn add(&mut self, part: &[u8]) {
        let word = |at: usize| {
            u32::from_ne_bytes(part[4 * at..4 * at + 4].try_into().expect("a word has four bytes"))
        };
        let count = (word(0) & LENGTH) as usize;
        // In its part the first element is aligned already; here it follows other elements.
        let padding = self.length.next_multiple_of(4) - self.length;
        let mut end = 0;
        for at in 0..count {
            let entry = word(1 + at);
            let next = if entry & IS_END == 0 { end + (entry & LENGTH) } else { entry & LENGTH };
            let padding = if at == 0 { padding as u32 } else { 0 };
            self.entries.push(entry & TYPE | (next - end + padding));
            end = next;
        }
        let mut elements = vec![0; padding];
        elements.extend_from_slice(&part[4 * (1 + count)..][..end as usize]);
        self.length += elements.len();
        self.elements.push(elements);
    }

    fn finish(mut self) -> pg_sys::Datum {
        assert!(self.length <= LENGTH as usize, "the citations are more than a jsonb holds");
        let mut end = 0;
        for (at, entry) in self.entries.iter_mut().enumerate() {
            end += *entry & LENGTH;
            if at.is_multiple_of(STRIDE) {
                *entry = *entry & TYPE | IS_END | end;
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
            for elements in self.elements {
                pgrx::check_for_interrupts!();
                std::ptr::copy_nonoverlapping(elements.as_ptr(), at, elements.len());
                at = at.add(elements.len());
            }
            pg_sys::Datum::from(value)
        }
    }
}
