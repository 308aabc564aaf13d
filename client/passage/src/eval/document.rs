/*!
The text of a stored document, and where a wanted item is in it.

`chunks of a document -> one text; chunks of passages, wanted lines, sections and texts -> ranges of its bytes`

Positions are those in the concatenated chunks, not those in the source: so stores with chunks of different sizes agree,
and a store of views needs no spans.
*/

use super::question::Wanted;
use crate::store::DocumentChunk;
use std::collections::HashMap;
use std::ops::Range;
use uuid::Uuid;

/// The concatenated chunks of a document.
pub struct DocumentText {
    text: String,
    chunks: Vec<Placed>,
    /// The index of each chunk.
    by_id: HashMap<Uuid, usize>,
}

/// A chunk in the text.
struct Placed {
    range: Range<usize>,
    section: Vec<String>,
    first_line: Option<i64>,
}

/// The parts of a document each of which is the wanted item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parts {
    /// The item is the document: any passage of it is.
    Document,
    /// Each list of ranges is a complete answer.
    Ranges(Vec<Vec<Range<usize>>>),
}

impl DocumentText {
    /// Concatenates chunks, in document order.
    pub fn new(chunks: Vec<DocumentChunk>) -> Self {
        let mut document = Self { text: String::new(), chunks: Vec::new(), by_id: HashMap::new() };
        for chunk in chunks {
            let start = document.text.len();
            document.text.push_str(&chunk.content);
            document.by_id.insert(chunk.id, document.chunks.len());
            let range = start..document.text.len();
            let DocumentChunk { section, first_line, .. } = chunk;
            document.chunks.push(Placed { range, section, first_line });
        }
        document
    }

    /// Returns the ranges of chunks. Ids of other documents are left out.
    pub fn ranges(&self, chunks: &[Uuid]) -> Vec<Range<usize>> {
        let known = chunks.iter().filter_map(|id| self.by_id.get(id));
        known.map(|index| self.chunks[*index].range.clone()).collect()
    }

    /// Returns where a wanted item is.
    ///
    /// # Errors
    ///
    /// Returns what the document lacks, as in `has no section A › B`.
    pub fn parts(&self, wanted: &Wanted) -> Result<Parts, String> {
        let section = wanted.section.as_deref().map(|titles| self.section(titles)).transpose()?;
        let lines = wanted.lines.map(|lines| self.lines(lines)).transpose()?;
        let within = match (section, lines) {
            (Some(section), Some(lines)) => Some(intersection(&section, &lines)),
            (section, lines) => section.or(lines),
        };
        let Some(text) = &wanted.text else {
            let Some(ranges) = within else { return Ok(Parts::Document) };
            let ranges = trimmed(&self.text, ranges);
            if ranges.is_empty() {
                return Err("has only white space there".into());
            }
            return Ok(Parts::Ranges(vec![ranges]));
        };
        let mut found = occurrences(&self.text, text);
        if found.is_empty() {
            return Err("does not have the text".into());
        }
        if let Some(within) = within {
            found.retain(|range| !intersection(std::slice::from_ref(range), &within).is_empty());
            if found.is_empty() {
                return Err("does not have the text there".into());
            }
        }
        Ok(Parts::Ranges(found.into_iter().map(|range| vec![range]).collect()))
    }

    fn section(&self, titles: &[String]) -> Result<Vec<Range<usize>>, String> {
        let inside = self.chunks.iter().filter(|chunk| chunk.section.starts_with(titles));
        let ranges = merged(inside.map(|chunk| chunk.range.clone()));
        if ranges.is_empty() {
            return Err(format!("has no section {}", titles.join(" › ")));
        }
        Ok(ranges)
    }

    fn lines(&self, [first, last]: [u32; 2]) -> Result<Vec<Range<usize>>, String> {
        let wanted = i64::from(first)..=i64::from(last);
        let (mut ranges, mut end) = (Vec::new(), None);
        for Placed { range, first_line, .. } in &self.chunks {
            let Some(first_line) = *first_line else { continue };
            let mut start = range.start;
            for (line, text) in (first_line..).zip(self.text[range.clone()].split_inclusive('\n')) {
                if wanted.contains(&line) {
                    ranges.push(start..start + text.len());
                }
                start += text.len();
                end = end.max(Some(line));
            }
        }
        match end {
            None => Err("has no lines in this store".into()),
            Some(end) if i64::from(last) > end => Err(format!("has {end} lines, not {last}")),
            Some(_) => Ok(merged(ranges)),
        }
    }
}

/// Joins ranges that touch. They are in order.
fn merged(ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => merged.push(range),
        }
    }
    merged
}

/// Returns the parts that both lists have.
fn intersection(some: &[Range<usize>], others: &[Range<usize>]) -> Vec<Range<usize>> {
    let common = |one: &Range<usize>, other: &Range<usize>| {
        let range = one.start.max(other.start)..one.end.min(other.end);
        (!range.is_empty()).then_some(range)
    };
    some.iter().flat_map(|one| others.iter().filter_map(move |other| common(one, other))).collect()
}

/// Removes white space at both ends of ranges, and ranges without other text.
fn trimmed(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let trim = |range: Range<usize>| {
        let part = &text[range.clone()];
        let start = range.end - part.trim_start().len();
        let end = range.start + part.trim_end().len();
        (start < end).then_some(start..end)
    };
    ranges.into_iter().filter_map(trim).collect()
}

