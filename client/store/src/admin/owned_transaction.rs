//! Transactions on a store that must belong to the session's roles.

use super::super::connection::Store;
use super::super::error::Error;
use super::ownership::{Access, PINNED_SEARCH_PATH, check_owner, lock_owned};
use crate::postgres_text::quote_identifier;

impl Store {
    /// Checks that the store belongs to a role of the session. A missing store is not an error.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotOwner`], or [`Error::Lost`] if the connection ends.
    pub async fn must_be_owned(&mut self) -> Result<(), Error> {
        let Self { client, name, .. } = self;
        let transaction = client.transaction().await.map_err(|error| Error::new(name, &error))?;
        check_owner(&transaction, &[name], Access::Change).await
    }

    /// Begins a transaction in which the tables of the store are locked and belong to the session's roles.
    /// The caller ends it.
    pub(crate) async fn begin_owned(&self, lock_mode: &str) -> Result<(), Error> {
        self.run("BEGIN").await?;
        let locked = lock_owned(&self.client, &[&self.name], lock_mode).await;
        if locked.is_err() {
            self.run("ROLLBACK").await?;
        }
        locked.map(drop)
    }

    /// Awaits `work` in a transaction in which the tables of the store are locked for writing and belong to
    /// the session's roles.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotOwner`], [`Error::Lost`] if the connection ends, and the error of `work`.
    pub async fn in_owned_transaction<T, E: From<Error>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        self.begin_owned("ROW EXCLUSIVE").await?;
        let result = work.await;
        self.run(if result.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
        result
    }

    /// Begins a transaction that reads all rows of an owned store or fails. It ends with the connection.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotOwner`], or [`Error::Lost`] if the connection ends.
    pub async fn begin_reading(&self) -> Result<(), Error> {
        self.begin_owned("ACCESS SHARE").await?;
        self.run("SET LOCAL row_security = off").await
    }

    /// Makes queries of this session read all rows or fail: a policy that would hide rows is an error.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends.
    pub async fn disable_row_security(&self) -> Result<(), Error> {
        self.run("SET row_security = off").await
    }

    /// Switches to the role that owns the store, which must be a role of the session, so that this role
    /// also owns every new object.
    pub(crate) async fn become_owner(&mut self) -> Result<(), Error> {
        self.must_be_owned().await?;
        let sql = "SELECT rolname::text FROM pg_catalog.pg_namespace \
            JOIN pg_catalog.pg_roles ON pg_roles.oid OPERATOR(pg_catalog.=) nspowner \
            WHERE nspname OPERATOR(pg_catalog.=) $1 AND rolname OPERATOR(pg_catalog.<>) current_user";
        if let Some(owner) = self.query_opt(sql, &[&self.name]).await? {
            self.run(&format!("SET ROLE {}", quote_identifier(owner.get(0)))).await?;
        }
        self.run(&format!("SET {PINNED_SEARCH_PATH}")).await?;
        self.disable_row_security().await
    }
}
