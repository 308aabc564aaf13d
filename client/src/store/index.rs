/*!
The vector index and a first load: away before the rows come, built when they are there.

To insert rows one after the other into an index of this kind costs several times what it costs to
build it over all of them. Only the index that the extension itself would make is taken, only from
a table without rows, and only where one may make it again. If a run ends before it is built, the
next one builds it, or `create_store` does; until then searches compare one by one.
*/

use super::{Error, Store};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Transaction};

/// The vector indexes of `$1`, if its embeddings are in a table of the caller's: their names, how
/// they were made, and whether nobody has said anything of them.
const INDEXES: &str = "SELECT pg_catalog.quote_ident(index.relname), pg_catalog.pg_get_indexdef(index.oid), \
    pg_catalog.obj_description(index.oid, 'pg_class') IS NULL AND indisvalid \
    FROM pg_catalog.pg_namespace JOIN pg_catalog.pg_class ON pg_class.relnamespace = pg_namespace.oid \
    LEFT JOIN (pg_catalog.pg_index JOIN pg_catalog.pg_class AS index ON index.oid = indexrelid \
    JOIN pg_catalog.pg_am ON pg_am.oid = index.relam AND amname IN ('hnsw', 'ivfflat')) \
    ON indrelid = pg_class.oid \
    WHERE nspname = $1 AND pg_class.relname = 'embeddings' AND pg_class.relkind = 'r' \
    AND pg_catalog.pg_has_role(pg_class.relowner, 'USAGE')";

/// How the extension makes the vector index of `$1`, if there is none.
const MISSING: &str = "SELECT ddl FROM _passage.store_facts($1::text::name) AS facts, \
    _passage.store_missing($1::text::name, facts.dimensions, coalesce(facts.distance, \
    _passage.store_settings($1::text::name) ->> 'distance', 'cosine'), facts.embedding_type, \
    facts.language::regconfig) AS missing WHERE kind = 'index' AND relation = 'embeddings'";

impl Store {
    /// Takes the vector index away if there are no embeddings yet, and tells whether there is none
    /// to be built when they are there.
    ///
    /// # Errors
    ///
    /// If the server goes away, or there is no such store. Where the index cannot be had for
    /// itself at once, it stays.
    pub async fn defer_index(&mut self) -> Result<bool, Error> {
        let Self { client, name, schema, .. } = self;
        let error = |error| Error::new(name, &error);
        let indexes = client.query(INDEXES, &[name]).await.map_err(error)?;
        let [index] = &indexes[..] else { return Ok(false) };
        let Some(index_name) = index.get::<_, Option<String>>(0) else { return Ok(true) };
        let (definition, own): (String, bool) = (index.get(1), index.get(2));
        // Searches take another distance than this from the index alone.
        if !own || !definition.contains("_cosine_ops") {
            return Ok(false);
        }
        if !is_empty(client, schema).await.map_err(error)? {
            return Ok(false);
        }
        let transaction = client.transaction().await.map_err(error)?;
        let taken = take(&transaction, name, schema, &index_name, &definition).await;
        match taken {
            Ok(true) => transaction.commit().await.map_err(error).map(|()| true),
            Ok(false) => transaction.rollback().await.map_err(error).map(|()| false),
            Err(refusal) if refusal.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                transaction.rollback().await.map_err(error).map(|()| false)
            }
            Err(refusal) => Err(error(refusal)),
        }
    }

    /// Builds the vector index if there is none, with memory for all of it if the server has much.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away; the rows are there in any case.
    pub async fn build_index(&mut self) -> Result<(), Error> {
        match self.try_build_index(true).await {
            // Too little memory, of its own or of what it shares with those that help it.
            Err(error) if error.code().is_some_and(|code| code.code().starts_with("53")) => {
                self.try_build_index(false).await.map_err(|error| self.error(&error))
            }
            built => built.map_err(|error| self.error(&error)),
        }
    }

    async fn try_build_index(&mut self, generously: bool) -> Result<(), tokio_postgres::Error> {
        let Self { client, name, schema, .. } = self;
        let transaction = client.transaction().await?;
        // As in `create_store`: of two who build it at once, the second finds it built.
        let lock = "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('passage.create_store ' OPERATOR(pg_catalog.||) $1::text, 0))";
        transaction.execute(lock, &[name]).await?;
        if generously {
            // Numbers and neighbours of each row; no more than the server caches tables in.
            let memory = format!(
                "SELECT set_config('maintenance_work_mem', greatest( \
                 pg_size_bytes(current_setting('maintenance_work_mem')), \
                 least(pg_size_bytes(current_setting('shared_buffers')), \
                 (SELECT count(*) * (4 * coalesce(max(dimensions), 0) + 512) \
                 FROM {schema}.embeddings, _passage.store_facts($1::text::name)))) / 1024 || 'kB', true)"
            );
            transaction.execute(&memory, &[name]).await?;
        } else {
            transaction.batch_execute("SET LOCAL max_parallel_maintenance_workers = 0").await?;
        }
        if let Some(missing) = transaction.query_opt(MISSING, &[name]).await? {
            transaction.batch_execute(missing.get(0)).await?;
        }
        transaction.commit().await
    }

    /// Tells how many rows are in the vector index that is being built; `None` if none is.
    ///
    /// # Errors
    ///
    /// If the server goes away.
    pub async fn indexed(&self) -> Result<Option<i64>, Error> {
        let sql = "SELECT tuples_done FROM pg_stat_progress_create_index \
            WHERE relid = pg_catalog.to_regclass($1)";
        let embeddings = format!("{}.embeddings", self.schema);
        let row = self.client.query_opt(sql, &[&embeddings]).await;
        Ok(row.map_err(|error| self.error(&error))?.and_then(|row| row.get(0)))
    }

    /// Counts the embeddings.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn embeddings(&self) -> Result<i64, Error> {
        let sql = format!("SELECT count(*) FROM {}.embeddings", self.schema);
        let row = self.client.query_one(&sql, &[]).await.map_err(|error| self.error(&error))?;
        Ok(row.get(0))
    }
}

async fn is_empty(client: &Client, schema: &str) -> Result<bool, tokio_postgres::Error> {
    let sql = format!("SELECT NOT EXISTS (SELECT FROM {schema}.embeddings)");
    Ok(client.query_one(&sql, &[]).await?.get(0))
}

/// Drops an index of a table without rows, if what comes in its place is the same.
async fn take(
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
    let Some(missing) = transaction.query_opt(MISSING, &[&store]).await? else {
        return Ok(false);
    };
    transaction.batch_execute(missing.get(0)).await?;
    let made = transaction.query_one(INDEXES, &[&store]).await?;
    let same = made.get::<_, String>(0) == index && made.get::<_, String>(1) == definition;
    if same {
        transaction.batch_execute(&drop).await?;
    }
    Ok(same)
}
