/*!
Comma-separated values and similar tables.

Each record is a block; a quoted field may contain line ends. If a record at the beginning names columns,
the preamble of every later chunk repeats it. Spreadsheets write lines before it: `sep=;`, which names the
delimiter, or titles, which have fewer fields. Otherwise the delimiter is the one that divides the first
records most evenly. A record that is too long for a chunk is cut after a delimiter.

No library finds the records, because only their offsets are needed. This is a search for quotes and
line ends.
*/

use super::{
    blocks::{Block, Blocks, Form, Header, Sections},
    cut::Item,
};
use crate::interrupt;
use crate::links::Links;
use std::ops::Range;

/// The possible delimiters of fields.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// The number of records that decide the delimiter.
const SAMPLE_RECORDS: usize = 16;

/// The maximum number of lines above the names of the columns.
const MAX_TITLES: usize = 8;

/// The number of bytes from which on a record may be too long for a chunk.
const LONG_RECORD: usize = 400;

/// Finds the records of a document; each is a block.
pub(super) fn blocks(text: &str) -> Blocks {
    let mut records = records(text);
    let sample = Sample::new(text, &records);
    let header = sample.header();
    let items = fields_of_long_records(text, &records, sample.delimiter);
    if let Some(first) = records.first_mut() {
        *first = 0;
    } else if !text.is_empty() {
        records.push(0);
    }
    let rows = header.as_ref().map_or(0, |header| header.end);
    let block = |start: usize| {
        interrupt::poll();
        let form = match &header {
            // Titles and column names alone do not make a chunk.
            Some(_) if start < rows => Form::Heading,
            Some(_) => Form::Table { rows: start },
            None => Form::Body,
        };
        Block { start, section: 0, level: 0, form }
    };
    let list = records.into_iter().map(block).collect();
    let headers = header.map(|line| Header { line, within: rows..text.len() });
    Blocks {
        list,
        sections: Sections::new(),
        items,
        headers: headers.into_iter().collect(),
        links: Links::default(),
    }
}

/// Returns the record that names the columns, with its line end, if another record follows.
pub fn header_record(text: &str) -> Option<Range<usize>> {
    let header = Sample::new(text, &records(text)).header()?;
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

/// Returns the offsets after the delimiters in long records.
fn fields_of_long_records(text: &str, records: &[usize], delimiter: u8) -> Vec<Item> {
    let ends = records.iter().skip(1).copied().chain([text.len()]);
    let long = records.iter().zip(ends).filter(|(start, end)| end - *start > LONG_RECORD);
    let fields = long.flat_map(|(start, end)| {
        interrupt::poll();
        let ranges = field_ranges(&text[*start..end], delimiter);
        ranges.into_iter().skip(1).map(move |range| Item { at: start + range.start, depth: 0 })
    });
    fields.collect()
}

/// The first records of a document.
struct Sample<'t> {
    text: &'t str,
    records: Vec<Range<usize>>,
    delimiter: u8,
    /// The number of records before the titles and the names: 1 after `sep=;`.
    skipped: usize,
}

impl<'t> Sample<'t> {
    fn new(text: &'t str, records: &[usize]) -> Self {
        let ends = records.iter().skip(1).copied().chain([text.len()]);
        let ranges = records.iter().zip(ends).map(|(start, end)| *start..end);
        let records: Vec<_> = ranges.take(SAMPLE_RECORDS).collect();
        let named =
            records.first().and_then(|first| text[first.clone()].trim().strip_prefix("sep="));
        let named = named.map_or(&[][..], str::as_bytes);
        if let [delimiter] = named {
            return Self { text, records, delimiter: *delimiter, skipped: 1 };
        }
        let texts: Vec<&str> = records.iter().map(|record| &text[record.clone()]).collect();
        let delimiter = if texts.is_empty() { b',' } else { delimiter(&texts) };
        Self { text, records, delimiter, skipped: 0 }
    }

    /// Returns the record that names the columns, if another record follows: the first one that has as many
    /// fields with text as most records.
    fn header(&self) -> Option<Range<usize>> {
        let rest = self.records.get(self.skipped..)?;
        let filled = |record: &Range<usize>| {
            let fields = fields(&self.text[record.clone()], self.delimiter);
            fields.iter().filter(|field| !field.is_empty()).count()
        };
        let mut widths: Vec<usize> = rest.iter().map(filled).collect();
        let first = widths.clone();
        widths.sort_unstable();
        let typical = widths.get(widths.len() / 2)?;
        // A title has one field, or a name and its value.
        let is_title = |width: usize| width * 2 <= *typical && width < 3;
        let titles = first.iter().take_while(|width| is_title(**width)).count();
        let at = if titles > MAX_TITLES { 0 } else { titles };
        let header = rest.get(at)?.clone();
        let names = fields(&self.text[header.clone()], self.delimiter);
        // Names are words. Values are often numbers, and an empty field is not a name.
        let is_name = |field: &&&str| !field.is_empty() && field.parse::<f64>().is_err();
        let words = names.iter().filter(is_name).count();
        let is_header = words * 2 > names.len() && at + 1 < rest.len();
        let length = self.text[header.clone()].trim_end().len();
        is_header.then(|| header.start..header.start + length)
    }
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
    let ranges = field_ranges(record, delimiter).into_iter();
    ranges.map(|range| record[range].trim().trim_matches('"')).collect()
}

/// Returns the ranges of the fields in a record.
fn field_ranges(record: &str, delimiter: u8) -> Vec<Range<usize>> {
    let (mut ranges, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, byte) in record.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            byte if byte == delimiter && !quoted => {
                ranges.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    ranges.push(start..record.len());
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::tests::polls_of;

    fn starts(text: &str) -> Vec<usize> {
        blocks(text).list.iter().map(|block| block.start).collect()
    }

    fn header_of(text: &str) -> Option<&str> {
        blocks(text).headers.first().map(|header| &text[header.line.clone()])
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
    fn lines_above_the_names_of_the_columns_are_no_header() {
        assert_eq!(header_of("sep=;\nname;size\na,b;1\n"), Some("name;size"));
        assert_eq!(header_of("\u{feff}sep=|\r\nname|size\r\na|1\r\n"), Some("name|size"));
        let titles = "Report: sales,,,\nGenerated,2026-01-02,,\n,,,\n";
        let rows = "shop,month,items,total\na,1,2,3\nb,1,2,3\nc,1,2,3\nd,1,2,3\n";
        assert_eq!(header_of(&format!("{titles}{rows}")), Some("shop,month,items,total"));
        assert_eq!(header_of(&format!("Sales\n\n{rows}")), Some("shop,month,items,total"));
        // Records of one field have no titles.
        assert_eq!(header_of("name\na\nb\n"), Some("name"));
    }

    #[test]
    fn a_long_record_is_cut_after_a_delimiter() {
        let record = format!("{}\n", ["word word"; 60].join(";"));
        let text = format!("a;b\n1;2\n{record}");
        let items = blocks(&text).items;
        assert_eq!(items.len(), 59);
        assert!(items.iter().all(|item| text[..item.at].ends_with(';')));
    }

    #[test]
    fn the_delimiter_divides_all_records_equally() {
        assert_eq!(delimiter(&["a, b\tc", "d\te", "f, g, h\ti"]), b'\t');
        assert_eq!(delimiter(&["a;b", "1,5;2"]), b';');
        assert_eq!(delimiter(&["word", "word"]), b',');
    }
}
