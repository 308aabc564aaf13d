/*!
The vector index during a first load: it is dropped before the rows are written and built after them.

Inserting rows one by one into such an index costs several times as much as building it over all rows.
The client drops only the index that the extension itself would create, only on a table without rows, and
only if the caller may create it again. If a run ends before the index is built, the next run builds it, or
`create_store` does. Until then searches compare all embeddings.
*/

use super::super::connection::Store;
use super::super::error::Error;
use super::super::unnamed_statement::UnnamedStatements;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Transaction};

/// The query for the vector indexes of store `$1`, if the caller owns the table of embeddings: the name,
/// the definition, and whether the index is valid and has no comment.
const INDEXES: &str = "SELECT pg_catalog.quote_ident(index.relname), pg_catalog.pg_get_indexdef(index.oid), \
    pg_catalog.obj_description(index.oid, 'pg_class') IS NULL AND indisvalid \
    FROM pg_catalog.pg_namespace JOIN pg_catalog.pg_class ON pg_class.relnamespace = pg_namespace.oid \
    LEFT JOIN (pg_catalog.pg_index JOIN pg_catalog.pg_class AS index ON index.oid = indexrelid \
    JOIN pg_catalog.pg_am ON pg_am.oid = index.relam AND amname IN ('hnsw', 'ivfflat')) \
    ON indrelid = pg_class.oid \
    WHERE nspname = $1 AND pg_class.relname = 'embeddings' AND pg_class.relkind = 'r' \
    AND pg_catalog.pg_has_role(pg_class.relowner, 'USAGE')";

/// The query for the statement with which the extension creates the vector index of store `$1`, if it is
/// missing.
const MISSING: &str = "SELECT ddl FROM _passage.recorded_facts($1::text::name) AS facts, \
    _passage.store_missing($1::text::name, facts.dimensions, coalesce(facts.distance, \
    _passage.store_settings($1::text::name) ->> 'distance', 'cosine'), facts.embedding_type, \
    facts.language::regconfig, _passage.store_placement($1::text::name)) AS missing WHERE kind = 'index' AND relation = 'embeddings'";

/// The memory of a build beside its vectors: for each of them, its element of the graph with its neighbors
/// (720 bytes, see `docs/guides/size.md`, and what the allocator adds), and for all, what parallel workers share.
/// The rows that a graph has no memory for take several times as long.
const ELEMENT_BYTES: usize = 800;
const BUILD_BYTES: usize = 4 << 20;

