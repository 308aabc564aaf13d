/*!
Long arrays of jsonb, made in pieces.

PostgreSQL reads a text as jsonb without looking for interrupts, and a million citations take it
seconds. So an array is read in pieces, and what they hold is put together as PostgreSQL lays it out:
a header with the number of elements, an entry of four bytes for each, and the elements, each of
them aligned. An entry has the length of its element, every 32nd the end of it in place of that.

# Source

`convertJsonbArray` and `jsonb.h` of PostgreSQL; the layout is the same since 9.4.
*/

use pgrx::{PgMemoryContexts, pg_sys};
use std::ffi::CString;

/// The bits of an entry that are a length or an end, and those of a header that are a number.
const LENGTH: u32 = 0x0fff_ffff;
/// That an entry has an end in place of a length.
const IS_END: u32 = 0x8000_0000;
/// What an element is.
const TYPE: u32 = 0x7000_0000;
/// That a header is one of an array.
const IS_ARRAY: u32 = 0x4000_0000;
/// Every so many entries have an end.
const STRIDE: usize = 32;

/// An array that is being made.
#[derive(Default)]
struct Array {
    entries: Vec<u32>,
    /// The elements of each piece. They are copied once, at the end: a buffer that grows to 150 MB
    /// is copied without a check for interrupts.
    elements: Vec<Vec<u8>>,
    /// How many bytes the elements have.
    length: usize,
}

/// Makes a jsonb of texts that are JSON arrays, whose elements are objects.
///
/// # Panics
///
/// Panics with PostgreSQL's own error if they are more than a jsonb can hold.
pub fn array(pieces: &[String]) -> pg_sys::Datum {
    if let [whole] = pieces {
        return read(whole);
    }
    let mut array = Array::default();
    for piece in pieces {
        pgrx::check_for_interrupts!();
        let mut garbage = PgMemoryContexts::new("citations");
        // SAFETY: what `jsonb_in` returns is a value of variable length that is neither packed nor
        // outside of memory, as long as it says; its bytes are copied, and nothing that was allocated in
        // the context is used when it is gone.
        unsafe {
            garbage.switch_to(|_| {
                let value: *mut pg_sys::varlena = read(piece).cast_mut_ptr();
                let bytes =
                    std::slice::from_raw_parts(value.cast::<u8>(), pgrx::varsize_any(value));
                array.add(&bytes[pg_sys::VARHDRSZ..]);
            });
        }
    }
    array.finish()
}

/// Reads a text as jsonb.
pub fn read(text: &str) -> pg_sys::Datum {
    let text = CString::new(text).expect("JSON holds no NUL");
    // SAFETY: the function takes one string that ends in NUL, is done with it when it returns, and
    // raises an error for what is no JSON.
    unsafe {
        let text = Some(pg_sys::Datum::from(text.as_ptr()));
        pgrx::direct_function_call_as_datum(pg_sys::jsonb_in, &[text]).expect("it is not NULL")
    }
}

impl Array {
    /// Adds the elements of a piece.
    fn add(&mut self, piece: &[u8]) {
        let word = |at: usize| {
            u32::from_ne_bytes(piece[4 * at..4 * at + 4].try_into().expect("a word has four bytes"))
        };
        let count = (word(0) & LENGTH) as usize;
        // The first element of a piece is aligned by itself, and here behind what is there.
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
        elements.extend_from_slice(&piece[4 * (1 + count)..][..end as usize]);
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
