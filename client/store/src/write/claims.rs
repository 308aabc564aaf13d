/*!
Claims of chunks, by advisory locks that exclude other workers.

The session holds the locks: they block no writer, and end with the worker's connection.

Through a pooler a lock of the session would outlast the worker. There a transaction holds the locks. The worker
ends it with each write, and after a moment without one, so that other clients get their turn. It then claims
the chunks that are still being embedded again, in the next transaction. Another worker may take some in between:
they are embedded twice, and written once. This is rare. Workers begin at random documents, and while a pool is
busy they write all claimed chunks together.
*/

use super::super::connection::Store;
use super::super::error::Error;
use crate::postgres_text::quote_literal;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// A worker's position in the scan: the last chunk that was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClaimCursor {
    pub(super) document: Uuid,
    pub(super) ordinal: i32,
    pub(super) is_started: bool,
}

/// A pooler that needs longer than this to begin a transaction has no connection to the server to spare.
const QUICK_BEGIN: Duration = Duration::from_millis(5);

/// The number of transactions that must begin quickly, one after the other, before the pool counts as idle.
const QUICK_BEGINS: u32 = 8;

impl ClaimCursor {
    /// Returns a position at a random document. The ids of documents are hashes.
    fn random() -> Self {
        Self { document: Uuid::from_u128(fastrand::u128(..)), ..Self::default() }
    }
}

impl Store {
    /// Returns the cursors with which a worker scans the store for its next chunks, one after the other.
    pub fn claim_cursors(&self) -> Vec<ClaimCursor> {
        let first = ClaimCursor::default();
        if self.is_pooled { vec![ClaimCursor::random(), first] } else { vec![first] }
    }

    /// Returns whether a transaction holds the claims, so that they must be renewed.
    pub fn must_renew_claims(&self) -> bool {
        self.is_pooled
    }

    /// Returns whether the worker may have to wait for a connection of the pool, without its claims.
    pub fn is_pool_busy(&self) -> bool {
        self.is_pooled && self.quick_begins < QUICK_BEGINS
    }

    /// Ends the transaction that holds the claims, and claims chunks that are still being embedded again.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends.
    pub async fn renew_claims(&mut self, ids: &[Uuid]) -> Result<(), Error> {
        self.end_claims().await?;
        if !self.is_pooled || ids.is_empty() {
            return Ok(());
        }
        self.begin_claims().await?;
        let sql = format!("SELECT {} FROM unnest($1::uuid[]) AS id", self.try_lock());
        self.execute(&sql, &[&ids]).await.map(drop)
    }

    /// Ends the transaction that holds the claims, if there is one.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends.
    pub async fn end_claims(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.has_open_claims) {
            self.run("COMMIT").await?;
        }
        Ok(())
    }

    /// Begins a transaction that holds the claims, if they must be in one.
    pub(super) async fn begin_claims(&mut self) -> Result<(), Error> {
        if self.is_pooled && !self.has_open_claims {
            let started = Instant::now();
            self.run("BEGIN").await?;
            self.has_open_claims = true;
            let is_quick = started.elapsed() <= QUICK_BEGIN;
            self.quick_begins = if is_quick { self.quick_begins.saturating_add(1) } else { 0 };
        }
        Ok(())
    }

    /// Releases claimed chunks. The claims of a transaction end with it.
    pub(super) async fn release(&self, ids: &[Uuid]) -> Result<(), Error> {
        if ids.is_empty() || self.is_pooled {
            return Ok(());
        }
        let sql = format!(
            "SELECT pg_catalog.pg_advisory_unlock({}) FROM unnest($1::uuid[]) AS id",
            self.lock()
        );
        self.execute(&sql, &[&ids]).await.map(drop)
    }

    /// Returns an expression that claims a chunk.
    pub(super) fn try_lock(&self) -> String {
        let function =
            if self.is_pooled { "pg_try_advisory_xact_lock" } else { "pg_try_advisory_lock" };
        format!("pg_catalog.{function}({})", self.lock())
    }

    /// Returns an expression for the key of a chunk's advisory lock.
    fn lock(&self) -> String {
        let prefix = quote_literal(&format!("passage embed {} ", self.name));
        format!("pg_catalog.hashtextextended({prefix} || id::text, 0)")
    }
}
