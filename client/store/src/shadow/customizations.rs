/*!
The customizations of a store that its shadow store takes over: indexes, privileges, policies, comments
and storage settings.

Queries on the catalogs return each customization as the statement that creates it. Indexes take time, so
they are created on the shadow store before the swap. The others only change the catalogs: they are read
before the schemas are renamed and created afterwards, so that a policy that names the store's tables
refers to the new ones.
*/

use super::super::admin::PINNED_SEARCH_PATH;
use super::super::relations::replaced_relations;
use super::super::unnamed_statement::UnnamedStatements;
use tokio_postgres::{Error, GenericClient, Row};

/// The query for the indexes of store `$1` that shadow store `$2` lacks or has with another definition: the
/// statement that drops the other index, and the statement that creates the index. Indexes of constraints
/// exist with the tables. Indexes of embeddings are included only if the embeddings have the same type.
const INDEXES: &str = "
WITH index AS (
    SELECT nspname, relation.relname AS relation, pg_class.relname, indisvalid, format_type(atttypid, atttypmod) AS type,
        format('CREATE %sINDEX %I ON ', CASE WHEN indisunique THEN 'UNIQUE ' END, pg_class.relname) AS prefix,
        format('%I.%I USING ', nspname, relation.relname) AS target,
        CASE pg_class.relkind WHEN 'I' THEN replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') ELSE pg_get_indexdef(indexrelid) END AS definition
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_class AS relation ON relation.oid = indrelid
    JOIN pg_namespace ON pg_namespace.oid = relation.relnamespace
    LEFT JOIN pg_attribute ON attrelid = indrelid AND relation.relname = 'embeddings' AND attname = 'embedding'
    -- An index of a partition belongs to that of its table.
    WHERE nspname IN ($1, $2) AND NOT pg_class.relispartition AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
)
SELECT CASE WHEN other.relname IS NOT NULL THEN format('DROP INDEX %I.%I', other.nspname, other.relname) END,
    own.prefix || format('%I.%I USING ', $2::name, own.relation) || substr(own.definition, length(own.prefix || own.target) + 1)
FROM index AS own LEFT JOIN index AS other
    ON other.nspname = $2 AND other.relation = own.relation AND other.relname = own.relname
WHERE own.nspname = $1 AND own.indisvalid AND starts_with(own.definition, own.prefix || own.target)
AND substr(own.definition, length(own.prefix || own.target) + 1)
    IS DISTINCT FROM substr(other.definition, length(other.prefix || other.target) + 1)
AND (own.relation <> 'embeddings' OR own.type = (
    SELECT format_type(atttypid, atttypmod) FROM pg_attribute
    WHERE attrelid = to_regclass(format('%I.embeddings', $2::name)) AND attname = 'embedding')
    -- The types halfvec and binary have the same column.
    AND (SELECT embedding_type FROM _passage.recorded_facts($1)) = (SELECT embedding_type FROM _passage.recorded_facts($2)))
ORDER BY own.relation, own.relname";

