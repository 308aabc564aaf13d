-- store_stats: what a store holds, counted.
--
-- Beside stores(), which knows all stores from the catalogs and runs nothing of them, this reads one:
-- exact counts, of what the caller may see. What a store of views does not have is NULL. Code of
-- another role does not run for it: neither a view nor a policy with a function of its own.

CREATE FUNCTION _passage.store_counts(store name)
RETURNS TABLE (
    collection text, version text, documents bigint, orphaned bigint, chunks bigint, tokens bigint,
    embedded bigint, missing bigint, last_ingested timestamp with time zone, size text, settings jsonb
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    made record;
    has text[];
    has_embeddings boolean;
    held text;
    told jsonb;
BEGIN
    made := _passage.store_facts(store);
    has := _passage.matching_columns(store);
    IF has @> '{chunks.id,chunks.document_id,chunks.content}' IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'datatype_mismatch',
            MESSAGE = format('chunks of store "%s" cannot be counted: id, document_id and content must be uuid, uuid and text', store),
            HINT = format('SELECT * FROM passage.check_store(%L); says what the store lacks.', store);
    END IF;
    -- Who may not read embeddings gets the other numbers.
    has_embeddings := has @> '{embeddings.chunk_id}' AND has_column_privilege(format('%I.embeddings', store), 'chunk_id', 'SELECT');

    SELECT pg_size_pretty(sum(pg_total_relation_size(pg_class.oid))) INTO held
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = store AND relkind IN ('r', 'm') AND relname IN ('documents', 'chunks', 'embeddings', 'strategies', 'settings');
    told := jsonb_strip_nulls(jsonb_build_object('dimensions', made.dimensions, 'embedding_type', made.embedding_type,
        'distance', made.distance, 'language', made.language)) || coalesce(_passage.store_settings(store), '{}');

    RETURN QUERY EXECUTE format($query$
        WITH counted AS (
            SELECT c.document_id, count(*) AS chunks, sum(%1$s) AS tokens, %2$s AS embedded
            FROM %3$I.chunks AS c %4$s
            GROUP BY c.document_id
        )
        SELECT d.collection, d.version, count(d.id), %5$s, coalesce(sum(chunks), 0)::bigint, coalesce(sum(tokens), 0)::bigint,
            %8$s, %9$s, %6$s,
            CASE WHEN grouping(d.collection) = 1 THEN $1 END, CASE WHEN grouping(d.collection) = 1 THEN $2 END
        FROM (SELECT %7$s) AS d FULL JOIN counted ON counted.document_id = d.id
        GROUP BY GROUPING SETS ((), (d.collection, d.version))
        ORDER BY grouping(d.collection) DESC, d.collection, d.version $query$,
        CASE WHEN has @> '{chunks.tokens}' THEN 'coalesce(c.tokens, (char_length(c.content) + 3) / 4)'
            ELSE '(char_length(c.content) + 3) / 4' END,
        CASE WHEN has_embeddings THEN 'count(e.chunk_id)' ELSE 'NULL::bigint' END,
        store,
        CASE WHEN has_embeddings THEN format('LEFT JOIN %I.embeddings AS e ON e.chunk_id = c.id', store) ELSE '' END,
        CASE WHEN has @> '{documents.orphaned_at}' THEN 'count(d.orphaned_at)' ELSE 'NULL::bigint' END,
        CASE WHEN has @> '{documents.ingested_at}' THEN 'max(d.ingested_at)' ELSE 'NULL::timestamptz' END,
        CASE WHEN has @> '{documents.id}' THEN concat_ws(', ', 'id',
                CASE WHEN has @> '{documents.collection}' THEN 'collection' ELSE 'NULL::text AS collection' END,
                CASE WHEN has @> '{documents.version}' THEN 'version' ELSE 'NULL::text AS version' END,
                CASE WHEN has @> '{documents.orphaned_at}' THEN 'orphaned_at' END,
                CASE WHEN has @> '{documents.ingested_at}' THEN 'ingested_at' END) || format(' FROM %I.documents', store)
            ELSE format('DISTINCT document_id AS id, NULL::text AS collection, NULL::text AS version FROM %I.chunks', store) END,
        CASE WHEN has_embeddings THEN 'coalesce(sum(embedded), 0)::bigint' ELSE 'NULL::bigint' END,
        CASE WHEN has_embeddings THEN '(coalesce(sum(chunks), 0) - coalesce(sum(embedded), 0))::bigint' ELSE 'NULL::bigint' END)
        USING held, told;
END
$$;

COMMENT ON FUNCTION _passage.store_counts(name) IS 'what a store holds, counted with whatever it consists of';

-- The same of a store that others own, who could put a view in the place of a table meanwhile.

CREATE FUNCTION _passage.restricted_store_counts(store name)
RETURNS TABLE (
    collection text, version text, documents bigint, orphaned bigint, chunks bigint, tokens bigint,
    embedded bigint, missing bigint, last_ingested timestamp with time zone, size text, settings jsonb
)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT * FROM _passage.store_counts(store)
$$;

COMMENT ON FUNCTION _passage.restricted_store_counts(name) IS 'what a store of tables holds that others own';

CREATE FUNCTION passage.store_stats(store name DEFAULT NULL)
RETURNS TABLE (
    collection text, version text, documents bigint, orphaned bigint, chunks bigint, tokens bigint,
    embedded bigint, missing bigint, last_ingested timestamp with time zone, size text, settings jsonb
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    unread record;
BEGIN
    store := _passage.store_name(store);
    PERFORM _passage.store_must_exist(store);
    SELECT * INTO unread FROM _passage.unreadable_relations(store) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('store "%s" cannot be counted without running code of another role', store),
            DETAIL = format('%s is not read: %s.', unread.object, unread.reason),
            HINT = 'Connect as a role that may run that code. passage.stores() estimates from the catalogs.';
    ELSIF _passage.is_trusted_store(store) THEN
        RETURN QUERY SELECT * FROM _passage.store_counts(store);
    ELSE
        RETURN QUERY SELECT * FROM _passage.restricted_store_counts(store);
    END IF;
END
$$;

COMMENT ON FUNCTION passage.store_stats(name) IS 'returns exact counts of what the caller may see of a store: first the whole store, then each collection and version
store: schema of the store; NULL takes the setting passage.store (rag)';
