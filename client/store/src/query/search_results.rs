//! The results of a search.

use super::super::connect::Notice;
use super::value::{number, optional_number, or_empty, titles};
use passage_split::PlaceRange;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// The results of a search, read in one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearchResults {
    /// The hits without context, best first, if [`Search::hits`](super::Search::hits) is set.
    #[serde(rename = "chunks", skip_serializing_if = "Option::is_none")]
    pub hits: Option<Vec<Hit>>,
    /// The passages, in the requested order.
    pub passages: Vec<Passage>,
    /// The notices of the server.
    #[serde(rename = "notes")]
    pub notices: Vec<Notice>,
}

/// A chunk that the search found, without context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are described in the reference of search_hits")]
pub struct Hit {
    pub rank: i32,
    pub chunk_id: Uuid,
    pub document_id: Uuid,
    pub uri: Option<String>,
    pub title: Option<String>,
    #[serde(deserialize_with = "titles")]
    pub section: Vec<String>,
    #[serde(deserialize_with = "number")]
    pub score: f64,
    pub vector_rank: Option<i32>,
    #[serde(deserialize_with = "optional_number")]
    pub vector_score: Option<f64>,
    pub text_rank: Option<i32>,
    #[serde(deserialize_with = "optional_number")]
    pub text_score: Option<f64>,
    pub tokens: Option<i32>,
    pub content: String,
    pub first_line: Option<i32>,
    pub last_line: Option<i32>,
    /// The id that the program behind an adopted store knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
}

/// An assembled passage: the text of hits with their context.
///
/// # Examples
///
/// ```no_run
/// # async fn example(store: &mut passage_store::Store) -> Result<(), passage_store::Error> {
/// # let search = passage_store::Search::default();
/// for passage in store.search(&search).await?.passages {
///     for hit in passage.hit_ranges() {
///         println!("{}", &passage.content[hit]);
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are described in the reference of passage.reassemble")]
pub struct Passage {
    pub rank: i32,
    #[serde(deserialize_with = "optional_number")]
    pub score: Option<f64>,
    pub document_id: Uuid,
    pub collection: Option<String>,
    pub version: Option<String>,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub media_type: Option<String>,
    #[serde(deserialize_with = "titles")]
    pub section: Vec<String>,
    pub content: String,
    pub tokens: i32,
    pub chunk_ids: Vec<Uuid>,
    pub hit_ids: Vec<Uuid>,
    pub first_line: Option<i32>,
    pub last_line: Option<i32>,
    pub citations: Value,
    pub truncated: bool,
    pub complete: Option<bool>,
    pub metadata: Option<Value>,
    /// The ids that the program behind an adopted store knows, in the order of `chunk_ids`.
    #[serde(default, deserialize_with = "or_empty", skip_serializing_if = "Vec::is_empty")]
    pub source_ids: Vec<Option<String>>,
}

impl Passage {
    /// Returns the byte ranges of `content` that are hits, in order.
    pub fn hit_ranges(&self) -> Vec<std::ops::Range<usize>> {
        let offset =
            |citation: &Value, key: &str| citation[key].as_u64().map(|offset| offset as usize);
        let hit = |citation: &Value| {
            let is_hit = citation["role"] == "hit";
            is_hit.then(|| Some(offset(citation, "start")?..offset(citation, "end")?)).flatten()
        };
        self.citations.as_array().into_iter().flatten().filter_map(hit).collect()
    }

    /// Returns the pages, slides or sheets of a converted document that the passage covers.
    pub fn place(&self) -> Option<PlaceRange> {
        PlaceRange::of_all(self.citations.as_array().into_iter().flatten())
    }
}
