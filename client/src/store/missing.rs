/*!
Chunks that have no embedding yet, shared out among workers.

A worker goes through the store in the order of documents and claims as it goes: an advisory lock
for each chunk, which holds up nobody who writes and is gone with the worker's connection. What it
claimed it reads again, since another may have been done with it just before. An embedding is
written only if its chunk still is what was embedded, under the lock on the document that every
writer of it takes first.
*/

use super::identity::is_same;
use super::{Error, Store};
use futures_util::future::try_join_all;
use uuid::Uuid;

/// A chunk that is to be embedded, and is claimed.
#[derive(Clone, Debug)]
pub struct Missing {
    /// Its id.
    pub id: Uuid,
    /// Its document.
    pub document_id: Uuid,
    /// What is embedded: the preamble, a line end, and the content.
    pub text: String,
    /// What tells whether it is still the same.
    version: i64,
}

/// How far a worker has come: behind a chunk of a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    document: Uuid,
    ordinal: i32,
    begun: bool,
}

/// What is embedded of a chunk, and a number for it.
const TEXT: &str =
    "CASE WHEN coalesce(preamble, '') = '' THEN content ELSE preamble || E'\\n' || content END";

impl Store {
    /// Counts the chunks without an embedding, of a collection or of all.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn count_missing(&self, collection: Option<&str>) -> Result<u64, Error> {
        let sql = format!(
            "SELECT count(*) FROM {schema}.chunks WHERE {missing} AND {of}",
            schema = self.schema,
            missing = self.is_missing(),
            of = self.is_of("$1")
        );
        let row = self
            .client
            .query_one(&sql, &[&collection])
            .await
            .map_err(|error| self.error(&error))?;
        Ok(row.get::<_, i64>(0).unsigned_abs())
    }

    /// Claims the next chunks without an embedding behind a place, and moves the place; `None`
    /// at the end of the store. Fewer than `most` come, or none, where others were before.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn claim(
        &self,
        place: &mut Place,
        most: u32,
        collection: Option<&str>,
    ) -> Result<Option<Vec<Missing>>, Error> {
        let error = |error| self.error(&error);
        // The lock is tried above the limit, for each row that comes and for no other.
        let sql = format!(
            "SELECT id, document_id, ordinal, pg_catalog.pg_try_advisory_lock({lock}) FROM \
             (SELECT id, document_id, ordinal FROM {schema}.chunks \
             WHERE (document_id, ordinal) > ($1, $2) AND {missing} AND {of} \
             ORDER BY document_id, ordinal LIMIT $3) AS missing",
            lock = self.lock(),
            schema = self.schema,
            missing = self.is_missing(),
            of = self.is_of("$4")
        );
        let ordinal = if place.begun { place.ordinal } else { i32::MIN };
        let most = i64::from(most);
        let rows = self
            .client
            .query(&sql, &[&place.document, &ordinal, &most, &collection])
            .await
            .map_err(error)?;
        let Some(last) = rows.last() else { return Ok(None) };
        *place = Place { document: last.get(1), ordinal: last.get(2), begun: true };

        let claimed: Vec<_> = rows.iter().filter(|row| row.get(3)).collect();
        let ids: Vec<Uuid> = claimed.iter().map(|row| row.get(0)).collect();
        let documents: Vec<Uuid> = claimed.iter().map(|row| row.get(1)).collect();
        if ids.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let sql = format!(
            "SELECT id, document_id, {TEXT}, pg_catalog.hashtextextended({TEXT}, 0) FROM {schema}.chunks \
             WHERE id = ANY ($1) AND document_id = ANY ($2) AND {missing} ORDER BY document_id, ordinal",
            schema = self.schema,
            missing = self.is_missing()
        );
        let rows = self.client.query(&sql, &[&ids, &documents]).await.map_err(error)?;
        let chunk = |row: &tokio_postgres::Row| Missing {
            id: row.get(0),
            document_id: row.get(1),
            text: row.get(2),
            version: row.get(3),
        };
        let chunks: Vec<Missing> = rows.iter().map(chunk).collect();
        let gone: Vec<Uuid> =
            ids.into_iter().filter(|id| chunks.iter().all(|chunk| chunk.id != *id)).collect();
        self.release(&gone).await?;
        Ok(Some(chunks))
    }

    /// Writes embeddings of claimed chunks, all or none, and releases the chunks. Returns how many
    /// were written: not those whose chunk has changed or is gone, or that came by another way.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn write_embeddings(&mut self, chunks: &[(Missing, Vec<f32>)]) -> Result<u64, Error> {
        let Self { client, name, schema, expected, .. } = &mut *self;
        let error = |error| Error::new(name, &error);
        let mut documents: Vec<Uuid> = chunks.iter().map(|(chunk, _)| chunk.document_id).collect();
        documents.sort_unstable();
        documents.dedup();
        let transaction = client.transaction().await.map_err(error)?;
        // In one order, so that two workers never wait for each other.
        let sql =
            format!("SELECT FROM {schema}.documents WHERE id = ANY ($1) ORDER BY id FOR SHARE");
        transaction.execute(&sql, &[&documents]).await.map_err(error)?;
        let sql = format!(
            "INSERT INTO {schema}.embeddings (chunk_id, document_id, embedding) \
             SELECT id, document_id, $4::real[] FROM {schema}.chunks \
             WHERE id = $1 AND document_id = $2 AND pg_catalog.hashtextextended({TEXT}, 0) = $3 FOR SHARE \
             ON CONFLICT (chunk_id) DO NOTHING"
        );
        let insert = transaction.prepare(&sql).await.map_err(error)?;
        let (insert, transaction_) = (&insert, &transaction);
        let inserted = chunks.iter().map(|(chunk, embedding)| async move {
            let Missing { id, document_id, version, .. } = chunk;
            transaction_.execute(insert, &[id, document_id, version, embedding]).await
        });
        let written = try_join_all(inserted).await.map_err(error)?;
        if !is_same(&transaction, name, *expected).await.map_err(error)? {
            return Err(Error::Replaced(name.clone()));
        }
        transaction.commit().await.map_err(error)?;
        let ids: Vec<Uuid> = chunks.iter().map(|(chunk, _)| chunk.id).collect();
        self.release(&ids).await?;
        Ok(written.iter().sum())
    }

    /// Gives claimed chunks back to whoever comes next.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn release(&self, ids: &[Uuid]) -> Result<(), Error> {
        if ids.is_empty() {
            return Ok(());
        }
        let sql = format!(
            "SELECT pg_catalog.pg_advisory_unlock({}) FROM unnest($1::uuid[]) AS id",
            self.lock()
        );
        self.client.execute(&sql, &[&ids]).await.map_err(|error| self.error(&error)).map(drop)
    }

    /// Returns a number that grows when chunks or embeddings are written, soon after they are;
    /// `None` where the server does not count.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn activity(&self) -> Result<Option<i64>, Error> {
        let sql = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint FROM pg_stat_all_tables \
                   WHERE schemaname = $1 AND relname IN ('chunks', 'embeddings')";
        let row =
            self.client.query_one(sql, &[&self.name]).await.map_err(|error| self.error(&error))?;
        Ok(row.get(0))
    }

    /// What is true of a chunk that has no embedding.
    fn is_missing(&self) -> String {
        let schema = &self.schema;
        format!(
            "NOT EXISTS (SELECT FROM {schema}.embeddings WHERE embeddings.chunk_id = chunks.id)"
        )
    }

    /// What is true of a chunk of a collection, if one is given.
    fn is_of(&self, parameter: &str) -> String {
        let schema = &self.schema;
        format!(
            "({parameter}::text IS NULL OR EXISTS (SELECT FROM {schema}.documents \
             WHERE documents.id = chunks.document_id AND documents.collection = {parameter}::text))"
        )
    }

    /// The lock that stands for a chunk of this store, by its `id`.
    fn lock(&self) -> String {
        let name = self.name.replace('\'', "''");
        format!("pg_catalog.hashtextextended('passage embed {name} ' || id::text, 0)")
    }
}
