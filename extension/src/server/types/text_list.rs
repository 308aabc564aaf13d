//! Arrays of the type `text[]`, read in place and created in one step.

use super::array;
use passage_split::interrupt::poll_periodically as pause;
use pgrx::{Array, IntoDatum, pg_sys};

/// Returns the elements of an array, where a NULL counts as an empty text.
pub fn texts<'a>(array: &'a Array<'_, &str>) -> impl Iterator<Item = &'a str> {
    nullable_texts(array).map(Option::unwrap_or_default)
}

/// Returns the elements of an array.
pub fn nullable_texts<'a>(array: &'a Array<'_, &str>) -> impl Iterator<Item = Option<&'a str>> {
    array.iter().enumerate().map(|(index, text)| {
        pause(index);
        text
    })
}

/// An array without NULLs.
#[derive(Clone, Debug, Default)]
pub struct TextList {
    count: usize,
    /// The elements as PostgreSQL stores them: a header of four bytes with the length, the bytes, and zeros up to the
    /// next multiple of four.
    elements: Vec<u8>,
}

impl<T: AsRef<str>> FromIterator<T> for TextList {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut list = Self::default();
        for (index, text) in texts.into_iter().enumerate() {
            pause(index);
            list.push(text.as_ref().as_bytes());
        }
        list
    }
}

impl TextList {
    fn push(&mut self, text: &[u8]) {
        let start = self.elements.len();
        let size = pg_sys::VARHDRSZ + text.len();
        self.elements.resize(start + pg_sys::VARHDRSZ, 0);
        // SAFETY: the four bytes of the header were added at this place.
        unsafe { pgrx::set_varsize_4b(self.elements[start..].as_mut_ptr().cast(), size as i32) };
        self.elements.extend_from_slice(text);
        self.elements.resize((start + size).next_multiple_of(4), 0);
        self.count += 1;
    }
}

impl IntoDatum for TextList {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        Some(array::create(pg_sys::TEXTOID, self.count, &self.elements))
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::TEXTARRAYOID
    }
}

sql_result!(TextList);
sql_name!(TextList, "text[]");
