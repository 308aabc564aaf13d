//! Queries on the catalogs for the objects that use the functions of `pg_passage`, with the statements that drop and create them.

/// The common table expressions for the lost objects: `own` are the objects of the schemas, `object` those that depend on them,
/// directly or through a column or a view. `depth` orders views that use each other.
pub(super) const OBJECTS: &str = "
WITH RECURSIVE home AS (SELECT * FROM pg_namespace WHERE nspname IN ('passage', '_passage')),
own (classid, objid) AS (
    SELECT 'pg_proc'::regclass::oid, oid FROM pg_proc WHERE pronamespace IN (SELECT oid FROM home)
    UNION ALL
    SELECT 'pg_type'::regclass::oid, oid FROM pg_type WHERE typnamespace IN (SELECT oid FROM home)
    UNION ALL
    SELECT 'pg_class'::regclass::oid, oid FROM pg_class WHERE relnamespace IN (SELECT oid FROM home)
),
-- Lower ids are those of PostgreSQL itself.
reference AS MATERIALIZED (SELECT * FROM pg_depend WHERE deptype IN ('n', 'a') AND objid >= 16384),
used AS (
    SELECT reference.* FROM reference JOIN own ON refclassid = own.classid AND refobjid = own.objid
    WHERE NOT EXISTS (SELECT FROM own WHERE own.classid = reference.classid AND own.objid = reference.objid)
),
lost (classid, objid, objsubid, depth) AS (
    SELECT classid, objid, objsubid, 0 FROM used
    UNION
    SELECT next.classid, next.objid, next.objsubid, depth + 1 FROM lost CROSS JOIN LATERAL (
        SELECT 'pg_class'::regclass, adrelid, adnum::integer FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE lost.classid = 'pg_attrdef'::regclass AND pg_attrdef.oid = lost.objid AND attgenerated <> ''
        UNION ALL
        SELECT 'pg_class'::regclass, ev_class, 0 FROM pg_rewrite
        WHERE lost.classid = 'pg_rewrite'::regclass AND pg_rewrite.oid = lost.objid AND rulename = '_RETURN'
        UNION ALL
        SELECT reference.classid, reference.objid, reference.objsubid FROM reference
        WHERE lost.classid = 'pg_class'::regclass AND refclassid = lost.classid AND refobjid = lost.objid
            AND (lost.objsubid = 0 OR refobjsubid = lost.objsubid)
            -- The query of a view can name the view itself.
            AND NOT (reference.classid = 'pg_rewrite'::regclass AND EXISTS (
                SELECT FROM pg_rewrite WHERE pg_rewrite.oid = reference.objid AND ev_class = lost.objid))
        UNION ALL
        SELECT reference.classid, reference.objid, reference.objsubid FROM reference JOIN pg_type ON typrelid = lost.objid
        WHERE lost.classid = 'pg_class'::regclass AND lost.objsubid = 0 AND refclassid = 'pg_type'::regclass
            AND refobjid IN (pg_type.oid, typarray)
    ) AS next (classid, objid, objsubid)
    WHERE depth < 100
),
object AS (SELECT classid, objid, objsubid, max(depth) AS depth FROM lost GROUP BY classid, objid, objsubid),
relation AS (SELECT pg_class.*, nspname, format('%I.%I', nspname, relname) AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace),
-- The columns that upgrade_store creates again.
derived AS (
    SELECT relation.*, attname, attacl, attstattarget, relation.oid = object.objid AS is_root
    FROM object JOIN pg_attribute ON attrelid = objid AND attnum = objsubid
    JOIN relation ON relation.oid = coalesce(pg_partition_root(objid), objid)
    WHERE classid = 'pg_class'::regclass AND objsubid > 0 AND relname = 'chunks' AND attname IN ('path', 'section_key', 'parent_key', 'tsv')
    AND EXISTS (SELECT FROM pg_class AS other WHERE other.relnamespace = relation.relnamespace AND other.relname = 'documents')
),
index AS (
    SELECT relation.name, relispartition, replace(pg_get_indexdef(relation.oid), ' ON ONLY ', ' ON ') AS definition
    FROM object JOIN relation ON relation.oid = objid WHERE classid = 'pg_class'::regclass AND objsubid = 0 AND relkind IN ('i', 'I')
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = relation.oid)
),
view AS (
    SELECT relation.*, depth FROM object JOIN relation ON relation.oid = objid WHERE classid = 'pg_class'::regclass AND objsubid = 0 AND relkind = 'v'
),
policy AS (SELECT pg_policy.*, name FROM object JOIN pg_policy ON oid = objid JOIN relation ON relation.oid = polrelid WHERE classid = 'pg_policy'::regclass),
statistic AS (
    SELECT format('%I.%I', nspname, stxname) AS name, pg_get_statisticsobjdef(pg_statistic_ext.oid) AS definition
    FROM object JOIN pg_statistic_ext ON oid = objid JOIN pg_namespace ON pg_namespace.oid = stxnamespace WHERE classid = 'pg_statistic_ext'::regclass
),
-- Privileges on the public functions and on the schemas that are not those after an installation.
privilege (object, acl, owner) AS (
    SELECT format('FUNCTION %s', pg_proc.oid::regprocedure), proacl, proowner FROM pg_proc JOIN home ON home.oid = pronamespace AND nspname = 'passage'
    WHERE proacl IS NOT NULL
    UNION ALL
    SELECT format('SCHEMA %I', nspname), nspacl, nspowner FROM home
    WHERE NOT EXISTS (SELECT FROM aclexplode(nspacl) AS acl (grantor, grantee) WHERE grantee = 0)
    OR EXISTS (SELECT FROM aclexplode(nspacl) AS acl (grantor, grantee) WHERE grantee NOT IN (0, nspowner))
)";

