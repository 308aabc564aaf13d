/*!
Whose objects an administrative command works on.

A trigger, a policy or a view runs code of its owner with the rights of whoever touches it. `SET ROLE`
does not help: that code can take it back. So `init`, `reindex` and `doctor` ask the catalogs, which
run nobody's code, and refuse what belongs to a role that the session does not have. The roles of a
session are the role that logged in and those that it is a member of; for a superuser, who passes as
a member of every role, these are those that were granted to it.

A command asks under a lock and in the transaction that uses the objects, so they stay what they were
when it asked.
*/

use super::sql::quoted;
use super::{Error, Store};
use tokio_postgres::GenericClient;
use tokio_postgres::types::{ToSql, Type};

/// What follows names nothing that another role may have made.
pub(super) const PINNED: &str = "search_path = pg_catalog, pg_temp";

/// Relations of a store, and of one that a reindex fills.
const RELATIONS: &str =
    "('documents', 'chunks', 'embeddings', 'strategies', 'settings', 'chunks_embedded', 'made')";

/// The roles of the session.
pub(super) const ROLES: &str = "\
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

/// What is to be done with objects, by which some of them run code.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Work {
    /// Rows are read, all or none: policies do not run, nor do triggers.
    Reading,
    /// Rows are read and written, and objects changed, all of which must be the session's own.
    Changing,
}

/// The first object of the schemas `$1`, or that their relations or the extension's schemas run, which
/// belongs to no role of the session. A superuser's code is no trap: superusers need none.
///
/// Planning alone runs functions of index expressions and constraints, if their arguments are
/// constant. Views are followed to what they are over.
fn foreign(work: Work) -> String {
    let (on_write, own_schema, own) = match work {
        Work::Reading => ("false", "false", "false"),
        Work::Changing => ("true", "true", "named"),
    };
    format!(
        "WITH {ROLES},
relation (oid, relowner, relkind, named) AS (
    SELECT pg_class.oid, relowner, relkind, true FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = ANY ($1::text[]) AND relname IN {RELATIONS}
    UNION
    SELECT pg_class.oid, pg_class.relowner, pg_class.relkind, false FROM relation
    JOIN pg_rewrite ON ev_class = relation.oid
    JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = pg_rewrite.oid AND refclassid = 'pg_class'::regclass
    JOIN pg_class ON pg_class.oid = refobjid
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
    SELECT 4, 'pg_proc'::regclass, pg_proc.oid, proowner FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE nspname IN ('passage', '_passage')
)
SELECT pg_describe_object(classid, objid, 0), pg_get_userbyid(owner)::text, session_user::text
FROM object WHERE owner NOT IN (SELECT role FROM mine)
AND (place < 3 AND {on_write} OR NOT EXISTS (SELECT FROM pg_roles WHERE oid = owner AND rolsuper))
ORDER BY place, 1 LIMIT 1"
    )
}

/// The tables of the schemas `$1`, as they stand in a statement, and their schemas.
fn tables() -> String {
    format!(
        "SELECT format('%I.%I', nspname, relname), relnamespace FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
         WHERE nspname = ANY ($1::text[]) AND relname IN {RELATIONS} AND relkind IN ('r', 'p') \
         ORDER BY nspname, relname"
    )
}

/// Whether the names `$1` still mean the schemas `$2`, and no trigger there is of another role than
/// its table: then they still are what they were.
fn unchanged() -> String {
    format!(
        "SELECT cardinality($2::oid[]) = (SELECT count(*) FROM pg_namespace WHERE nspname = ANY ($1::text[]) AND oid = ANY ($2::oid[])) \
         AND NOT EXISTS (SELECT FROM pg_class JOIN pg_trigger ON tgrelid = pg_class.oid JOIN pg_proc ON pg_proc.oid = tgfoid \
         WHERE relname IN {RELATIONS} AND relnamespace = ANY ($2::oid[]) AND NOT tgisinternal AND proowner <> relowner)"
    )
}

/// Fails if schemas, what they have of a store, or code that hangs on it belongs to another role.
/// Nothing of them is read. The transaction's search path is [`PINNED`] from here on.
pub(super) async fn refuse_foreign(
    transaction: &impl GenericClient,
    schemas: &[&str],
    work: Work,
) -> Result<(), Error> {
    let name = schemas.first().copied().unwrap_or_default();
    let error = |error| Error::new(name, &error);
    transaction.batch_execute(&format!("SET LOCAL {PINNED}")).await.map_err(error)?;
    let rows = transaction.query(&foreign(work), &[&schemas]).await.map_err(error)?;
    match rows.first() {
        None => Ok(()),
        Some(row) => {
            Err(Error::Foreign { object: row.get(0), owner: row.get(1), caller: row.get(2) })
        }
    }
}

