-- Expansion: reads the hits and their context, and selects chunks, as in core/passages/src/expand/select_context.rs.

CREATE TYPE _passage.expansion AS (
    hits _passage.expanded_hit[], decisions _passage.decision[], truncated boolean[], cut_tokens bigint[], fell_back boolean[]
);

CREATE FUNCTION _passage.expand(
    store name, ids uuid[], scores double precision[], strategy text, given jsonb, skip uuid[], bridges boolean, explain boolean
) RETURNS _passage.expansion
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    max_passage_tokens CONSTANT integer := _passage.text_setting('max_passage_tokens', '2048');
    result _passage.expansion;
    decision _passage.decision;
    merged record;
BEGIN
    PERFORM _passage.store_must_exist(store);
    result.hits := _passage.read_hits(store, ids, scores, strategy, given, skip, 0, max_passage_tokens);
    IF cardinality(result.hits) = 0 THEN
        RETURN result;
    END IF;
    result.truncated := array_fill(false, ARRAY[cardinality(result.hits)]);
    result.cut_tokens := array_fill(0::bigint, ARRAY[cardinality(result.hits)]);
    result.fell_back := ARRAY(SELECT (hit.strategy).scope = 'container' AND hit.scope_group IS NULL FROM unnest(result.hits) AS hit ORDER BY hit.hit);
    merged := _passage.merged_sections(store, result.hits, skip);
    result.decisions := _passage.spend(store, result.hits, _passage.read_claims(store, result.hits, skip, bridges, merged.claims),
        _passage.budget_of(result.hits, 0, max_passage_tokens), explain);
    FOREACH decision IN ARRAY result.decisions LOOP
        IF decision.verdict IS NOT NULL THEN
            result.truncated[(decision.claim).hit] := true;
            result.cut_tokens[(decision.claim).hit] := result.cut_tokens[(decision.claim).hit] + (decision.claim).tokens;
        END IF;
    END LOOP;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.expand(name, uuid[], double precision[], text, jsonb, uuid[], boolean, boolean) IS 'hits with their context';
