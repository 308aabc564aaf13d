/*!
The owners of the objects that a command of administration uses.

A trigger, a policy or a view runs its owner's code with the privileges of the role that uses it. `SET
ROLE` does not help, since that code can reset it. So `init`, `reindex` and `doctor` first query the
catalogs, which run no user's code, and reject objects of a role that the session does not have. The
roles of a session are the role that logged in and the roles that it is a member of. A superuser counts
as a member of every role, but its roles here are only those that were granted to it.

A command checks the owners under a lock, in the transaction that uses the objects, so the result holds
until its end.
*/

use super::super::error::Error;
use super::super::relations::{row_tables, store_relations};
use super::super::unnamed_statement::UnnamedStatements;
use tokio_postgres::GenericClient;

/// The setting with which statements find no objects that another role may have created.
pub(crate) const PINNED_SEARCH_PATH: &str = "search_path = pg_catalog, pg_temp";

/// The relations of a store that the client reads and writes, also of a store that Citus distributes by document, and of a
/// shadow store that a reindex fills.
const USED: &str = concat!("(", row_tables!(), ", 'strategies', 'settings', 'shard_keys', 'made')");

/// The same with the view that only other programs read.
const RELATIONS: &str = concat!("(", store_relations!(), ", 'shard_keys', 'made')");

/// The common table expressions for the roles of the session.
const ROLES: &str = "\
RECURSIVE membership (member, role) AS (
    SELECT member, roleid FROM pg_auth_members
    UNION ALL
    SELECT datdba, 'pg_database_owner'::regrole FROM pg_database WHERE datname = current_database()
),
mine (role) AS (
    SELECT oid FROM pg_roles WHERE rolname = session_user
    UNION
    SELECT membership.role FROM mine JOIN membership ON member = mine.role
)";

/// The expression for the owner of the tables of the schema `$1`.
const TABLE_OWNER: &str = "\
(SELECT relowner FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = ANY ($1::text[]) AND relname = 'chunks')";

/// Whether the session is a superuser, or a member of one.
pub(crate) const CAN_BE_SUPERUSER: &str = "\
(SELECT pg_catalog.bool_or(rolname OPERATOR(pg_catalog.=) current_user
    OR pg_catalog.pg_has_role(session_user, oid, 'MEMBER')) FROM pg_catalog.pg_roles WHERE rolsuper)";

/// Returns the expression for the owner of the database, if the session runs functions of `pg_passage` that belong to it.
///
/// The functions run with the rights of the session. One that can become superuser trusts only superusers and itself.
/// Others also trust the owner of the database, and the roles that they are members of.
pub(crate) fn trusted_database_owner() -> String {
    format!(
        "(SELECT datdba FROM pg_catalog.pg_database \
         WHERE datname OPERATOR(pg_catalog.=) pg_catalog.current_database() AND NOT {CAN_BE_SUPERUSER})"
    )
}

/// How a command uses the objects, which decides whose code runs.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Access {
    /// The command reads rows with row-level security off: neither policies nor triggers run.
    Read,
    /// Another program reads the view `chunks_embedded` with the rights of the session. It trusts the owner of the tables
    /// with this view.
    ReadView,
    /// The command reads and writes rows and changes objects, all of which must belong to the session's
    /// roles.
    Change,
    /// The command also replaces the functions of `pg_passage`, which must then belong to the session's roles or a superuser.
    Replace,
}

