CREATE FUNCTION _passage.searched_passages(
    query text, embedding real[], collection text, max_passages integer, given jsonb, strategy text, filter jsonb, ranking jsonb, output jsonb, skip uuid[], store name
) RETURNS _passage.passage_row[]
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    schema CONSTANT name := _passage.store_name(store);
    count CONSTANT integer := _passage.check_limit('max_passages', coalesce(max_passages, 10));
    ranked CONSTANT jsonb := _passage.read_group('ranking', ranking);
    written CONSTANT jsonb := _passage.read_group('output', output);
    filtered CONSTANT jsonb := _passage.read_filter(collection, filter);
    named CONSTANT text := coalesce(strategy, _passage.text_setting('strategy', 'auto'));
    shown CONSTANT uuid[] := ARRAY(SELECT DISTINCT listed FROM unnest(skip) AS listed WHERE listed IS NOT NULL);
    rows_of_legs CONSTANT integer := coalesce((ranked ->> 'candidates')::integer, greatest(count * 3, 30)) + cardinality(shown);
    more CONSTANT integer := CASE WHEN ranked ? 'candidates' THEN rows_of_legs ELSE greatest(least(rows_of_legs::bigint * 10, 1000 + cardinality(shown)), rows_of_legs) END;
    legs _passage.search_legs;
    hits _passage.search_hit[];
    chosen record;
    again record;
    nearest record;
BEGIN
    PERFORM _passage.store_must_be_readable(schema);
    legs := _passage.read_legs(schema, query, embedding, filtered, ranked, rows_of_legs, more);
    hits := _passage.fused_hits(schema, legs, ranked, rows_of_legs, shown);
    chosen := _passage.choose_passages(schema, ARRAY(SELECT hit.id FROM unnest(hits) AS hit), ARRAY(SELECT hit.score FROM unnest(hits) AS hit), named, given, count, written, coalesce(ranked ->> 'score_by', 'max'), shown);
    IF _passage.passage_count(chosen.rows, given) >= count OR rows_of_legs >= more OR cardinality(hits) + cardinality(shown) < rows_of_legs OR chosen.ending <> 'candidates' THEN
        RETURN chosen.rows;
    END IF;
    -- All candidates are hits, so the legs are read on once.
    IF legs.by_vector AND cardinality(legs.vector_ids) >= rows_of_legs THEN
        nearest := _passage.vector_search(schema, embedding, filtered, more);
        legs.vector_ids := nearest.ids;
        legs.vector_scores := nearest.scores;
    END IF;
    IF legs.by_text AND cardinality((legs.text).ids) BETWEEN rows_of_legs AND more - 1 THEN
        legs.text := _passage.text_search(schema, legs.parsed, filtered, CASE WHEN filtered ? 'min_similarity' THEN _passage.distance_expression(schema, embedding, 'cosine') END, more, more);
    END IF;
    legs.max_rows := more;
    hits := _passage.fused_hits(schema, legs, ranked, more, shown);
    again := _passage.choose_passages(schema, ARRAY(SELECT hit.id FROM unnest(hits) AS hit), ARRAY(SELECT hit.score FROM unnest(hits) AS hit), named, given, count, written, coalesce(ranked ->> 'score_by', 'max'), shown);
    RETURN CASE WHEN _passage.passage_count(again.rows, given) > _passage.passage_count(chosen.rows, given) THEN again.rows ELSE chosen.rows END;
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(schema);
    RAISE;
END
$$;

COMMENT ON FUNCTION _passage.searched_passages(text, real[], text, integer, jsonb, text, jsonb, jsonb, jsonb, uuid[], name) IS 'passages of a search';

-- OFFSET as in _passage.reassembled.

-- twin: search_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT listed.* FROM (
        SELECT _passage.searched_passages(search.query, search.embedding, search.collection, search.max_passages,
            _passage.read_limits(search.max_tokens, NULL, search.limits), search.strategy, search.filter, search.ranking, search.output, search.skip, search.store) AS passages OFFSET 0
    ) AS found CROSS JOIN LATERAL pg_catalog.unnest(found.passages) AS listed;
END;
