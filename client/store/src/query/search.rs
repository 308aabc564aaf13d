//! Search: one statement, which calls the extension's `search`.

pub use passage_core::search::SearchMode;

use super::super::connection::Store;
use super::super::error::{Error, Operation};
use super::super::unnamed_statement::UnnamedStatements;
use super::arguments::Arguments;
use super::search_results::{Hit, Passage, SearchResults};
use serde_json::{Value, json};
use tokio_postgres::{GenericClient, IsolationLevel, Row};

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
    /// The chunks to search.
    pub filters: Filters,
    /// The context to add: a preset, or a strategy of the store.
    pub strategy: Option<String>,
    /// The maximum number of tokens of all passages together.
    pub max_tokens: Option<u32>,
    /// The maximum number of chunks of all passages together, including hits.
    pub max_chunks: Option<u32>,
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
        let Self { client, name, schema, notices, .. } = self;
        let passages = passage_arguments(search, name)?;
        // Removes the notices of earlier statements.
        drop(notices.take());
        let error = |error| Error::during(Operation::Search, name, &error);
        let (hits, passages) = if search.hits {
            // Hits and passages are read in one snapshot.
            let transaction = client
                .build_transaction()
                .isolation_level(IsolationLevel::RepeatableRead)
                .read_only(true)
                .start()
                .await
                .map_err(error)?;
            let hits = hit_arguments(search, search.limit, name)?;
            let sql = hits_statement(schema, &hits);
            let hits = rows(&transaction, &sql, &hits).await.map_err(error)?;
            let sql = statement(&passages);
            let passages = rows(&transaction, &sql, &passages).await.map_err(error)?;
            transaction.commit().await.map_err(error)?;
            (Some(hits), passages)
        } else {
            let sql = statement(&passages);
            (None, rows(&*client, &sql, &passages).await.map_err(error)?)
        };
        Ok(SearchResults {
            hits: hits.map(|rows| rows.iter().map(Hit::from_row).collect()),
            passages: passages.iter().map(Passage::from_row).collect(),
            notices: notices.take(),
        })
    }
}

/// Returns the statement for hits with their lines and their preamble.
pub(super) fn hits_statement(schema: &str, arguments: &Arguments) -> String {
    // An adopted store may lack these columns.
    let lines = ["first_line", "last_line"]
        .map(|line| format!("(to_jsonb(chunk) ->> '{line}')::integer AS {line}"))
        .join(", ");
    format!(
        "SELECT hit.*, {lines}, to_jsonb(chunk) ->> 'preamble' AS preamble FROM {} AS hit \
         JOIN {schema}.chunks AS chunk ON chunk.id = hit.chunk_id ORDER BY rank",
        arguments.call("search_hits")
    )
}

/// Returns the statement for passages; the extension's function orders its rows.
fn statement(arguments: &Arguments) -> String {
    format!("SELECT * FROM {}", arguments.call("search"))
}

pub(super) async fn rows(
    client: &impl GenericClient,
    sql: &str,
    arguments: &Arguments<'_>,
) -> Result<Vec<Row>, tokio_postgres::Error> {
    client.query_unnamed(sql, &arguments.values()).await
}

/// Returns the arguments of `passage.search`.
fn passage_arguments<'a>(search: &'a Search, store: &'a str) -> Result<Arguments<'a>, Error> {
    let mut arguments = question_arguments(search)?;
    arguments.number("max_passages", search.limit);
    context_arguments(search, &mut arguments)?;
    arguments.text("store", Some(store))?;
    Ok(arguments)
}

/// Adds the arguments that decide the context of hits.
pub(super) fn context_arguments<'a>(
    search: &'a Search,
    arguments: &mut Arguments<'a>,
) -> Result<(), Error> {
    arguments.text("strategy", search.strategy.as_deref())?;
    arguments.number("max_tokens", search.max_tokens);
    arguments.group("limits", [("max_chunks", json!(search.max_chunks))])?;
    arguments.group("output", [("order_by", json!(search.order_by))])
}

