CREATE FUNCTION _passage.reassembled(
    ids uuid[], scores double precision[], strategy text, max_passages integer, given jsonb, ranking jsonb, output jsonb, skip uuid[], store name
) RETURNS _passage.passage_row[]
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    schema CONSTANT name := _passage.store_name(store);
    named CONSTANT text := coalesce(strategy, _passage.text_setting('strategy', 'auto'));
    written CONSTANT jsonb := _passage.read_group('output', output);
    max_passage_tokens CONSTANT integer := _passage.number_setting('max_passage_tokens', 2048);
    score_by CONSTANT text := coalesce(_passage.read_group('ranking', ranking, '{mode,candidates,vector_weight,text_weight,rrf_k,feedback}') ->> 'score_by', 'max');
    shown uuid[] := '{}';
    hits _passage.expanded_hit[];
BEGIN
    PERFORM _passage.check_limit('max_passages', max_passages);
    IF cardinality(skip) > 0 THEN
        shown := ARRAY(SELECT id FROM unnest(skip) AS id WHERE id IS NOT NULL);
    END IF;
    IF max_passages IS NOT NULL THEN
        RETURN _passage.chosen_passages(schema, ids, scores, named, given, max_passages, written, score_by, shown);
    END IF;
    hits := _passage.read_hits(schema, ids, scores, named, given, shown, 0, max_passage_tokens);
    IF cardinality(hits) = 0 THEN
        RETURN '{}';
    END IF;
    RETURN _passage.budgeted_passages(schema, hits, shown, written, _passage.budget_of(hits, 0, max_passage_tokens), score_by, NULL, ids, scores);
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(schema);
    RAISE;
END
$$;

COMMENT ON FUNCTION _passage.reassembled(uuid[], double precision[], text, integer, jsonb, jsonb, jsonb, uuid[], name) IS 'passages that hits belong to';

-- To estimate the rows of unnest(), the planner calls a function in its argument. So OFFSET keeps the two apart.

-- twin: reassemble_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT listed.* FROM (
        SELECT _passage.reassembled(reassemble.chunk_ids, reassemble.scores, reassemble.strategy, reassemble.max_passages,
            _passage.read_limits(reassemble.max_tokens, NULL, reassemble.limits), reassemble.ranking, reassemble.output, reassemble.skip, reassemble.store) AS passages OFFSET 0
    ) AS found CROSS JOIN LATERAL pg_catalog.unnest(found.passages) AS listed;
END;
