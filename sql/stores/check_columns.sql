-- check_store: columns of another type than those of the layout.
--
-- PostgreSQL refuses to change the type of a column that a view shows, that has a default of the former type, or that
-- is generated. So the remedy makes these again.

CREATE FUNCTION _passage.column_type_problems(
    store name, dimensions integer, embedding_type text, language regconfig, placement jsonb
)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('%I.%I.%I', store, relation, col.name),
        format('column has type %s, not %s', format_type(atttypid, NULL), format_type(to_regtype(type), NULL)),
        CASE WHEN relkind NOT IN ('r', 'p') THEN 'Cast the column in the view.'
            WHEN derived THEN format('ALTER TABLE %I.%I DROP COLUMN %I; SELECT passage.upgrade_store(%L);', store, relation, col.name, store)
            WHEN shown.grants IS NULL THEN altered.statement
            ELSE concat_ws(' ', format('DROP VIEW %I.chunks_embedded;', store), altered.statement,
                format('SELECT passage.upgrade_store(%L);', store), nullif(shown.grants, '')) END
    FROM _passage.store_columns(store, dimensions, embedding_type, language, placement) AS col
    JOIN pg_namespace ON nspname = store
    JOIN pg_class AS rel ON relnamespace = pg_namespace.oid AND relname = relation
    JOIN pg_attribute ON attrelid = rel.oid AND attname = col.name AND NOT attisdropped
    CROSS JOIN LATERAL (
        SELECT format('ALTER TABLE %I.%I %s;', store, relation, concat_ws(', ',
                CASE WHEN atthasdef THEN format('ALTER COLUMN %I DROP DEFAULT', col.name) END,
                format('ALTER COLUMN %I TYPE %s USING %I::%s%s', col.name, type, col.name,
                    -- Any type has a text, such as json, which has no cast to integer.
                    CASE WHEN NOT EXISTS (SELECT FROM pg_cast WHERE castsource = atttypid AND casttarget = to_regtype(type)) THEN 'text::' END, type),
                CASE WHEN definition ~ ' DEFAULT ' THEN format('ALTER COLUMN %I SET DEFAULT %s', col.name,
                    regexp_replace(substring(definition FROM ' DEFAULT (.*)$'), ' CHECK .*$', '')) END))
    ) AS altered (statement)
    -- The roles that may read the view of chunks with embeddings, if it shows the column; else NULL.
    LEFT JOIN LATERAL (
        SELECT concat((
            SELECT string_agg(format('GRANT SELECT ON %I.chunks_embedded TO %s;', store, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END), ' ' ORDER BY grantee)
            FROM aclexplode(viewed.relacl) AS acl WHERE privilege_type = 'SELECT' AND grantee <> viewed.relowner))
        FROM pg_class AS viewed
        WHERE viewed.relnamespace = pg_namespace.oid AND viewed.relname = 'chunks_embedded' AND viewed.relkind = 'v' AND EXISTS (
            SELECT FROM pg_rewrite JOIN pg_depend ON objid = pg_rewrite.oid AND classid = 'pg_rewrite'::regclass
            WHERE ev_class = viewed.oid AND refclassid = 'pg_class'::regclass AND refobjid = rel.oid AND refobjsubid = attnum)
    ) AS shown (grants) ON true
    WHERE atttypid <> to_regtype(type) AND NOT EXISTS (
        SELECT FROM pg_cast WHERE castsource = atttypid AND casttarget = to_regtype(type) AND castmethod = 'b')
$$;

COMMENT ON FUNCTION _passage.column_type_problems(name, integer, text, regconfig, jsonb) IS 'columns of a store whose type is not that of the layout';