/// Returns the arguments of `passage.search_hits` for the same search.
pub(super) fn hit_arguments<'a>(
    search: &'a Search,
    max_hits: Option<u32>,
    store: &'a str,
) -> Result<Arguments<'a>, Error> {
    let mut arguments = question_arguments(search)?;
    arguments.number("max_hits", max_hits);
    arguments.text("store", Some(store))?;
    Ok(arguments)
}

/// Returns the arguments that both functions share: the question and the filters.
fn question_arguments(search: &Search) -> Result<Arguments<'_>, Error> {
    let mut arguments = Arguments::default();
    arguments.text("query", Some(&search.question))?;
    arguments.add("embedding", search.embedding.as_deref());
    let filters = &search.filters;
    arguments.text("collection", filters.collection.as_deref())?;
    arguments.group(
        "filter",
        [
            ("version", json!(filters.version)),
            ("uri_pattern", json!(filters.uri_pattern)),
            ("media_type", json!(filters.media_type)),
            ("kind", json!(filters.kind)),
            ("path", json!(filters.path)),
            ("metadata", json!(filters.metadata)),
            ("min_similarity", json!(filters.min_similarity)),
            ("include_orphaned", json!(filters.include_orphaned.then_some(true))),
        ],
    )?;
    arguments.group(
        "ranking",
        [
            ("mode", json!(search.mode.map(SearchMode::name))),
            ("candidates", json!(search.candidates)),
        ],
    )?;
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_calls_contain_only_the_given_arguments() {
        let bare = Search { question: "why".into(), ..Search::default() };
        let call = passage_arguments(&bare, "rag").unwrap().call("search");
        assert_eq!(call, "passage.search(query => $1, store => $2::text::name)");

        let search = Search {
            embedding: Some(vec![0.5]),
            mode: Some(SearchMode::Hybrid),
            limit: Some(3),
            filters: Filters { min_similarity: Some(0.2), ..Filters::default() },
            max_tokens: Some(u32::MAX),
            ..bare
        };
        let full = passage_arguments(&search, "rag").unwrap();
        assert_eq!(
            full.call("search"),
            "passage.search(query => $1, embedding => $2, filter => $3, ranking => $4, max_passages => $5, \
             max_tokens => $6, store => $7::text::name)"
        );
        assert_eq!(format!("{:?}", full.values()[5]), i32::MAX.to_string());
        let hits = hit_arguments(&search, search.limit, "rag").unwrap();
        assert!(hits.call("search_hits").contains("max_hits => $5, store => $6"));
    }

    #[test]
    fn a_nul_character_is_rejected_with_the_name_of_the_argument() {
        let nul = || Some("a\0b".to_owned());
        let filters = |filters| Search { filters, ..Search::default() };
        let searches: [(&str, Search); 11] = [
            ("query", Search { question: "a\0b".into(), ..Search::default() }),
            ("collection", filters(Filters { collection: nul(), ..Filters::default() })),
            ("version", filters(Filters { version: nul(), ..Filters::default() })),
            ("uri_pattern", filters(Filters { uri_pattern: nul(), ..Filters::default() })),
            ("media_type", filters(Filters { media_type: nul(), ..Filters::default() })),
            ("kind", filters(Filters { kind: nul(), ..Filters::default() })),
            ("path", filters(Filters { path: nul(), ..Filters::default() })),
            (
                "metadata",
                filters(Filters { metadata: Some(json!({"a": ["\0"]})), ..Filters::default() }),
            ),
            (
                "metadata",
                filters(Filters { metadata: Some(json!({"a": {"\0": 1}})), ..Filters::default() }),
            ),
            ("strategy", Search { strategy: nul(), ..Search::default() }),
            ("order_by", Search { order_by: nul(), ..Search::default() }),
        ];
        for (name, search) in searches {
            let error = passage_arguments(&search, "rag").err().expect(name);
            assert_eq!(error.to_string(), format!("\"{name}\" contains a NUL character"));
            assert!(error.remedy().starts_with("Remove the NUL"));
        }
        let store = passage_arguments(&Search::default(), "r\0g").err().unwrap();
        assert_eq!(store.to_string(), "\"store\" contains a NUL character");
    }
}
