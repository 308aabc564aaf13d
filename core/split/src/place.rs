/*!
Places in a converted document: pages, slides and sheets, as its readers name them.

The stored Markdown has no pages, so each chunk has its place in its metadata, from where citations have it:
`{"page": 12}`, or `{"page": 12, "last_page": 13, "page_starts": [[310, 13]]}` for a chunk in which page 13 begins at byte
310. The last key lets another split of the same text find the place of each new chunk.
*/

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;
use std::ops::Range;

/// The beginning of a page, a slide or a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceMark {
    /// The offset in the Markdown, in bytes.
    pub start: usize,
    /// The place that begins there.
    pub place: Place,
}

/// A place in a document, as its readers name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// The number of a page, from 1.
    Page(usize),
    /// The number of a slide, from 1.
    Slide(usize),
    /// The name of a sheet.
    Sheet(String),
}

/// The keys of a kind of places in metadata.
struct Keys {
    first: &'static str,
    last: &'static str,
    /// The places that begin inside of a chunk, each with its offset.
    starts: &'static str,
}

const PAGE: Keys = Keys { first: "page", last: "last_page", starts: "page_starts" };
const SLIDE: Keys = Keys { first: "slide", last: "last_slide", starts: "slide_starts" };
const SHEET: Keys = Keys { first: "sheet", last: "last_sheet", starts: "sheet_starts" };

impl Place {
    /// The keys of metadata of which a chunk with a place has one.
    pub const KEYS: [&str; 3] = [PAGE.first, SLIDE.first, SHEET.first];

    fn keys(&self) -> &'static Keys {
        match self {
            Self::Page(_) => &PAGE,
            Self::Slide(_) => &SLIDE,
            Self::Sheet(_) => &SHEET,
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Page(number) | Self::Slide(number) => (*number).into(),
            Self::Sheet(name) => name.as_str().into(),
        }
    }

    /// Returns the place of the same kind that a value names.
    fn with_value(&self, value: &Value) -> Option<Self> {
        let number = || usize::try_from(value.as_u64()?).ok().filter(|number| *number > 0);
        Some(match self {
            Self::Page(_) => Self::Page(number()?),
            Self::Slide(_) => Self::Slide(number()?),
            Self::Sheet(_) => Self::Sheet(value.as_str()?.to_owned()),
        })
    }
}

/// The places that a chunk or a passage covers.
///
/// ```
/// use passage_split::PlaceRange;
/// use serde_json::json;
///
/// let of = |metadata| PlaceRange::of_metadata(&metadata);
/// let range = of(json!({"page": 12, "last_page": 13})).unwrap();
/// assert_eq!(range.to_string(), "pages 12-13");
/// assert_eq!(of(json!({"sheet": "Costs"})).unwrap().to_string(), "sheet Costs");
/// assert_eq!(of(json!({"page": "twelve"})), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceRange {
    first: Place,
    last: Place,
}

impl PlaceRange {
    /// Returns the places in the metadata of a chunk or in a citation; `None` without valid ones.
    pub fn of_metadata(metadata: &Value) -> Option<Self> {
        // The loaders of LangChain count pages from 0: `{"source": "a.pdf", "total_pages": 8, "page": 0, "page_label": "1"}`.
        if metadata.get("total_pages").is_some() && metadata.get("source").is_some() {
            let page = Place::Page(usize::try_from(metadata.get("page")?.as_u64()?).ok()? + 1);
            return Some(Self { first: page.clone(), last: page });
        }
        [Place::Page(1), Place::Slide(1), Place::Sheet(String::new())].iter().find_map(|kind| {
            let Keys { first, last, .. } = kind.keys();
            let first = kind.with_value(metadata.get(*first)?)?;
            let last = metadata.get(*last).and_then(|last| kind.with_value(last));
            Some(Self { last: last.unwrap_or_else(|| first.clone()), first })
        })
    }

    /// Returns the places of several chunks, in the order of the text; `None` if none has a place.
    pub fn of_all<'m>(metadata: impl IntoIterator<Item = &'m Value>) -> Option<Self> {
        metadata.into_iter().filter_map(Self::of_metadata).reduce(|range, next| match range.first {
            Place::Sheet(_) => Self { first: range.first, last: next.last },
            first => Self { first: first.min(next.first), last: range.last.max(next.last) },
        })
    }

    /// Returns the metadata, as in `{"page": 12}`.
    pub fn to_metadata(&self) -> Map<String, Value> {
        let Self { first, last } = self;
        let mut metadata = Map::new();
        metadata.insert(first.keys().first.into(), first.value());
        if last != first {
            metadata.insert(first.keys().last.into(), last.value());
        }
        metadata
    }
}

/// Writes the places as a citation names them, as in `page 12`.
impl fmt::Display for PlaceRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = self.first.keys().first;
        match (&self.first, &self.last) {
            (Place::Sheet(first), Place::Sheet(last)) if first != last => {
                write!(formatter, "{noun}s {first} to {last}")
            }
            (Place::Sheet(name), _) => write!(formatter, "{noun} {name}"),
            (first, last) if first != last => {
                write!(formatter, "{noun}s {}-{}", first.value(), last.value())
            }
            (first, _) => write!(formatter, "{noun} {}", first.value()),
        }
    }
}

