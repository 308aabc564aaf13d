//! The arguments of the tools. The comments of fields are the descriptions that a model reads.

use crate::error::Error;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The largest offset of a page of fragments, which small budgets cut into many parts.
pub(super) const MAX_FRAGMENT_OFFSET: u32 = 1_000_000;
/// The largest number of results in a page.
const MAX_LIMIT: u32 = 50;
/// The largest budget of a page.
pub(super) const MAX_TOKENS: u32 = 100_000;

/// Parses the arguments of a tool.
pub(super) fn parse<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Error> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Error::invalid(
            format!("invalid arguments: {error}"),
            "Call the tool again with arguments that match its input schema.",
        )
    })
}

/// A part of a longer list of results.
#[derive(Clone, Copy)]
pub(super) struct Page {
    pub(super) offset: u32,
    pub(super) limit: u32,
    pub(super) max_tokens: u32,
}

impl Page {
    /// Checks the offset with its maximum, and the limit and the budget with their defaults.
    pub(super) fn new(
        offset: (Option<u32>, u32),
        limit: (Option<u32>, u32),
        max_tokens: (Option<u32>, u32),
    ) -> Result<Self, Error> {
        Ok(Self {
            offset: within("offset", offset.0.unwrap_or(0), 0, offset.1)?,
            limit: within("limit", limit.0.unwrap_or(limit.1), 1, MAX_LIMIT)?,
            max_tokens: budget(max_tokens.0, max_tokens.1)?,
        })
    }
}

/// Checks a budget.
pub(super) fn budget(max_tokens: Option<u32>, default: u32) -> Result<u32, Error> {
    within("max_tokens", max_tokens.unwrap_or(default), 1, MAX_TOKENS)
}

