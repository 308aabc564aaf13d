//! The edition in the database: the native extension, or its functions in SQL, which other servers have.

use super::connection::Store;
use super::error::Error;
use super::unnamed_statement::UnnamedStatements;
use tokio_postgres::GenericClient;

/// The version of the extension, or of the SQL edition; without the extension an owner of functions in its place whom the
/// session does not trust; and the role of the session. It runs no code of the database.
///
/// The functions run with the rights of the session. A session that can become superuser trusts only superusers and itself.
/// Others also trust the owner of the database, and the roles that they are members of.
const INSTALLED: &str = "\
WITH extension (version) AS (
    SELECT extversion FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'pg_passage'
)
SELECT coalesce((SELECT version FROM extension),
    (SELECT pg_catalog.substring(pg_catalog.obj_description(pg_proc.oid, 'pg_proc'), '[0-9.]+$') FROM pg_catalog.pg_proc
     JOIN pg_catalog.pg_namespace ON pg_namespace.oid OPERATOR(pg_catalog.=) pronamespace
     WHERE nspname OPERATOR(pg_catalog.=) '_passage' AND proname OPERATOR(pg_catalog.=) 'sql_edition' LIMIT 1)),
    (SELECT owner.rolname::text
     FROM pg_catalog.pg_namespace
     CROSS JOIN LATERAL (SELECT nspowner UNION SELECT proowner FROM pg_catalog.pg_proc
        WHERE pronamespace OPERATOR(pg_catalog.=) pg_namespace.oid) AS owns (role)
     JOIN pg_catalog.pg_roles AS owner ON owner.oid OPERATOR(pg_catalog.=) owns.role
     CROSS JOIN (SELECT pg_catalog.bool_or(rolname OPERATOR(pg_catalog.=) current_user
        OR pg_catalog.pg_has_role(session_user, oid, 'MEMBER')) FROM pg_catalog.pg_roles WHERE rolsuper) AS session (can_be_super)
     WHERE NOT EXISTS (SELECT FROM extension)
         AND nspname OPERATOR(pg_catalog.=) ANY ('{passage,_passage}'::pg_catalog.name[])
         AND NOT owner.rolsuper AND owner.rolname OPERATOR(pg_catalog.<>) session_user
         AND (can_be_super OR NOT (pg_catalog.pg_has_role(session_user, owner.oid, 'MEMBER')
            OR EXISTS (SELECT FROM pg_catalog.pg_database WHERE datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
                AND datdba OPERATOR(pg_catalog.=) owner.oid)))
     LIMIT 1),
    session_user::text";

/// Returns the version of `pg_passage` in the database: that of the extension, or of the SQL edition.
///
/// # Errors
///
/// Returns [`Error::NotOwner`] if the functions are not those of the extension, and the session does not trust their
/// owner.
pub(super) async fn installed_version(
    client: &impl GenericClient,
    name: &str,
) -> Result<Option<String>, Error> {
    let row = client.query_one_unnamed(INSTALLED, &[]).await;
    let row = row.map_err(|error| Error::new(name, &error))?;
    match row.get(1) {
        None => Ok(row.get(0)),
        Some(owner) => {
            let object = "the schema of pg_passage".into();
            Err(Error::NotOwner { object, owner, caller: row.get(2) })
        }
    }
}

impl Store {
    /// Returns the version of `pg_passage` in the database of the store.
    pub(super) async fn installed_version(&self) -> Result<Option<String>, Error> {
        installed_version(&self.client, self.name()).await
    }
}