/// Returns the query for the first object that belongs to no role of the session: an object of the schemas
/// `$1`, code that their relations run, or a function of the extension's schemas. Code of a superuser is
/// accepted, since a superuser has other ways to run it, and functions of `pg_passage` that belong to the owner of the
/// database, whom the session trusts with them.
///
/// The query includes functions of index expressions and constraints, which planning alone runs if their
/// arguments are constant, and the relations below views. The views of an
/// adopted store read the table whose triggers name its chunks.
fn foreign_objects(access: Access) -> String {
    let (relations, on_write, own_schema, own) = match access {
        Access::Read => (USED, "false", "false", "false"),
        Access::ReadView => ("('chunks_embedded')", "false", "false", "named"),
        Access::Change | Access::Replace => (RELATIONS, "true", "true", "named"),
    };
    let database_owner = match access {
        Access::Replace => "NULL".to_owned(),
        Access::Read | Access::ReadView | Access::Change => trusted_database_owner(),
    };
    let table_owner = match access {
        Access::ReadView => TABLE_OWNER,
        Access::Read | Access::Change | Access::Replace => "NULL",
    };
    format!(
        "WITH {ROLES},
relation (oid, relowner, relkind, named) AS (
    SELECT pg_class.oid, relowner, relkind, true FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = ANY ($1::text[]) AND relname IN {relations}
    UNION
    SELECT source.oid, source.relowner, source.relkind, false FROM pg_class
    JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
    JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = pg_class.oid AND classid = 'pg_trigger'::regclass
    JOIN pg_trigger ON pg_trigger.oid = objid JOIN pg_class AS source ON source.oid = tgrelid
    WHERE nspname = ANY ($1::text[]) AND pg_class.relname = 'adopted_chunks' AND source.oid <> pg_class.oid
    UNION
    SELECT pg_class.oid, pg_class.relowner, pg_class.relkind, next.named FROM relation CROSS JOIN LATERAL (
        SELECT refobjid, false FROM pg_rewrite
        JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = pg_rewrite.oid AND refclassid = 'pg_class'::regclass
        WHERE ev_class = relation.oid
        UNION ALL
        -- Partitions can be in any schema.
        SELECT inhrelid, relation.named FROM pg_inherits WHERE inhparent = relation.oid
    ) AS next (oid, named)
    JOIN pg_class ON pg_class.oid = next.oid
),
part (classid, objid) AS (
    SELECT 'pg_trigger'::regclass, pg_trigger.oid FROM pg_trigger JOIN relation ON relation.oid = tgrelid WHERE {on_write}
    UNION ALL
    SELECT 'pg_policy'::regclass, pg_policy.oid FROM pg_policy JOIN relation ON relation.oid = polrelid WHERE {on_write}
    UNION ALL
    SELECT 'pg_rewrite'::regclass, pg_rewrite.oid FROM pg_rewrite JOIN relation ON relation.oid = ev_class
    UNION ALL
    SELECT 'pg_attrdef'::regclass, pg_attrdef.oid FROM pg_attrdef JOIN relation ON relation.oid = adrelid
    UNION ALL
    SELECT 'pg_constraint'::regclass, pg_constraint.oid FROM pg_constraint JOIN relation ON relation.oid = conrelid
    UNION ALL
    SELECT 'pg_statistic_ext'::regclass, pg_statistic_ext.oid FROM pg_statistic_ext JOIN relation ON relation.oid = stxrelid
    UNION ALL
    SELECT 'pg_class'::regclass, indexrelid FROM pg_index JOIN relation ON relation.oid = indrelid
    UNION ALL
    SELECT 'pg_class'::regclass, oid FROM relation
),
-- The functions of pg_passage, which generated columns and indexes of a store use, and their schemas.
installed (classid, objid, owner) AS (
    SELECT 'pg_proc'::regclass::oid, pg_proc.oid, proowner FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE nspname IN ('passage', '_passage')
    UNION ALL
    SELECT 'pg_namespace'::regclass, oid, nspowner FROM pg_namespace WHERE nspname IN ('passage', '_passage')
),
object (place, classid, objid, owner) AS (
    SELECT 1, 'pg_namespace'::regclass, oid, nspowner FROM pg_namespace WHERE nspname = ANY ($1::text[]) AND {own_schema}
    UNION ALL
    SELECT 2, 'pg_class'::regclass, oid, relowner FROM relation WHERE {own} OR relkind NOT IN ('r', 'p', 'm')
    UNION ALL
    SELECT 3, refclassid, refobjid, owner
    FROM part JOIN pg_depend USING (classid, objid)
    CROSS JOIN LATERAL (
        SELECT proowner FROM pg_proc WHERE refclassid = 'pg_proc'::regclass AND oid = refobjid
        UNION ALL
        SELECT oprowner FROM pg_operator WHERE refclassid = 'pg_operator'::regclass AND oid = refobjid
        UNION ALL
        SELECT opcowner FROM pg_opclass WHERE refclassid = 'pg_opclass'::regclass AND oid = refobjid
        UNION ALL
        SELECT typowner FROM pg_type WHERE refclassid = 'pg_type'::regclass AND oid = refobjid
    ) AS called (owner)
    UNION ALL
    SELECT 4, classid, objid, owner FROM installed
)
SELECT pg_describe_object(classid, objid, 0), pg_get_userbyid(owner)::text, session_user::text
FROM object WHERE owner NOT IN (SELECT role FROM mine)
AND (place < 3 AND {on_write} OR NOT EXISTS (SELECT FROM pg_roles WHERE oid = owner AND rolsuper))
AND NOT (place > 2 AND (classid, objid) IN (SELECT classid, objid FROM installed) AND owner = coalesce({database_owner}, 0::oid))
AND owner <> coalesce({table_owner}, 0::oid)
ORDER BY place, 1 LIMIT 1"
    )
}

