//! The edition in the database: the native extension, or its functions in SQL, which other servers have.

use super::connection::Store;
use super::error::Error;

/// The version of the extension, that of the SQL edition, an owner of functions in place of the extension whom the session
/// does not trust, and the role of the session. It runs no code of the database.
///
/// The functions run with the rights of the session. A session that can become superuser trusts only superusers and itself.
/// Others also trust the owner of the database, and the roles that they are members of.
const INSTALLED: &str = "\
SELECT (SELECT extversion FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'pg_passage'),
    (SELECT pg_catalog.substring(pg_catalog.obj_description(pg_proc.oid, 'pg_proc'), '[0-9.]+$') FROM pg_catalog.pg_proc
     JOIN pg_catalog.pg_namespace ON pg_namespace.oid OPERATOR(pg_catalog.=) pronamespace
     WHERE nspname OPERATOR(pg_catalog.=) '_passage' AND proname OPERATOR(pg_catalog.=) 'sql_edition' LIMIT 1),
    (SELECT owner.rolname::text
     FROM pg_catalog.pg_namespace
     CROSS JOIN LATERAL (SELECT nspowner UNION SELECT proowner FROM pg_catalog.pg_proc
        WHERE pronamespace OPERATOR(pg_catalog.=) pg_namespace.oid) AS owns (role)
     JOIN pg_catalog.pg_roles AS owner ON owner.oid OPERATOR(pg_catalog.=) owns.role
     CROSS JOIN (SELECT pg_catalog.bool_or(rolname OPERATOR(pg_catalog.=) current_user
        OR pg_catalog.pg_has_role(session_user, oid, 'MEMBER')) FROM pg_catalog.pg_roles WHERE rolsuper) AS session (can_be_super)
     WHERE nspname OPERATOR(pg_catalog.=) ANY ('{passage,_passage}'::pg_catalog.name[])
         AND NOT owner.rolsuper AND owner.rolname OPERATOR(pg_catalog.<>) session_user
         AND (can_be_super OR NOT (pg_catalog.pg_has_role(session_user, owner.oid, 'MEMBER')
            OR EXISTS (SELECT FROM pg_catalog.pg_database WHERE datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
                AND datdba OPERATOR(pg_catalog.=) owner.oid)))
     LIMIT 1),
    session_user::text";

impl Store {
    /// Returns the version of `pg_passage` in the database: that of the extension, or of the SQL edition.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotOwner`] if the functions are not those of the extension, and the session does not trust their
    /// owner.
    pub(super) async fn installed_version(&self) -> Result<Option<String>, Error> {
        let row = self.query_one(INSTALLED, &[]).await?;
        let (extension, edition): (Option<String>, Option<String>) = (row.get(0), row.get(1));
        if let (None, Some(owner)) = (&extension, row.get(2)) {
            let object = "the schema of pg_passage".into();
            return Err(Error::NotOwner { object, owner, caller: row.get(3) });
        }
        Ok(extension.or(edition))
    }
}
