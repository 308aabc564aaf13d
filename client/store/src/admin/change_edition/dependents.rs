/*!
The objects that are lost with the functions of `pg_passage`: generated columns of stores, and what uses these columns or the
functions.

Columns and indexes of a store come from `upgrade_store`. Views, indexes, policies, statistics and privileges of users are
created again with the same definition. All others prevent the change.
*/

use super::super::super::error::Error;
use super::super::super::unnamed_statement::{Parameter, UnnamedStatements};
use super::super::ownership::PINNED_SEARCH_PATH;
use super::queries::{
    CREATES, DROPS, INDEXES, KEPT, OBJECTS, OBSTACLES, PRIVILEGES, REMOVALS, STORES,
};
use tokio_postgres::{GenericClient, Row};

/// The body of a function that waits for its replacement.
const PLACEHOLDER: &str = "SELECT 'passage upgrade replaces this function'";

/// The statements for the objects that are lost with the functions.
pub(super) struct Dependents {
    pub(super) drops: Vec<String>,
    indexes: Vec<(String, String)>,
    creates: Vec<String>,
}

/// Runs a query on the lost objects.
async fn rows(
    client: &impl GenericClient,
    name: &str,
    sql: &str,
    parameters: &[&dyn Parameter],
) -> Result<Vec<Row>, Error> {
    let error = |error| Error::new(name, &error);
    // The search path makes the definitions that the catalogs return name every schema.
    client.batch_execute(&format!("SET LOCAL {PINNED_SEARCH_PATH}")).await.map_err(error)?;
    client.query_unnamed(&format!("{OBJECTS} {sql}"), parameters).await.map_err(error)
}

/// Runs a query with one column of text.
async fn texts(
    client: &impl GenericClient,
    name: &str,
    sql: &str,
    parameters: &[&dyn Parameter],
) -> Result<Vec<String>, Error> {
    Ok(rows(client, name, sql, parameters).await?.iter().map(|row| row.get(0)).collect())
}

/// Returns the stores that lose columns with the functions.
pub(super) async fn stores(client: &impl GenericClient, name: &str) -> Result<Vec<String>, Error> {
    texts(client, name, STORES, &[]).await
}

/// Returns the statements that give functions and schemas the privileges that they have now.
pub(super) async fn privileges(
    client: &impl GenericClient,
    name: &str,
) -> Result<Vec<String>, Error> {
    texts(client, name, PRIVILEGES, &[]).await
}

/// Returns the statements that drop all functions and types which no other object uses, and prepare the others for
/// their replacement.
pub(super) async fn removals(
    client: &impl GenericClient,
    name: &str,
) -> Result<Vec<String>, Error> {
    texts(client, name, REMOVALS, &[&PLACEHOLDER]).await
}

/// Checks that each function has been replaced.
///
/// # Errors
///
/// Returns [`Error::Dependents`] with the objects that use a function which no longer exists.
pub(super) async fn all_replaced(client: &impl GenericClient, name: &str) -> Result<(), Error> {
    must_be_empty(texts(client, name, KEPT, &[&PLACEHOLDER]).await?)
}

fn must_be_empty(objects: Vec<String>) -> Result<(), Error> {
    if objects.is_empty() { Ok(()) } else { Err(Error::Dependents(objects)) }
}

impl Dependents {
    /// Finds the objects. `to_native` tells whether the functions of the extension are next.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Dependents`] if some cannot be created again.
    pub(super) async fn find(
        client: &impl GenericClient,
        name: &str,
        to_native: bool,
    ) -> Result<Self, Error> {
        must_be_empty(texts(client, name, OBSTACLES, &[&to_native]).await?)?;
        let indexes = rows(client, name, INDEXES, &[]).await?;
        let mut creates = texts(client, name, CREATES, &[]).await?;
        creates.extend(privileges(client, name).await?);
        Ok(Self {
            drops: texts(client, name, DROPS, &[]).await?,
            indexes: indexes.iter().map(|row| (row.get(0), row.get(1))).collect(),
            creates,
        })
    }

    /// Creates the objects of users again, after the columns of stores.
    pub(super) async fn create(
        &self,
        client: &impl GenericClient,
    ) -> Result<(), tokio_postgres::Error> {
        let sql = "SELECT replace(pg_get_indexdef(oid), ' ON ONLY ', ' ON ') FROM pg_class WHERE oid = to_regclass($1)";
        for (name, definition) in &self.indexes {
            let made = client.query_unnamed(sql, &[name]).await?;
            let made: Option<String> = made.first().map(|row| row.get(0));
            if made.as_ref() == Some(definition) {
                continue;
            }
            if made.is_some() {
                client.batch_execute(&format!("DROP INDEX {name}")).await?;
            }
            client.batch_execute(definition).await?;
        }
        for statement in &self.creates {
            client.batch_execute(statement).await?;
        }
        Ok(())
    }
}
