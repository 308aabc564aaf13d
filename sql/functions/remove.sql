-- remove: deletes documents from a store, with their chunks and embeddings.
--
-- The arguments must name a document by its uri or id, a collection, or a version of one. A uri that
-- several documents have is an error.

CREATE FUNCTION _passage.store_must_be_tables(store name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    wrong record;
BEGIN
    PERFORM _passage.store_must_exist(store);
    SELECT needed, pg_class.oid IS NULL AS missing INTO wrong
    FROM unnest('{documents,chunks}'::name[]) WITH ORDINALITY AS needed (needed, place)
    JOIN pg_namespace ON nspname = store
    LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = needed
    WHERE relkind IS NULL OR relkind NOT IN ('r', 'p')
    ORDER BY place
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
            MESSAGE = CASE WHEN wrong.missing THEN format('store "%s" has no table "%s"', store, wrong.needed)
                ELSE format('relation "%s" of store "%s" is a view', wrong.needed, store) END,
            HINT = 'Write to the tables behind the views, or name a store of tables, as passage.create_store creates it.';
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.store_must_be_tables(name) IS 'raises an error if a store cannot be written to';

CREATE FUNCTION passage.remove(
    uri text DEFAULT NULL,
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    document_id uuid DEFAULT NULL,
    store name DEFAULT NULL,
    OUT documents bigint, OUT chunks bigint
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ids uuid[];
    id uuid;
    is_distributed boolean;
BEGIN
    store := _passage.store_name(store);
    PERFORM _passage.store_must_be_tables(store);
    PERFORM _passage.transaction_must_write('remove');
    is_distributed := _passage.is_distributed(store);
    IF uri IS NULL AND collection IS NULL AND document_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'passage.remove requires uri, collection or document_id',
            -- Where a subquery on a shard finds no document, Citus calls the function with NULL.
            HINT = CASE WHEN is_distributed THEN 'Citus takes a call with a subquery to each shard: read the id in a CTE with MATERIALIZED.'
                ELSE 'Pass uri, document_id, collection, or collection and version.' END;
    END IF;

    PERFORM _passage.must_be_allowed('remove', NULL, store);
    -- Locks rows in one order, so that concurrent calls wait for each other instead of deadlocking. Citus locks one
    -- row at a time.
    EXECUTE format(
        'SELECT array_agg(id) FROM (SELECT id FROM %I.documents '
        'WHERE ($1 IS NULL OR uri = $1) AND ($2 IS NULL OR collection = $2) '
        'AND ($3 IS NULL OR version = $3) AND ($4 IS NULL OR id = $4) ORDER BY id %s) AS found',
        store, CASE WHEN is_distributed THEN '' ELSE 'FOR UPDATE' END)
        INTO ids USING uri, collection, version, document_id;
    IF uri IS NOT NULL AND cardinality(ids) > 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s documents have uri "%s"', cardinality(ids), left(uri, 100)),
            HINT = 'Pass collection and version as well.';
    END IF;

    IF is_distributed THEN
        FOREACH id IN ARRAY coalesce(ids, '{}') LOOP
            -- As replace_document does, a statement that writes nothing waits for a shard that moves.
            EXECUTE format('UPDATE %I.documents SET chunk_count = chunk_count WHERE id = $1 AND chunk_count < 0', store) USING id;
            EXECUTE format('SELECT FROM %I.documents WHERE id = $1 FOR UPDATE', store) USING id;
        END LOOP;
    END IF;

    EXECUTE format('DELETE FROM %I.chunks WHERE document_id = ANY ($1)', store) USING ids;
    GET DIAGNOSTICS chunks = ROW_COUNT;
    EXECUTE format('DELETE FROM %I.documents WHERE id = ANY ($1)', store) USING ids;
    GET DIAGNOSTICS documents = ROW_COUNT;
    IF documents < cardinality(ids) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('row-level security of store "%s" prevents the removal of documents', store),
            HINT = 'Grant the role policies for DELETE on documents and chunks.';
    END IF;
END
$$;

COMMENT ON FUNCTION passage.remove(text, text, text, uuid, name) IS 'deletes a document, a collection or one version of it, and returns how many documents and chunks that were
uri: of one document; an error where several have it; NULL does not filter
collection, version: equal to the value; version needs another argument; NULL does not filter
document_id: of one document; NULL does not filter
store: schema of the store; NULL takes the setting passage.store (rag)';