fn within(name: &str, value: u32, min: u32, max: u32) -> Result<u32, Error> {
    if (min..=max).contains(&value) {
        return Ok(value);
    }
    let remedy = if name == "offset" { "Ask a narrower question." } else { "" };
    Err(Error::invalid(
        format!("{name} is out of range"),
        format!("Use {min} to {max}. {remedy}").trim_end().to_owned(),
    ))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArguments {
    /// The question or search terms. Quotes group a "phrase", a minus excludes a -word.
    pub(super) query: String,
    /// Only this collection, as `list_collections` names it.
    pub(super) collection: Option<String>,
    /// Only this version of the collection. `latest` is the highest one, `8.*` are all that begin so.
    pub(super) version: Option<String>,
    /// Only documents whose uri matches this LIKE pattern, such as src/%.
    pub(super) uri_pattern: Option<String>,
    /// Only this kind of content: prose, code, api-reference or data.
    pub(super) kind: Option<String>,
    /// How much ratings of users for similar questions count, 0 to 1. The default is 0.
    pub(super) feedback: Option<f64>,
    /// How to search: text (by words), vector (by meaning) or hybrid. The default is hybrid, if the store has embeddings.
    pub(super) mode: Option<String>,
    /// The context to add to each hit, such as auto, broad, section, document, adjacent or none. The default is auto.
    pub(super) strategy: Option<String>,
    /// How many sections to which a hit links follow its passage, 0 by default.
    pub(super) links: Option<u32>,
    /// The maximum number of passages, 1 to 50, 5 by default.
    pub(super) limit: Option<u32>,
    /// The maximum number of tokens of all passages together, 1 to 100000, 2000 by default.
    pub(super) max_tokens: Option<u32>,
    /// The `chunk_ids` of passages that you have already. The result has other passages, without text of these chunks.
    pub(super) skip: Option<Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FragmentsArguments {
    /// The question that the lines should answer, or words that they contain.
    pub(super) query: String,
    /// Only this document.
    pub(super) uri: Option<String>,
    /// Only this collection.
    pub(super) collection: Option<String>,
    /// Only this version of the collection.
    pub(super) version: Option<String>,
    /// The maximum number of fragments, 1 to 50, 5 by default.
    pub(super) limit: Option<u32>,
    /// The maximum number of tokens of all fragments together, 1 to 100000, 1000 by default.
    pub(super) max_tokens: Option<u32>,
    /// `next_offset` of the previous page. Repeat all other arguments. 0 is the first page.
    pub(super) offset: Option<u32>,
}

/// The properties by which chunks and documents are compared.
#[derive(Clone, Copy, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Likeness {
    /// Words and embeddings.
    Content,
    /// Links.
    Links,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SimilarArguments {
    /// A chunk id of a result: finds chunks like this one.
    pub(super) chunk_id: Option<String>,
    /// The uri of a document: finds documents like this one.
    pub(super) uri: Option<String>,
    /// The collection of the document, if several have the uri.
    pub(super) collection: Option<String>,
    /// The version of the collection, if several have the uri.
    pub(super) version: Option<String>,
    /// The property to compare: content, the default, or links: what links to it, what it links to, and what links to the same targets.
    pub(super) by: Option<Likeness>,
    /// The maximum number of chunks or documents, 1 to 50, 5 by default.
    pub(super) limit: Option<u32>,
    /// The maximum number of tokens of all passages together, 1 to 100000, 2000 by default.
    pub(super) max_tokens: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadPassageArguments {
    /// A chunk id of a search result: returns the chunk with its context.
    pub(super) chunk_id: Option<String>,
    /// The uri of a document: returns its lines.
    pub(super) uri: Option<String>,
    /// The collection of the document, if several have the uri.
    pub(super) collection: Option<String>,
    /// The version of the collection, if several have the uri.
    pub(super) version: Option<String>,
    /// The first line, from 1. The default is 1.
    pub(super) first_line: Option<u32>,
    /// The last line. The default is the end of the document.
    pub(super) last_line: Option<u32>,
    /// The number of lines to add before and after the lines, 0 by default.
    pub(super) context_lines: Option<u32>,
    /// The context to add to the chunk, such as auto, broad, section, document, adjacent or none. The default is auto.
    pub(super) strategy: Option<String>,
    /// The maximum number of tokens, 1 to 100000, 4000 by default.
    pub(super) max_tokens: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OutlineArguments {
    /// The uri of the document.
    pub(super) uri: String,
    /// The collection of the document, if several have the uri.
    pub(super) collection: Option<String>,
    /// The version of the collection, if several have the uri.
    pub(super) version: Option<String>,
    /// The maximum number of tokens of the outline, 1 to 100000, 2000 by default.
    pub(super) max_tokens: Option<u32>,
    /// The number of sections to skip: `next_offset` of the previous page.
    pub(super) offset: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinksArguments {
    /// The chunk whose links are listed. Give either this or uri.
    pub(super) chunk_id: Option<String>,
    /// The uri of the document whose links are listed.
    pub(super) uri: Option<String>,
    /// The collection of the document, if several have the uri.
    pub(super) collection: Option<String>,
    /// The version of the collection, if several have the uri.
    pub(super) version: Option<String>,
    /// Whether to list the links that lead to the chunk or the document, false by default.
    pub(super) backlinks: Option<bool>,
    /// The maximum number of tokens of the list, 1 to 100000, 2000 by default.
    pub(super) max_tokens: Option<u32>,
    /// The number of links to skip: `next_offset` of the previous page.
    pub(super) offset: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListCollectionsArguments {
    /// The maximum number of tokens of the list, 1 to 100000, 2000 by default.
    pub(super) max_tokens: Option<u32>,
    /// The number of collections to skip: `next_offset` of the previous page.
    pub(super) offset: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RateArguments {
    /// The question that the passage was found for.
    pub(super) query: String,
    /// A chunk id of the passage: the first of its `hit_ids`.
    pub(super) chunk_id: String,
    /// From -1, it does not answer the question, to 1, it does. 0 withdraws an earlier rating.
    pub(super) rating: f32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IngestArguments {
    /// The uri under which the document is stored, such as notes/today.md. A document with the same uri, collection and
    /// version is replaced.
    pub(super) uri: String,
    /// The text of the document.
    pub(super) content: String,
    /// The collection of the document. The default is the unnamed one.
    pub(super) collection: Option<String>,
    /// The version of the collection. The default is the unnamed one.
    pub(super) version: Option<String>,
    /// The title. The default is the title in the text.
    pub(super) title: Option<String>,
    /// The media type, such as text/markdown. The default is detected from the uri, else from the text.
    pub(super) media_type: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoveArguments {
    /// The uris of the documents to remove.
    pub(super) uris: Vec<String>,
    /// The collection of the documents. The default is the unnamed one.
    pub(super) collection: Option<String>,
    /// The version of the collection. The default is the unnamed one.
    pub(super) version: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::{FragmentsArguments, SearchArguments};
    use passage_core::arguments::{FILTER, RANKING};
    use schemars::{Schema, schema_for};

    /// The arguments of the SQL functions, and those that the tools rename.
    const OTHERS: &[&str] = &[
        "query",
        "collection",
        "uri",
        "strategy",
        "links",
        "limit",
        "max_tokens",
        "offset",
        "skip",
    ];

    fn unknown(schema: &Schema) -> Vec<&str> {
        let names = schema.as_value()["properties"].as_object().unwrap().keys();
        let is_known =
            |name: &&str| FILTER.key(name).or(RANKING.key(name)).is_some() || OTHERS.contains(name);
        names.map(String::as_str).filter(|name| !is_known(name)).collect()
    }

    #[test]
    fn tools_name_filters_and_ranking_as_sql_does() {
        for schema in [schema_for!(SearchArguments), schema_for!(FragmentsArguments)] {
            assert!(unknown(&schema).is_empty(), "{:?}", unknown(&schema));
        }
    }
}
