//! Searching: one statement, and all of it is the extension's `search`.

mod arguments;
mod found;

pub use found::{Found, Hit, Passage};
pub use passage_core::search::SearchMode as Mode;

use super::arguments::Arguments;
use super::{Error, Store};
use serde_json::Value;
use tokio_postgres::{GenericClient, IsolationLevel, Row};

/// What to search for, and which context to add; what is `None` is left to the extension's defaults.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The question, in words.
    pub question: String,
    /// Its embedding by the store's model; without one the search is by words.
    pub embedding: Option<Vec<f32>>,
    /// By what to search, if not by all that is given.
    pub mode: Option<Mode>,
    /// The most passages; 10 by default.
    pub limit: Option<u32>,
    /// How many chunks each of the two searches may find.
    pub candidates: Option<u32>,
    /// Which chunks are searched.
    pub filters: Filters,
    /// Which context to add: a preset, or a strategy of the store.
    pub strategy: Option<String>,
    /// The most tokens of all passages together.
    pub max_tokens: Option<u32>,
    /// The most chunks of all passages together, hits among them.
    pub max_chunks: Option<u32>,
    /// `score`, or `document` for the order in which they stand.
    pub order_by: Option<String>,
    /// Whether the hits by themselves are wanted, too: as many as passages.
    pub hits: bool,
}

/// Which chunks are searched: those of which all holds that is given.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// The collection.
    pub collection: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// A pattern of LIKE for the uri.
    pub uri_pattern: Option<String>,
    /// A media type, or `text/*`.
    pub media_type: Option<String>,
    /// `prose`, `code`, `api-reference` or `data`.
    pub kind: Option<String>,
    /// An lquery for the section.
    pub path: Option<String>,
    /// What the metadata of document and chunk together contain.
    pub metadata: Option<Value>,
    /// The least cosine similarity to the embedding, from -1 to 1.
    pub min_similarity: Option<f64>,
    /// Whether documents whose source is gone are searched, too.
    pub include_orphaned: bool,
}

impl Store {
    /// Finds the passages that answer a question.
    ///
    /// # Errors
    ///
    /// [`Error::Nul`] if a text holds one, and [`Error::Refused`] if there is no such strategy, if
    /// the embedding is not of the store's dimensions, or if the store cannot be searched that way.
    pub async fn search(&mut self, search: &Search) -> Result<Found, Error> {
        let Self { client, name, schema, notes, .. } = self;
        let passages = Arguments::of_search(search, name)?;
        // Those of statements before are not of this search.
        drop(notes.take());
        let error = |error| Error::new(name, &error);
        let (hits, passages) = if search.hits {
            // They are shown side by side, so they are of one snapshot.
            let transaction = client
                .build_transaction()
                .isolation_level(IsolationLevel::RepeatableRead)
                .read_only(true)
                .start()
                .await
                .map_err(error)?;
            let hits = Arguments::of_hits(search, name)?;
            // An adopted store may lack the lines.
            let lines = ["first_line", "last_line"]
                .map(|line| format!("(to_jsonb(chunk) ->> '{line}')::integer AS {line}"))
                .join(", ");
            let sql = format!(
                "SELECT hit.*, {lines} FROM {} AS hit JOIN {schema}.chunks AS chunk ON chunk.id = hit.chunk_id \
                 ORDER BY rank",
                hits.call("search_hits")
            );
            let hits = rows(&transaction, &sql, &hits).await.map_err(error)?;
            let sql = statement(&passages);
            let passages = rows(&transaction, &sql, &passages).await.map_err(error)?;
            transaction.commit().await.map_err(error)?;
            (Some(hits), passages)
        } else {
            let sql = statement(&passages);
            (None, rows(&*client, &sql, &passages).await.map_err(error)?)
        };
        Ok(Found {
            hits: hits.map(|rows| rows.iter().map(Hit::new).collect()),
            passages: passages.iter().map(Passage::new).collect(),
            notes: notes.take(),
        })
    }
}

fn statement(arguments: &Arguments) -> String {
    // The extension gives them in the order that was asked for.
    format!("SELECT * FROM {}", arguments.call("search"))
}

async fn rows(
    client: &impl GenericClient,
    sql: &str,
    arguments: &Arguments<'_>,
) -> Result<Vec<Row>, tokio_postgres::Error> {
    client.query(sql, &arguments.values()).await
}
