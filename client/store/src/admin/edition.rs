/*!
Editions: the two forms of `pg_passage` in a database.

The native extension is a library of the server. Managed servers do not have it, so the client has the same functions in SQL.
They are equal in name, arguments and rows, and belong to the role that installs them. `ground/build/install-script --edition
sql` prints them.
*/

use super::super::error::{Error, Operation};
use super::super::installed::installed_version;
use super::ownership::{Access, check_owner};
use tokio_postgres::Transaction;

/// The edition for a database that has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// The extension of the server.
    #[default]
    Native,
    /// Functions in SQL, which need no library on the server.
    Sql,
}

/// The script of the SQL edition: a transaction of its own.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/edition.sql"));

/// Returns the statements of the script, for another transaction.
fn statements() -> &'static str {
    let script =
        SCRIPT.strip_prefix("BEGIN;\n").and_then(|rest| rest.trim_end().strip_suffix("COMMIT;"));
    script.expect("the script is one transaction")
}

impl Edition {
    /// Installs the edition, unless the database has one.
    pub(super) async fn install(
        self,
        transaction: &Transaction<'_>,
        name: &str,
    ) -> Result<(), Error> {
        if installed_version(transaction, name).await?.is_some() {
            // Another role may have made the functions since the first check.
            return check_owner(transaction, &[name], Access::Change).await;
        }
        let sql = match self {
            Self::Native => "CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE",
            Self::Sql => statements(),
        };
        let error = |error| Error::during(Operation::CreateExtension, name, &error);
        transaction.batch_execute(sql).await.map_err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statements_of_the_script_end_no_transaction() {
        for line in statements().lines() {
            assert!(!["BEGIN;", "COMMIT;"].contains(&line));
        }
    }
}
