/*!
Filling a second store, document by document.

Of each document it remembers a fingerprint of the rows in the first store that it was made from,
taken before they were read: rows get another place or another writer with each write, so whatever
was written since shows, by whoever and in whichever way. Of a document that is split anew, what
`documents` says comes along as it stands, and so do embeddings that are right; one that cannot be
split comes along as it is.
*/

use super::super::rewrite::UNKNOWN_HASH;
use super::super::statements::Statements;
use super::super::stored::ROW;
use super::super::{Document, Error, Written, chunks};
use super::{Columns, MADE, Pair, Second, again};
use tokio_postgres::error::SqlState;
use tokio_postgres::{GenericClient, Transaction};
use uuid::Uuid;

/// A document that the second store lacks, or has as it was.
#[derive(Clone, Copy, Debug)]
pub struct Differing {
    id: Uuid,
    fingerprint: Uuid,
}

impl Differing {
    /// Returns its id.
    pub fn id(&self) -> Uuid {
        self.id
    }
}

/// What a document of the second store is made from.
#[derive(Debug)]
pub enum Made<'a> {
    /// The rows of the first store, as they are.
    Copied,
    /// Chunks that were split anew.
    Split {
        /// The document, of which the chunks and the metadata are taken.
        document: Box<Document<'a>>,
        /// The chunks of the first store whose embeddings are right.
        reused: Vec<Uuid>,
        /// Whether the chunks are those that the first store has.
        is_same: bool,
    },
}

impl Second {
    /// Lists the documents that are to be made, and takes those from the second store that the first
    /// has otherwise or no more.
    ///
    /// # Errors
    ///
    /// If the server refuses: missing rights, or policies that hide rows.
    pub async fn differing(&mut self) -> Result<Vec<Differing>, Error> {
        let Self { writer, pair } = self;
        let held = writer.held.clone();
        let transaction = writer.begin().await?;
        again(held, &transaction).await?;
        let error = |error| Error::new(&pair.name, &error);
        let differing = pair.differing(&transaction).await.map_err(error)?;
        transaction.commit().await.map_err(error)?;
        Ok(differing)
    }

    /// Makes a document in the second store, in one transaction; [`Written::Changed`] if others have
    /// changed or removed it meanwhile, in a way that keeps it from being made now.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away.
    pub async fn make(&mut self, differing: Differing, made: &Made<'_>) -> Result<Written, Error> {
        let Self { writer, pair } = self;
        let error = |error| Error::new(&pair.name, &error);
        let statements = writer.statements(pair.with_embeddings).await.map_err(error)?;
        let held = writer.held.clone();
        let transaction = writer.begin().await?;
        again(held, &transaction).await?;
        let written = match pair.make(&transaction, &statements, differing, made).await {
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => Written::Changed,
            written => written.map_err(error)?,
        };
        match written {
            Written::Done => transaction.commit().await.map_err(error)?,
            Written::Changed => transaction.rollback().await.map_err(error)?,
        }
        Ok(written)
    }
}

