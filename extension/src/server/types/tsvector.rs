/*!
Values of the type `tsvector`, read in place.

In SQL, `unnest` returns a row for each lexeme of a chunk. This module looks up the lexemes of a query by
binary search instead. A query reads thousands of chunks, so nothing is copied, and the bit fields of an
entry are decoded by hand: the generated accessors took a quarter of the time.

# Source

`tsearch/ts_type.h` of PostgreSQL; the layout is the same since 8.3.
*/

use passage_core::search::bm25::Field;
use passage_core::search::is_syllable;
use pgrx::pg_sys;

/// The lexemes of a chunk with their positions.
#[derive(Clone, Copy)]
pub struct Tsvector<'v> {
    /// A number of 32 bits for each lexeme, in the order of the lexemes.
    entries: &'v [u8],
    /// The lexemes, each followed by its positions.
    lexemes: &'v [u8],
}

/// The offset of the entries: after the length of the value and the number of entries.
const ENTRIES: usize = 8;

/// The size of an entry, in bytes.
const ENTRY: usize = size_of::<pg_sys::WordEntry>();

/// The position of a lexeme among the bytes of all lexemes.
#[derive(Clone, Copy)]
struct Entry {
    has_positions: bool,
    start: usize,
    length: usize,
}

impl Entry {
    /// Decodes the bit fields `haspos` (1), `len` (11) and `pos` (20). On a little-endian machine C
    /// places them from the lowest bit on.
    fn decode(bits: u32) -> Self {
        let [has_positions, length, start] = if cfg!(target_endian = "little") {
            [bits & 1, bits >> 1 & 0x7ff, bits >> 12]
        } else {
            [bits >> 31, bits >> 20 & 0x7ff, bits & 0xf_ffff]
        };
        Self { has_positions: has_positions == 1, start: start as usize, length: length as usize }
    }
}

impl<'v> Tsvector<'v> {
    /// Reads a value.
    ///
    /// # Safety
    ///
    /// The datum must be a `tsvector` and, like the current memory context, live as long as the result.
    pub unsafe fn from_datum(datum: pg_sys::Datum) -> Self {
        // SAFETY: the datum is a `tsvector`, as the caller promises, so a value of variable length, which
        // is as long as it says once it is unpacked, into the current memory context if it was packed.
        let bytes = unsafe {
            let value = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
            std::slice::from_raw_parts(value.cast::<u8>(), pgrx::varsize_any(value))
        };
        let count = i32::from_ne_bytes(bytes[4..ENTRIES].try_into().expect("there are four bytes"));
        let (entries, lexemes) = bytes[ENTRIES..].split_at(count as usize * ENTRY);
        Self { entries, lexemes }
    }

    /// Returns the number of words in the content.
    pub fn length(&self) -> usize {
        let mut length = 0;
        for entry in 0..self.count() {
            self.positions_at(entry, |field, _| length += usize::from(field == Field::Content));
        }
        length
    }

    /// Calls `visit` with each position of a lexeme of a query, in order. A syllable has those of the lexemes that begin
    /// with it.
    pub fn positions(&self, lexeme: &str, mut visit: impl FnMut(Field, u16)) {
        let index = self.lower_bound(lexeme);
        if is_syllable(lexeme) {
            let mut positions = Vec::new();
            self.with_prefix(lexeme, |_, index| {
                self.positions_at(index, |field, position| positions.push((position, field)));
            });
            positions.sort_unstable();
            for (position, field) in positions {
                visit(field, position);
            }
        } else if self.is(index, lexeme) {
            self.positions_at(index, visit);
        }
    }

    /// Returns whether there is a lexeme of a query, or one that begins with its syllable.
    pub fn has(&self, lexeme: &str) -> bool {
        let index = self.lower_bound(lexeme);
        let begins = || index < self.count() && self.lexeme(index).starts_with(lexeme.as_bytes());
        self.is(index, lexeme) || is_syllable(lexeme) && begins()
    }

    /// Calls `visit` with each lexeme that has a prefix, in order, and with its index.
    pub fn with_prefix(&self, prefix: &str, mut visit: impl FnMut(&'v str, usize)) {
        for index in self.lower_bound(prefix)..self.count() {
            let lexeme = self.lexeme(index);
            if !lexeme.starts_with(prefix.as_bytes()) {
                break;
            }
            // Only a database in another encoding than UTF-8 has lexemes that are not UTF-8.
            if let Ok(lexeme) = std::str::from_utf8(lexeme) {
                visit(lexeme, index);
            }
        }
    }

    /// Calls `visit` with each position of the lexeme at an index.
    pub fn positions_at(&self, index: usize, mut visit: impl FnMut(Field, u16)) {
        let Entry { has_positions, start, length } = self.entry(index);
        if !has_positions {
            return;
        }
        // After the lexeme, aligned to 2 bytes: the number of positions, and the positions.
        let positions = &self.lexemes[(start + length).next_multiple_of(2)..];
        let mut numbers =
            positions.chunks_exact(2).map(|bytes| u16::from_ne_bytes([bytes[0], bytes[1]]));
        let count = numbers.next().unwrap_or_default();
        for position in numbers.take(usize::from(count)) {
            let field = match position >> 14 {
                3 => Field::Preamble,
                2 => Field::Section,
                1 => Field::Part,
                _ => Field::Content,
            };
            visit(field, position & 0x3fff);
        }
    }

    /// Returns the index of the first lexeme that is not less than another one.
    fn lower_bound(&self, lexeme: &str) -> usize {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.lexeme(middle) < lexeme.as_bytes() { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn is(&self, index: usize, lexeme: &str) -> bool {
        index < self.count() && self.lexeme(index) == lexeme.as_bytes()
    }

    /// Returns the number of lexemes.
    fn count(&self) -> usize {
        self.entries.len() / ENTRY
    }

    fn entry(&self, index: usize) -> Entry {
        let bytes = &self.entries[index * ENTRY..][..ENTRY];
        Entry::decode(u32::from_ne_bytes(bytes.try_into().expect("an entry has four bytes")))
    }

    fn lexeme(&self, index: usize) -> &'v [u8] {
        let Entry { start, length, .. } = self.entry(index);
        &self.lexemes[start..start + length]
    }
}
