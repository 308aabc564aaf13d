/*!
Comma-separated values and similar tables.

Each record is a block; a quoted field may contain line ends. If the first record names columns, the
preamble of every later chunk repeats it. The delimiter is the one that divides the first records
most evenly.

No library finds the records, because only their offsets are needed. This is a search for quotes and
line ends.
*/

use super::blocks::{Block, Blocks, Form, Sections};
use crate::interrupt;
use std::ops::Range;

/// The possible delimiters of fields.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// The number of records that decide the delimiter.
const SAMPLE_RECORDS: usize = 16;

/// Finds the records of a document; each is a block.
pub(super) fn blocks(text: &str) -> Blocks {
    let mut records = records(text);
    let header = header(text, &records);
    if let Some(first) = records.first_mut() {
        *first = 0;
    } else if !text.is_empty() {
        records.push(0);
    }
    let block = |start: usize| {
        interrupt::poll();
        let form = match &header {
            // Column names alone do not make a chunk.
            Some(_) if start == 0 => Form::Heading,
            Some(header) => Form::Table { header: header.clone(), rows: start },
            None => Form::Body,
        };
        Block { start, section: 0, level: 0, form }
    };
    let list = records.into_iter().map(block).collect();
    Blocks { list, sections: Sections::new(), items: Vec::new() }
}

/// Returns the first record with its line end, if it names columns and another record follows.
pub fn header_record(text: &str) -> Option<Range<usize>> {
    let header = header(text, &records(text))?;
    Some(header.start..end_of_line(text.as_bytes(), header.end))
}

/// Returns the offsets of the records; blank lines between them are skipped.
fn records(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut records = Vec::new();
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    // An unclosed quote would make the rest one record. From there on, quotes are ignored.
    let mut quotes = true;
    while at < bytes.len() {
        interrupt::poll();
        let start = at;
        let end = if quotes { end_of_record(bytes, at) } else { Some(end_of_line(bytes, at)) };
        let Some(end) = end else {
            quotes = false;
            continue;
        };
        at = end;
        if !text[start..end].trim().is_empty() {
            records.push(start);
        }
    }
    records
}

/// Returns the offset after the line end of the line at an offset.
fn end_of_line(bytes: &[u8], at: usize) -> usize {
    match memchr::memchr2(b'\n', b'\r', &bytes[at..]) {
        Some(end) if bytes[at + end..].starts_with(b"\r\n") => at + end + 2,
        Some(end) => at + end + 1,
        None => bytes.len(),
    }
}

/// Returns the offset after the line end of a record, or `None` if a quote is not closed.
fn end_of_record(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let offset = memchr::memchr3(b'"', b'\n', b'\r', &bytes[at..]).map(|offset| at + offset);
        let Some(offset) = offset else { return Some(bytes.len()) };
        if bytes[offset] != b'"' {
            return Some(end_of_line(bytes, offset));
        }
        // A quote matters only at the beginning of a field; within one it is a character.
        let begins =
            offset == start || DELIMITERS.contains(&bytes[offset - 1]) || bytes[offset - 1] == b' ';
        interrupt::poll();
        at = offset + 1;
        if !begins {
            continue;
        }
        loop {
            interrupt::poll();
            at += memchr::memchr(b'"', &bytes[at..])? + 1;
            if bytes.get(at) != Some(&b'"') {
                break;
            }
            at += 1;
        }
    }
}

/// Returns the first record if it names columns and another record follows.
fn header(text: &str, records: &[usize]) -> Option<Range<usize>> {
    let (first, second) = (*records.first()?, *records.get(1)?);
    let record = |at: usize| {
        let end = records.get(at + 1).copied().unwrap_or(text.len());
        &text[records[at]..end]
    };
    let sample: Vec<&str> = (0..records.len().min(SAMPLE_RECORDS)).map(record).collect();
    let delimiter = delimiter(&sample);
    let names = fields(sample[0], delimiter);
    // Names are words. Values are often numbers, and an empty field is not a name.
    let is_name = |field: &&&str| !field.is_empty() && field.parse::<f64>().is_err();
    let words = names.iter().filter(is_name).count();
    (words * 2 > names.len()).then(|| {
        let header = text[first..second].trim_end();
        first..first + header.len()
    })
}

/// Returns the delimiter that divides the records into more than one field, and into equally many.
fn delimiter(sample: &[&str]) -> u8 {
    let evenness = |delimiter: u8| {
        let first = fields(sample[0], delimiter).len();
        let alike = sample.iter().filter(|record| fields(record, delimiter).len() == first).count();
        if first > 1 { (alike, first) } else { (0, 0) }
    };
    let best = DELIMITERS.into_iter().rev().max_by_key(|delimiter| evenness(*delimiter));
    best.unwrap_or(b',')
}

/// Divides a record into its fields, without their quotes.
fn fields(record: &str, delimiter: u8) -> Vec<&str> {
    let mut fields = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, byte) in record.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            byte if byte == delimiter && !quoted => {
                fields.push(&record[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    fields.push(&record[start..]);
    fields.into_iter().map(|field| field.trim().trim_matches('"')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::tests::polls_of;

    fn starts(text: &str) -> Vec<usize> {
        blocks(text).list.iter().map(|block| block.start).collect()
    }

    fn header_of(text: &str) -> Option<&str> {
        match &blocks(text).list.get(1)?.form {
            Form::Table { header, .. } => Some(&text[header.clone()]),
            _ => None,
        }
    }

    #[test]
    fn a_record_may_have_several_lines() {
        assert_eq!(starts("a,b\n1,\"x\ny\"\"\n\"\n\n2,z\n"), [0, 4, 16]);
        assert_eq!(starts("\u{feff}a\tb\r\n5\" disk\tx\r\nc\td"), [0, 8, 19]);
        assert_eq!(starts(""), [0; 0]);
    }

    #[test]
    fn finding_and_converting_records_polls() {
        let text = "a\n".repeat(1_000);
        let polls = polls_of(|| blocks(&text));
        assert!(polls >= 2_000, "{polls}");
    }

    #[test]
    fn an_unclosed_quote_does_not_join_records() {
        assert_eq!(starts("a,b\n\"1,2\n3,4\n5,6\n"), [0, 4, 9, 13]);
    }

    #[test]
    fn the_first_record_is_the_header_if_it_names_columns() {
        assert_eq!(header_of("name;size\na,b;1\n"), Some("name;size"));
        assert_eq!(header_of("\"first name\",year\r\nx,1\r\n"), Some("\"first name\",year"));
        assert_eq!(header_of("1,2,3\n4,5,6\n"), None);
        assert_eq!(header_of("\n\na|b\n1|2\n"), Some("a|b"));
        assert_eq!(header_of("name,size\n"), None);
    }

    #[test]
    fn the_delimiter_divides_all_records_equally() {
        assert_eq!(delimiter(&["a, b\tc", "d\te", "f, g, h\ti"]), b'\t');
        assert_eq!(delimiter(&["a;b", "1,5;2"]), b';');
        assert_eq!(delimiter(&["word", "word"]), b',');
    }
}