/// The schemas of stores whose columns are lost.
pub(super) const STORES: &str = "SELECT DISTINCT nspname::text FROM derived ORDER BY 1";

/// The description of objects that prevent the change, to the native extension if `$1`. Only a superuser can grant privileges
/// on its functions.
pub(super) const OBSTACLES: &str = "SELECT pg_describe_object(classid, objid, objsubid) FROM object
WHERE NOT CASE classid
    WHEN 'pg_class'::regclass THEN CASE WHEN objsubid = 0
        THEN EXISTS (SELECT FROM pg_class WHERE pg_class.oid = objid AND relkind IN ('v', 'i', 'I'))
        ELSE EXISTS (SELECT FROM pg_attribute JOIN derived ON derived.oid = coalesce(pg_partition_root(objid), objid)
            AND derived.attname = pg_attribute.attname WHERE attrelid = objid AND attnum = objsubid) END
    WHEN 'pg_attrdef'::regclass THEN EXISTS (SELECT FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE pg_attrdef.oid = objid AND attgenerated <> '')
    WHEN 'pg_rewrite'::regclass THEN EXISTS (SELECT FROM pg_rewrite WHERE pg_rewrite.oid = objid AND rulename = '_RETURN')
    ELSE classid IN ('pg_policy'::regclass, 'pg_statistic_ext'::regclass) END
UNION ALL
SELECT 'privileges on ' || lower(split_part(object, ' ', 1)) || substr(object, strpos(object, ' ')) FROM privilege
WHERE $1 AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND rolsuper)
UNION ALL
SELECT 'extension citus' FROM pg_extension WHERE extname = 'citus' AND NOT $1
ORDER BY 1";

/// The statements that drop the objects.
pub(super) const DROPS: &str = "SELECT statement FROM (
    SELECT 1, format('DROP POLICY %I ON %s', polname, name) FROM policy
    UNION ALL
    SELECT 2, format('DROP STATISTICS %s', name) FROM statistic
    UNION ALL
    SELECT 3, 'DROP INDEX ' || string_agg(name, ', ') FROM index WHERE NOT relispartition HAVING count(*) > 0
    UNION ALL
    SELECT 4, 'DROP VIEW ' || string_agg(name, ', ') FROM view HAVING count(*) > 0
    UNION ALL
    SELECT 5, format('ALTER TABLE %s %s', name, string_agg(format('DROP COLUMN %I', attname), ', ')) FROM derived WHERE is_root GROUP BY name
) AS listed (stage, statement) ORDER BY stage";