impl Store {
    /// Drops the vector index if the store has no embeddings yet. Returns whether the store now lacks the
    /// index, so that [`build_index`](Self::build_index) has to create it.
    ///
    /// The index stays if another transaction uses the table for longer than one second.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist, and [`Error::Lost`] if the connection ends.
    pub async fn defer_index(&mut self) -> Result<bool, Error> {
        let Self { client, name, schema, .. } = self;
        let error = |error| Error::new(name, &error);
        let indexes = client.query_unnamed(INDEXES, &[name]).await.map_err(error)?;
        let [index] = &indexes[..] else { return Ok(false) };
        let Some(index_name) = index.get::<_, Option<String>>(0) else { return Ok(true) };
        let (definition, is_plain): (String, bool) = (index.get(1), index.get(2));
        // For other distances, search reads the distance from the index. Signs have no other one.
        let is_cosine =
            ["_cosine_ops", "bit_hamming_ops"].iter().any(|class| definition.contains(class));
        if !is_plain || !is_cosine {
            return Ok(false);
        }
        if !is_empty(client, schema).await.map_err(error)? {
            return Ok(false);
        }
        let transaction = client.transaction().await.map_err(error)?;
        let dropped = drop_index(&transaction, name, schema, &index_name, &definition).await;
        match dropped {
            Ok(true) => transaction.commit().await.map_err(error).map(|()| true),
            Ok(false) => transaction.rollback().await.map_err(error).map(|()| false),
            Err(database) if database.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                transaction.rollback().await.map_err(error).map(|()| false)
            }
            Err(database) => Err(error(database)),
        }
    }

    /// Builds the vector index if it is missing, with enough memory for the whole index if the server has
    /// that much.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] or [`Error::Lost`] if the build fails; the rows stay.
    pub async fn build_index(&mut self) -> Result<(), Error> {
        match self.try_build_index(true).await {
            // Not enough memory, of the process or shared with its parallel workers.
            Err(error) if error.code().is_some_and(|code| code.code().starts_with("53")) => {
                self.try_build_index(false).await.map_err(|error| self.error(&error))
            }
            built => built.map_err(|error| self.error(&error)),
        }
    }

    async fn try_build_index(
        &mut self,
        uses_more_memory: bool,
    ) -> Result<(), tokio_postgres::Error> {
        let Self { client, name, schema, .. } = self;
        let transaction = client.transaction().await?;
        // The same lock as in `create_store`: of two concurrent builders, the second finds the index.
        let lock = "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('passage.create_store ' OPERATOR(pg_catalog.||) $1::text, 0))";
        transaction.execute_unnamed(lock, &[name]).await?;
        if uses_more_memory {
            // Citus rejects a function that reads the store in a query over it.
            let sql = format!(
                "SELECT {ELEMENT_BYTES} + coalesce(max(CASE embedding_type \
                 WHEN 'binary' THEN dimensions / 8 WHEN 'halfvec' THEN 2 * dimensions ELSE 4 * dimensions END), 0) \
                 FROM _passage.recorded_facts($1::text::name)"
            );
            let bytes: i32 = transaction.query_one_unnamed(&sql, &[name]).await?.get(0);
            // The graph of all rows, but at most the size of the shared buffers.
            let memory = format!(
                "SELECT set_config('maintenance_work_mem', greatest( \
                 pg_size_bytes(current_setting('maintenance_work_mem')), \
                 least(pg_size_bytes(current_setting('shared_buffers')), \
                 (SELECT {BUILD_BYTES} + count(*) * $1 FROM {schema}.embeddings))) / 1024 || 'kB', true)"
            );
            transaction.execute_unnamed(&memory, &[&bytes]).await?;
        } else {
            transaction.batch_execute("SET LOCAL max_parallel_maintenance_workers = 0").await?;
        }
        if let Some(missing) = transaction.query_opt_unnamed(MISSING, &[name]).await? {
            transaction.batch_execute(missing.get(0)).await?;
        }
        transaction.commit().await
    }

    /// Returns the number of rows in the vector index that is being built; `None` if no build runs.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends.
    pub async fn index_progress(&self) -> Result<Option<i64>, Error> {
        let sql = "SELECT tuples_done FROM pg_stat_progress_create_index \
            WHERE relid = pg_catalog.to_regclass($1)";
        let embeddings = format!("{}.embeddings", self.schema);
        Ok(self.query_opt(sql, &[&embeddings]).await?.and_then(|row| row.get(0)))
    }

    /// Counts the embeddings.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn count_embeddings(&self) -> Result<i64, Error> {
        let sql = format!("SELECT count(*) FROM {}.embeddings", self.schema);
        Ok(self.query_one(&sql, &[]).await?.get(0))
    }
}

async fn is_empty(client: &Client, schema: &str) -> Result<bool, tokio_postgres::Error> {
    let sql = format!("SELECT NOT EXISTS (SELECT 1 FROM {schema}.embeddings)");
    Ok(client.query_one_unnamed(&sql, &[]).await?.get(0))
}

/// Drops an index of a table without rows, if the extension would create the same index again. Returns
/// whether it was dropped; if not, the caller rolls back.
async fn drop_index(
    transaction: &Transaction<'_>,
    store: &str,
    schema: &str,
    index: &str,
    definition: &str,
) -> Result<bool, tokio_postgres::Error> {
    let lock = format!(
        "SET LOCAL lock_timeout = '1s'; LOCK TABLE {schema}.embeddings IN ACCESS EXCLUSIVE MODE"
    );
    transaction.batch_execute(&lock).await?;
    if !is_empty(transaction.client(), schema).await? {
        return Ok(false);
    }
    let drop = format!("DROP INDEX {schema}.{index}");
    transaction.batch_execute(&drop).await?;
    let Some(missing) = transaction.query_opt_unnamed(MISSING, &[&store]).await? else {
        return Ok(false);
    };
    transaction.batch_execute(missing.get(0)).await?;
    let created = transaction.query_one_unnamed(INDEXES, &[&store]).await?;
    let is_same = created.get::<_, String>(0) == index && created.get::<_, String>(1) == definition;
    if is_same {
        transaction.batch_execute(&drop).await?;
    }
    Ok(is_same)
}
