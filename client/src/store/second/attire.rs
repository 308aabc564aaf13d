/*!
What people gave a store, for the store that takes its place: indexes, rights, policies, comments,
storage.

Each comes as the statement that makes it, as the catalogs have it at that moment. Indexes take time
and are made on the second store while it is filled. The rest is a matter of catalogs alone: it is
read before the stores change their names and made after, so that what a policy says of the store's
own tables means the new ones.
*/

use super::super::ownership::PINNED;
use tokio_postgres::{Error, GenericClient, Row};

/// The indexes of the store `$1` that `$2` has not or has otherwise: what takes away the other, and
/// what makes this one. Those of constraints come with the tables, and those of embeddings only
/// where the embeddings are of the same type.
const INDEXES: &str = "
WITH index AS (
    SELECT nspname, place.relname AS place, pg_class.relname, indisvalid, format_type(atttypid, atttypmod) AS type,
        format('CREATE %sINDEX %I ON ', CASE WHEN indisunique THEN 'UNIQUE ' END, pg_class.relname) AS make,
        format('%I.%I USING ', nspname, place.relname) AS target, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_class AS place ON place.oid = indrelid
    JOIN pg_namespace ON pg_namespace.oid = place.relnamespace
    LEFT JOIN pg_attribute ON attrelid = indrelid AND place.relname = 'embeddings' AND attname = 'embedding'
    WHERE nspname IN ($1, $2) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
)
SELECT CASE WHEN theirs.relname IS NOT NULL THEN format('DROP INDEX %I.%I', theirs.nspname, theirs.relname) END,
    mine.make || format('%I.%I USING ', $2::name, mine.place) || substr(mine.definition, length(mine.make || mine.target) + 1)
FROM index AS mine LEFT JOIN index AS theirs
    ON theirs.nspname = $2 AND theirs.place = mine.place AND theirs.relname = mine.relname
WHERE mine.nspname = $1 AND mine.indisvalid AND starts_with(mine.definition, mine.make || mine.target)
AND substr(mine.definition, length(mine.make || mine.target) + 1)
    IS DISTINCT FROM substr(theirs.definition, length(theirs.make || theirs.target) + 1)
AND (mine.place <> 'embeddings' OR mine.type = (
    SELECT format_type(atttypid, atttypmod) FROM pg_attribute
    WHERE attrelid = to_regclass(format('%I.embeddings', $2::name)) AND attname = 'embedding'))
ORDER BY mine.place, mine.relname";

