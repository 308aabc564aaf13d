//! The excerpt of a passage of data: its entries, without the brackets and commas around them.
//!
//! Its twin in SQL is `sql/edition/data_format.sql`.

use crate::assemble::Assembly;
use passage_split::DataFormat;
use std::ops::Range;

impl Assembly {
    /// Reduces the text to the entries that it holds whole, as one value.
    ///
    /// The part ranges and spans then cover only these entries, and not the brackets that were added. A text
    /// without whole entries is unchanged.
    ///
    /// ```
    /// use passage_split::DataFormat;
    /// use passage_core::assemble::{Part, Separator, assemble};
    ///
    /// let parts = [Part { content: "  \"server\": {\"port\": 80},\n".into(), span: Some(10..36) }];
    /// let assembly = assemble(&parts, Separator::Text("")).excerpt(DataFormat::Json);
    /// assert_eq!(assembly.text, "{\"server\": {\"port\": 80}}");
    /// assert_eq!((&assembly.part_ranges[0], &assembly.spans[0]), (&(1..23), &(12..34)));
    /// ```
    #[must_use]
    pub fn excerpt(self, format: DataFormat) -> Self {
        let Some(excerpt) = format.excerpt(&self.text) else { return self };
        let ([open, close], bytes) = (excerpt.brackets, excerpt.bytes);
        let text = [open, &self.text[bytes.clone()], close].concat();
        let moved = |at: usize| at.clamp(bytes.start, bytes.end) - bytes.start + open.len();
        let part_ranges = self.part_ranges.iter().map(|range| moved(range.start)..moved(range.end));
        let part_ranges = part_ranges.collect();
        let (mut spans, ahead) = (self.spans, self.text.len() - bytes.end);
        cut(&mut spans, bytes.start, |span, bytes| span.start += bytes);
        spans.reverse();
        cut(&mut spans, ahead, |span, bytes| span.end -= bytes);
        spans.reverse();
        Self { text, part_ranges, spans }
    }
}

/// Cuts so many bytes off the first spans.
fn cut(spans: &mut Vec<Range<i32>>, bytes: usize, shorten: impl Fn(&mut Range<i32>, i32)) {
    let mut left = i32::try_from(bytes).unwrap_or(i32::MAX);
    let mut empty = 0;
    for span in spans.iter_mut() {
        let length = span.end - span.start;
        if left < length {
            shorten(span, left);
            break;
        }
        left -= length;
        empty += 1;
    }
    spans.drain(..empty);
}
