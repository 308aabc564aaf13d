/*!
Replaces the functions of `pg_passage` in a database: by the other edition, or by another version of the SQL edition.

Each change is one transaction, so a failure leaves everything as before. Stores keep their rows. Columns that functions compute
go with the functions of an edition, and those of the other compute equal values again. A new version of the SQL edition
replaces such functions in place.
*/

mod dependents;
mod queries;

use super::super::connection::Store;
use super::super::error::{Error, Operation};
use super::super::installed::{Edition, Installed, installed};
use super::super::unnamed_statement::UnnamedStatements;
use super::ownership::{Access, PINNED_SEARCH_PATH, check_owner, lock_owned};
use super::{edition, install};
use crate::postgres_text::quote_identifier;
use dependents::{Dependents, all_replaced, privileges, removals, stores};
use tokio_postgres::Transaction;

/// What [`Store::upgrade`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgraded {
    /// The edition before.
    pub before: Installed,
    /// The edition now.
    pub after: Installed,
    /// The number of statements executed in the store; `None` if it does not exist.
    pub statements: Option<usize>,
}

impl Store {
    /// Updates `pg_passage` in the database, and adds to the store what it lacks of the current layout.
    ///
    /// The native extension takes the version that the server offers, the SQL edition that of the client.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotInstalled`], [`Error::ClientTooOld`] if the SQL edition is newer than the client, [`Error::NotOwner`] if
    /// an object belongs to another role, and [`Error::Dependents`] if an object uses a function that no longer exists.
    pub async fn upgrade(&mut self) -> Result<Upgraded, Error> {
        let Self { client, name, .. } = self;
        let error = |error| Error::new(name, &error);
        let transaction = client.transaction().await.map_err(error)?;
        let before = installed(&transaction, name).await?.ok_or(Error::NotInstalled)?;
        install::lock(&transaction, name).await?;
        check_owner(&transaction, &[name], Access::Replace).await?;
        if before.is_extension {
            run(&transaction, name, "ALTER EXTENSION pg_passage UPDATE").await?;
        } else {
            before.must_not_be_newer()?;
            replace_functions(&transaction, name).await?;
        }
        let exists = "SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1";
        let statements = match transaction.query_unnamed(exists, &[name]).await.map_err(error)?[..]
        {
            [] => None,
            _ => Some(upgrade_store(&transaction, name).await?),
        };
        let after = installed(&transaction, name).await?.ok_or(Error::NotInstalled)?;
        transaction.commit().await.map_err(error)?;
        Ok(Upgraded { before, after, statements })
    }
}

/// Moves the database from its edition to another one. Returns the edition before; `None` if it stays.
pub(super) async fn change_edition(
    transaction: &Transaction<'_>,
    name: &str,
    target: Edition,
) -> Result<Option<Installed>, Error> {
    let Some(before) = installed(transaction, name).await? else { return Ok(None) };
    if before.edition == target {
        return Ok(None);
    }
    if before.is_extension && before.edition == Edition::Sql {
        return Err(Error::Dependents(vec!["the extension pg_passage of pg_tle".into()]));
    }
    install::lock(transaction, name).await?;
    let mut schemas = stores(transaction, name).await?;
    if !schemas.iter().any(|schema| schema == name) {
        schemas.push(name.to_owned());
    }
    let schemas: Vec<&str> = schemas.iter().map(String::as_str).collect();
    check_owner(transaction, &schemas, Access::Replace).await?;
    // Nobody can read the store without its columns, or add an object that uses them.
    lock_owned(transaction, &schemas, "ACCESS EXCLUSIVE").await?;
    let upgraded = stores(transaction, name).await?;
    let dependents = Dependents::find(transaction, name, target == Edition::Native).await?;
    for drop in &dependents.drops {
        run(transaction, name, drop).await?;
    }
    remove(transaction, name, before.edition).await?;
    transaction
        .batch_execute("SET LOCAL search_path TO DEFAULT")
        .await
        .map_err(|error| Error::new(name, &error))?;
    install::create(transaction, name, target).await?;
    run(transaction, name, &format!("SET LOCAL {PINNED_SEARCH_PATH}")).await?;
    for store in &upgraded {
        upgrade_store(transaction, store).await?;
        // The search ranks by statistics of the words.
        run(transaction, store, &format!("ANALYZE {}.chunks", quote_identifier(store))).await?;
    }
    let created = dependents.create(transaction).await;
    created.map_err(|error| Error::during(Operation::ReplaceFunctions, name, &error))?;
    Ok(Some(before))
}

/// Drops the functions of an edition, which no other object uses.
async fn remove(transaction: &Transaction<'_>, name: &str, edition: Edition) -> Result<(), Error> {
    if edition == Edition::Native {
        return run(transaction, name, "DROP EXTENSION pg_passage").await;
    }
    for statement in removals(transaction, name).await? {
        run(transaction, name, &statement).await?;
    }
    run(transaction, name, "DROP SCHEMA passage, _passage").await
}

/// Replaces the functions of the SQL edition by those of this client.
async fn replace_functions(transaction: &Transaction<'_>, name: &str) -> Result<(), Error> {
    let privileges = privileges(transaction, name).await?;
    run(transaction, name, "SET LOCAL check_function_bodies = off").await?;
    for statement in removals(transaction, name).await? {
        run(transaction, name, &statement).await?;
    }
    run(transaction, name, &edition::replacing_statements()).await?;
    all_replaced(transaction, name).await?;
    for statement in &privileges {
        run(transaction, name, statement).await?;
    }
    run(transaction, name, &format!("SET LOCAL {PINNED_SEARCH_PATH}")).await
}

/// Adds what a store lacks. Returns the number of statements.
async fn upgrade_store(transaction: &Transaction<'_>, store: &str) -> Result<usize, Error> {
    let sql = "SELECT passage.upgrade_store($1::text::name)";
    let rows = transaction.query_unnamed(sql, &[&store]).await;
    Ok(rows.map_err(|error| Error::during(Operation::ReplaceFunctions, store, &error))?.len())
}

async fn run(transaction: &Transaction<'_>, name: &str, sql: &str) -> Result<(), Error> {
    let done = transaction.batch_execute(sql).await;
    done.map_err(|error| Error::during(Operation::ReplaceFunctions, name, &error))
}