impl Pair {
    pub(super) async fn differing(
        &self,
        client: &impl GenericClient,
    ) -> Result<Vec<Differing>, tokio_postgres::Error> {
        let Self { first, second, .. } = self;
        // Of rows that are all different, the sum without carry is as good as their list.
        let rows = |table: &str| {
            format!(
                "LEFT JOIN (SELECT document_id, count(*) || ' ' || bit_xor(hashtextextended({ROW}, 0)) AS rows \
                 FROM {first}.{table} GROUP BY document_id) AS {table} ON {table}.document_id = documents.id"
            )
        };
        let chunks = rows("chunks");
        let embeddings = if self.first_has_embeddings {
            rows("embeddings")
        } else {
            "CROSS JOIN (VALUES ('')) AS embeddings (rows)".into()
        };
        let row = ROW.replace("xmin", "documents.xmin").replace("ctid", "documents.ctid");
        let sql = format!(
            "SELECT id, fingerprint FROM (SELECT documents.id, collection, version, uri, \
             md5(concat_ws(';', {row}, chunks.rows, embeddings.rows))::uuid AS fingerprint \
             FROM {first}.documents {chunks} {embeddings}) AS first \
             WHERE NOT EXISTS (SELECT FROM {second}.{MADE} WHERE document_id = first.id \
             AND {MADE}.fingerprint = first.fingerprint) ORDER BY collection, version, uri"
        );
        let rows = client.query(&sql, &[]).await?;
        let differing: Vec<_> =
            rows.iter().map(|row| Differing { id: row.get(0), fingerprint: row.get(1) }).collect();
        let ids: Vec<_> = differing.iter().map(|differing| differing.id).collect();
        // All of them before any comes: one may have the uri that another one had.
        let sql = format!(
            "DELETE FROM {second}.documents WHERE id = ANY ($1) \
             OR NOT EXISTS (SELECT FROM {first}.documents AS there WHERE there.id = documents.id)"
        );
        client.execute(&sql, &[&ids]).await?;
        Ok(differing)
    }

    pub(super) async fn make(
        &self,
        transaction: &Transaction<'_>,
        statements: &Statements,
        Differing { id, fingerprint }: Differing,
        made: &Made<'_>,
    ) -> Result<Written, tokio_postgres::Error> {
        let Self { first, second, columns: Columns { documents, chunks, .. }, reuses, .. } = self;
        let (hash, count, metadata) = match made {
            Made::Copied => ("content_hash", None, None),
            Made::Split { document, is_same, .. } => {
                let hash = if *is_same { "content_hash" } else { UNKNOWN_HASH };
                (hash, Some(document.chunks.len() as i32), Some(document.metadata))
            }
        };
        let sql = format!(
            "INSERT INTO {second}.documents ({documents}, content_hash, chunk_count, metadata) \
             SELECT {documents}, {hash}, coalesce($2, chunk_count), coalesce($3, metadata) \
             FROM {first}.documents WHERE id = $1"
        );
        if transaction.execute(&sql, &[&id, &count, &metadata]).await? == 0 {
            return Ok(Written::Changed);
        }
        let embeddings = format!(
            "INSERT INTO {second}.embeddings (chunk_id, document_id, embedding) \
             SELECT chunk_id, document_id, embedding FROM {first}.embeddings WHERE document_id = $1 \
             AND chunk_id IN (SELECT id FROM {second}.chunks WHERE document_id = $1)"
        );
        match made {
            Made::Copied => {
                let sql = format!(
                    "INSERT INTO {second}.chunks ({chunks}) SELECT {chunks} FROM {first}.chunks WHERE document_id = $1"
                );
                transaction.execute(&sql, &[&id]).await?;
                if *reuses {
                    transaction.execute(&embeddings, &[&id]).await?;
                }
            }
            Made::Split { document, reused, .. } => {
                chunks::copy(transaction, statements, &[document]).await?;
                // Of a chunk that stays, what people know of it stays, too.
                let sql = format!(
                    "UPDATE {second}.chunks SET metadata = (there.metadata - 'imports') || chunks.metadata \
                     FROM {first}.chunks AS there WHERE chunks.document_id = $1 AND there.document_id = $1 \
                     AND there.id = chunks.id AND there.metadata - 'imports' <> '{{}}'"
                );
                transaction.execute(&sql, &[&id]).await?;
                if *reuses && !reused.is_empty() {
                    let sql = format!("{embeddings} AND chunk_id = ANY ($2)");
                    transaction.execute(&sql, &[&id, reused]).await?;
                }
            }
        }
        let sql = format!("INSERT INTO {second}.{MADE} VALUES ($1, $2)");
        transaction.execute(&sql, &[&id, &fingerprint]).await?;
        Ok(Written::Done)
    }
}
