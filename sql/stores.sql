-- stores: lists the stores of a database.
--
-- It reads the catalogs alone. Anybody can create a schema that looks like a store, so listing stores
-- must run nothing of them. Row counts are the planner's estimates, as of the last ANALYZE.

CREATE FUNCTION passage.stores()
RETURNS TABLE (
    store name, documents bigint, chunks bigint, embeddings bigint,
    dimensions integer, embedding_type text, distance text, language text, size text
)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT nspname, estimate.documents, estimate.chunks, estimate.embeddings,
        facts.dimensions, facts.embedding_type, facts.distance, facts.language, pg_size_pretty(estimate.size)
    FROM pg_namespace
    JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = 'chunks' AND relkind IN ('r', 'p', 'v', 'm', 'f')
    CROSS JOIN LATERAL _passage.store_facts(nspname) AS facts
    CROSS JOIN LATERAL (
        SELECT
            max(reltuples::bigint) FILTER (WHERE relname = 'documents'),
            max(reltuples::bigint) FILTER (WHERE relname = 'chunks'),
            max(reltuples::bigint) FILTER (WHERE relname = 'embeddings'),
            sum(pg_total_relation_size(rel.oid))
        FROM (
            -- A view has no row count, and a table without ANALYZE has -1.
            SELECT oid, relname, CASE WHEN relkind IN ('r', 'p', 'm') THEN nullif(reltuples, -1) END AS reltuples
            FROM pg_class AS rel
            WHERE relnamespace = pg_namespace.oid
                AND relname IN ('documents', 'chunks', 'embeddings', 'strategies', 'settings')
        ) AS rel
    ) AS estimate (documents, chunks, embeddings, size)
    WHERE has_schema_privilege(pg_namespace.oid, 'USAGE') AND 4 = (
        SELECT count(*) FROM pg_attribute
        WHERE attrelid = pg_class.oid AND NOT attisdropped
            AND (attname, atttypid) IN (
                ('id', 'uuid'::regtype), ('document_id', 'uuid'::regtype),
                ('ordinal', 'integer'::regtype), ('content', 'text'::regtype)))
    ORDER BY nspname
$$;

COMMENT ON FUNCTION passage.stores() IS 'returns the stores that the caller may use, with their settings and size; row counts are the planner''s estimates';
