-- stores: lists the stores of a database.
--
-- Anybody can create a schema that looks like a store, so listing stores must run nothing of them. It
-- reads the catalogs, and counts the rows of plain tables without statistics.

-- The rows of the tables of a store: the planner's estimates, as of the last ANALYZE. A table without one
-- is counted, unless the caller may not read it. Rows that a policy may hide are not counted, also not by an estimate. A
-- view has no row count.

CREATE FUNCTION _passage.restricted_row_counts(store name, OUT documents bigint, OUT chunks bigint, OUT embeddings bigint)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    rel record;
    counted bigint;
BEGIN
    FOR rel IN
        SELECT relname AS name, relkind = 'p' AS is_partitioned, nullif(reltuples, -1)::bigint AS estimate,
            relname IN (SELECT _passage.distributed_relations(store)) AS is_distributed, row_security_active(pg_class.oid) AS is_guarded,
            has_schema_privilege(relnamespace, 'USAGE') AND has_any_column_privilege(pg_class.oid, 'SELECT')
                AND NOT row_security_active(pg_class.oid)
                -- A partition can be a foreign table.
                AND NOT EXISTS (
                    SELECT FROM _passage.relation_tree(pg_class.oid) AS tree JOIN pg_class AS part ON part.oid = tree
                    WHERE part.relkind NOT IN ('r', 'p', 'm')) AS is_countable
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        -- The side tables of an adopted store have a row for each document and chunk.
        WHERE nspname = store AND relname IN ('documents', 'chunks', 'embeddings', 'adopted_documents', 'adopted_chunks') AND relkind IN ('r', 'p', 'm')
    LOOP
        -- The planner has no statistics of a distributed table, only of its shards.
        counted := CASE WHEN NOT rel.is_distributed AND NOT rel.is_guarded THEN rel.estimate END;
        IF counted IS NULL AND rel.is_countable THEN
            EXECUTE format('SELECT count(*) FROM %s %I.%I', CASE WHEN rel.is_partitioned OR rel.is_distributed THEN '' ELSE 'ONLY' END, store, rel.name)
                INTO counted;
        END IF;
        CASE rel.name
            WHEN 'documents', 'adopted_documents' THEN documents := counted;
            WHEN 'chunks', 'adopted_chunks' THEN chunks := counted;
            ELSE embeddings := counted;
        END CASE;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.restricted_row_counts(name) IS 'rows of the tables of a store: estimates, counted where there are none';

CREATE FUNCTION passage.stores()
RETURNS TABLE (
    store name, documents bigint, chunks bigint, embeddings bigint,
    dimensions integer, embedding_type text, distance text, language text, size text
)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT nspname, counts.documents, counts.chunks, counts.embeddings,
        facts.dimensions, facts.embedding_type, facts.distance, facts.language, pg_size_pretty(size.bytes)
    FROM (
        SELECT pg_namespace.oid, nspname
        FROM pg_namespace
        JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = 'chunks' AND relkind IN ('r', 'p', 'v', 'm', 'f')
        WHERE has_schema_privilege(pg_namespace.oid, 'USAGE') AND 4 = (
            SELECT count(*) FROM pg_attribute
            WHERE attrelid = pg_class.oid AND NOT attisdropped
                AND (attname, atttypid) IN (
                    ('id', 'uuid'::regtype), ('document_id', 'uuid'::regtype),
                    ('ordinal', 'integer'::regtype), ('content', 'text'::regtype)))
        -- Nothing is counted in other schemas.
        OFFSET 0
    ) AS store
    CROSS JOIN LATERAL _passage.store_facts(nspname) AS facts
    CROSS JOIN LATERAL _passage.restricted_row_counts(nspname) AS counts
    CROSS JOIN LATERAL (
        SELECT CASE WHEN NOT bool_or(row_security_active(pg_class.oid)) THEN sum(coalesce(_passage.distributed_size(pg_class.oid), _passage.relation_size(pg_class.oid))) END
        FROM pg_class
        WHERE relnamespace = store.oid AND relname IN ('documents', 'chunks', 'embeddings', 'links', 'ratings', 'strategies', 'settings', 'shard_keys', 'adopted_documents', 'adopted_chunks')
    ) AS size (bytes)
    ORDER BY nspname
$$;

COMMENT ON FUNCTION passage.stores() IS 'returns the stores that the caller may use, one row each, with their settings and size; row counts are the planner''s estimates, or counted where there are none; counts and size are NULL if policies may hide rows from the caller';
