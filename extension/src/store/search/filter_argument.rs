//! The argument `filter`: all filters of a search in one JSON object.

use super::filters::Filters;
use crate::server::error::Error;
use crate::server::types::Json;
use passage_core::strategy::check_length;
use passage_core::{JsonGroup, one_of};

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

impl Filters {
    /// Adds the filters of the argument `filter` to those that are arguments of their own.
    ///
    /// # Errors
    ///
    /// Returns the errors of core for a value that is not an object, an unknown key, a value of another type,
    /// a filter that is also an argument, and a text that is too long.
    pub fn with_filter(
        self,
        filter: Option<Json>,
        keys: &'static [&'static str],
    ) -> Result<Self, Error> {
        let filters = self.with_object(filter, keys)?;
        for (key, text) in [
            ("collection", &filters.collection),
            ("version", &filters.version),
            ("uri", &filters.uri),
            ("uri_pattern", &filters.uri_pattern),
            ("media_type", &filters.media_type),
            ("kind", &filters.kind),
            ("path", &filters.path),
        ] {
            check_length(key, text.as_deref())?;
        }
        Ok(filters)
    }

    fn with_object(
        self,
        filter: Option<Json>,
        keys: &'static [&'static str],
    ) -> Result<Self, Error> {
        let Some(filter) = filter else { return Ok(self) };
        let metadata = filter.field("metadata");
        // PostgreSQL compares the metadata, so they have no limits of numbers and levels here.
        let rest = metadata.is_some().then(|| filter.without("metadata"));
        let metadata = metadata.filter(|metadata| metadata.text() != "null");
        let value = rest.unwrap_or(filter).into_object(FILTER)?;
        let group = JsonGroup::new(FILTER, keys, &value)?;
        let text = |key, alone| one_of((FILTER, key), alone, group.text(key)?);
        let orphaned = "include_orphaned";
        let include = one_of(
            (FILTER, orphaned),
            self.include_orphaned.then_some(true),
            group.boolean(orphaned)?,
        )?;
        Ok(Self {
            collection: text("collection", self.collection)?,
            version: text("version", self.version)?,
            uri: text("uri", self.uri)?,
            uri_pattern: text("uri_pattern", self.uri_pattern)?,
            media_type: text("media_type", self.media_type)?,
            kind: text("kind", self.kind)?,
            path: text("path", self.path)?,
            metadata: one_of((FILTER, "metadata"), self.metadata, metadata)?,
            min_similarity: one_of(
                (FILTER, "min_similarity"),
                self.min_similarity,
                group.number("min_similarity")?,
            )?,
            include_orphaned: include.unwrap_or_default(),
        })
    }
}