/// The query for the statements of the other customizations of store `$1`, with that name; shadow store
/// `$2` has the name when they are executed.
const CUSTOMIZATIONS: &str = concat!(
    "
WITH store AS (SELECT oid, nspname, nspowner, nspacl FROM pg_namespace WHERE nspname IN ($1, $2)),
",
    replaced_relations!(),
    ",
original AS (SELECT * FROM relation WHERE nspname = $1),
col AS (
    SELECT qualified_name, original.oid, relispartition, attname, attnum, attacl, relowner, attstattarget, attstorage, attcompression, typstorage
    FROM original JOIN pg_attribute ON attrelid = original.oid JOIN pg_type ON pg_type.oid = atttypid
    WHERE attnum > 0 AND NOT attisdropped
),
privileges (stage, prefix, columns, object, acl, owner) AS (
    SELECT 2, '', '', format('SCHEMA %I', nspname), nspacl, nspowner FROM store WHERE nspname = $1
    UNION ALL
    SELECT 2, '', '', qualified_name, relacl, relowner FROM original
    UNION ALL
    SELECT 2, '', format(' (%I)', attname), qualified_name, attacl, relowner FROM col
    UNION ALL
    SELECT 3, format('ALTER DEFAULT PRIVILEGES FOR ROLE %s IN SCHEMA %I ', defaclrole::regrole, nspname), '',
        CASE defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' ELSE 'TYPES' END, defaclacl, NULL
    FROM pg_default_acl JOIN store ON store.oid = defaclnamespace AND nspname = $1
)
SELECT statement FROM (
    SELECT 1 AS stage, format('REVOKE ALL ON %s FROM %s', qualified_name, grantee) AS statement
    FROM relation, LATERAL (SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
        FROM aclexplode(relacl) AS acl (grantor, grantee) WHERE grantee <> relowner) AS granted (grantee)
    WHERE nspname = $2
    UNION ALL
    SELECT stage, format('%sGRANT %s%s ON %s TO %s%s', prefix, privilege_type, columns, object,
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
    FROM privileges, aclexplode(acl) WHERE grantee IS DISTINCT FROM owner
    UNION ALL
    SELECT 4, format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', polname, qualified_name,
        CASE WHEN polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
        CASE polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
        (SELECT string_agg(CASE role WHEN 0 THEN 'PUBLIC' ELSE role::regrole::text END, ', ') FROM unnest(polroles) AS role),
        ' USING (' || pg_get_expr(polqual, polrelid) || ')', ' WITH CHECK (' || pg_get_expr(polwithcheck, polrelid) || ')')
    FROM pg_policy JOIN original ON original.oid = polrelid
    UNION ALL
    SELECT 5, format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', qualified_name) FROM original WHERE relrowsecurity
    UNION ALL
    SELECT 5, format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', qualified_name) FROM original WHERE relforcerowsecurity
    UNION ALL
    SELECT 6, format('ALTER TABLE %s SET (%s)', qualified_name, string_agg(option, ', '))
    FROM original LEFT JOIN pg_class AS toast ON toast.oid = original.reltoastrelid,
        LATERAL (SELECT unnest(original.reloptions) UNION ALL SELECT 'toast.' || unnest(toast.reloptions)) AS options (option)
    WHERE original.relkind = 'r' AND option IS NOT NULL GROUP BY qualified_name
    UNION ALL
    SELECT 7, format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s', qualified_name, attname, attstattarget) FROM col WHERE attstattarget >= 0
    UNION ALL
    SELECT 7, format('ALTER TABLE %s ALTER COLUMN %I SET STORAGE %s', qualified_name, attname,
        CASE attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'x' THEN 'EXTENDED' ELSE 'MAIN' END)
    FROM col WHERE attstorage <> typstorage
    UNION ALL
    SELECT 7, format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION %s', qualified_name, attname, CASE attcompression WHEN 'l' THEN 'lz4' ELSE 'pglz' END)
    FROM col WHERE attcompression <> ''
    UNION ALL
    SELECT 8, format('COMMENT ON SCHEMA %I IS %L', nspname, obj_description(oid, 'pg_namespace'))
    FROM store WHERE nspname = $1 AND obj_description(oid, 'pg_namespace') IS NOT NULL
    UNION ALL
    SELECT 8, format('COMMENT ON %s %s IS %L', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, qualified_name, obj_description(oid, 'pg_class')) FROM original
    WHERE NOT relispartition OR obj_description(oid, 'pg_class') IS NOT NULL
    UNION ALL
    SELECT 8, format('COMMENT ON COLUMN %s.%I IS %L', qualified_name, attname, col_description(oid, attnum)) FROM col
    WHERE NOT relispartition OR col_description(oid, attnum) IS NOT NULL
) AS customization ORDER BY stage, statement"
);

/// Creates the indexes of the original in the shadow store.
pub(super) async fn create_indexes(
    client: &impl GenericClient,
    store: &str,
    shadow: &str,
) -> Result<(), Error> {
    for row in query_catalog(client, INDEXES, store, shadow).await? {
        if let Some(drop) = row.get(0) {
            client.batch_execute(drop).await?;
        }
        client.batch_execute(row.get(1)).await?;
    }
    Ok(())
}

/// Returns the statements that apply the original's other customizations to the store with its name.
pub(super) async fn statements(
    client: &impl GenericClient,
    store: &str,
    shadow: &str,
) -> Result<Vec<String>, Error> {
    let rows = query_catalog(client, CUSTOMIZATIONS, store, shadow).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Queries the catalogs about an original store and its shadow store, within a transaction. The search path
/// makes the definitions that the catalogs return name every schema.
pub(super) async fn query_catalog(
    client: &impl GenericClient,
    sql: &str,
    store: &str,
    shadow: &str,
) -> Result<Vec<Row>, Error> {
    client.batch_execute(&format!("SET LOCAL {PINNED_SEARCH_PATH}")).await?;
    client.query_unnamed(sql, &[&store, &shadow]).await
}
