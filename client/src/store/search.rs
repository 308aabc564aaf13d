//! Searching by an embedding: hits from pgvector's index, passages from the extension.

use super::{Error, Store, chunks};
use serde::Serialize;
use serde_json::Value;
use tokio_postgres::IsolationLevel;
use tokio_postgres::types::Type;
use uuid::Uuid;

/// What to search for.
#[derive(Clone, Debug)]
pub struct Search {
    /// The embedding of the question, of the store's dimensions.
    pub embedding: Vec<f32>,
    /// How many chunks to start from, from 1 to 1,000.
    pub limit: u32,
    /// Which context to add: a preset, or a strategy of the store.
    pub strategy: String,
    /// The most tokens of all passages together.
    pub max_tokens: Option<u32>,
}

/// What was found, in one snapshot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// The chunks nearest to the question, best first.
    pub chunks: Vec<BareChunk>,
    /// The passages they belong to, best first.
    pub passages: Vec<Passage>,
}

/// A chunk as a search without context would give it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BareChunk {
    /// Its id.
    pub id: Uuid,
    /// Higher is better; with cosine distance 1 is the same direction.
    pub score: f64,
    /// The uri of its document.
    pub uri: String,
    /// The title of its document.
    pub title: Option<String>,
    /// The titles above it.
    pub section: Vec<String>,
    /// Its text.
    pub content: String,
    /// Its size.
    pub tokens: Option<i32>,
    /// The first line of its source that it touches, from 1.
    pub first_line: Option<i32>,
    /// The last.
    pub last_line: Option<i32>,
}

/// A passage: hits with their context, as one text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the columns are described in the reference of passage.reassemble")]
pub struct Passage {
    pub rank: i32,
    pub score: Option<f64>,
    pub document_id: Uuid,
    pub collection: Option<String>,
    pub version: Option<String>,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub media_type: Option<String>,
    pub section: Vec<String>,
    pub content: String,
    pub tokens: i64,
    pub chunk_ids: Vec<Uuid>,
    pub hit_ids: Vec<Uuid>,
    pub first_line: Option<i32>,
    pub last_line: Option<i32>,
    pub citations: Value,
    pub truncated: bool,
    pub complete: Option<bool>,
    pub metadata: Option<Value>,
}

/// The names by which a search is put to pgvector, which may live in any schema.
struct Vectors {
    embedding_type: Type,
    operator: String,
    /// From the distance to a score of which higher is better.
    score: &'static str,
}

impl Store {
    /// Finds the chunks nearest to an embedding, and the passages they belong to.
    ///
    /// # Errors
    ///
    /// [`Error::NoEmbeddings`] if the store has none; [`Error::Refused`] if there is no such
    /// strategy, or the embedding is not of the store's dimensions.
    pub async fn search(&mut self, search: &Search) -> Result<Found, Error> {
        let vectors = self.vectors().await?;
        let Self { client, name, schema, .. } = self;
        let error = |error| Error::new(name, &error);
        // The chunk and the passages are shown side by side, so they are of one snapshot.
        let transaction = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await
            .map_err(error)?;
        // The index gives no more than this many, and 40 if it is not told.
        let candidates = search.limit.clamp(40, 1_000).to_string();
        transaction
            .execute("SELECT set_config('hnsw.ef_search', $1, true)", &[&candidates])
            .await
            .map_err(error)?;

        let Vectors { embedding_type, operator, score } = vectors;
        let embedding = chunks::value(&embedding_type, &search.embedding);
        let hits = format!(
            "SELECT chunk_id AS id, distance FROM (\
             SELECT chunk_id, embedding {operator} $1 AS distance FROM {schema}.embeddings \
             ORDER BY embedding {operator} $1 LIMIT $2) AS nearest"
        );
        let limit = i64::from(search.limit);
        let sql = format!(
            "SELECT chunks.id, {score}, documents.uri, documents.title, chunks.section, chunks.content, \
             chunks.tokens, chunks.first_line, chunks.last_line \
             FROM ({hits}) AS hit JOIN {schema}.chunks USING (id) \
             JOIN {schema}.documents ON documents.id = chunks.document_id ORDER BY distance, chunks.id"
        );
        let statement = transaction
            .prepare_typed(&sql, std::slice::from_ref(&embedding_type))
            .await
            .map_err(error)?;
        let bare = transaction.query(&statement, &[&*embedding, &limit]).await.map_err(error)?;

        let sql = format!(
            "SELECT passage.* FROM (SELECT array_agg(id ORDER BY distance) AS ids, \
             array_agg({score} ORDER BY distance) AS scores FROM ({hits}) AS hit) AS hits, \
             passage.reassemble(hits.ids, hits.scores, strategy => $3, max_tokens => $4, store => $5::text::name) AS passage \
             ORDER BY rank"
        );
        let statement = transaction.prepare_typed(&sql, &[embedding_type]).await.map_err(error)?;
        let max_tokens = search.max_tokens.map(|tokens| tokens as i32);
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
            [&*embedding, &limit, &search.strategy, &max_tokens, name];
        let passages = transaction.query(&statement, &parameters).await.map_err(error)?;
        transaction.commit().await.map_err(error)?;
        Ok(Found {
            chunks: bare.iter().map(bare_chunk).collect(),
            passages: passages.iter().map(passage).collect(),
        })
    }

    async fn vectors(&self) -> Result<Vectors, Error> {
        let sql = "SELECT distance, nspname FROM passage.store_facts($1::text::name), \
                   pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace \
                   WHERE extname = 'vector' AND dimensions IS NOT NULL";
        let error = |error| self.error(&error);
        let row = self.client.query_opt(sql, &[&self.name]).await.map_err(error)?;
        let Some(row) = row else {
            // Without a store there is no place for embeddings either.
            self.must_exist().await?;
            return Err(Error::NoEmbeddings { store: self.name.clone() });
        };
        let distance: Option<String> = row.get(0);
        let (operator, score) = match distance.as_deref() {
            Some("l2") => ("<->", "1 / (1 + distance)"),
            Some("inner_product") => ("<#>", "-distance"),
            _ => ("<=>", "1 - distance"),
        };
        let operator = format!("OPERATOR({}.{operator})", super::sql::quoted(row.get(1)));
        let sql = format!("SELECT embedding FROM {}.embeddings", self.schema);
        let statement = self.client.prepare(&sql).await.map_err(error)?;
        Ok(Vectors { embedding_type: statement.columns()[0].type_().clone(), operator, score })
    }
}

fn bare_chunk(row: &tokio_postgres::Row) -> BareChunk {
    BareChunk {
        id: row.get(0),
        score: row.get(1),
        uri: row.get(2),
        title: row.get(3),
        section: row.get(4),
        content: row.get(5),
        tokens: row.get(6),
        first_line: row.get(7),
        last_line: row.get(8),
    }
}

fn passage(row: &tokio_postgres::Row) -> Passage {
    Passage {
        rank: row.get("rank"),
        score: row.get("score"),
        document_id: row.get("document_id"),
        collection: row.get("collection"),
        version: row.get("version"),
        uri: row.get("uri"),
        title: row.get("title"),
        media_type: row.get("media_type"),
        section: row.get("section"),
        content: row.get("content"),
        tokens: row.get("tokens"),
        chunk_ids: row.get("chunk_ids"),
        hit_ids: row.get("hit_ids"),
        first_line: row.get("first_line"),
        last_line: row.get("last_line"),
        citations: row.get("citations"),
        truncated: row.get("truncated"),
        complete: row.get("complete"),
        metadata: row.get("metadata"),
    }
}
