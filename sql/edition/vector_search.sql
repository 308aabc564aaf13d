-- Search by an embedding, as in extension/src/store/search/ vector_search.rs, index_scan.rs and query_embedding.rs.

-- The distance of embeddings e to the embedding in a literal.

CREATE FUNCTION _passage.distance_expression(store name, embedding real[], distance text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    facts CONSTANT record := _passage.store_facts(store);
    schema name;
    typename name;
BEGIN
    SELECT nspname, typname INTO schema, typename
    FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid JOIN pg_namespace ON pg_namespace.oid = typnamespace
    WHERE attrelid = to_regclass(format('%I.embeddings', store)) AND attname = 'embedding' AND NOT attisdropped;
    IF typename IS NULL OR typename NOT IN ('vector', 'halfvec') THEN
        PERFORM _passage.refuse_argument(format('store "%s" has no embeddings', store),
            format('Omit the embedding, or run SELECT passage.create_store(%L, dimensions => n); and load embeddings.', store));
    ELSIF facts.dimensions <> cardinality(embedding) OR cardinality(embedding) = 0 THEN
        PERFORM _passage.refuse_argument(CASE WHEN facts.dimensions IS NULL THEN format('embedding must not have %s dimensions', cardinality(embedding))
            ELSE format('embedding must have %s dimensions as in store "%s", not %s', facts.dimensions, store, cardinality(embedding)) END,
            'Embed the query with the model that embedded the chunks.');
    ELSIF EXISTS (SELECT FROM unnest(embedding) AS value WHERE value IS NULL OR value IN ('NaN', 'Infinity', '-Infinity')) THEN
        PERFORM _passage.refuse_argument('NULL, NaN and infinity are not allowed in an embedding', 'Use finite numbers only.');
    END IF;
    RETURN CASE WHEN distance = 'signs' THEN format('%1$I.binary_quantize(e.embedding)::bit(%2$s) OPERATOR(%1$I.<~>) %1$I.binary_quantize(%3$L::%1$I.%4$I)::bit(%2$s)',
            schema, facts.dimensions, replace(replace(embedding::text, '{', '['), '}', ']'), typename)
        ELSE format('e.embedding OPERATOR(%1$I.%2$s) %3$L::%1$I.%4$I', schema,
            CASE coalesce(distance, facts.distance) WHEN 'l2' THEN '<->' WHEN 'inner_product' THEN '<#>' ELSE '<=>' END,
            replace(replace(embedding::text, '{', '['), '}', ']'), typename) END;
END
$$;

COMMENT ON FUNCTION _passage.distance_expression(name, real[], text) IS 'distance of embeddings to a given one';

CREATE FUNCTION _passage.similarity(distance double precision, kind text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT CASE kind WHEN 'l2' THEN 1.0::double precision / (1.0::double precision + distance) WHEN 'inner_product' THEN -distance ELSE 1.0::double precision - distance END $$;

COMMENT ON FUNCTION _passage.similarity(double precision, text) IS 'similarity of embeddings by their distance';

CREATE FUNCTION _passage.vector_search(store name, embedding real[], filter jsonb, max_rows integer, OUT ids uuid[], OUT scores double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    facts CONSTANT record := _passage.store_facts(store);
    distance CONSTANT text := _passage.distance_expression(store, embedding, NULL);
    by_cosine CONSTANT boolean := coalesce(facts.distance, 'cosine') = 'cosine';
    is_binary CONSTANT boolean := coalesce(facts.embedding_type = 'binary', false);
    clause CONSTANT text := _passage.filter_clause(store, CASE WHEN by_cosine THEN filter - 'min_similarity' ELSE filter END, true,
        CASE WHEN filter ? 'min_similarity' THEN _passage.distance_expression(store, embedding, 'cosine') END);
    visited integer := 2 * max_rows;
    -- Where nothing but orphaned documents is hidden, a scan need not go on, which keeps all that it passes over.
    shows_all CONSTANT boolean := coalesce(filter, '{}') - ARRAY['include_orphaned', CASE WHEN by_cosine THEN 'min_similarity' ELSE 'include_orphaned' END] = '{}'
        AND (SELECT bool_and(relkind IN ('r', 'p') AND NOT row_security_active(pg_class.oid)) FROM pg_class
            WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = store) AND relname IN ('documents', 'embeddings'));
    goes_on boolean;
    ef_search text;
    iterative text;
    seqscan CONSTANT text := current_setting('enable_seqscan');
    sort CONSTANT text := current_setting('enable_sort');
    distances double precision[];
    all_ids uuid[];
    all_distances double precision[];
BEGIN
    ef_search := coalesce(current_setting('hnsw.ef_search', true), '40');
    iterative := coalesce(current_setting('hnsw.iterative_scan', true), 'off');
    IF is_binary THEN
        visited := greatest(least(20 * max_rows, 1000), visited, ef_search::integer);
    END IF;
    FOREACH goes_on IN ARRAY CASE WHEN shows_all THEN '{f,t}'::boolean[] ELSE '{t}' END LOOP
        -- The settings apply to this statement alone. With them the planner takes the index where statistics are missing, too.
        PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
            set_config('hnsw.ef_search', greatest(ef_search::integer, least(greatest(visited, 200), 1000))::text, true),
            CASE WHEN goes_on AND iterative = 'off' THEN set_config('hnsw.iterative_scan', 'relaxed_order', true) END;
        IF is_binary THEN
            EXECUTE format('SELECT array_agg(chunk_id), array_agg(distance) FROM (SELECT * FROM (SELECT e.chunk_id, %s AS distance FROM %I.embeddings AS e%s ORDER BY %s LIMIT %s) AS candidate ORDER BY distance LIMIT %s) AS nearest',
                distance, store, clause, _passage.distance_expression(store, embedding, 'signs'), visited, max_rows) INTO ids, distances;
        ELSE
            EXECUTE format('SELECT array_agg(chunk_id), array_agg(distance) FROM (SELECT e.chunk_id, %1$s AS distance FROM %2$I.embeddings AS e%3$s ORDER BY %1$s LIMIT %4$s) AS nearest WHERE distance <> ''NaN''',
                distance, store, clause, max_rows) INTO ids, distances;
        END IF;
        PERFORM set_config('hnsw.ef_search', ef_search, true), set_config('hnsw.iterative_scan', iterative, true),
            set_config('enable_seqscan', seqscan, true), set_config('enable_sort', sort, true);
        ids := coalesce(ids, '{}');
        distances := coalesce(distances, '{}');
        EXIT WHEN cardinality(ids) >= max_rows;
    END LOOP;
    IF cardinality(ids) < max_rows THEN
        -- An index may miss a chunk, and ends early if few chunks pass the filters.
        EXECUTE format('SELECT array_agg(chunk_id), array_agg(distance), count(*) FROM (SELECT e.chunk_id, %s AS distance FROM %I.embeddings AS e%s LIMIT 20001) AS compared WHERE distance <> ''NaN''', distance, store, clause)
            INTO all_ids, all_distances;
        IF cardinality(all_ids) > 20000 THEN
            RAISE NOTICE USING MESSAGE = format('only %s of %s nearest chunks were found', cardinality(ids), max_rows),
                DETAIL = 'Few of the chunks near the embedding pass the filters or policies.', HINT = 'Raise hnsw.max_scan_tuples.';
        END IF;
        SELECT ids || array_agg(listed.id), distances || array_agg(listed.distance) INTO ids, distances
        FROM unnest(all_ids, all_distances) AS listed (id, distance) WHERE listed.id <> ALL (ids);
        ids := coalesce(ids, '{}');
        distances := coalesce(distances, '{}');
    END IF;
    SELECT array_agg(nearest.id ORDER BY nearest.place), array_agg(nearest.score ORDER BY nearest.place) INTO ids, scores
    FROM (
        SELECT listed.id, row_number() OVER (ORDER BY listed.distance, listed.id) AS place,
            _passage.similarity(listed.distance, facts.distance) AS score
        FROM unnest(ids, distances) AS listed (id, distance) ORDER BY place LIMIT max_rows
    ) AS nearest
    WHERE NOT by_cosine OR NOT filter ? 'min_similarity' OR nearest.score >= (filter ->> 'min_similarity')::double precision;
    ids := coalesce(ids, '{}');
    scores := coalesce(scores, '{}');
END
$$;

COMMENT ON FUNCTION _passage.vector_search(name, real[], jsonb, integer) IS 'chunks nearest to an embedding';