/// Returns the common table expression for the relations of the schemas `$1`, with their partitions.
fn tree() -> String {
    format!(
        "RECURSIVE tree (oid, store) AS (\
         SELECT pg_class.oid, relnamespace FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
         WHERE nspname = ANY ($1::text[]) AND relname IN {RELATIONS} \
         UNION SELECT inhrelid, store FROM tree JOIN pg_inherits ON inhparent = tree.oid)"
    )
}

/// Returns the query for the tables of the schemas `$1`: their quoted names and the schema of the store.
fn tables() -> String {
    format!(
        "WITH {} SELECT format('%I.%I', nspname, relname), store FROM tree JOIN pg_class USING (oid) \
         JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE relkind IN ('r', 'p') \
         ORDER BY store, nspname, relname",
        tree()
    )
}

/// Returns the query for whether the schemas `$2` still have the names `$1`, and each trigger there
/// belongs to the owner of its table. If so, an earlier check still holds.
fn unchanged() -> String {
    format!(
        "WITH {} SELECT cardinality($2::oid[]) = (SELECT count(*) FROM pg_namespace WHERE nspname = ANY ($1::text[]) AND oid = ANY ($2::oid[])) \
         AND NOT EXISTS (SELECT FROM tree JOIN pg_class USING (oid) JOIN pg_trigger ON tgrelid = pg_class.oid \
         JOIN pg_proc ON pg_proc.oid = tgfoid WHERE NOT tgisinternal AND proowner <> relowner)",
        tree()
    )
}

/// Checks that schemas, their relations and the code of these belong to the session's roles.
///
/// It reads only the catalogs. From here on, the transaction has the setting [`PINNED_SEARCH_PATH`].
///
/// # Errors
///
/// Returns [`Error::NotOwner`] with the first object of another role.
pub(super) async fn check_owner(
    transaction: &impl GenericClient,
    schemas: &[&str],
    access: Access,
) -> Result<(), Error> {
    let name = schemas.first().copied().unwrap_or_default();
    let error = |error| Error::new(name, &error);
    transaction.batch_execute(&format!("SET LOCAL {PINNED_SEARCH_PATH}")).await.map_err(error)?;
    let rows =
        transaction.query_unnamed(&foreign_objects(access), &[&schemas]).await.map_err(error)?;
    match rows.first() {
        None => Ok(()),
        Some(row) => {
            Err(Error::NotOwner { object: row.get(0), owner: row.get(1), caller: row.get(2) })
        }
    }
}

/// Schemas whose owners were checked, with the statement that locks their tables again.
#[derive(Clone)]
pub(crate) struct OwnedSchemas {
    lock: String,
    names: Vec<String>,
    schemas: Vec<u32>,
}

/// Locks the tables of schemas against changes of their definition, and checks that they belong to the
/// session's roles. Both hold until the end of the transaction.
///
/// # Errors
///
/// Returns [`Error::NotOwner`] with the first object of another role.
pub(crate) async fn lock_owned(
    transaction: &impl GenericClient,
    schemas: &[&str],
    lock_mode: &str,
) -> Result<OwnedSchemas, Error> {
    let name = schemas.first().copied().unwrap_or_default();
    let error = |error| Error::new(name, &error);
    // Locking a table of another role requires a privilege, and is not needed.
    check_owner(transaction, schemas, Access::Change).await?;
    let tables = transaction.query_unnamed(&tables(), &[&schemas]).await.map_err(error)?;
    let names: Vec<&str> = tables.iter().map(|row| row.get(0)).collect();
    let mut lock = format!("SET LOCAL {PINNED_SEARCH_PATH}");
    if !names.is_empty() {
        lock = format!("{lock}; LOCK TABLE ONLY {} IN {lock_mode} MODE", names.join(", ONLY "));
    }
    transaction.batch_execute(&lock).await.map_err(error)?;
    check_owner(transaction, schemas, Access::Change).await?;
    let mut ids: Vec<u32> = tables.iter().map(|row| row.get(1)).collect();
    ids.dedup();
    Ok(OwnedSchemas {
        lock,
        names: schemas.iter().map(ToString::to_string).collect(),
        schemas: ids,
    })
}

impl OwnedSchemas {
    /// Locks the same tables in another transaction, and repeats the full check only if something changed.
    pub(crate) async fn lock_again(&self, transaction: &impl GenericClient) -> Result<(), Error> {
        let Self { lock, names, schemas } = self;
        let name = names.first().map_or("", String::as_str);
        let error = |error| Error::new(name, &error);
        transaction.batch_execute(lock).await.map_err(error)?;
        let row = transaction.query_unnamed(&unchanged(), &[names, schemas]).await;
        let row = row.map_err(error)?;
        if row.first().is_some_and(|row| row.get(0)) {
            return Ok(());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        check_owner(transaction, &names, Access::Change).await
    }
}