/// The statements that create the objects of users again, apart from indexes.
pub(super) const CREATES: &str = "SELECT statement FROM (
    SELECT 1, depth, format('CREATE VIEW %s%s AS %s', name, ' WITH (' || array_to_string(reloptions, ', ') || ')', pg_get_viewdef(oid)) FROM view
    UNION ALL
    SELECT 2, 0, format('ALTER VIEW %s OWNER TO %s', name, relowner::regrole) FROM view WHERE relowner <> current_user::regrole
    UNION ALL
    SELECT 3, 0, format('GRANT %s ON %s TO %s%s', privilege_type, name, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
        CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
    FROM view, aclexplode(relacl) WHERE grantee <> relowner
    UNION ALL
    SELECT 3, 0, format('GRANT %s (%I) ON %s TO %s%s', privilege_type, attname, name, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
        CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
    FROM (
        SELECT view.name, attname, attacl FROM view JOIN pg_attribute ON attrelid = view.oid
        UNION ALL SELECT name, attname, attacl FROM derived WHERE is_root
    ) AS col, aclexplode(attacl)
    UNION ALL
    SELECT 4, 0, format('COMMENT ON VIEW %s IS %L', name, obj_description(oid, 'pg_class')) FROM view WHERE obj_description(oid, 'pg_class') IS NOT NULL
    UNION ALL
    SELECT 5, 0, format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', polname, name,
        CASE WHEN polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
        CASE polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
        (SELECT string_agg(CASE role WHEN 0 THEN 'PUBLIC' ELSE role::regrole::text END, ', ') FROM unnest(polroles) AS role),
        ' USING (' || pg_get_expr(polqual, polrelid) || ')', ' WITH CHECK (' || pg_get_expr(polwithcheck, polrelid) || ')')
    FROM policy
    UNION ALL
    SELECT 6, 0, definition FROM statistic
    UNION ALL
    SELECT 7, 0, format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s', name, attname, attstattarget) FROM derived WHERE is_root AND attstattarget >= 0
) AS listed (stage, depth, statement) ORDER BY stage, depth, statement";

/// The statements that give the functions and schemas the privileges that they have now.
pub(super) const PRIVILEGES: &str = "SELECT statement FROM (
    SELECT 1, format('REVOKE ALL ON %s FROM PUBLIC', object) FROM privilege
    UNION ALL
    SELECT 2, format('GRANT %s ON %s TO %s%s', privilege_type, object, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
        CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
    FROM privilege, aclexplode(acl) WHERE grantee <> owner
) AS listed (stage, statement) ORDER BY stage, statement";

/// The names and definitions of indexes, apart from partitions of others.
pub(super) const INDEXES: &str =
    "SELECT name, definition FROM index WHERE NOT relispartition ORDER BY name";

/// The statements that drop the functions and types. An object outside of the schemas can keep a function: then this gets the
/// body `$1`, which uses no other function, until it is replaced.
pub(super) const REMOVALS: &str = "SELECT statement FROM (
    SELECT 1, format('CREATE OR REPLACE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE sql AS %L', nspname, proname,
        pg_get_function_arguments(pg_proc.oid), pg_get_function_result(pg_proc.oid), $1::text)
    FROM pg_proc JOIN home ON home.oid = pronamespace WHERE pg_proc.oid IN (SELECT refobjid FROM used WHERE refclassid = 'pg_proc'::regclass)
    UNION ALL
    SELECT 2, 'DROP FUNCTION ' || string_agg(pg_proc.oid::regprocedure::text, ', ') FROM pg_proc JOIN home ON home.oid = pronamespace
    WHERE pg_proc.oid NOT IN (SELECT refobjid FROM used WHERE refclassid = 'pg_proc'::regclass) HAVING count(*) > 0
    UNION ALL
    SELECT 3, 'DROP TYPE ' || string_agg(format('%I.%I', nspname, typname), ', ') FROM pg_type JOIN home ON home.oid = typnamespace
    JOIN pg_class ON pg_class.oid = typrelid AND relkind = 'c' HAVING count(*) > 0
) AS listed (stage, statement) ORDER BY stage";

/// The objects that use functions with the body `$1`.
pub(super) const KEPT: &str = "SELECT DISTINCT coalesce((SELECT pg_describe_object('pg_class'::regclass, ev_class, 0) FROM pg_rewrite
    WHERE classid = 'pg_rewrite'::regclass AND pg_rewrite.oid = objid), pg_describe_object(classid, objid, objsubid))
FROM used JOIN pg_proc ON refclassid = 'pg_proc'::regclass AND pg_proc.oid = refobjid WHERE prosrc = $1::text ORDER BY 1";