/// Schemas that were held once: what it takes to hold them again.
#[derive(Clone)]
pub(super) struct Held {
    lock: String,
    names: Vec<String>,
    schemas: Vec<u32>,
}

/// Locks the tables of schemas against everybody who would change what they are, and fails if
/// something of them belongs to another role; both last until the transaction ends.
pub(super) async fn hold(
    transaction: &impl GenericClient,
    schemas: &[&str],
    mode: &str,
) -> Result<Held, Error> {
    let name = schemas.first().copied().unwrap_or_default();
    let error = |error| Error::new(name, &error);
    // A table of somebody else cannot be locked without rights, and need not be.
    refuse_foreign(transaction, schemas, Work::Changing).await?;
    let tables = transaction.query(&tables(), &[&schemas]).await.map_err(error)?;
    let names: Vec<&str> = tables.iter().map(|row| row.get(0)).collect();
    let mut lock = format!("SET LOCAL {PINNED}");
    if !names.is_empty() {
        lock = format!("{lock}; LOCK TABLE ONLY {} IN {mode} MODE", names.join(", ONLY "));
    }
    transaction.batch_execute(&lock).await.map_err(error)?;
    refuse_foreign(transaction, schemas, Work::Changing).await?;
    let mut ids: Vec<u32> = tables.iter().map(|row| row.get(1)).collect();
    ids.dedup();
    Ok(Held { lock, names: schemas.iter().map(ToString::to_string).collect(), schemas: ids })
}

impl Held {
    /// Holds the same in another transaction. Only if something is not as it was all is asked again.
    pub(super) async fn again(&self, transaction: &impl GenericClient) -> Result<(), Error> {
        let Self { lock, names, schemas } = self;
        let name = names.first().map_or("", String::as_str);
        let error = |error| Error::new(name, &error);
        transaction.batch_execute(lock).await.map_err(error)?;
        let arguments: [(&(dyn ToSql + Sync), Type); 2] =
            [(names, Type::TEXT_ARRAY), (schemas, Type::OID_ARRAY)];
        let row = transaction.query_typed(&unchanged(), &arguments).await.map_err(error)?;
        if row.first().is_some_and(|row| row.get(0)) {
            return Ok(());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        refuse_foreign(transaction, &names, Work::Changing).await
    }
}

impl Store {
    /// Fails if the store belongs to another role than the session's own; that it is missing is no
    /// error.
    ///
    /// # Errors
    ///
    /// [`Error::Foreign`], or if the server goes away.
    pub async fn must_be_own(&mut self) -> Result<(), Error> {
        let Self { client, name, .. } = self;
        let transaction = client.transaction().await.map_err(|error| Error::new(name, &error))?;
        refuse_foreign(&transaction, &[name], Work::Changing).await
    }

    /// Begins a transaction in which the store is locked against changes of what it is, and belongs
    /// to the session's own roles. Whoever calls this ends it.
    pub(super) async fn begin_own(&self, mode: &str) -> Result<(), Error> {
        self.run("BEGIN").await?;
        let held = hold(&self.client, &[&self.name], mode).await;
        if held.is_err() {
            self.run("ROLLBACK").await?;
        }
        held.map(drop)
    }

    /// Writes to a store in one transaction in which it is locked and belongs to the session's own
    /// roles.
    ///
    /// # Errors
    ///
    /// [`Error::Foreign`], if the server goes away, and whatever fails in it.
    pub async fn own<T, E: From<Error>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        self.begin_own("ROW EXCLUSIVE").await?;
        let done = work.await;
        self.run(if done.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
        done
    }

    /// Begins a transaction that reads all rows of an own store or none, and ends with the
    /// connection.
    ///
    /// # Errors
    ///
    /// [`Error::Foreign`], or if the server goes away.
    pub async fn begin_reading(&self) -> Result<(), Error> {
        self.begin_own("ACCESS SHARE").await?;
        self.run("SET LOCAL row_security = off").await
    }

    /// Works as the store's owner from here on, of which the session has the role, so that what is
    /// made belongs to the same role.
    pub(super) async fn as_owner(&mut self) -> Result<(), Error> {
        self.must_be_own().await?;
        let sql = "SELECT rolname::text FROM pg_catalog.pg_namespace \
            JOIN pg_catalog.pg_roles ON pg_roles.oid OPERATOR(pg_catalog.=) nspowner \
            WHERE nspname OPERATOR(pg_catalog.=) $1 AND rolname OPERATOR(pg_catalog.<>) current_user";
        let owner =
            self.client.query_opt(sql, &[&self.name]).await.map_err(|error| self.error(&error))?;
        if let Some(owner) = owner {
            self.run(&format!("SET ROLE {}", quoted(owner.get(0)))).await?;
        }
        self.run(&format!("SET {PINNED}")).await?;
        self.read_all().await
    }
}
