/*!
Filling a shadow store, document by document.

For each document the shadow store records a fingerprint of the rows of the original, taken before they
were read. A row changes its location or its writing transaction with each write, so the fingerprint
shows every later write. The columns of `documents` are copied, except those that depend on the split, and
so are valid embeddings. A document that cannot be split is copied as it is.
*/

use super::super::error::Error;
use super::super::query::ROW_VERSION;
use super::super::unnamed_statement::{Parameter, UnnamedStatements};
use super::super::write::{Arguments, DocumentWrite, WriteOutcome, parameters};
use super::pair::{CopiedColumns, FINGERPRINTS, StorePair};
use super::shadow_store::{ShadowStore, lock_again};
use tokio_postgres::error::SqlState;
use tokio_postgres::{GenericClient, Transaction};
use uuid::Uuid;

/// An expression for a content hash that differs from that of every source and every other write.
const UNKNOWN_HASH: &str = "pg_catalog.uuid_send(pg_catalog.gen_random_uuid())";

/// A document of the original that the shadow store lacks or has in an older version.
#[derive(Clone, Copy, Debug)]
pub struct OutdatedDocument {
    id: Uuid,
    fingerprint: Uuid,
}

impl OutdatedDocument {
    /// Returns the id.
    pub fn id(&self) -> Uuid {
        self.id
    }
}

/// The content of a document for the shadow store.
#[derive(Debug)]
pub enum ShadowDocument<'a> {
    /// The rows of the original, unchanged.
    Copied,
    /// Chunks that were split again.
    Split {
        /// The document; only its chunks and metadata are used.
        document: Box<DocumentWrite<'a>>,
        /// The ids of the chunks whose embeddings in the original are valid.
        reused: Vec<Uuid>,
        /// Whether the chunks are the same as in the original.
        is_same: bool,
    },
}

impl ShadowStore {
    /// Returns the documents to make, and deletes the documents of the shadow store that are outdated or
    /// no longer in the original.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] for missing privileges, and if policies would hide rows.
    pub async fn outdated(&mut self) -> Result<Vec<OutdatedDocument>, Error> {
        let Self { writer, pair } = self;
        let owned = writer.owned.clone();
        let transaction = writer.begin().await?;
        lock_again(owned, &transaction).await?;
        let error = |error| Error::new(&pair.shadow_name, &error);
        let outdated = pair.outdated(&transaction).await.map_err(error)?;
        transaction.commit().await.map_err(error)?;
        Ok(outdated)
    }

    /// Writes a document to the shadow store in one transaction. Returns [`WriteOutcome::Conflict`] if
    /// other writers have removed the document, or changed it so that it cannot be written now.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] or [`Error::Lost`] if the transaction fails.
    pub async fn make(
        &mut self,
        outdated: OutdatedDocument,
        document: &ShadowDocument<'_>,
    ) -> Result<WriteOutcome, Error> {
        let Self { writer, pair } = self;
        let error = |error| Error::new(&pair.shadow_name, &error);
        let owned = writer.owned.clone();
        let transaction = writer.begin().await?;
        lock_again(owned, &transaction).await?;
        let outcome = match pair.make(&transaction, outdated, document).await {
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
                WriteOutcome::Conflict
            }
            outcome => outcome.map_err(error)?,
        };
        match outcome {
            WriteOutcome::Written => transaction.commit().await.map_err(error)?,
            WriteOutcome::Conflict => transaction.rollback().await.map_err(error)?,
        }
        Ok(outcome)
    }
}

impl StorePair {
    /// Returns the outdated documents, and deletes them from the shadow store.
    pub(super) async fn outdated(
        &self,
        client: &impl GenericClient,
    ) -> Result<Vec<OutdatedDocument>, tokio_postgres::Error> {
        let Self { original, shadow, .. } = self;
        // All row versions differ, so the XOR of their hashes identifies the set of rows.
        let rows = |table: &str| {
            format!(
                "LEFT JOIN (SELECT document_id, count(*) || ' ' || bit_xor(hashtextextended({ROW_VERSION}, 0)) AS rows \
                 FROM {original}.{table} GROUP BY document_id) AS {table} ON {table}.document_id = documents.id"
            )
        };
        let chunks = rows("chunks");
        let embeddings = if self.original_has_embeddings {
            rows("embeddings")
        } else {
            "CROSS JOIN (VALUES ('')) AS embeddings (rows)".into()
        };
        let row = ROW_VERSION.replace("xmin", "documents.xmin").replace("ctid", "documents.ctid");
        // Citus joins tables of two schemas only if each is a common table expression of its own.
        let sql = format!(
            "WITH original AS MATERIALIZED (SELECT documents.id, collection, version, uri, \
             md5(concat_ws(';', {row}, chunks.rows, embeddings.rows))::uuid AS fingerprint \
             FROM {original}.documents {chunks} {embeddings}), \
             made AS MATERIALIZED (SELECT document_id, fingerprint FROM {shadow}.{FINGERPRINTS}) \
             SELECT id, fingerprint FROM original \
             WHERE NOT EXISTS (SELECT FROM made WHERE document_id = original.id \
             AND made.fingerprint = original.fingerprint) ORDER BY collection, version, uri"
        );
        let rows = client.query_unnamed(&sql, &[]).await?;
        let outdated: Vec<_> = rows
            .iter()
            .map(|row| OutdatedDocument { id: row.get(0), fingerprint: row.get(1) })
            .collect();
        let sql = format!(
            "WITH original AS MATERIALIZED (SELECT id FROM {original}.documents), \
             shadow AS MATERIALIZED (SELECT id FROM {shadow}.documents) \
             SELECT id FROM shadow EXCEPT SELECT id FROM original"
        );
        let removed = client.query_unnamed(&sql, &[]).await?;
        let outdated_ids = outdated.iter().map(OutdatedDocument::id);
        let ids: Vec<Uuid> = outdated_ids.chain(removed.iter().map(|row| row.get(0))).collect();
        // All are deleted before any is written: a document may have got the uri of another one.
        let sql = format!("DELETE FROM {shadow}.documents WHERE id = ANY ($1)");
        client.execute_unnamed(&sql, &[&ids]).await?;
        Ok(outdated)
    }

