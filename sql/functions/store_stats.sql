-- store_stats: counts the documents and chunks of a store.
--
-- stores() estimates all stores from the catalogs; this function reads one and returns exact counts of
-- what the caller may see. Columns that a store of views lacks count as NULL. No code of another role
-- runs, neither a view nor a policy with a function of that role.

CREATE FUNCTION _passage.store_counts(store name)
RETURNS TABLE (
    scope text, collection text, version text, documents bigint, orphaned bigint, chunks bigint, tokens bigint,
    embedded bigint, missing bigint, last_ingested timestamp with time zone, size text, settings jsonb
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    facts record;
    available text[];
    has_embeddings boolean;
    total_size text;
    properties jsonb;
BEGIN
    facts := _passage.recorded_facts(store);
    available := _passage.matching_columns(store);
    IF available @> '{chunks.id,chunks.document_id,chunks.content}' IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'datatype_mismatch',
            MESSAGE = format('columns id, document_id and content of chunks in store "%s" must have types uuid, uuid and text', store),
            HINT = format('Run SELECT * FROM passage.check_store(%L); to see what the store lacks.', store);
    END IF;
    -- A caller without the right to read embeddings gets the other counts.
    has_embeddings := available @> '{embeddings.chunk_id}' AND has_column_privilege(format('%I.embeddings', store), 'chunk_id', 'SELECT');

    -- The size would show how much policies hide.
    SELECT CASE WHEN NOT bool_or(row_security_active(pg_class.oid)) THEN
        pg_size_pretty(sum(coalesce(_passage.distributed_size(pg_class.oid), _passage.relation_size(pg_class.oid)))) END INTO total_size
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = store AND relkind IN ('r', 'p', 'm') AND relname IN ('documents', 'chunks', 'embeddings', 'links', 'ratings', 'strategies', 'settings', 'shard_keys', 'adopted_documents', 'adopted_chunks');
    properties := jsonb_strip_nulls(jsonb_build_object('dimensions', facts.dimensions, 'embedding_type', facts.embedding_type,
        'distance', facts.distance, 'language', facts.language)) || coalesce(_passage.store_settings(store), '{}');

    RETURN QUERY EXECUTE format($query$
        WITH counted AS (
            SELECT c.document_id, count(*) AS chunks, sum(%1$s) AS tokens, %2$s AS embedded
            FROM %3$I.chunks AS c %4$s
            GROUP BY c.document_id
        )
        SELECT CASE WHEN grouping(d.collection) = 1 THEN 'total' ELSE 'collection' END, d.collection, d.version, count(d.id), %5$s, coalesce(sum(chunks), 0)::bigint, coalesce(sum(tokens), 0)::bigint,
            %8$s, %9$s, %6$s,
            CASE WHEN grouping(d.collection) = 1 THEN $1 END, CASE WHEN grouping(d.collection) = 1 THEN $2 END
        -- Citus groups in sets only what has left the shards.
        FROM (SELECT d.*, counted.* FROM (SELECT %7$s) AS d FULL JOIN counted ON counted.document_id = d.id OFFSET 0) AS d
        GROUP BY GROUPING SETS ((), (d.collection, d.version))
        ORDER BY grouping(d.collection) DESC, d.collection, d.version $query$,
        CASE WHEN available @> '{chunks.tokens}' THEN 'coalesce(c.tokens, (char_length(c.content) + 3) / 4)'
            ELSE '(char_length(c.content) + 3) / 4' END,
        CASE WHEN has_embeddings THEN 'count(e.chunk_id)' ELSE 'NULL::bigint' END,
        store,
        CASE WHEN has_embeddings THEN format('LEFT JOIN %I.embeddings AS e ON e.chunk_id = c.id', store)
            || CASE WHEN _passage.is_spread_by_document(properties -> 'placement') THEN ' AND e.document_id = c.document_id' ELSE '' END ELSE '' END,
        CASE WHEN available @> '{documents.orphaned_at}' THEN 'count(d.orphaned_at)' ELSE 'NULL::bigint' END,
        CASE WHEN available @> '{documents.ingested_at}' THEN 'max(d.ingested_at)' ELSE 'NULL::timestamptz' END,
        CASE WHEN available @> '{documents.id}' THEN concat_ws(', ', 'id',
                CASE WHEN available @> '{documents.collection}' THEN 'collection' ELSE 'NULL::text AS collection' END,
                CASE WHEN available @> '{documents.version}' THEN 'version' ELSE 'NULL::text AS version' END,
                CASE WHEN available @> '{documents.orphaned_at}' THEN 'orphaned_at' END,
                CASE WHEN available @> '{documents.ingested_at}' THEN 'ingested_at' END) || format(' FROM %I.documents', store)
            ELSE format('DISTINCT document_id AS id, NULL::text AS collection, NULL::text AS version FROM %I.chunks', store) END,
        CASE WHEN has_embeddings THEN 'coalesce(sum(embedded), 0)::bigint' ELSE 'NULL::bigint' END,
        CASE WHEN has_embeddings THEN '(coalesce(sum(chunks), 0) - coalesce(sum(embedded), 0))::bigint' ELSE 'NULL::bigint' END)
        USING total_size, properties;
END
$$;

COMMENT ON FUNCTION _passage.store_counts(name) IS 'exact counts of a store, from any kind of relation';

-- Counts a store of another role. That role could replace a table with a view during the call, so a
-- setting restricts the function to tables.

CREATE FUNCTION _passage.restricted_store_counts(store name)
RETURNS TABLE (
    scope text, collection text, version text, documents bigint, orphaned bigint, chunks bigint, tokens bigint,
    embedded bigint, missing bigint, last_ingested timestamp with time zone, size text, settings jsonb
)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT * FROM _passage.store_counts(store)
$$;

COMMENT ON FUNCTION _passage.restricted_store_counts(name) IS 'exact counts of a store of another role, from tables alone';

CREATE FUNCTION passage.store_stats(store name DEFAULT NULL)
RETURNS TABLE (
    scope text, collection text, version text, documents bigint, orphaned bigint, chunks bigint, tokens bigint,
    embedded bigint, missing bigint, last_ingested timestamp with time zone, size text, settings jsonb
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    unreadable record;
BEGIN
    store := _passage.store_name(store);
    PERFORM _passage.store_must_exist(store);
    SELECT * INTO unreadable FROM _passage.unreadable_relations(store) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('cannot count store "%s" without running code of another role', store),
            DETAIL = format('Relation %s is not read: %s.', unreadable.object, unreadable.reason),
            HINT = 'Connect as a role that may run that code, or use the estimates of passage.stores().';
    ELSIF _passage.is_trusted_store(store) THEN
        RETURN QUERY SELECT * FROM _passage.store_counts(store);
    ELSE
        RETURN QUERY SELECT * FROM _passage.restricted_store_counts(store);
    END IF;
END
$$;

COMMENT ON FUNCTION passage.store_stats(name) IS 'returns exact counts of what the caller may see of a store: first the whole store, with scope total, then each collection and version
store: schema of the store; NULL takes the setting passage.store (rag)';
