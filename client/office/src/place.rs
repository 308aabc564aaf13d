//! Places in a document: pages, slides and sheets, and which of them a part of the Markdown is from.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::Range;

/// The beginning of a page, a slide or a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The offset in the Markdown, in bytes.
    pub start: usize,
    /// The place that begins there.
    pub place: Place,
}

/// A place in a document, as its readers name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// The number of a page, from 1.
    Page(usize),
    /// The number of a slide, from 1.
    Slide(usize),
    /// The name of a sheet.
    Sheet(String),
}

impl Place {
    /// Returns the keys of the first and of the last place of a part, and the value.
    fn entry(&self) -> (&'static str, &'static str, Value) {
        match self {
            Self::Page(number) => ("page", "last_page", (*number).into()),
            Self::Slide(number) => ("slide", "last_slide", (*number).into()),
            Self::Sheet(name) => ("sheet", "last_sheet", name.as_str().into()),
        }
    }
}

/// Returns the metadata of a part of the Markdown: `page`, `slide` or `sheet`, and `last_page` and so on if the part ends
/// in another one. `marks` are in the order of the text.
///
/// ```
/// use passage_office::{Mark, Place, place_metadata};
///
/// let marks = [(0, 1), (50, 2)].map(|(start, page)| Mark { start, place: Place::Page(page) });
/// assert_eq!(serde_json::json!(place_metadata(&marks, 10..50)), serde_json::json!({"page": 1}));
/// let both = serde_json::json!({"page": 1, "last_page": 2});
/// assert_eq!(serde_json::json!(place_metadata(&marks, 10..60)), both);
/// ```
pub fn place_metadata(marks: &[Mark], part: Range<usize>) -> Map<String, Value> {
    let mut metadata = Map::new();
    // A part of white space at the beginning belongs to the first place.
    let first = marks.partition_point(|mark| mark.start <= part.start).saturating_sub(1);
    let last = marks.partition_point(|mark| mark.start < part.end).saturating_sub(1).max(first);
    if let (Some(first), Some(last)) = (marks.get(first), marks.get(last)) {
        let (key, last_key, value) = first.place.entry();
        metadata.insert(key.into(), value);
        if last.place != first.place {
            metadata.insert(last_key.into(), last.place.entry().2);
        }
    }
    metadata
}