/// Returns the metadata of a part of the Markdown. `marks` are in the order of the text.
///
/// ```
/// use passage_split::{Place, PlaceMark, place_metadata, place_marks};
/// use serde_json::{Value, json};
///
/// let marks = [(0, 1), (50, 2)].map(|(start, page)| PlaceMark { start, place: Place::Page(page) });
/// assert_eq!(Value::Object(place_metadata(&marks, 10..50)), json!({"page": 1}));
/// let both = Value::Object(place_metadata(&marks, 10..60));
/// assert_eq!(both, json!({"page": 1, "last_page": 2, "page_starts": [[40, 2]]}));
/// assert_eq!(place_marks([(10, &both)])[1], marks[1]);
/// ```
pub fn place_metadata(marks: &[PlaceMark], part: Range<usize>) -> Map<String, Value> {
    // White space before the first place belongs to it.
    let first = marks.partition_point(|mark| mark.start <= part.start).saturating_sub(1);
    let end = marks.partition_point(|mark| mark.start < part.end);
    let Some((first, inside)) = marks[first..end.max(first + 1).min(marks.len())].split_first()
    else {
        return Map::new();
    };
    let last = inside.last().unwrap_or(first);
    let range = PlaceRange { first: first.place.clone(), last: last.place.clone() };
    let mut metadata = range.to_metadata();
    if !inside.is_empty() {
        let starts = inside.iter().map(|mark| json!([mark.start - part.start, mark.place.value()]));
        metadata.insert(first.place.keys().starts.into(), starts.collect());
    }
    metadata
}

/// Returns the marks of a text from the metadata of its chunks, each with the offset where the chunk begins.
pub fn place_marks<'m>(chunks: impl IntoIterator<Item = (usize, &'m Value)>) -> Vec<PlaceMark> {
    let mut marks: Vec<_> =
        chunks.into_iter().flat_map(|(start, metadata)| marks_of_chunk(start, metadata)).collect();
    marks.dedup_by(|mark, last| mark.place == last.place);
    marks
}

fn marks_of_chunk(start: usize, metadata: &Value) -> Vec<PlaceMark> {
    let Some(PlaceRange { first, .. }) = PlaceRange::of_metadata(metadata) else {
        return Vec::new();
    };
    let starts = metadata.get(first.keys().starts).and_then(Value::as_array);
    let mark = |entry: &Value| {
        let offset = usize::try_from(entry.get(0)?.as_u64()?).ok()?;
        Some(PlaceMark {
            start: start.checked_add(offset)?,
            place: first.with_value(entry.get(1)?)?,
        })
    };
    let inside: Vec<_> = starts.into_iter().flatten().filter_map(mark).collect();
    std::iter::once(PlaceMark { start, place: first }).chain(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_split_of_a_text_has_the_same_places() {
        let mark = |(start, page)| PlaceMark { start, place: Place::Page(page) };
        let marks = [(3, 1), (40, 2), (60, 4), (100, 5)].map(mark);
        let metadata = |marks: &[PlaceMark], parts: &[Range<usize>]| -> Vec<Value> {
            parts.iter().map(|part| place_metadata(marks, part.clone()).into()).collect()
        };
        let (coarse, fine) = ([0..80, 80..120], [0..20, 20..50, 50..90, 90..120]);
        let stored = metadata(&marks, &coarse);
        let read = place_marks(coarse.iter().map(|part| part.start).zip(&stored));
        assert_eq!(metadata(&read, &fine), metadata(&marks, &fine));
        assert_eq!(stored[0]["page_starts"], json!([[40, 2], [60, 4]]));
        assert_eq!(stored[1], json!({"page": 4, "last_page": 5, "page_starts": [[20, 5]]}));
    }

    #[test]
    fn a_passage_covers_the_places_of_its_chunks() {
        let of_all = |chunks: &[Value]| PlaceRange::of_all(chunks).map(|range| range.to_string());
        let chunks = [json!({"page": 3, "last_page": 4}), json!({}), json!({"page": 2})];
        assert_eq!(of_all(&chunks).as_deref(), Some("pages 2-4"));
        let sheets = [json!({"sheet": "Costs"}), json!({"sheet": "Ads"})];
        assert_eq!(of_all(&sheets).as_deref(), Some("sheets Costs to Ads"));
        assert_eq!(of_all(&[json!({"slide": 7})]).as_deref(), Some("slide 7"));
        assert_eq!(of_all(&[json!({"imports": ["page"], "page": -1})]), None);
        let langchain = |page: Value| json!({"source": "a.pdf", "total_pages": 8, "page": page});
        assert_eq!(
            of_all(&[langchain(0.into()), langchain(1.into())]).as_deref(),
            Some("pages 1-2")
        );
        assert_eq!(of_all(&[langchain("i".into())]), None);
        // A program of one's own.
        assert_eq!(of_all(&[json!({"total_pages": 8, "page": 2})]).as_deref(), Some("page 2"));
    }

    #[test]
    fn a_text_without_marks_has_no_place() {
        assert!(place_metadata(&[], 0..10).is_empty());
        assert!(place_marks([(0, &json!({"page": 0}))]).is_empty());
    }
}
