/*!
Chunks without an embedding, distributed among workers.

A worker scans the store in the order of documents and claims chunks with advisory locks. These locks do
not block writers, and end with the worker's connection. After the claim the worker reads the chunks
again, since another worker may just have embedded them. It writes an embedding only if the chunk's text
is unchanged, under the lock on the document that every writer acquires first.
*/

use super::super::connection::{Store, has_identity};
use super::super::error::Error;
use super::super::layout::Layout;
use super::super::unnamed_statement::UnnamedStatements;
use super::claims::ClaimCursor;
use futures_util::future::try_join_all;
use uuid::Uuid;

/// A claimed chunk without an embedding.
#[derive(Clone, Debug)]
pub struct UnembeddedChunk {
    /// The id.
    pub id: Uuid,
    /// The id of the document.
    pub document_id: Uuid,
    /// The text to embed: the preamble, a line feed, and the content.
    pub text: String,
    /// The hash of the text, by which a change is detected.
    text_hash: i64,
}

/// Returns an expression for the text to embed.
fn text(layout: &Layout) -> &'static str {
    if layout.has("chunks", "preamble") {
        "CASE WHEN coalesce(preamble, '') = '' THEN content ELSE preamble || E'\\n' || content END"
    } else {
        "content"
    }
}

impl Store {
    /// Counts the chunks without an embedding in a collection, or in all collections.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn count_unembedded(&self, collection: Option<&str>) -> Result<u64, Error> {
        let layout = self.layout().await?;
        let sql = format!(
            "SELECT count(*) FROM {schema}.chunks WHERE {unembedded} AND {in_collection}",
            schema = self.schema,
            unembedded = self.is_unembedded(&layout),
            in_collection = self.is_in_collection(&layout, "$1")
        );
        let row = self.query_one(&sql, &[&collection]).await?;
        Ok(row.get::<_, i64>(0).unsigned_abs())
    }

    /// Claims the next chunks without an embedding after a cursor, and moves the cursor; `None` at the
    /// end of the store.
    ///
    /// Through a pooler, [`renew_claims`](Self::renew_claims) must be called after a moment, and
    /// [`end_claims`](Self::end_claims) at the end.
    ///
    /// It reads `limit` chunks, and returns those that no other worker has claimed or embedded.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn claim(
        &mut self,
        cursor: &mut ClaimCursor,
        limit: u32,
        collection: Option<&str>,
    ) -> Result<Option<Vec<UnembeddedChunk>>, Error> {
        self.begin_claims().await?;
        let layout = self.layout().await?;
        let sql = format!(
            "SELECT id, document_id, ordinal FROM {schema}.chunks \
             WHERE (document_id, ordinal) > ($1, $2) AND {unembedded} AND {in_collection} \
             ORDER BY document_id, ordinal LIMIT $3",
            schema = self.schema,
            unembedded = self.is_unembedded(&layout),
            in_collection = self.is_in_collection(&layout, "$4")
        );
        let ordinal = if cursor.is_started { cursor.ordinal } else { i32::MIN };
        let limit = i64::from(limit);
        let rows = self.query(&sql, &[&cursor.document, &ordinal, &limit, &collection]).await?;
        let Some(last) = rows.last() else { return Ok(None) };
        *cursor = ClaimCursor { document: last.get(1), ordinal: last.get(2), is_started: true };

        // In a statement without the store, for Citus would lock on the node of the chunks.
        let found: Vec<Uuid> = rows.iter().map(|row| row.get(0)).collect();
        let sql = format!(
            "SELECT {} FROM unnest($1::uuid[]) WITH ORDINALITY AS claimed (id, place) ORDER BY place",
            self.try_lock()
        );
        let locked = self.query(&sql, &[&found]).await?;
        let claimed = rows.iter().zip(&locked).filter(|(_, lock)| lock.get(0));
        let (ids, documents): (Vec<Uuid>, Vec<Uuid>) =
            claimed.map(|(row, _)| (row.get::<_, Uuid>(0), row.get::<_, Uuid>(1))).unzip();
        if ids.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let sql = format!(
            "SELECT id, document_id, {text}, pg_catalog.hashtextextended({text}, 0) FROM {schema}.chunks \
             WHERE id = ANY ($1) AND document_id = ANY ($2) AND {unembedded} ORDER BY document_id, ordinal",
            text = text(&layout),
            schema = self.schema,
            unembedded = self.is_unembedded(&layout)
        );
        let rows = self.query(&sql, &[&ids, &documents]).await?;
        let chunk = |row: &tokio_postgres::Row| UnembeddedChunk {
            id: row.get(0),
            document_id: row.get(1),
            text: row.get(2),
            text_hash: row.get(3),
        };
        let chunks: Vec<UnembeddedChunk> = rows.iter().map(chunk).collect();
        let unneeded: Vec<Uuid> =
            ids.into_iter().filter(|id| chunks.iter().all(|chunk| chunk.id != *id)).collect();
        self.release(&unneeded).await?;
        Ok(Some(chunks))
    }

    /// Writes the embeddings of claimed chunks in one transaction, and releases the chunks.
    ///
    /// Returns the number of embeddings written. A chunk that was changed, removed or embedded by another
    /// writer gets none.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn write_embeddings(
        &mut self,
        chunks: &[(UnembeddedChunk, Vec<f32>)],
    ) -> Result<u64, Error> {
        if !self.has_open_claims {
            self.run("BEGIN").await?;
        }
        self.has_open_claims = false;
        let written = self.try_write_embeddings(chunks).await;
        let written = self.end_transaction(written).await?;
        let ids: Vec<Uuid> = chunks.iter().map(|(chunk, _)| chunk.id).collect();
        self.release(&ids).await?;
        Ok(written)
    }

    /// Writes embeddings within a transaction.
    #[expect(clippy::disallowed_methods, reason = "closed before the transaction ends")]
    async fn try_write_embeddings(
        &self,
        chunks: &[(UnembeddedChunk, Vec<f32>)],
    ) -> Result<u64, Error> {
        let layout = self.layout().await?;
        let (text, is_read_only) = (text(&layout), layout.is_read_only());
        let Self { client, name, schema, expected, .. } = self;
        let error = |error| Error::new(name, &error);
        let mut documents: Vec<Uuid> = chunks.iter().map(|(chunk, _)| chunk.document_id).collect();
        documents.sort_unstable();
        documents.dedup();
        // Rows of a view over joins cannot be locked. Its program may then change a chunk while it is embedded.
        let locks = if is_read_only { "" } else { "FOR SHARE" };
        // One order of locks, so that two workers never deadlock. Citus locks the rows of one document at a time.
        let sql = format!("SELECT FROM {schema}.documents WHERE id = ANY ($1) ORDER BY id {locks}");
        let at_once = if layout.is_distributed { 1 } else { documents.len().max(1) };
        if !is_read_only {
            for documents in documents.chunks(at_once) {
                let documents = documents.to_vec();
                client.execute_unnamed(&sql, &[&documents]).await.map_err(error)?;
            }
        }
        let sql = format!(
            "INSERT INTO {schema}.embeddings (chunk_id, document_id, embedding) \
             SELECT id, document_id, $4::real[] FROM {schema}.chunks \
             WHERE id = $1 AND document_id = $2 AND pg_catalog.hashtextextended({text}, 0) = $3 {locks} \
             ON CONFLICT DO NOTHING"
        );
        // Parsed once for all chunks. The statement is dropped, and so closed in this session, before COMMIT.
        let insert = client.prepare(&sql).await.map_err(error)?;
        let insert = &insert;
        // One order here too: two workers may have embedded the same chunks.
        let mut ordered: Vec<_> = chunks.iter().collect();
        ordered.sort_unstable_by_key(|(chunk, _)| chunk.id);
        let insertions = ordered.into_iter().map(|(chunk, embedding)| async move {
            let UnembeddedChunk { id, document_id, text_hash, .. } = chunk;
            client.execute(insert, &[id, document_id, text_hash, embedding]).await
        });
        let written = try_join_all(insertions).await.map_err(error)?;
        if !has_identity(client, name, *expected).await.map_err(error)? {
            return Err(Error::StoreReplaced(name.clone()));
        }
        Ok(written.iter().sum())
    }

    /// Returns a number that grows shortly after chunks or embeddings are written; `None` if the server
    /// does not collect statistics.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn activity(&self) -> Result<Option<i64>, Error> {
        // PostgreSQL counts the rows of a partitioned table with its partitions.
        let sql = "WITH store AS (SELECT pg_class.oid FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
                   WHERE nspname = $1 AND relname IN ('chunks', 'embeddings')) \
                   SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint FROM pg_stat_all_tables \
                   WHERE relid IN (SELECT oid FROM store UNION ALL SELECT tree.relid FROM store CROSS JOIN LATERAL pg_partition_tree(store.oid) AS tree)";
        Ok(self.query_one(sql, &[&self.name]).await?.get(0))
    }

    /// Returns a condition: the chunk should have an embedding, and has none.
    fn is_unembedded(&self, layout: &Layout) -> String {
        let schema = &self.schema;
        // Citus joins only rows of one document.
        let same_document = if layout.is_distributed {
            " AND embeddings.document_id = chunks.document_id"
        } else {
            ""
        };
        format!(
            "NOT EXISTS (SELECT FROM {schema}.embeddings WHERE embeddings.chunk_id = chunks.id{same_document}) \
             AND NOT _passage.is_encoded_data(content)"
        )
    }

    /// Returns a condition: the parameter is NULL, or the chunk belongs to that collection.
    fn is_in_collection(&self, layout: &Layout, parameter: &str) -> String {
        if !layout.has("documents", "collection") {
            return format!("{parameter}::text IS NULL");
        }
        let schema = &self.schema;
        format!(
            "({parameter}::text IS NULL OR EXISTS (SELECT FROM {schema}.documents \
             WHERE documents.id = chunks.document_id AND documents.collection = {parameter}::text))"
        )
    }
}
