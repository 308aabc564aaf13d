/*!
Replacing the original store by the shadow store.

One transaction locks the tables of the original, also against readers: a call that reads twice would
otherwise see both stores, and a writer that has read would write to the former store. Transactions that
already use the original finish first. The transaction then makes the documents that are still outdated,
and renames both schemas.

The swap causes no other transaction to fail: it waits for a lock for less than `deadlock_timeout`, so a
transaction that waits for the swap gets its lock before the server detects a deadlock. No other
transaction waits long, since others acquire their locks between two attempts.
*/

use super::super::admin::lock_owned;
use super::super::connection::Store;
use super::super::error::{Error, Operation};
use super::super::query::{StoredDocument, read_document};
use super::super::unnamed_statement::UnnamedStatements;
use super::super::write::WriteOutcome;
use super::fill::{OutdatedDocument, ShadowDocument};
use super::pair::{FINGERPRINTS, MARK, READ_LOCK, StorePair, WRITE_LOCK};
use super::shadow_store::ShadowStore;
use super::{customizations, obstacles};
use crate::postgres_text::quote_identifier;
use futures_util::future::try_join_all;
use tokio_postgres::Transaction;
use tokio_postgres::error::SqlState;
use uuid::Uuid;

/// The transaction that replaces the original store; it holds locks on both stores.
///
/// If it is dropped without [`commit`](Self::commit), both stores are unchanged.
pub struct PendingSwap<'a> {
    transaction: Transaction<'a>,
    pair: &'a StorePair,
}

impl ShadowStore {
    /// Creates the remaining indexes after the shadow store is filled, and updates its statistics.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] or [`Error::Lost`] if a statement fails.
    pub async fn complete(&mut self) -> Result<(), Error> {
        let Self { writer, pair } = self;
        let StorePair { original_name, shadow_name, shadow, .. } = &*pair;
        let error = |error| Error::new(shadow_name, &error);
        let transaction = writer.begin().await?;
        lock_owned(&transaction, &[original_name, shadow_name], READ_LOCK).await?;
        customizations::create_indexes(&transaction, original_name, shadow_name)
            .await
            .map_err(error)?;
        transaction.commit().await.map_err(error)?;
        if pair.with_embeddings {
            writer.build_index().await?;
        }
        let embeddings =
            if pair.with_embeddings { format!(", {shadow}.embeddings") } else { String::new() };
        writer
            .run(&format!("VACUUM (ANALYZE) {shadow}.documents, {shadow}.chunks{embeddings}"))
            .await
    }

    /// Locks the original store; `None` if other transactions do not release it in time.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotOwner`] if one of the stores belongs to another role, and [`Error::Database`] or
    /// [`Error::Lost`] if a statement fails.
    pub async fn lock_original(&mut self) -> Result<Option<PendingSwap<'_>>, Error> {
        let Self { writer, pair } = self;
        let locked = lock(writer, pair, &pair.original).await?;
        let Some(transaction) = locked else { return Ok(None) };
        let names = [&*pair.original_name, &*pair.shadow_name];
        lock_owned(&transaction, &names, WRITE_LOCK).await?;
        Ok(Some(PendingSwap { transaction, pair }))
    }

    /// Drops the former store after the swap. Returns false if other transactions do not release it in
    /// time.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] or [`Error::Lost`] if a statement fails.
    pub async fn drop_former(&mut self) -> Result<bool, Error> {
        let Self { writer, pair } = self;
        let error = |error| Error::new(&pair.former_name, &error);
        let former = quote_identifier(&pair.former_name);
        let locked = lock(writer, pair, &former).await?;
        let Some(transaction) = locked else { return Ok(false) };
        let drop = format!("DROP SCHEMA {former} CASCADE");
        transaction.batch_execute(&drop).await.map_err(error)?;
        transaction.commit().await.map_err(error)?;
        Ok(true)
    }
}

