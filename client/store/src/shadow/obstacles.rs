/*!
Objects that prevent the replacement of a store.

Other objects in the store's schema, and objects elsewhere that depend on its tables, would stay with the
former store. The catalogs contain all of them: `pg_depend` has an entry for each object of a schema, and
for each object that depends on a table.
*/

use super::super::error::Error;
use super::super::relations::replaced_relations;
use super::customizations::query_catalog;
use tokio_postgres::GenericClient;

/// The query for the objects of store `$1` that shadow store `$2` lacks and that cannot be carried over.
const OBSTACLES: &str = concat!(
    "
WITH store AS (SELECT oid, nspname, nspowner FROM pg_namespace WHERE nspname IN ($1, $2)),
",
    replaced_relations!(),
    ",
original AS (SELECT * FROM relation WHERE nspname = $1),
shadow AS (SELECT * FROM relation WHERE nspname = $2)
SELECT DISTINCT object FROM (
    -- Other objects of the schema.
    SELECT pg_describe_object(classid, objid, objsubid) AS object
    FROM pg_depend JOIN store ON store.oid = refobjid AND nspname = $1
    WHERE refclassid = 'pg_namespace'::regclass AND classid <> 'pg_default_acl'::regclass
    AND NOT (classid = 'pg_class'::regclass AND objid IN (SELECT oid FROM original))
    UNION ALL
    -- Relations of another kind than those of create_store, or that have another owner than the schema, and
    -- partitions that create_store does not make.
    SELECT pg_describe_object('pg_class'::regclass, oid, 0) FROM original
    WHERE relkind::text <> coalesce((SELECT relkind::text FROM shadow WHERE shadow.relname = original.relname),
        CASE relname WHEN 'chunks_embedded' THEN 'v' ELSE 'r' END)
    OR relispartition AND relname NOT IN (SELECT relname FROM shadow) OR relowner <> nspowner
    UNION ALL
    -- Objects that depend on its relations and are not their own parts. A view is shown by its name.
    SELECT coalesce(
        (SELECT pg_describe_object('pg_class'::regclass, ev_class, 0) FROM pg_rewrite
            WHERE classid = 'pg_rewrite'::regclass AND pg_rewrite.oid = objid AND rulename = '_RETURN'),
        pg_describe_object(classid, objid, objsubid))
    FROM pg_depend JOIN original ON refclassid = 'pg_class'::regclass AND refobjid = original.oid
    WHERE deptype IN ('n', 'a') AND CASE classid
        WHEN 'pg_class'::regclass THEN NOT EXISTS (SELECT FROM original WHERE original.oid = objid)
            AND NOT EXISTS (SELECT FROM pg_index JOIN original ON original.oid = indrelid WHERE indexrelid = objid)
        WHEN 'pg_attrdef'::regclass THEN NOT EXISTS (SELECT FROM pg_attrdef JOIN original ON original.oid = adrelid WHERE pg_attrdef.oid = objid)
        WHEN 'pg_policy'::regclass THEN NOT EXISTS (SELECT FROM pg_policy JOIN original ON original.oid = polrelid WHERE pg_policy.oid = objid)
        WHEN 'pg_trigger'::regclass THEN NOT EXISTS (SELECT FROM pg_trigger WHERE pg_trigger.oid = objid AND tgisinternal)
        WHEN 'pg_rewrite'::regclass THEN NOT EXISTS (SELECT FROM pg_rewrite JOIN original ON original.oid = ev_class
            WHERE pg_rewrite.oid = objid AND rulename = '_RETURN')
        WHEN 'pg_constraint'::regclass THEN NOT EXISTS (
            SELECT FROM pg_constraint JOIN original ON original.oid = conrelid JOIN shadow USING (relname)
            JOIN pg_constraint AS other ON other.conrelid = shadow.oid
            WHERE pg_constraint.oid = objid AND other.conname = pg_constraint.conname AND other.contype = pg_constraint.contype)
        ELSE true
    END
    UNION ALL
    -- Objects that depend on the row types of the tables.
    SELECT pg_describe_object(classid, objid, objsubid)
    FROM pg_depend JOIN original ON refclassid = 'pg_type'::regclass
        AND refobjid IN (SELECT pg_type.oid FROM pg_type WHERE pg_type.oid = reltype OR typelem = reltype)
    WHERE deptype IN ('n', 'a')
    UNION ALL
    -- Columns that only the original has, or that are NOT NULL only there.
    SELECT pg_describe_object('pg_class'::regclass, original.oid, own.attnum)
    FROM original JOIN shadow USING (relname) JOIN pg_attribute AS own ON own.attrelid = original.oid
    LEFT JOIN pg_attribute AS other ON other.attrelid = shadow.oid AND other.attname = own.attname
    WHERE own.attnum > 0 AND NOT own.attisdropped AND (other.attnum IS NULL OR own.attnotnull > other.attnotnull)
    UNION ALL
    -- A subscriber knows the tables by name, and does not know those of the shadow store.
    SELECT pg_describe_object('pg_publication'::regclass, oid, 0) FROM pg_publication WHERE puballtables
) AS obstacles ORDER BY object"
);

/// Checks that the store has no objects that cannot be carried over to the shadow store.
///
/// # Errors
///
/// Returns [`Error::Obstacles`] with all such objects.
pub(super) async fn check(
    client: &impl GenericClient,
    store: &str,
    shadow: &str,
) -> Result<(), Error> {
    let rows = query_catalog(client, OBSTACLES, store, shadow).await;
    let rows = rows.map_err(|error| Error::new(store, &error))?;
    if rows.is_empty() {
        return Ok(());
    }
    let objects = rows.iter().map(|row| row.get(0)).collect();
    Err(Error::Obstacles { store: store.to_owned(), objects })
}
