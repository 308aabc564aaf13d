//! The documents of a run that cannot be converted to text, counted by format.

use passage_office::Format;
use serde_json::{Map, Value};
use std::fmt;

/// The number of documents of each format that the client cannot convert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsupported([usize; Format::ALL.len()]);

impl Unsupported {
    /// Counts a document.
    pub(super) fn add(&mut self, format: Format) {
        self.0[format as usize] += 1;
    }

    /// Returns the number of all documents.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// Returns the numbers by media type.
    pub fn by_media_type(&self) -> Map<String, Value> {
        self.counts().map(|(format, count)| (format.media_type().into(), count.into())).collect()
    }

    fn counts(&self) -> impl Iterator<Item = (Format, usize)> {
        let counts = Format::ALL.into_iter().zip(self.0);
        counts.filter(|(_, count)| *count > 0)
    }
}

/// Writes the numbers with their formats, as in `2 PDF, 1 message of Outlook`.
impl fmt::Display for Unsupported {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (format, count)) in self.counts().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(formatter, "{separator}{count} {}", format.noun(count))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_documents_are_counted_by_format() {
        let mut unsupported = Unsupported::default();
        for format in [Format::Msg, Format::Pdf, Format::Pdf] {
            unsupported.add(format);
        }
        assert_eq!(unsupported.total(), 3);
        assert_eq!(unsupported.to_string(), "2 PDF, 1 message of Outlook");
        assert_eq!(unsupported.by_media_type()["application/pdf"], 2);
    }
}
