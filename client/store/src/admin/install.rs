//! Installation of `pg_passage` in a database that has none.

use super::super::error::{Error, Operation, is_unavailable};
use super::super::installed::{Edition, Installed, installed};
use super::edition;
use super::ownership::{Access, check_owner};
use tokio_postgres::Transaction;

/// The key of the lock that installations of a database share.
const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtextextended('passage.install', 0))";

/// What [`install`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The edition that the database has now.
    pub installed: Installed,
    /// Why the database has no native extension, if it was to be tried first.
    pub reason: Option<String>,
}

/// Installs an edition, unless the database has one; `None` tries the native extension first.
///
/// Returns `None` if the database has an edition.
pub(super) async fn install(
    transaction: &Transaction<'_>,
    name: &str,
    edition: Option<Edition>,
) -> Result<Option<Installation>, Error> {
    if installed(transaction, name).await?.is_some() {
        return Ok(None);
    }
    // Of two installations the second waits, and finds the edition of the first.
    lock(transaction, name).await?;
    if installed(transaction, name).await?.is_some() {
        // Another role may have made the functions since the first check.
        check_owner(transaction, &[name], Access::Change).await?;
        return Ok(None);
    }
    let reason = match edition {
        Some(edition) => {
            create(transaction, name, edition).await?;
            None
        }
        None => create_any(transaction, name).await?,
    };
    let installed = installed(transaction, name).await?;
    Ok(installed.map(|installed| Installation { installed, reason }))
}

/// Waits for other installations in the database. The lock ends with the transaction.
pub(super) async fn lock(transaction: &Transaction<'_>, name: &str) -> Result<(), Error> {
    transaction.batch_execute(LOCK).await.map_err(|error| Error::new(name, &error))
}

/// Creates an edition.
pub(super) async fn create(
    transaction: &Transaction<'_>,
    name: &str,
    edition: Edition,
) -> Result<(), Error> {
    let sql = match edition {
        Edition::Native => "CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE",
        Edition::Sql => edition::statements(),
    };
    let error = |error| Error::during(Operation::CreateExtension, name, &error);
    transaction.batch_execute(sql).await.map_err(error)
}

/// Creates the native extension, or else the SQL edition. Returns why the native one could not be created.
async fn create_any(transaction: &Transaction<'_>, name: &str) -> Result<Option<String>, Error> {
    let run = async |sql| {
        let done = transaction.batch_execute(sql).await;
        done.map_err(|error| Error::new(name, &error))
    };
    run("SAVEPOINT before_extension").await?;
    let refusal = match create(transaction, name, Edition::Native).await {
        Ok(()) => return Ok(None),
        Err(error) if is_unavailable(&error) => error,
        Err(error) => return Err(error),
    };
    run("ROLLBACK TO before_extension").await?;
    match create(transaction, name, Edition::Sql).await {
        Ok(()) => Ok(Some(refusal.to_string())),
        // The role may create neither.
        Err(error) if error.is_denied() => Err(refusal),
        Err(error) => Err(error),
    }
}