/// All else that people gave the store `$1`, in the words of its name; `$2` is what has the name soon.
const ATTIRE: &str = "
WITH store AS (SELECT oid, nspname, nspowner, nspacl FROM pg_namespace WHERE nspname IN ($1, $2)),
relation AS (
    SELECT pg_class.*, nspname, format('%I.%I', $1::name, relname) AS called
    FROM pg_class JOIN store ON store.oid = relnamespace
    WHERE relname IN ('documents', 'chunks', 'embeddings', 'strategies', 'settings', 'chunks_embedded')
),
first AS (SELECT * FROM relation WHERE nspname = $1),
col AS (
    SELECT called, first.oid, attname, attnum, attacl, relowner, attstattarget, attstorage, attcompression, typstorage
    FROM first JOIN pg_attribute ON attrelid = first.oid JOIN pg_type ON pg_type.oid = atttypid
    WHERE attnum > 0 AND NOT attisdropped
),
rights (stage, how, columns, place, acl, owner) AS (
    SELECT 2, '', '', format('SCHEMA %I', nspname), nspacl, nspowner FROM store WHERE nspname = $1
    UNION ALL
    SELECT 2, '', '', called, relacl, relowner FROM first
    UNION ALL
    SELECT 2, '', format(' (%I)', attname), called, attacl, relowner FROM col
    UNION ALL
    SELECT 3, format('ALTER DEFAULT PRIVILEGES FOR ROLE %s IN SCHEMA %I ', defaclrole::regrole, nspname), '',
        CASE defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' ELSE 'TYPES' END, defaclacl, NULL
    FROM pg_default_acl JOIN store ON store.oid = defaclnamespace AND nspname = $1
)
SELECT statement FROM (
    SELECT 1 AS stage, format('REVOKE ALL ON %s FROM %s', called, grantee) AS statement
    FROM relation, LATERAL (SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
        FROM aclexplode(relacl) AS acl (grantor, grantee) WHERE grantee <> relowner) AS granted (grantee)
    WHERE nspname = $2
    UNION ALL
    SELECT stage, format('%sGRANT %s%s ON %s TO %s%s', how, privilege_type, columns, place,
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
    FROM rights, aclexplode(acl) WHERE grantee IS DISTINCT FROM owner
    UNION ALL
    SELECT 4, format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', polname, called,
        CASE WHEN polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
        CASE polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
        (SELECT string_agg(CASE role WHEN 0 THEN 'PUBLIC' ELSE role::regrole::text END, ', ') FROM unnest(polroles) AS role),
        ' USING (' || pg_get_expr(polqual, polrelid) || ')', ' WITH CHECK (' || pg_get_expr(polwithcheck, polrelid) || ')')
    FROM pg_policy JOIN first ON first.oid = polrelid
    UNION ALL
    SELECT 5, format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', called) FROM first WHERE relrowsecurity
    UNION ALL
    SELECT 5, format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', called) FROM first WHERE relforcerowsecurity
    UNION ALL
    SELECT 6, format('ALTER TABLE %s SET (%s)', called, string_agg(option, ', '))
    FROM first LEFT JOIN pg_class AS toast ON toast.oid = first.reltoastrelid,
        LATERAL (SELECT unnest(first.reloptions) UNION ALL SELECT 'toast.' || unnest(toast.reloptions)) AS options (option)
    WHERE first.relkind = 'r' AND option IS NOT NULL GROUP BY called
    UNION ALL
    SELECT 7, format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s', called, attname, attstattarget) FROM col WHERE attstattarget >= 0
    UNION ALL
    SELECT 7, format('ALTER TABLE %s ALTER COLUMN %I SET STORAGE %s', called, attname,
        CASE attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'x' THEN 'EXTENDED' ELSE 'MAIN' END)
    FROM col WHERE attstorage <> typstorage
    UNION ALL
    SELECT 7, format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION %s', called, attname, CASE attcompression WHEN 'l' THEN 'lz4' ELSE 'pglz' END)
    FROM col WHERE attcompression <> ''
    UNION ALL
    SELECT 8, format('COMMENT ON SCHEMA %I IS %L', nspname, obj_description(oid, 'pg_namespace'))
    FROM store WHERE nspname = $1 AND obj_description(oid, 'pg_namespace') IS NOT NULL
    UNION ALL
    SELECT 8, format('COMMENT ON %s %s IS %L', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, called, obj_description(oid, 'pg_class')) FROM first
    UNION ALL
    SELECT 8, format('COMMENT ON COLUMN %s.%I IS %L', called, attname, col_description(oid, attnum)) FROM col
) AS given ORDER BY stage, statement";

/// Makes the indexes in the second store that people made in the first.
pub(super) async fn make_indexes(
    client: &impl GenericClient,
    store: &str,
    second: &str,
) -> Result<(), Error> {
    for row in catalog(client, INDEXES, store, second).await? {
        if let Some(drop) = row.get(0) {
            client.batch_execute(drop).await?;
        }
        client.batch_execute(row.get(1)).await?;
    }
    Ok(())
}

/// Returns the statements that give a store of this name what the first one was given.
pub(super) async fn attire(
    client: &impl GenericClient,
    store: &str,
    second: &str,
) -> Result<String, Error> {
    let rows = catalog(client, ATTIRE, store, second).await?;
    let statements: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
    Ok(statements.join(";\n"))
}

/// Asks the catalogs about two stores in a transaction, so that what they say names every schema.
pub(super) async fn catalog(
    client: &impl GenericClient,
    sql: &str,
    store: &str,
    second: &str,
) -> Result<Vec<Row>, Error> {
    client.batch_execute(&format!("SET LOCAL {PINNED}")).await?;
    client.query(sql, &[&store, &second]).await
}
