/*!
Table headers: the names of the columns above the rows of a passage.

The rows of a table mean little without the names of its columns, which are in the first chunk of the
document. So a passage of later rows begins with that record. It is a slice of the source, but the chunks of
the passage do not contain it, and only passages show it: a chunk stays a slice of its document.

Its twin in SQL is `sql/edition/passage_chunks.sql`.
*/

use crate::assemble::{Assembly, Part, Separator, assemble_with_separators};
use passage_split::{MediaType, split};
use std::ops::Range;

/// The header of a table.
///
/// ```
/// use passage_core::TableHeader;
/// use passage_split::MediaType;
/// use passage_core::assemble::{Part, Separator};
///
/// let csv = MediaType::new("text/csv");
/// let header = TableHeader::of(&csv, "name,size\na,1\n", Some(0), 7).unwrap();
/// let rows = [Part { content: "z,26\n".into(), span: Some(100..105) }];
/// let assembly = header.assemble(&rows, Separator::Text(""));
/// assert_eq!(assembly.text, "name,size\nz,26\n");
/// assert_eq!(assembly.part_ranges, [10..15]);
/// assert_eq!(assembly.spans, [0..10, 100..105]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableHeader {
    /// The record with its line end.
    pub text: String,
    /// Its byte span in the source, if known.
    pub span: Option<Range<i32>>,
    /// Its tokens, as a share of those of the first chunk.
    pub tokens: u32,
}

impl TableHeader {
    /// Returns whether documents of a media type may have a header.
    pub fn is_possible(media_type: &MediaType) -> bool {
        media_type.structure() == "text/csv"
    }

    /// Returns the header of a document by its first chunk: the content, the byte at which it begins, and
    /// its tokens.
    ///
    /// Returns `None` if the first record does not name columns, or if the chunk does not contain all of it.
    pub fn of(
        media_type: &MediaType,
        first_chunk: &str,
        start: Option<i32>,
        tokens: u32,
    ) -> Option<Self> {
        if !Self::is_possible(media_type) {
            return None;
        }
        let range = split::csv_header(first_chunk)?;
        let share = u64::from(tokens) * range.len() as u64;
        let offset = |at: usize| start?.checked_add(i32::try_from(at).ok()?);
        Some(Self {
            text: first_chunk[range.clone()].to_owned(),
            span: offset(range.start).zip(offset(range.end)).map(|(start, end)| start..end),
            tokens: u32::try_from(share.div_ceil(first_chunk.len() as u64)).unwrap_or(u32::MAX),
        })
    }

    /// Joins chunks like [`assemble`](crate::assemble::assemble()), below the header.
    ///
    /// The part ranges are those of the chunks, and the spans begin with that of the header.
    pub fn assemble(&self, parts: &[Part], separator: Separator) -> Assembly {
        let header = Part { content: self.text.as_str().into(), span: self.span.clone() };
        let parts: Vec<_> = std::iter::once(header).chain(parts.iter().cloned()).collect();
        let between = |part| if part == 1 { Separator::Text("") } else { separator };
        let mut assembly = assemble_with_separators(&parts, between);
        assembly.part_ranges.remove(0);
        assembly
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header_of(text: &str) -> Option<TableHeader> {
        TableHeader::of(&MediaType::new("text/tab-separated-values"), text, Some(0), 100)
    }

    #[test]
    fn a_header_is_the_first_record_with_its_line_end() {
        let header = header_of("\u{feff}\"a\nb\"\tc\r\n\r\n1\t2\r\n").unwrap();
        assert_eq!((&*header.text, header.span), ("\"a\nb\"\tc\r\n", Some(3..12)));
        assert_eq!(header.tokens, 48);
        assert_eq!(header_of("1\t2\n3\t4\n"), None);
        assert_eq!(header_of("name\tsize"), None, "the chunk may end within the record");
        assert_eq!(header_of(""), None);
        assert_eq!(TableHeader::of(&MediaType::PLAIN, "a,b\n1,2\n", None, 1), None);
    }

    #[test]
    fn a_separator_is_between_chunks_and_not_below_the_header() {
        let header = header_of("a\tb\n1\t2\n").unwrap();
        let parts = [("3\t4\n", 20), ("5\t6\n", 40)]
            .map(|(text, start)| Part { content: text.into(), span: Some(start..start + 4) });
        let assembly = header.assemble(&parts, Separator::Text("...\n"));
        assert_eq!(assembly.text, "a\tb\n3\t4\n...\n5\t6\n");
        assert_eq!(assembly.part_ranges, [4..8, 12..16]);
    }
}
