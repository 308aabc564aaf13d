-- twin: likeness_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    schema CONSTANT name := _passage.store_name(store);
    of_chunk CONSTANT uuid := likeness.chunk_id;
    of_document CONSTANT uuid := likeness.document_id;
    casts text;
BEGIN
    PERFORM _passage.store_must_be_readable(schema);
    SELECT format('LEFT JOIN LATERAL (SELECT %I.%I(e.embedding, -1, false) AS embedding FROM %I.embeddings AS e WHERE e.chunk_id = c.id) AS e ON true', nspname, typname || '_to_float4', schema) INTO casts
    FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid JOIN pg_namespace ON pg_namespace.oid = typnamespace
    WHERE attrelid = to_regclass(format('%I.embeddings', schema)) AND attname = 'embedding' AND NOT attisdropped AND typname IN ('vector', 'halfvec');
    RETURN QUERY EXECUTE format($sql$
        WITH read AS (
            SELECT c.id::uuid, c.ordinal::integer, c.section::text[], left(c.content::text, 4000) AS content, e.embedding
            FROM %I.chunks AS c %s WHERE %s ORDER BY c.ordinal, c.id LIMIT 1000
        )
        SELECT left(concat_ws(' ', string_agg(array_to_string(section, ' '), ' ' ORDER BY ordinal, id), string_agg(content, ' ' ORDER BY ordinal, id)), 100000),
            (SELECT array_agg(mean ORDER BY place) FROM (
                SELECT place, (sum(value::double precision) / count(*)::double precision)::real AS mean
                FROM read, unnest(embedding) WITH ORDINALITY AS listed (value, place) GROUP BY place) AS means),
            array_agg(id ORDER BY ordinal, id)
        FROM read HAVING count(*) > 0$sql$,
        schema, coalesce(casts, 'CROSS JOIN (SELECT NULL::real[] AS embedding) AS e'),
        CASE WHEN of_chunk IS NULL THEN 'c.document_id = $2' ELSE 'c.id = $1' END) USING of_chunk, of_document;
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(schema);
    RAISE;
END
$$;

-- twin: listed_chunks_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    schema CONSTANT name := _passage.store_name(store);
    -- There is no embedding to compare with.
    filtered CONSTANT jsonb := _passage.read_filter(collection, filter, NULL, '{min_similarity}');
    admitted uuid[];
BEGIN
    PERFORM _passage.store_must_be_readable(schema);
    admitted := _passage.admitted_chunks(schema, listed_chunks.chunk_ids, filtered, NULL);
    IF cardinality(admitted) = 0 AND cardinality(listed_chunks.chunk_ids) > 0 THEN
        PERFORM _passage.explain_nothing(schema, filtered, NULL, true);
    END IF;
    RETURN QUERY SELECT * FROM _passage.list_chunks(schema, admitted);
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(schema);
    RAISE;
END
$$;
