/*!
Filters: which chunks are searched, with their values.

Filters are conditions of the statements that find chunks, so they apply before any limit. A list means any of its
values.
*/

use super::filter_shape::{
    COLLECTION, FilterShape, KIND, LATEST, MEDIA_TYPE, METADATA, NOT_ORPHANED, PATH, SIMILARITY,
    URI, URI_PATTERN, VERSION, VERSION_PATTERN,
};
use super::metadata_conditions::metadata_values;
use crate::server::spi::Value;
use crate::server::sql_text::like_pattern;
use passage_core::metadata_filter::MetadataFilter;
use passage_core::version_order;
use std::rc::Rc;

/// The filters of a call. `None` does not filter.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub collection: Option<Vec<String>>,
    pub version: Option<VersionFilter>,
    /// The exact uris.
    pub uri: Option<Vec<String>>,
    /// A pattern of LIKE.
    pub uri_pattern: Option<String>,
    /// Media types, or all of a type as in `text/*`.
    pub media_type: Option<Vec<String>>,
    pub kind: Option<Vec<String>>,
    /// An lquery.
    pub path: Option<String>,
    /// Conditions on the merged metadata of document and chunk.
    pub metadata: Option<Rc<MetadataFilter>>,
    /// The minimum cosine similarity to the embedding.
    pub min_similarity: Option<f64>,
    /// Whether documents without a source are searched too.
    pub include_orphaned: bool,
}

/// Versions to search: any of them.
#[derive(Clone, Debug, Default)]
pub struct VersionFilter {
    pub names: Vec<String>,
    /// Names in which a star stands for any text.
    pub patterns: Vec<String>,
    /// Whether the highest version of each collection is one of them.
    pub has_latest: bool,
    /// The highest version of each collection, each list in the same order. Known once the store was read.
    pub latest: [Vec<String>; 2],
}

impl Filters {
    /// Returns the given filters with their values, in the order of the parameters.
    fn given(&self) -> Vec<(u16, Vec<Value>)> {
        fn one<T: pgrx::IntoDatum>(bit: u16, value: Option<T>) -> Option<(u16, Vec<Value>)> {
            value.map(|value| (bit, vec![Value::new(value)]))
        }
        let patterns = |texts: &Vec<String>| texts.iter().map(|text| like_pattern(text)).collect();
        let patterns = |texts: Option<&Vec<String>>| texts.map(patterns);
        let version = self.version.as_ref();
        let [names, version_patterns] =
            [version.map(|version| &version.names), version.map(|version| &version.patterns)]
                .map(|texts| texts.filter(|texts| !texts.is_empty()));
        // Of no version nothing is found.
        let names = names
            .or_else(|| version.filter(|version| version.is_empty()).map(|version| &version.names));
        let latest = version.filter(|version| version.has_latest);
        let metadata = self.metadata.as_ref().map(|filter| {
            let keys = Value::new(filter.keys.clone());
            (METADATA, metadata_values(filter).chain([keys]).collect())
        });
        [
            one(COLLECTION, self.collection.clone()),
            one(VERSION, names.cloned()),
            one::<Vec<String>>(VERSION_PATTERN, patterns(version_patterns)),
            latest.map(|version| (LATEST, version.latest.clone().map(Value::new).to_vec())),
            one(URI, self.uri.clone()),
            one(URI_PATTERN, self.uri_pattern.clone()),
            one::<Vec<String>>(MEDIA_TYPE, patterns(self.media_type.as_ref())),
            one(KIND, self.kind.clone()),
            one(PATH, self.path.clone()),
            metadata,
            one(SIMILARITY, self.min_similarity),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Returns the structure of the given filters.
    pub fn shape(&self) -> FilterShape {
        let given = self.given().iter().fold(0, |bits, (bit, _)| bits | bit);
        let given = if self.include_orphaned { given } else { given | NOT_ORPHANED };
        let metadata = self.metadata.as_ref();
        let metadata = metadata.map(|filter| (filter.condition.clone(), filter.operands.len()));
        FilterShape::new(given, metadata)
    }

    /// Returns the values of the given filters.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        self.given().into_iter().flat_map(|(_, values)| values)
    }
}

impl VersionFilter {
    /// Returns the first version as it was given.
    pub fn text(&self) -> Option<&str> {
        let given = self.names.first().or(self.patterns.first()).map(String::as_str);
        given.or(self.has_latest.then_some(version_order::LATEST))
    }

    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.patterns.is_empty() && !self.has_latest
    }
}
