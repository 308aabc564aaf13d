/*!
Values of the type `tsvector`, as they lie in memory.

To have the lexemes of a chunk by SQL costs a row for each; here those of a query are looked up, by
halving, in a third of a microsecond each.

# Source

`tsearch/ts_type.h` of PostgreSQL; the layout is the same since 8.3.
*/

use passage_core::search::bm25::Field;
use pgrx::{FromDatum, pg_sys};

/// The lexemes of a chunk with their positions.
pub struct Tsvector(Vec<u8>);

/// Where the entries begin: behind the length of the value and the number of entries.
const ENTRIES: usize = 8;

/// The size of an entry.
const ENTRY: usize = size_of::<pg_sys::WordEntry>();

impl FromDatum for Tsvector {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type: pg_sys::Oid,
    ) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the value is a tsvector, which is unpacked into memory of the call and copied.
        unsafe {
            let value = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
            let bytes = std::slice::from_raw_parts(value.cast::<u8>(), pgrx::varsize_any(value));
            Some(Self(bytes.to_vec()))
        }
    }
}

impl Tsvector {
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
    pub fn beginning(&self, beginning: &str, mut found: impl FnMut(&str, usize)) {
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
        i32::from_ne_bytes(self.0[4..ENTRIES].try_into().expect("a number has four bytes")) as usize
    }

    fn entry(&self, place: usize) -> pg_sys::WordEntry {
        let at = ENTRIES + place * ENTRY;
        // SAFETY: the entry lies in the value, and any bits are one.
        unsafe { self.0[at..at + ENTRY].as_ptr().cast::<pg_sys::WordEntry>().read_unaligned() }
    }

    fn lexeme(&self, place: usize) -> &[u8] {
        let entry = self.entry(place);
        let at = ENTRIES + self.count() * ENTRY + entry.pos() as usize;
        &self.0[at..at + entry.len() as usize]
    }

    /// Calls `found` with each place where the lexeme at a place stands.
    pub fn walk(&self, place: usize, mut found: impl FnMut(Field, u16)) {
        let entry = self.entry(place);
        if entry.haspos() == 0 {
            return;
        }
        // Positions are aligned behind the lexeme, from where the lexemes begin.
        let inside = ((entry.pos() + entry.len()) as usize).next_multiple_of(2);
        let at = ENTRIES + self.count() * ENTRY + inside;
        let number = |at: usize| {
            u16::from_ne_bytes(self.0[at..at + 2].try_into().expect("a number has two bytes"))
        };
        for place in 1..=usize::from(number(at)) {
            let position = number(at + 2 * place);
            let field = match position >> 14 {
                3 => Field::Preamble,
                2 => Field::Section,
                1 => Field::Part,
                _ => Field::Content,
            };
            found(field, position & 0x3fff);
        }
    }
}
