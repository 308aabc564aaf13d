-- Search: the rankings by words and by embedding, their fusion and the order of the fused hits, as in
-- extension/src/search/legs.rs and core/passages/src/search/ fuse.rs, reorder.rs and query_name.rs.

CREATE TYPE _passage.search_hit AS (id uuid, score double precision, vector_rank integer, vector_score double precision, text_rank integer, text_score double precision);

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
    -- The settings apply to this statement alone. With them the planner takes the index where statistics are missing, too.
    PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
        set_config('hnsw.ef_search', greatest(ef_search::integer, least(greatest(visited, 200), 1000))::text, true),
        CASE WHEN iterative = 'off' THEN set_config('hnsw.iterative_scan', 'relaxed_order', true) END;
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

-- The values of the hits of a ranking, scaled to 0 to 1, with a smaller term for the rank.

CREATE FUNCTION _passage.scaled_values(scores double precision[], floor double precision, weight double precision) RETURNS double precision[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    best CONSTANT double precision := (SELECT max(score) FROM unnest(scores) AS score);
    last CONSTANT double precision := least((SELECT min(score) FROM unnest(scores) AS score), floor);
BEGIN
    RETURN ARRAY(
        SELECT weight * (CASE WHEN best > last THEN least(greatest((score - last) / (best - last), 0), 1) ELSE 1.0::double precision END
            + 0.5::double precision * 10.0::double precision / (10.0::double precision + place::double precision))
        FROM unnest(scores) WITH ORDINALITY AS listed (score, place) ORDER BY place);
END
$$;

COMMENT ON FUNCTION _passage.scaled_values(double precision[], double precision, double precision) IS 'values of the hits of a ranking';

CREATE FUNCTION _passage.bare_name(name text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bare text COLLATE "C" := btrim(regexp_replace(name COLLATE "C", '\s+', ' ', 'g'));
BEGIN
    IF octet_length(bare) > length(bare) THEN
        bare := _passage.normalize_text(bare);
    END IF;
    bare := lower(bare COLLATE "default");
    bare := rtrim(btrim(rtrim(bare, ':.?!'), '"''`'), ':.?!');
    RETURN CASE WHEN right(bare, 2) = '()' THEN left(bare, -2) ELSE bare END;
END
$$;

COMMENT ON FUNCTION _passage.bare_name(text) IS 'name without quotes and punctuation';

-- The number of titles of the unit that a query names, NULL if it names none: a section, a symbol, or a file.

CREATE FUNCTION _passage.named_depth(name text, titles text[], section text[], uri text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bare text[];
    path CONSTANT text := lower(uri);
BEGIN
    IF strpos(name, '.') > 0 AND right(path, length(name)) = name AND (length(path) = length(name) OR substr(path, length(path) - length(name), 1) = '/') THEN
        RETURN 0;
    END IF;
    bare := ARRAY(SELECT _passage.bare_name(title) FROM unnest(section) WITH ORDINALITY AS listed (title, place) ORDER BY place);
    RETURN coalesce(array_position(bare, name), (
        SELECT min(first) + cardinality(titles) - 1 FROM generate_series(1, cardinality(bare) - cardinality(titles) + 1) AS first WHERE bare[first:first + cardinality(titles) - 1] = titles));
END
$$;

COMMENT ON FUNCTION _passage.named_depth(text, text[], text[], text) IS 'number of titles of the unit that a query names';

-- The rankings of a search, from which hits are made for any smaller number of candidates.

CREATE TYPE _passage.search_legs AS (
    query text, parsed _passage.parsed_query, vector_ids uuid[], vector_scores double precision[], text _passage.text_ranking, by_vector boolean, by_text boolean, max_rows integer
);

CREATE FUNCTION _passage.read_legs(store name, query text, embedding real[], filter jsonb, ranking jsonb, max_rows integer, max_words integer) RETURNS _passage.search_legs
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    mode CONSTANT text := ranking ->> 'mode';
    legs _passage.search_legs;
    nearest record;
    cosine text;
    unmatched integer[];
    corrected _passage.parsed_query;
BEGIN
    IF filter ? 'min_similarity' AND embedding IS NULL THEN
        PERFORM _passage.refuse_argument('"min_similarity" requires the argument "embedding"', 'Pass embedding => ..., the vector of the query, or omit "min_similarity".');
    ELSIF mode <> 'text' AND embedding IS NULL THEN
        PERFORM _passage.refuse_argument(format('mode "%s" requires the argument "embedding"', mode), format('Pass embedding => ..., the vector of the query, or omit mode "%s".', mode));
    ELSIF mode <> 'vector' AND query IS NULL THEN
        PERFORM _passage.refuse_argument(format('mode "%s" requires the argument "query"', mode), format('Pass query => ..., the words of the query, or omit mode "%s".', mode));
    END IF;
    legs.query := query;
    legs.by_vector := embedding IS NOT NULL AND mode IS DISTINCT FROM 'text';
    legs.by_text := query IS NOT NULL AND mode IS DISTINCT FROM 'vector';
    legs.max_rows := max_rows;
    IF legs.by_vector THEN
        nearest := _passage.vector_search(store, embedding, filter, max_rows);
        legs.vector_ids := nearest.ids;
        legs.vector_scores := nearest.scores;
    END IF;
    IF legs.by_text THEN
        legs.parsed := _passage.parse_query(store, query);
        cosine := CASE WHEN filter ? 'min_similarity' THEN _passage.distance_expression(store, embedding, 'cosine') END;
        legs.text := _passage.text_search(store, legs.parsed, filter, cosine, max_rows, max_words);
        unmatched := _passage.unmatched_words(legs.parsed, ARRAY(SELECT count > 0 FROM unnest((legs.text).frequencies) WITH ORDINALITY AS listed (count, place) ORDER BY place));
        IF cardinality(unmatched) > 0 THEN
            corrected := _passage.corrected_query(store, legs.parsed, filter, unmatched, cardinality((legs.text).ids) = 0);
            IF corrected.lexemes IS NOT NULL THEN
                legs.parsed := corrected;
                legs.text := _passage.text_search(store, corrected, filter, cosine, max_rows, max_words);
            END IF;
        END IF;
    END IF;
    IF max_rows > 0 AND (legs.by_vector OR legs.by_text) AND coalesce(cardinality(legs.vector_ids), 0) + coalesce(cardinality((legs.text).ids), 0) = 0 THEN
        PERFORM _passage.explain_nothing(store, filter, CASE WHEN legs.by_text THEN query END, legs.by_vector);
    END IF;
    RETURN legs;
END
$$;

COMMENT ON FUNCTION _passage.read_legs(name, text, real[], jsonb, jsonb, integer, integer) IS 'rankings of a search';

CREATE FUNCTION _passage.fused_hits(store name, legs _passage.search_legs, ranking jsonb, max_rows integer, skip uuid[]) RETURNS _passage.search_hit[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rows CONSTANT integer := least(legs.max_rows, max_rows);
    vector_ids CONSTANT uuid[] := CASE WHEN legs.by_vector THEN legs.vector_ids[:rows] ELSE '{}' END;
    vector_scores CONSTANT double precision[] := CASE WHEN legs.by_vector THEN legs.vector_scores[:rows] ELSE '{}' END;
    text_ids CONSTANT uuid[] := CASE WHEN legs.by_text THEN (legs.text).ids[:rows] ELSE '{}' END;
    text_scores CONSTANT double precision[] := CASE WHEN legs.by_text THEN (legs.text).scores[:rows] ELSE '{}' END;
    vector_weight CONSTANT double precision := coalesce((ranking ->> 'vector_weight')::double precision, 1);
    text_weight CONSTANT double precision := coalesce((ranking ->> 'text_weight')::double precision, 1);
    rrf_k CONSTANT double precision := ranking ->> 'rrf_k';
    is_fused CONSTANT boolean := legs.by_vector AND legs.by_text;
    hits _passage.search_hit[];
    coverages jsonb := '{}';
    best_coverage double precision := 0;
    vector_values double precision[];
    text_values double precision[];
    name text;
    titles text[];
    named_ids uuid[];
    best double precision;
BEGIN
    IF is_fused AND rrf_k IS NULL THEN
        SELECT jsonb_object_agg(covered.id, covered.coverage), max(covered.coverage) INTO coverages, best_coverage
        FROM (SELECT m.id, _passage.coverage(legs.parsed, m.occurrences, (legs.text).idf) AS coverage FROM unnest((legs.text).matches) AS m WHERE m.id = ANY (vector_ids || text_ids)) AS covered;
        coverages := coalesce(coverages, '{}');
        vector_values := _passage.scaled_values(vector_scores, NULL, vector_weight);
        text_values := _passage.scaled_values(text_scores, CASE WHEN cardinality(text_ids) < rows THEN 0 END, 1.5::double precision * greatest(coalesce(best_coverage, 0), 0) * text_weight);
    ELSE
        vector_values := ARRAY(SELECT CASE WHEN is_fused THEN vector_weight ELSE 1 END / (CASE WHEN is_fused THEN rrf_k ELSE 0 END + place::double precision) FROM unnest(vector_ids) WITH ORDINALITY AS listed (id, place) ORDER BY place);
        text_values := ARRAY(SELECT CASE WHEN is_fused THEN text_weight ELSE 1 END / (CASE WHEN is_fused THEN rrf_k ELSE 0 END + place::double precision) FROM unnest(text_ids) WITH ORDINALITY AS listed (id, place) ORDER BY place);
    END IF;
    SELECT array_agg((fused.id, CASE WHEN is_fused THEN fused.value ELSE coalesce(fused.vector_score, fused.text_score) END, fused.vector_rank, fused.vector_score, fused.text_rank, fused.text_score)::_passage.search_hit
        ORDER BY fused.value DESC, least(fused.vector_rank, fused.text_rank), fused.vector_rank NULLS LAST, fused.text_rank NULLS LAST)
    INTO hits
    FROM (
        SELECT id, coalesce(v.value, 0) + coalesce(t.value, 0) AS value, v.rank::integer AS vector_rank, v.score AS vector_score, t.rank::integer AS text_rank, t.score AS text_score
        FROM (SELECT * FROM unnest(vector_ids, vector_scores, vector_values) WITH ORDINALITY AS listed (id, score, value, rank) WHERE NOT is_fused OR rrf_k IS NOT NULL AND vector_weight > 0 OR rrf_k IS NULL AND vector_weight > 0) AS v
        FULL JOIN (SELECT * FROM unnest(text_ids, text_scores, text_values) WITH ORDINALITY AS listed (id, score, value, rank)
            WHERE NOT is_fused OR CASE WHEN rrf_k IS NOT NULL THEN text_weight > 0 ELSE text_weight * best_coverage > 0 END) AS t USING (id)
    ) AS fused;
    IF hits IS NULL THEN
        RETURN '{}';
    END IF;
    IF is_fused AND rrf_k IS NULL AND vector_weight > 0 AND text_weight > 0 THEN
        EXECUTE format($sql$
            WITH placed AS MATERIALIZED (
                SELECT hit.*, c.document_id, c.ordinal, least($3 / $4, 1) * coalesce(($2 ->> hit.id::text)::double precision, 0) AS coverage
                FROM unnest($1) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number) LEFT JOIN %I.chunks AS c ON c.id = hit.id
            ), evidence AS (
                SELECT placed.*, greatest(0, (SELECT max(near.score) FROM placed AS near WHERE near.document_id = placed.document_id AND near.ordinal IN (placed.ordinal - 1, placed.ordinal + 1))) AS neighbor,
                    greatest(0, max(score) OVER ()) AS best, 0.45::double precision * (1.0::double precision - power(greatest(0, max(coverage) OVER ()), 8)) AS share
                FROM placed
            ), ordered AS (
                SELECT *, score + (share * neighbor + 0.25::double precision * best * coverage) AS new_score FROM evidence
            )
            SELECT array_agg((id, new_score, vector_rank, vector_score, text_rank, text_score)::_passage.search_hit ORDER BY new_score DESC, number) FROM ordered$sql$, store)
            INTO hits USING hits, coverages, text_weight, vector_weight;
    END IF;
    IF legs.by_text AND octet_length(legs.query) <= 1024 AND cardinality(ARRAY(SELECT regexp_matches(legs.query, '\S+', 'g'))) <= 8 THEN
        -- A name asks for the unit that has it, in the order of the document.
        name := _passage.bare_name(legs.query);
        titles := ARRAY(SELECT btrim(part) FROM regexp_split_to_table(name, '::|->|\.|#') WITH ORDINALITY AS listed (part, place) WHERE btrim(part) <> '' ORDER BY place);
        IF cardinality(titles) > 0 AND name ~ '[[:alnum:]]' THEN
            EXECUTE format($sql$
                SELECT array_agg(id ORDER BY unit_rank, ordinal) FROM (
                    SELECT hit.id, c.ordinal, min(hit.number) OVER (PARTITION BY c.document_id, c.section[:named.depth]) AS unit_rank
                    FROM unnest($1) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number)
                    JOIN %1$I.chunks AS c ON c.id = hit.id LEFT JOIN %1$I.documents AS d ON d.id = c.document_id
                    CROSS JOIN LATERAL (SELECT _passage.named_depth($2, $3, c.section, d.uri)) AS named (depth)
                    WHERE named.depth IS NOT NULL
                ) AS found$sql$, store) INTO named_ids USING hits, name, titles;
            IF named_ids IS NOT NULL THEN
                best := (SELECT greatest(0, max(hit.score)) FROM unnest(hits) AS hit);
                hits := ARRAY(
                    SELECT (hit.id, CASE WHEN named.place IS NULL THEN hit.score ELSE best * (2.0::double precision - (named.place - 1)::double precision / cardinality(named_ids)::double precision) END,
                        hit.vector_rank, hit.vector_score, hit.text_rank, hit.text_score)::_passage.search_hit
                    FROM unnest(hits) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number)
                    LEFT JOIN unnest(named_ids) WITH ORDINALITY AS named (id, place) USING (id) ORDER BY named.place NULLS LAST, hit.number);
            END IF;
        END IF;
    END IF;
    RETURN ARRAY(SELECT (hit.id, hit.score, hit.vector_rank, hit.vector_score, hit.text_rank, hit.text_score)::_passage.search_hit
        FROM unnest(hits) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number) WHERE hit.id <> ALL (skip) ORDER BY hit.number);
END
$$;

COMMENT ON FUNCTION _passage.fused_hits(name, _passage.search_legs, jsonb, integer, uuid[]) IS 'hits of a search, best first';