/// Returns a text with single spaces as its white space, without those at its ends.
pub fn with_single_spaces(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the ranges in which a text occurs. White space of any length equals any other.
fn occurrences(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let wanted = with_single_spaces(wanted);
    if wanted.is_empty() {
        return Vec::new();
    }
    // The text with single spaces, and the offset of each of its words in the text.
    let (mut single, mut words) = (String::with_capacity(text.len()), Vec::new());
    for word in text.split_ascii_whitespace() {
        if !single.is_empty() {
            single.push(' ');
        }
        words.push((single.len(), word.as_ptr() as usize - text.as_ptr() as usize));
        single.push_str(word);
    }
    let original = |at: usize| {
        let (start, offset) = words[words.partition_point(|(start, _)| *start <= at) - 1];
        offset + (at - start)
    };
    let found = single.match_indices(&wanted);
    // The last character is in a word, so its end is, too.
    found.map(|(start, _)| original(start)..original(start + wanted.len() - 1) + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn document(chunks: &[(&[&str], i64, &str)]) -> DocumentText {
        let chunk =
            |(number, (section, line, content)): (usize, &(&[&str], i64, &str))| DocumentChunk {
                id: Uuid::from_u128(number as u128),
                ordinal: Some(number as i64),
                section: section.iter().map(|&title| title.into()).collect(),
                level: None,
                kind: None,
                unit: None,
                tokens: None,
                first_line: (*line > 0).then_some(*line),
                last_line: None,
                content: (*content).into(),
            };
        DocumentText::new(chunks.iter().enumerate().map(chunk).collect())
    }

    fn logging() -> DocumentText {
        document(&[
            (&["Logging"], 1, "# Logging\n\nLogs are\nwritten. "),
            (&["Logging"], 4, "To a file.\n\n"),
            (&["Logging", "Rotation"], 6, "## Rotation\n\nEvery night.\n"),
            (&["Backup"], 9, "# Backup\n"),
        ])
    }

    fn found<'d>(document: &'d DocumentText, wanted: &Wanted) -> Result<Vec<Vec<&'d str>>, String> {
        let Parts::Ranges(ranges) = document.parts(wanted)? else { panic!("{wanted:?}") };
        let slices = |ranges: Vec<Range<usize>>| {
            ranges.into_iter().map(|range| &document.text[range]).collect()
        };
        Ok(ranges.into_iter().map(slices).collect())
    }

    #[test]
    fn lines_sections_and_texts_narrow_each_other() {
        let document = logging();
        let lines = |first, last| Wanted { lines: Some([first, last]), ..Wanted::default() };
        let section = |titles: &[&str]| Wanted {
            section: Some(titles.iter().map(|&title| title.into()).collect()),
            ..Wanted::default()
        };
        let text = |text: &str| Wanted { text: Some(text.into()), ..Wanted::default() };
        let found = |wanted: Wanted| found(&document, &wanted);
        // A line that two chunks share is whole.
        assert_eq!(found(lines(4, 4)).unwrap(), [["written. To a file."]]);
        assert_eq!(found(lines(1, 3)).unwrap(), [["# Logging\n\nLogs are"]]);
        assert_eq!(
            found(section(&["Logging", "Rotation"])).unwrap(),
            [["## Rotation\n\nEvery night."]]
        );
        let whole = found(section(&["Logging"])).unwrap();
        assert!(whole[0][0].starts_with("# Logging") && whole[0][0].ends_with("night."));
        assert_eq!(found(text(" are written.\tTo ")).unwrap(), [["are\nwritten. To"]]);
        assert_eq!(found(text("Log")).unwrap().len(), 2, "each occurrence is one");
        let both = Wanted { text: Some("Log".into()), ..lines(3, 3) };
        assert_eq!(found(both).unwrap(), [["Log"]]);
        let both = Wanted { lines: Some([5, 8]), ..section(&["Logging", "Rotation"]) };
        assert_eq!(found(both).unwrap(), [["## Rotation\n\nEvery night."]]);
        assert_eq!(document.parts(&Wanted::default()), Ok(Parts::Document));

        for (wanted, lacks) in [
            (lines(5, 5), "has only white space there"),
            (lines(9, 12), "has 9 lines, not 12"),
            (section(&["Rotation"]), "has no section Rotation"),
            (text("nothing"), "does not have the text"),
            (Wanted { text: Some("night".into()), ..lines(1, 2) }, "does not have the text there"),
        ] {
            assert_eq!(found(wanted), Err(lacks.into()));
        }
        let without = super::tests::document(&[(&[], 0, "text")]);
        assert_eq!(without.parts(&lines(1, 1)), Err("has no lines in this store".into()));
    }

    #[test]
    fn chunks_of_other_documents_have_no_range() {
        let ids = [Uuid::from_u128(1), Uuid::from_u128(99)];
        let document = logging();
        let ranges = document.ranges(&ids);
        assert_eq!(
            ranges.iter().map(|range| &document.text[range.clone()]).collect::<Vec<_>>(),
            ["To a file.\n\n"]
        );
    }

    proptest! {
        #[test]
        fn an_occurrence_has_the_words_of_the_text(text in "[aé \n]{0,30}", wanted in "[aé \n]{0,4}") {
            for range in occurrences(&text, &wanted) {
                prop_assert_eq!(with_single_spaces(&text[range]), with_single_spaces(&wanted));
            }
            let has = with_single_spaces(&text).contains(&with_single_spaces(&wanted));
            let is_blank = wanted.trim().is_empty();
            prop_assert_eq!(!occurrences(&text, &wanted).is_empty(), has && !is_blank);
        }
    }
}