/// Begins a transaction that locks the tables of a store, first the table that most calls use first; `None`
/// if other transactions do not release them in time.
async fn lock<'a>(
    store: &'a mut Store,
    pair: &StorePair,
    schema: &str,
) -> Result<Option<Transaction<'a>>, Error> {
    let error = |error| Error::new(&pair.original_name, &error);
    let rest = if pair.original_has_embeddings { "documents embeddings" } else { "documents" };
    let ratings = pair.original_has_ratings.then_some("ratings");
    let rest = rest.split(' ').chain(["strategies", "settings"]).chain(ratings);
    let rest: Vec<_> = rest.map(|table| format!("{schema}.{table}")).collect();
    // The limits are together less than the default of deadlock_timeout. Citus copies a message with SET LOCAL to the
    // other nodes as a whole.
    let copy = |to: &str| {
        format!("SELECT _passage.set_citus_setting('citus.propagate_set_commands', '{to}')")
    };
    let statements = [
        copy("local"),
        "SET LOCAL lock_timeout = '300ms'".to_owned(),
        format!("LOCK TABLE {schema}.chunks IN ACCESS EXCLUSIVE MODE"),
        "SET LOCAL lock_timeout = '100ms'".to_owned(),
        format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", rest.join(", ")),
        "SET LOCAL lock_timeout = 0".to_owned(),
        copy("none"),
    ];
    let transaction = store.begin().await?;
    let executed = statements.iter().map(|statement| transaction.batch_execute(statement));
    match try_join_all(executed).await.map(drop) {
        Ok(()) => Ok(Some(transaction)),
        Err(database) if database.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
            transaction.rollback().await.map(|()| None).map_err(error)
        }
        Err(database) => Err(error(database)),
    }
}

impl PendingSwap<'_> {
    /// Returns the documents that are still outdated, as [`ShadowStore::outdated`] does.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] or [`Error::Lost`] if a statement fails.
    pub async fn outdated(&self) -> Result<Vec<OutdatedDocument>, Error> {
        self.pair.outdated(&self.transaction).await.map_err(|error| self.error(&error))
    }

    /// Reads a document of the original store.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] or [`Error::Lost`] if a statement fails.
    pub async fn read_document(&self, id: Uuid) -> Result<Option<StoredDocument>, Error> {
        let document = read_document(&self.transaction, &self.pair.original, id, false).await;
        document.map_err(|error| self.error(&error))
    }

    /// Writes a document to the shadow store.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] or [`Error::Lost`] if a statement fails.
    pub async fn make(
        &self,
        outdated: OutdatedDocument,
        document: &ShadowDocument<'_>,
    ) -> Result<WriteOutcome, Error> {
        let outcome = self.pair.make(&self.transaction, outdated, document).await;
        outcome.map_err(|error| self.error(&error))
    }

    /// Renames both schemas, and commits.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Obstacles`] if the original now has an object that cannot be carried over, and
    /// [`Error::Database`] or [`Error::Lost`] if a statement fails. The original then stays in its place.
    pub async fn commit(self) -> Result<(), Error> {
        let Self { transaction, pair, .. } = self;
        let StorePair { original_name, shadow_name, original, shadow, columns, .. } = pair;
        let error = |error| Error::during(Operation::CreateStore, original_name, &error);
        obstacles::check(&transaction, original_name, shadow_name).await?;
        let customizations =
            customizations::statements(&transaction, original_name, shadow_name).await;
        let former = quote_identifier(&pair.former_name);
        let strategies = &columns.strategies;
        // The ratings of chunks that were split differently have no effect, as after an ingest.
        let sql = "SELECT _passage.ratings_copy($1::text::name, $2::text::name, $3)";
        let ratings: Option<String> = transaction
            .query_unnamed(sql, &[original_name, shadow_name, &pair.reuses_embeddings])
            .await
            .map_err(error)?[0]
            .get(0);
        let mut statements: Vec<_> = ratings.into_iter().collect();
        statements.extend([
            format!(
                "INSERT INTO {shadow}.strategies ({strategies}) SELECT {strategies} FROM {original}.strategies"
            ),
            format!(
                "INSERT INTO {shadow}.settings (key, value) SELECT key, value FROM {original}.settings ON CONFLICT (key) DO NOTHING"
            ),
            format!("DELETE FROM {shadow}.settings WHERE key = '{MARK}'"),
            format!("DROP TABLE {shadow}.{FINGERPRINTS}"),
            format!("ALTER SCHEMA {original} RENAME TO {former}"),
            format!("ALTER SCHEMA {shadow} RENAME TO {original}"),
        ]);
        statements.extend(customizations.map_err(error)?);
        statements.push("SET LOCAL synchronous_commit = on".to_owned());
        // Citus takes one change of a definition at a time. All are sent before the first is answered.
        let executed = statements.iter().map(|statement| transaction.batch_execute(statement));
        try_join_all(executed).await.map_err(error)?;
        transaction.commit().await.map_err(error)
    }

    fn error(&self, error: &tokio_postgres::Error) -> Error {
        Error::new(&self.pair.original_name, error)
    }
}
