/*!
What keeps a store from being replaced, as the server describes it.

Whatever lies in the store's schema beside what a store consists of, or hangs on its tables from
elsewhere, would stay with the former store. The catalogs know all of it: everything in a schema
and everything that hangs on a table is an entry of `pg_depend`.
*/

use super::super::Error;
use super::attire::catalog;
use tokio_postgres::GenericClient;

/// What the store `$1` has that a new one, `$2`, has not, and that does not come along.
const OBSTACLES: &str = "
WITH store AS (SELECT oid, nspname, nspowner FROM pg_namespace WHERE nspname IN ($1, $2)),
relation AS (
    SELECT pg_class.*, nspname, nspowner FROM pg_class JOIN store ON store.oid = relnamespace
    WHERE relname IN ('documents', 'chunks', 'embeddings', 'strategies', 'settings', 'chunks_embedded')
),
first AS (SELECT * FROM relation WHERE nspname = $1),
second AS (SELECT * FROM relation WHERE nspname = $2)
SELECT DISTINCT what FROM (
    -- Other objects of the schema.
    SELECT pg_describe_object(classid, objid, objsubid) AS what
    FROM pg_depend JOIN store ON store.oid = refobjid AND nspname = $1
    WHERE refclassid = 'pg_namespace'::regclass AND classid <> 'pg_default_acl'::regclass
    AND NOT (classid = 'pg_class'::regclass AND objid IN (SELECT oid FROM first))
    UNION ALL
    -- A view in place of a table, a partitioned one, one of another owner.
    SELECT pg_describe_object('pg_class'::regclass, oid, 0) FROM first
    WHERE relkind <> CASE relname WHEN 'chunks_embedded' THEN 'v' ELSE 'r' END OR relowner <> nspowner
    UNION ALL
    -- What hangs on its relations and is none of their own parts; a view by its own name.
    SELECT coalesce(
        (SELECT pg_describe_object('pg_class'::regclass, ev_class, 0) FROM pg_rewrite
            WHERE classid = 'pg_rewrite'::regclass AND pg_rewrite.oid = objid AND rulename = '_RETURN'),
        pg_describe_object(classid, objid, objsubid))
    FROM pg_depend JOIN first ON refclassid = 'pg_class'::regclass AND refobjid = first.oid
    WHERE deptype IN ('n', 'a') AND CASE classid
        WHEN 'pg_class'::regclass THEN NOT EXISTS (SELECT FROM first WHERE first.oid = objid)
            AND NOT EXISTS (SELECT FROM pg_index JOIN first ON first.oid = indrelid WHERE indexrelid = objid)
        WHEN 'pg_attrdef'::regclass THEN NOT EXISTS (SELECT FROM pg_attrdef JOIN first ON first.oid = adrelid WHERE pg_attrdef.oid = objid)
        WHEN 'pg_policy'::regclass THEN NOT EXISTS (SELECT FROM pg_policy JOIN first ON first.oid = polrelid WHERE pg_policy.oid = objid)
        WHEN 'pg_trigger'::regclass THEN NOT EXISTS (SELECT FROM pg_trigger WHERE pg_trigger.oid = objid AND tgisinternal)
        WHEN 'pg_rewrite'::regclass THEN NOT EXISTS (SELECT FROM pg_rewrite JOIN first ON first.oid = ev_class
            WHERE pg_rewrite.oid = objid AND rulename = '_RETURN')
        WHEN 'pg_constraint'::regclass THEN NOT EXISTS (
            SELECT FROM pg_constraint JOIN first ON first.oid = conrelid JOIN second USING (relname)
            JOIN pg_constraint AS other ON other.conrelid = second.oid
            WHERE pg_constraint.oid = objid AND other.conname = pg_constraint.conname AND other.contype = pg_constraint.contype)
        ELSE true
    END
    UNION ALL
    -- What takes or gives their rows as such.
    SELECT pg_describe_object(classid, objid, objsubid)
    FROM pg_depend JOIN first ON refclassid = 'pg_type'::regclass
        AND refobjid IN (SELECT pg_type.oid FROM pg_type WHERE pg_type.oid = reltype OR typelem = reltype)
    WHERE deptype IN ('n', 'a')
    UNION ALL
    -- Columns that only the first has, or that only there are never null.
    SELECT pg_describe_object('pg_class'::regclass, first.oid, mine.attnum)
    FROM first JOIN second USING (relname) JOIN pg_attribute AS mine ON mine.attrelid = first.oid
    LEFT JOIN pg_attribute AS theirs ON theirs.attrelid = second.oid AND theirs.attname = mine.attname
    WHERE mine.attnum > 0 AND NOT mine.attisdropped AND (theirs.attnum IS NULL OR mine.attnotnull > theirs.attnotnull)
    UNION ALL
    -- A subscriber knows the tables by name, and not those of the second store.
    SELECT pg_describe_object('pg_publication'::regclass, oid, 0) FROM pg_publication WHERE puballtables
) AS obstacles ORDER BY what";

/// Fails if the store has something that cannot come along into the second one.
pub(super) async fn refuse(
    client: &impl GenericClient,
    store: &str,
    second: &str,
) -> Result<(), Error> {
    let rows = catalog(client, OBSTACLES, store, second).await;
    let rows = rows.map_err(|error| Error::new(store, &error))?;
    if rows.is_empty() {
        return Ok(());
    }
    let what = rows.iter().map(|row| row.get(0)).collect();
    Err(Error::Obstacles { store: store.to_owned(), what })
}
