//! The edition in the database: the native extension, or its functions in SQL, which other servers have.

use super::connection::Store;
use super::error::Error;

/// The version of the extension, that of the SQL edition, an owner of its functions whom a superuser does not trust,
/// and the role of the session. It runs no code of the database.
const INSTALLED: &str = "\
SELECT (SELECT extversion FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'pg_passage'),
    pg_catalog.substring(pg_catalog.obj_description(pg_catalog.to_regprocedure('_passage.sql_edition()'), 'pg_proc'), '[0-9.]+$'),
    (SELECT owner.rolname::text
     FROM pg_catalog.pg_roles AS me, pg_catalog.pg_roles AS owner
     JOIN pg_catalog.pg_proc ON proowner OPERATOR(pg_catalog.=) owner.oid
     JOIN pg_catalog.pg_namespace ON pg_namespace.oid OPERATOR(pg_catalog.=) pronamespace
     WHERE me.rolname OPERATOR(pg_catalog.=) session_user AND me.rolsuper
         AND nspname OPERATOR(pg_catalog.=) ANY ('{passage,_passage}'::pg_catalog.name[])
         AND NOT owner.rolsuper AND owner.oid OPERATOR(pg_catalog.<>) me.oid
     LIMIT 1),
    session_user::text";

impl Store {
    /// Returns the version of pg_passage in the database: that of the extension, or of the SQL edition.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotOwner`] for a superuser if the SQL edition belongs to another role that is none: its functions
    /// would run with all rights.
    pub(super) async fn installed_version(&self) -> Result<Option<String>, Error> {
        let row = self.query_one(INSTALLED, &[]).await?;
        let (extension, edition): (Option<String>, Option<String>) = (row.get(0), row.get(1));
        if let (None, Some(owner)) = (&extension, row.get(2)) {
            let object = "the SQL edition of pg_passage".into();
            return Err(Error::NotOwner { object, owner, caller: row.get(3) });
        }
        Ok(extension.or(edition))
    }
}
