//! The filters of a call, from its arguments and from the argument `filter`, which has all of them in one JSON object.

use super::filters::{Filters, VersionFilter};
use crate::server::error::Error;
use crate::server::types::Json;
use passage_core::metadata_filter::MetadataFilter;
use passage_core::strategy::check_length;
use passage_core::version_order::LATEST;
use passage_core::{Error as Request, JsonGroup, one_of, parse_kind};
use passage_split::MediaType;
use serde_json::Value;
use std::rc::Rc;

/// The name of the argument.
const FILTER: &str = "filter";

/// The keys for a search, which are also the names of arguments, except `uri`.
pub const SEARCH_KEYS: &[&str] = &[
    "collection",
    "version",
    "uri",
    "uri_pattern",
    "media_type",
    "kind",
    "path",
    "metadata",
    "include_orphaned",
    "min_similarity",
];

/// The keys for fragments, which are not compared with the embedding.
pub const FRAGMENT_KEYS: &[&str] = match SEARCH_KEYS.split_last() {
    Some((_min_similarity, keys)) => keys,
    None => SEARCH_KEYS,
};

/// The filters that are arguments of their own.
#[derive(Clone, Default)]
pub struct FilterArguments {
    pub collection: Option<String>,
    pub version: Option<String>,
    pub uri: Option<String>,
    pub uri_pattern: Option<String>,
    pub media_type: Option<String>,
    pub kind: Option<String>,
    pub path: Option<String>,
    pub metadata: Option<Json>,
    pub min_similarity: Option<f64>,
    pub include_orphaned: bool,
}

impl FilterArguments {
    /// Returns the filters of these arguments and of the argument `filter`.
    ///
    /// # Errors
    ///
    /// Returns the errors of core for a value that is not an object, an unknown key, a value of another type,
    /// a filter that is also an argument, a text that is too long, an unknown kind, a media type without a slash, and
    /// an invalid condition on metadata.
    pub fn with_filter(
        self,
        filter: Option<Json>,
        keys: &'static [&'static str],
    ) -> Result<Filters, Error> {
        let filter = filter.unwrap_or_else(Json::empty_object);
        let in_filter = filter.field("metadata");
        // PostgreSQL compares the metadata, so they have no limits of numbers and levels here.
        let rest = in_filter.is_some().then(|| filter.without("metadata"));
        let in_filter = in_filter.filter(|metadata| metadata.text() != "null");
        let value = rest.unwrap_or(filter).into_object(FILTER)?;
        let group = JsonGroup::new(FILTER, keys, &value)?;
        let text = |key, alone: Option<String>| {
            let text = one_of((FILTER, key), alone, group.text(key)?)?;
            check_length(key, text.as_deref())?;
            Ok::<_, Request>(text)
        };
        let texts = |key, alone: Option<String>| {
            let texts = one_of((FILTER, key), alone.map(|text| vec![text]), group.texts(key)?)?;
            for text in texts.iter().flatten() {
                check_length(key, Some(text))?;
            }
            Ok::<_, Request>(texts)
        };
        let orphaned = "include_orphaned";
        let include = one_of(
            (FILTER, orphaned),
            self.include_orphaned.then_some(true),
            group.boolean(orphaned)?,
        )?;
        let metadata = one_of((FILTER, "metadata"), self.metadata, in_filter)?;
        let kind = texts("kind", self.kind)?;
        let media_type = texts("media_type", self.media_type)?;
        kind.iter().flatten().try_for_each(|kind| parse_kind(kind).map(drop))?;
        media_type.iter().flatten().try_for_each(|media_type| check_media_type(media_type))?;
        Ok(Filters {
            collection: texts("collection", self.collection)?,
            version: texts("version", self.version)?.map(versions),
            uri: texts("uri", self.uri)?,
            uri_pattern: text("uri_pattern", self.uri_pattern)?,
            media_type,
            kind,
            path: text("path", self.path)?,
            metadata: metadata
                .filter(|metadata| metadata.text() != "{}")
                .map(conditions)
                .transpose()?
                .map(Rc::new),
            min_similarity: one_of(
                (FILTER, "min_similarity"),
                self.min_similarity,
                group.number("min_similarity")?,
            )?,
            include_orphaned: include.unwrap_or_default(),
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
        if text == LATEST {
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
    Ok(match metadata.parse::<Value>() {
        Some(value) if !MetadataFilter::is_plain(&value) => MetadataFilter::parse(&value)?,
        None if metadata.text().contains("\"$") => {
            let key = "metadata".to_owned();
            return Err(Error::Request(Request::UnreadableValue { argument: FILTER, key }));
        }
        _ => MetadataFilter::containing(metadata.text().to_owned(), metadata.keys()),
    })
}

/// Checks that a media type has a slash. Any type may be that of a document, also an unknown one.
fn check_media_type(media_type: &str) -> Result<(), Error> {
    if media_type.contains('/') { Ok(()) } else { Ok(media_type.parse::<MediaType>().map(drop)?) }
}
