/*!
Which schema a store's name stands for.

A reindex may put another store in a store's place. Whoever has agreed with the one must not write
into the other: its embeddings may be of another model. So a writer asks, in each transaction and
behind its first lock on the store's tables, whether the name still means what it meant: the swap
waits for that lock, so the answer holds until the transaction ends.
*/

use super::{Error, Store};
use tokio_postgres::Transaction;
use tokio_postgres::types::Type;

/// What a store's name stood for at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity(pub(super) u32);

impl Store {
    /// Returns what the store's name stands for.
    ///
    /// # Errors
    ///
    /// If there is no such store.
    pub async fn identity(&self) -> Result<Identity, Error> {
        self.must_exist().await?;
        let sql = "SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1";
        let row = self.client.query_one(sql, &[&self.name]).await;
        Ok(Identity(row.map_err(|error| self.error(&error))?.get(0)))
    }

    /// Makes sure that what this connection writes goes into no other store of the same name.
    pub fn expect(&mut self, identity: Identity) {
        self.expected = Some(identity);
    }
}

/// Tells whether a store's name stands for what is expected, behind a lock on one of its tables.
pub(super) async fn is_same(
    transaction: &Transaction<'_>,
    name: &str,
    expected: Option<Identity>,
) -> Result<bool, tokio_postgres::Error> {
    let Some(Identity(oid)) = expected else { return Ok(true) };
    let sql = "SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1 AND oid = $2";
    let rows = transaction.query_typed(sql, &[(&name, Type::NAME), (&oid, Type::OID)]).await?;
    Ok(!rows.is_empty())
}
