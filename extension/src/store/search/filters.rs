/*!
Filters: which chunks are searched, with their values. The argument `filter` has them, and some functions also take one as an
argument of its own.

Filters are conditions of the statements that find chunks, so they apply before any limit. A list means any of its
values.
*/

use super::filter_shape::{
    COLLECTION, FilterShape, KIND, LATEST, MEDIA_TYPE, METADATA, NOT_ORPHANED, PATH, SIMILARITY,
    URI, URI_PATTERN, VERSION, VERSION_PATTERN,
};
use super::metadata_conditions::metadata_values;
use crate::server::error::Error;
use crate::server::spi::Value;
use crate::server::sql_text::like_pattern;
use crate::server::types::Json;
use passage_core::arguments::{FILTER, JsonGroup, one_of};
use passage_core::metadata_filter::MetadataFilter;
use passage_core::strategy::check_length;
use passage_core::version_order::LATEST as LATEST_VERSION;
use passage_core::{Error as Request, parse_kind};
use passage_split::{MediaType, document_id};
use serde_json::Value as JsonValue;
use std::rc::Rc;
use uuid::Uuid;

/// The filters of a call.
pub struct FilterArguments {
    /// The filter `collection`, as an argument of its own.
    pub collection: Option<String>,
    /// The filter `uri`, as an argument of its own.
    pub uri: Option<String>,
    /// The argument `filter`.
    pub filter: Option<Json>,
}

/// The checked filters of a call. `None` does not filter.
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

    /// Returns the id that is derived for a document, if the filters have its collection, version and uri.
    pub fn identity(&self) -> Option<Uuid> {
        let version = self.version.as_ref()?;
        match (&self.collection.as_ref()?[..], &version.names[..], &self.uri.as_ref()?[..]) {
            ([collection], [name], [uri]) if version.patterns.is_empty() && !version.has_latest => {
                Some(document_id(collection, name, uri, 0))
            }
            _ => None,
        }
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
        given.or(self.has_latest.then_some(LATEST_VERSION))
    }

    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.patterns.is_empty() && !self.has_latest
    }
}

impl FilterArguments {
    /// Returns the filters. `unused` are the keys that the function does not use.
    ///
    /// # Errors
    ///
    /// Returns the errors of core for a value that is not an object, an unknown key, a value of another type,
    /// a filter that is also an argument, a text that is too long, an unknown kind, a media type without a slash, and
    /// an invalid condition on metadata.
    pub fn parse(self, unused: &[&str]) -> Result<Filters, Error> {
        let filter = self.filter.unwrap_or_else(Json::empty_object);
        // PostgreSQL compares the metadata, so they have no limits of numbers and levels here.
        let metadata = filter.field("metadata");
        let rest = metadata.is_some().then(|| filter.without("metadata"));
        let metadata = metadata.filter(|metadata| metadata.text() != "null");
        let value = rest.unwrap_or(filter).into_object(FILTER.name)?;
        let group = JsonGroup::new(&FILTER, unused, &value)?;
        let text = |key| {
            let text = group.text(key)?;
            check_length(key, text.as_deref())?;
            Ok::<_, Request>(text)
        };
        let texts = |key, alone: Option<String>| {
            let texts =
                one_of((FILTER.name, key), alone.map(|text| vec![text]), group.texts(key)?)?;
            for text in texts.iter().flatten() {
                check_length(key, Some(text))?;
            }
            Ok::<_, Request>(texts)
        };
        let kind = texts("kind", None)?;
        let media_type = texts("media_type", None)?;
        kind.iter().flatten().try_for_each(|kind| parse_kind(kind).map(drop))?;
        media_type.iter().flatten().try_for_each(|media_type| check_media_type(media_type))?;
        Ok(Filters {
            collection: texts("collection", self.collection)?,
            version: texts("version", None)?.map(versions),
            uri: texts("uri", self.uri)?,
            uri_pattern: text("uri_pattern")?,
            media_type,
            kind,
            path: text("path")?,
            metadata: metadata
                .filter(|metadata| metadata.text() != "{}")
                .map(conditions)
                .transpose()?
                .map(Rc::new),
            min_similarity: group.number("min_similarity")?,
            include_orphaned: group.boolean("include_orphaned")?.unwrap_or_default(),
        })
    }
}

impl Filters {
    /// Returns the filters that name a document.
    pub fn of_document(
        collection: Option<String>,
        version: Option<String>,
        uri: Option<String>,
    ) -> Self {
        let list = |text: Option<String>| text.map(|text| vec![text]);
        Self {
            collection: list(collection),
            version: list(version).map(versions),
            uri: list(uri),
            ..Self::default()
        }
    }
}

/// Returns the versions that a list selects.
fn versions(texts: Vec<String>) -> VersionFilter {
    let mut filter = VersionFilter::default();
    for text in texts {
        if text == LATEST_VERSION {
            filter.has_latest = true;
        } else if text.contains('*') {
            filter.patterns.push(text);
        } else {
            filter.names.push(text);
        }
    }
    filter
}

/// Returns conditions on metadata. Without operators, PostgreSQL reads the object, with all digits of its numbers.
fn conditions(metadata: Json) -> Result<MetadataFilter, Error> {
    Ok(match metadata.parse::<JsonValue>() {
        Some(value) if !MetadataFilter::is_plain(&value) => MetadataFilter::parse(&value)?,
        None if metadata.text().contains("\"$") => {
            let key = "metadata".to_owned();
            return Err(Error::Request(Request::UnreadableValue { argument: FILTER.name, key }));
        }
        _ => MetadataFilter::containing(metadata.text().to_owned(), metadata.keys()),
    })
}

/// Checks that a media type has a slash. Any type may be that of a document, also an unknown one.
fn check_media_type(media_type: &str) -> Result<(), Error> {
    if media_type.contains('/') { Ok(()) } else { Ok(media_type.parse::<MediaType>().map(drop)?) }
}
