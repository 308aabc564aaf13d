//! The edition in the database: the native extension, or its functions in SQL, which other servers have.

use super::admin::{CAN_BE_SUPERUSER, trusted_database_owner};
use super::connection::Store;
use super::error::Error;
use super::unnamed_statement::UnnamedStatements;
use std::fmt;
use tokio_postgres::GenericClient;

/// A form of `pg_passage` in a database. Both have the same functions, with equal names, arguments and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// The extension of the server.
    Native,
    /// Functions in SQL, which need no library on the server and belong to the role that installs them.
    Sql,
}

impl Edition {
    /// Returns the name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Sql => "sql",
        }
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Native => "native extension",
            Self::Sql => "SQL edition",
        })
    }
}

/// The edition in a database, with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The edition.
    pub edition: Edition,
    /// Its version, such as `0.2.0`.
    pub version: String,
    /// Whether its functions belong to an extension. Those of the SQL edition do if `pg_tle` created it.
    pub is_extension: bool,
}

impl Installed {
    /// Checks that the edition is not of an earlier release than the client, whose functions it may lack.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ExtensionTooOld`].
    pub(super) fn must_be_recent(&self) -> Result<(), Error> {
        if release(&self.version) < release(env!("CARGO_PKG_VERSION")) {
            return Err(Error::ExtensionTooOld { version: self.version.clone() });
        }
        Ok(())
    }

    /// Checks that the edition is not of a later release than the client, which would replace its functions by earlier ones.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ClientTooOld`].
    pub(super) fn must_not_be_newer(&self) -> Result<(), Error> {
        if release(&self.version) > release(env!("CARGO_PKG_VERSION")) {
            return Err(Error::ClientTooOld { version: self.version.clone() });
        }
        Ok(())
    }
}

/// Returns the numbers of a release, such as `[0, 2]` for version 0.2.1.
fn release(version: &str) -> Vec<u32> {
    version.split('.').take(2).map_while(|number| number.parse().ok()).collect()
}

/// Returns the query for the version of the extension, and of the SQL edition; an owner of their functions whom the session does not
/// trust; and the role of the session. It runs no code of the database.
///
/// A superuser owns the functions of the native extension. Any role can create an extension of that name with `pg_tle`. Functions
/// that another role added to the schemas of an extension are the subject of the checks of ownership.
fn installation() -> String {
    let database_owner = trusted_database_owner();
    format!(
        "\
WITH extension (version) AS (
    SELECT extversion FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'pg_passage'
)
SELECT (SELECT version FROM extension),
    (SELECT pg_catalog.substring(pg_catalog.obj_description(pg_proc.oid, 'pg_proc'), '[0-9.]+$') FROM pg_catalog.pg_proc
     JOIN pg_catalog.pg_namespace ON pg_namespace.oid OPERATOR(pg_catalog.=) pronamespace
     WHERE nspname OPERATOR(pg_catalog.=) '_passage' AND proname OPERATOR(pg_catalog.=) 'sql_edition' LIMIT 1),
    (SELECT owner.rolname::text
     FROM pg_catalog.pg_namespace
     CROSS JOIN LATERAL (SELECT nspowner UNION SELECT proowner FROM pg_catalog.pg_proc
        WHERE pronamespace OPERATOR(pg_catalog.=) pg_namespace.oid
        AND NOT proowner OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT oid FROM pg_catalog.pg_roles WHERE rolsuper))
        AND (NOT EXISTS (SELECT FROM extension) OR EXISTS (SELECT FROM pg_catalog.pg_depend
            WHERE classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
                AND objid OPERATOR(pg_catalog.=) pg_proc.oid AND deptype OPERATOR(pg_catalog.=) 'e'))) AS owns (role)
     JOIN pg_catalog.pg_roles AS owner ON owner.oid OPERATOR(pg_catalog.=) owns.role
     WHERE nspname OPERATOR(pg_catalog.=) ANY ('{{passage,_passage}}'::pg_catalog.name[])
         AND NOT owner.rolsuper AND owner.rolname OPERATOR(pg_catalog.<>) session_user
         AND ({CAN_BE_SUPERUSER} OR NOT pg_catalog.pg_has_role(session_user, owner.oid, 'MEMBER'))
         AND NOT coalesce(owner.oid OPERATOR(pg_catalog.=) {database_owner}, false)
     LIMIT 1),
    session_user::text"
    )
}

/// Returns the edition in the database; `None` if it has no `pg_passage`.
///
/// # Errors
///
/// Returns [`Error::NotOwner`] if the functions are not those of the extension, and the session does not trust their
/// owner.
pub(super) async fn installed(
    client: &impl GenericClient,
    name: &str,
) -> Result<Option<Installed>, Error> {
    let row = client.query_one_unnamed(&installation(), &[]).await;
    let row = row.map_err(|error| Error::new(name, &error))?;
    if let Some(owner) = row.get(2) {
        let object = "the schema of pg_passage".into();
        return Err(Error::NotOwner { object, owner, caller: row.get(3) });
    }
    let (extension, sql_edition): (Option<String>, Option<String>) = (row.get(0), row.get(1));
    let is_extension = extension.is_some();
    let edition = if sql_edition.is_some() { Edition::Sql } else { Edition::Native };
    let version = sql_edition.or(extension);
    Ok(version.map(|version| Installed { edition, version, is_extension }))
}

impl Store {
    /// Returns the edition in the database of the store.
    pub(super) async fn installed(&self) -> Result<Option<Installed>, Error> {
        installed(&self.client, self.name()).await
    }
}
