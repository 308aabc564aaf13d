/*!
Values of the type `tsvector`, read where they lie in memory.

To have the lexemes of a chunk by SQL costs a row for each; here those of a query are looked up, by
halving. Thousands of chunks are gone through for a query, so nothing is copied, and an entry is
taken apart by hand: bit by bit, as the generated accessors do it, took a quarter of the time.

# Source

`tsearch/ts_type.h` of PostgreSQL; the layout is the same since 8.3.
*/

use passage_core::search::bm25::Field;
use pgrx::pg_sys;

/// The lexemes of a chunk with their positions.
#[derive(Clone, Copy)]
pub struct Tsvector<'v> {
    /// A number of 32 bits for each lexeme, in order.
    entries: &'v [u8],
    /// The lexemes, each with its positions behind it.
    lexemes: &'v [u8],
}

/// Where the entries begin: behind the length of the value and the number of entries.
const ENTRIES: usize = 8;

/// The size of an entry.
const ENTRY: usize = size_of::<pg_sys::WordEntry>();

/// Where a lexeme stands among the bytes of all.
#[derive(Clone, Copy)]
struct Entry {
    has_positions: bool,
    start: usize,
    length: usize,
}

impl Entry {
    /// Takes apart the bit fields `haspos` (1), `len` (11) and `pos` (20), which C lays out from the
    /// end of a number where that is its first byte.
    fn of(bits: u32) -> Self {
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
    /// The datum is a `tsvector` and, like the current memory context, lives as long as the result.
    pub unsafe fn of(datum: pg_sys::Datum) -> Self {
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

    /// Returns how many words the content has.
    pub fn length(&self) -> usize {
        let mut length = 0;
        for entry in 0..self.count() {
            self.walk(entry, |field, _| length += usize::from(field == Field::Content));
        }
        length
    }

    /// Calls `found` with each place of a lexeme.
    pub fn positions(&self, lexeme: &str, found: impl FnMut(Field, u16)) {
        let place = self.first_not_below(lexeme);
        if self.is(place, lexeme) {
            self.walk(place, found);
        }
    }

    /// Tells whether a lexeme is there.
    pub fn has(&self, lexeme: &str) -> bool {
        self.is(self.first_not_below(lexeme), lexeme)
    }

    /// Calls `found` with each lexeme that begins so, in order, and with its place.
    pub fn beginning(&self, beginning: &str, mut found: impl FnMut(&'v str, usize)) {
        for place in self.first_not_below(beginning)..self.count() {
            let lexeme = self.lexeme(place);
            if !lexeme.starts_with(beginning.as_bytes()) {
                break;
            }
            // Only a database in another encoding than UTF-8 has other ones.
            if let Ok(lexeme) = std::str::from_utf8(lexeme) {
                found(lexeme, place);
            }
        }
    }

    /// Calls `found` with each place where the lexeme at a place stands.
    pub fn walk(&self, place: usize, mut found: impl FnMut(Field, u16)) {
        let Entry { has_positions, start, length } = self.entry(place);
        if !has_positions {
            return;
        }
        // Positions are aligned behind the lexeme: their number, and then each.
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
            found(field, position & 0x3fff);
        }
    }

    fn first_not_below(&self, lexeme: &str) -> usize {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.lexeme(middle) < lexeme.as_bytes() { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn is(&self, place: usize, lexeme: &str) -> bool {
        place < self.count() && self.lexeme(place) == lexeme.as_bytes()
    }

    /// Returns the number of lexemes.
    fn count(&self) -> usize {
        self.entries.len() / ENTRY
    }

    fn entry(&self, place: usize) -> Entry {
        let bytes = &self.entries[place * ENTRY..][..ENTRY];
        Entry::of(u32::from_ne_bytes(bytes.try_into().expect("an entry has four bytes")))
    }

    fn lexeme(&self, place: usize) -> &'v [u8] {
        let Entry { start, length, .. } = self.entry(place);
        &self.lexemes[start..start + length]
    }
}
