/*!
Putting the second store in the place of the first.

Its tables are locked, against readers, too: a call that reads more than once would find one store
and then the other, and a writer who has read would write into the former one. Whoever has begun
with the first store is let to its end, so whatever is written by then is looked for once more and
made, and the names change, all in one transaction.

Nobody's transaction fails for it: tables are waited for shorter than the server waits before it
looks for circles, so whoever waits for us in one gets what he wants first. And nobody waits long:
others come first between two attempts.
*/

use super::super::sql::quoted;
use super::super::statements::Statements;
use super::super::stored::{Stored, stored};
use super::super::{Error, Store, Written};
use super::filling::{Differing, Made};
use super::{MADE, MARK, Pair, READ, Second, WRITE, attire, obstacles, ownership};
use std::sync::Arc;
use tokio_postgres::Transaction;
use tokio_postgres::error::SqlState;
use uuid::Uuid;

/// The first store, locked, and the second one, in the transaction that puts it in its place. Dropped
/// before the end, it leaves all as it was.
pub struct Last<'a> {
    transaction: Transaction<'a>,
    statements: Arc<Statements>,
    pair: &'a Pair,
}

impl Second {
    /// Makes the indexes that are made when the rows are there, and lets the planner know the rows.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away.
    pub async fn complete(&mut self) -> Result<(), Error> {
        let Self { writer, pair } = self;
        let error = |error| Error::new(&pair.name, &error);
        let transaction = writer.begin().await?;
        ownership::hold(&transaction, &[&pair.store, &pair.name], READ).await?;
        attire::make_indexes(&transaction, &pair.store, &pair.name).await.map_err(error)?;
        transaction.commit().await.map_err(error)?;
        if pair.with_embeddings {
            writer.build_index().await?;
        }
        let schema = &pair.second;
        let embeddings =
            if pair.with_embeddings { format!(", {schema}.embeddings") } else { String::new() };
        writer
            .run(&format!("VACUUM (ANALYZE) {schema}.documents, {schema}.chunks{embeddings}"))
            .await
    }

    /// Locks the first store; `None` if others have it for longer.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away.
    pub async fn hold(&mut self) -> Result<Option<Last<'_>>, Error> {
        let Self { writer, pair } = self;
        let error = |error| Error::new(&pair.store, &error);
        let statements = writer.statements(pair.with_embeddings).await.map_err(error)?;
        let locked = lock(writer, pair, &pair.first).await?;
        let Some(transaction) = locked else { return Ok(None) };
        ownership::hold(&transaction, &[&pair.store, &pair.name], WRITE).await?;
        Ok(Some(Last { transaction, statements, pair }))
    }

    /// Removes the store that was replaced; tells whether nobody has it any more.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away.
    pub async fn remove_former(&mut self) -> Result<bool, Error> {
        let Self { writer, pair } = self;
        let error = |error| Error::new(&pair.former, &error);
        let former = quoted(&pair.former);
        let locked = lock(writer, pair, &former).await?;
        let Some(transaction) = locked else { return Ok(false) };
        let drop = format!("DROP SCHEMA {former} CASCADE");
        transaction.batch_execute(&drop).await.map_err(error)?;
        transaction.commit().await.map_err(error)?;
        Ok(true)
    }
}

/// Begins a transaction that has locked the tables of a store, those first that most calls begin
/// with; `None` if others have them for longer.
async fn lock<'a>(
    store: &'a mut Store,
    pair: &Pair,
    schema: &str,
) -> Result<Option<Transaction<'a>>, Error> {
    let error = |error| Error::new(&pair.store, &error);
    let rest = if pair.first_has_embeddings { "documents embeddings" } else { "documents" };
    let rest = rest.split(' ').chain(["strategies", "settings"]);
    let rest: Vec<_> = rest.map(|table| format!("{schema}.{table}")).collect();
    // In all less than the server's deadlock_timeout, unless somebody has made that very short.
    let sql = format!(
        "SET LOCAL lock_timeout = '300ms'; LOCK TABLE {schema}.chunks IN ACCESS EXCLUSIVE MODE; \
         SET LOCAL lock_timeout = '100ms'; LOCK TABLE {} IN ACCESS EXCLUSIVE MODE; \
         SET LOCAL lock_timeout = 0",
        rest.join(", ")
    );
    let transaction = store.begin().await?;
    match transaction.batch_execute(&sql).await {
        Ok(()) => Ok(Some(transaction)),
        Err(refusal) if refusal.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
            transaction.rollback().await.map(|()| None).map_err(error)
        }
        Err(refusal) => Err(error(refusal)),
    }
}

impl Last<'_> {
    /// Lists the documents that are still to be made, as [`Second::differing`] does.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away.
    pub async fn differing(&self) -> Result<Vec<Differing>, Error> {
        self.pair.differing(&self.transaction).await.map_err(|error| self.error(&error))
    }

    /// Reads a document of the first store.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away.
    pub async fn stored(&self, id: Uuid) -> Result<Option<Stored>, Error> {
        let read = stored(&self.transaction, &self.pair.first, id, false).await;
        read.map_err(|error| self.error(&error))
    }

    /// Makes a document in the second store.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away.
    pub async fn make(&self, differing: Differing, made: &Made<'_>) -> Result<Written, Error> {
        let written = self.pair.make(&self.transaction, &self.statements, differing, made).await;
        written.map_err(|error| self.error(&error))
    }

    /// Changes the names.
    ///
    /// # Errors
    ///
    /// [`Error::Obstacles`] if something has come that cannot come along; if the server refuses or
    /// goes away. The first store is then in its place.
    pub async fn swap(self) -> Result<(), Error> {
        let Self { transaction, pair, .. } = self;
        let error = |error| Error::new(&pair.store, &error);
        obstacles::refuse(&transaction, &pair.store, &pair.name).await?;
        let attire = attire::attire(&transaction, &pair.store, &pair.name).await;
        let (attire, former) = (attire.map_err(error)?, quoted(&pair.former));
        let Pair { first, second, columns, .. } = pair;
        let strategies = &columns.strategies;
        let sql = format!(
            "INSERT INTO {second}.strategies ({strategies}) SELECT {strategies} FROM {first}.strategies;
             INSERT INTO {second}.settings (key, value) SELECT key, value FROM {first}.settings ON CONFLICT (key) DO NOTHING;
             DELETE FROM {second}.settings WHERE key = '{MARK}';
             DROP TABLE {second}.{MADE};
             ALTER SCHEMA {first} RENAME TO {former};
             ALTER SCHEMA {second} RENAME TO {first};
             {attire};
             SET LOCAL synchronous_commit = on"
        );
        transaction.batch_execute(&sql).await.map_err(error)?;
        transaction.commit().await.map_err(error)
    }

    fn error(&self, error: &tokio_postgres::Error) -> Error {
        Error::new(&self.pair.store, error)
    }
}