    /// Writes a document to the shadow store.
    pub(super) async fn make(
        &self,
        transaction: &Transaction<'_>,
        OutdatedDocument { id, fingerprint }: OutdatedDocument,
        document: &ShadowDocument<'_>,
    ) -> Result<WriteOutcome, tokio_postgres::Error> {
        let Self { original, shadow, columns, reuses_embeddings, .. } = self;
        let CopiedColumns { documents, chunks, embedding, .. } = columns;
        let (hash, count, metadata) = match document {
            ShadowDocument::Copied => ("content_hash", None, None),
            ShadowDocument::Split { document, is_same, .. } => {
                let hash = if *is_same { "content_hash" } else { UNKNOWN_HASH };
                (hash, Some(document.chunks.len() as i32), Some(document.metadata))
            }
        };
        let sql = format!(
            "INSERT INTO {shadow}.documents ({documents}, content_hash, chunk_count, metadata) \
             SELECT {documents}, {hash}, coalesce($2, chunk_count), coalesce($3, metadata) \
             FROM {original}.documents WHERE id = $1"
        );
        if transaction.execute_unnamed(&sql, &[&id, &count, &metadata]).await? == 0 {
            return Ok(WriteOutcome::Conflict);
        }
        let embeddings = format!(
            "WITH present AS MATERIALIZED (SELECT id FROM {shadow}.chunks WHERE document_id = $1) \
             INSERT INTO {shadow}.embeddings (chunk_id, document_id, embedding) \
             SELECT chunk_id, document_id, {embedding} FROM {original}.embeddings WHERE document_id = $1 \
             AND chunk_id IN (SELECT id FROM present)"
        );
        match document {
            ShadowDocument::Copied => {
                let sql = format!(
                    "INSERT INTO {shadow}.chunks ({chunks}) SELECT {chunks} FROM {original}.chunks WHERE document_id = $1"
                );
                transaction.execute_unnamed(&sql, &[&id]).await?;
                if *reuses_embeddings {
                    transaction.execute_unnamed(&embeddings, &[&id]).await?;
                }
                let names = [&self.original_name, &self.shadow_name];
                let sql = "SELECT bool_and(_passage.has_links(name, false)) FROM unnest($1::name[]) AS name";
                if transaction.query_unnamed(sql, &[&&names[..]]).await?[0].get(0) {
                    let links = "document_id, position, from_chunk, to_uri, to_section, kind, text, to_name";
                    let sql = format!(
                        "INSERT INTO {shadow}.links ({links}) SELECT {links} FROM {original}.links WHERE document_id = $1"
                    );
                    transaction.execute_unnamed(&sql, &[&id]).await?;
                }
            }
            ShadowDocument::Split { document, reused, .. } => {
                self.insert_chunks(transaction, document).await?;
                // A chunk that stays keeps the metadata that users have added.
                let sql = format!(
                    "WITH source AS MATERIALIZED (SELECT id, metadata - 'imports' AS metadata FROM {original}.chunks \
                     WHERE document_id = $1 AND metadata - 'imports' <> '{{}}') \
                     UPDATE {shadow}.chunks SET metadata = source.metadata || chunks.metadata FROM source \
                     WHERE chunks.document_id = $1 AND source.id = chunks.id"
                );
                transaction.execute_unnamed(&sql, &[&id]).await?;
                if *reuses_embeddings && !reused.is_empty() {
                    let sql = format!("{embeddings} AND chunk_id = ANY ($2)");
                    transaction.execute_unnamed(&sql, &[&id, reused]).await?;
                }
            }
        }
        let sql = format!("INSERT INTO {shadow}.{FINGERPRINTS} VALUES ($1, $2)");
        transaction.execute_unnamed(&sql, &[&id, &fingerprint]).await?;
        Ok(WriteOutcome::Written)
    }

    /// Inserts the chunks of a document.
    async fn insert_chunks(
        &self,
        transaction: &Transaction<'_>,
        document: &DocumentWrite<'_>,
    ) -> Result<(), tokio_postgres::Error> {
        let arguments = Arguments::of(&[document]);
        let mut values: Vec<&dyn Parameter> = vec![&self.shadow_name];
        values.extend(arguments.chunks_with_ids());
        let chunks = parameters(2, values.len() - 1);
        values.push(&arguments.documents);
        let document = format!("${}::jsonb -> 0", values.len());
        // The third and the fourth parameter are the ids and the ordinals of the chunks.
        let sql = format!(
            "SELECT _passage.insert_chunks(store, 'load', _passage.is_distributed(store), NULL, {chunks}), \
             CASE WHEN _passage.has_links(store, true) THEN _passage.write_links(store, _passage.is_distributed(store), \
             ({document} ->> 'id')::uuid, {document} ->> 'uri', {document} -> 'links', $3, $4) END \
             FROM (SELECT $1::text::name) AS shadow (store)"
        );
        transaction.execute_unnamed(&sql, &values).await.map(drop)
    }
}
