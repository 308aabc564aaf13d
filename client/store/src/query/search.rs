//! Search: one call of the extension's `search`, and one of `search_hits` for the hits without context.

pub use passage_core::search::SearchMode;

use super::super::connection::{Store, begin_snapshot};
use super::super::error::Error;
use super::arguments::{given, number};
use super::call::Call;
use super::search_results::SearchResults;
use serde_json::{Map, Value, json};

/// A search, and the context to add to its hits. `None` means the default of the extension.
///
/// # Examples
///
/// ```
/// use passage_store::{Filters, Search};
///
/// let search = Search {
///     question: "How do I configure logging?".into(),
///     limit: Some(5),
///     filters: Filters { collection: Some("handbook".into()), ..Filters::default() },
///     ..Search::default()
/// };
/// assert!(search.embedding.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The question, in words.
    pub question: String,
    /// The embedding of the question, by the store's model; `None` searches by words only.
    pub embedding: Option<Vec<f32>>,
    /// Whether to search by words, by the embedding, or by both; the default uses everything given.
    pub mode: Option<SearchMode>,
    /// The maximum number of passages, 10 by default.
    pub limit: Option<u32>,
    /// The maximum number of chunks that each of the two searches finds.
    pub candidates: Option<u32>,
    /// The weight of ratings for similar questions, 0 to 1, 0 by default.
    pub feedback: Option<f64>,
    /// The chunks to search.
    pub filters: Filters,
    /// The context to add: a preset, or a strategy of the store.
    pub strategy: Option<String>,
    /// The maximum number of tokens of all passages together.
    pub max_tokens: Option<u32>,
    /// The maximum number of chunks of all passages together, including hits.
    pub max_chunks: Option<u32>,
    /// The number of sections to which the links of a hit lead and that follow its passage.
    pub links: Option<u32>,
    /// The order of the passages: `score`, or `document` for document order.
    pub order_by: Option<String>,
    /// Whether to return the hits without context too, at most as many as passages.
    pub hits: bool,
}

/// Conditions on the chunks to search, all of which must hold.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// The collection.
    pub collection: Option<String>,
    /// The version of the collection; `latest` is the highest of each collection, and `8.*` all that begin so.
    pub version: Option<String>,
    /// A LIKE pattern for the uri.
    pub uri_pattern: Option<String>,
    /// A media type, or `text/*`.
    pub media_type: Option<String>,
    /// The kind of content: `prose`, `code`, `api-reference` or `data`.
    pub kind: Option<String>,
    /// An lquery for the path of the section.
    pub path: Option<String>,
    /// A JSON object that the combined metadata of document and chunk contains, or conditions on them.
    pub metadata: Option<Value>,
    /// The minimum cosine similarity to the embedding, from -1 to 1.
    pub min_similarity: Option<f64>,
    /// Whether to search documents whose source no longer exists.
    pub include_orphaned: bool,
}

impl Store {
    /// Searches the store, and returns the passages around the hits.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Nul`] if a text contains a NUL character, and [`Error::Database`] if the strategy
    /// is unknown, if the embedding does not have the store's dimensions, or if the store lacks what the
    /// mode requires.
    pub async fn search(&mut self, search: &Search) -> Result<SearchResults, Error> {
        let (arguments, embedding) = (search.arguments(), search.embedding.as_deref());
        if !search.hits {
            let result = self.call_named("search", &arguments, embedding).await?;
            let (passages, notices) = (result.parse()?, result.notices);
            return Ok(SearchResults { hits: None, passages, notices });
        }
        let functions = self.signatures("search").await?;
        let hit_functions = self.signatures("search_hits").await?;
        let Self { client, name, schema, notices, .. } = self;
        // Removes the notices of earlier statements.
        drop(notices.take());
        let error = |error| Error::new(name, &error);
        // Hits and passages are read in one snapshot.
        let transaction = begin_snapshot(client).await.map_err(error)?;
        let hit_arguments = search.hit_arguments(search.limit);
        let hits = Call {
            columns: HIT_COLUMNS,
            joins: &chunks_of_hits(schema),
            ..Call::new(&hit_functions, &hit_arguments, embedding)
        };
        let hits = hits.rows(&transaction, name).await?.parse()?;
        let passages = Call::new(&functions, &arguments, embedding);
        let passages = passages.rows(&transaction, name).await?.parse()?;
        transaction.commit().await.map_err(error)?;
        Ok(SearchResults { hits: Some(hits), passages, notices: notices.take() })
    }
}

/// The columns of a hit. An adopted store may lack lines.
pub(super) const HIT_COLUMNS: &str = "search_hits.*, (to_jsonb(chunk) ->> 'first_line')::integer AS first_line, \
    (to_jsonb(chunk) ->> 'last_line')::integer AS last_line";

/// Returns the join of hits with their chunks.
pub(super) fn chunks_of_hits(schema: &str) -> String {
    format!(
        "JOIN {schema}.chunks AS chunk ON chunk.id = search_hits.chunk_id ORDER BY search_hits.rank"
    )
}

impl Search {
    /// Returns the arguments of `passage.search`.
    pub fn arguments(&self) -> Map<String, Value> {
        let limit = json!({ "max_passages": number(self.limit) });
        given([self.question(), limit, self.context()])
    }

    /// Returns the arguments of `passage.search_hits` for the same search.
    fn hit_arguments(&self, max_hits: Option<u32>) -> Map<String, Value> {
        given([self.question(), json!({ "max_hits": number(max_hits) })])
    }

    /// Returns the arguments that decide the context of hits.
    fn context(&self) -> Value {
        json!({
            "strategy": self.strategy,
            "max_tokens": number(self.max_tokens),
            "limits": { "max_chunks": self.max_chunks, "links": self.links },
            "output": { "order_by": self.order_by },
        })
    }

    /// Returns the arguments that decide which hits are found.
    fn question(&self) -> Value {
        let filters = &self.filters;
        json!({
            "query": self.question,
            "collection": filters.collection,
            "filter": {
                "version": filters.version,
                "uri_pattern": filters.uri_pattern,
                "media_type": filters.media_type,
                "kind": filters.kind,
                "path": filters.path,
                "metadata": filters.metadata,
                "min_similarity": filters.min_similarity,
                "include_orphaned": filters.include_orphaned.then_some(true),
            },
            "ranking": {
                "mode": self.mode.map(SearchMode::name),
                "candidates": self.candidates,
                "feedback": self.feedback,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_calls_contain_only_the_given_arguments() {
        let bare = Search { question: "why".into(), ..Search::default() };
        assert_eq!(Value::Object(bare.arguments()), json!({"query": "why"}));

        let search = Search {
            mode: Some(SearchMode::Hybrid),
            limit: Some(3),
            feedback: Some(0.5),
            filters: Filters { min_similarity: Some(0.2), ..Filters::default() },
            max_tokens: Some(u32::MAX),
            ..bare
        };
        let mut question = json!({
            "query": "why", "filter": {"min_similarity": 0.2}, "ranking": {"mode": "hybrid", "feedback": 0.5}, "max_hits": 3,
        });
        assert_eq!(Value::Object(search.hit_arguments(search.limit)), question);
        question.as_object_mut().unwrap().remove("max_hits");
        question["max_passages"] = 3.into();
        question["max_tokens"] = i32::MAX.into();
        assert_eq!(Value::Object(search.arguments()), question);
    }
}
