-- PL/pgSQL has no argument and column of one name, so the public functions call this one.

CREATE FUNCTION _passage.context_rows(ids uuid[], scores double precision[], strategy text, given jsonb, store name) RETURNS TABLE (
    chunk_id uuid, document_id uuid, ordinal integer, role text, distance integer, hit_id uuid, score double precision, decayed_score double precision,
    level integer, section text[], path ltree, tokens integer, content text, source_id text, cut integer
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    schema CONSTANT name := _passage.store_name(store);
    expanded CONSTANT _passage.expansion := _passage.expand(schema, ids, scores, coalesce(strategy, _passage.text_setting('strategy', 'auto')), given, '{}', false, false);
BEGIN
    IF expanded.decisions IS NOT NULL THEN
        RETURN QUERY SELECT * FROM _passage.stored_context(schema, expanded.hits, expanded.decisions, expanded.cut_tokens);
    END IF;
EXCEPTION WHEN undefined_table OR undefined_column THEN
    PERFORM _passage.refuse_incomplete_store(schema);
    RAISE;
END
$$;

COMMENT ON FUNCTION _passage.context_rows(uuid[], double precision[], text, jsonb, name) IS 'hits with their context';

-- A score as near as possible to 0 has no half.

CREATE FUNCTION _passage.decayed_score(score double precision, distance integer) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    least CONSTANT double precision := 5e-324;
    steps CONSTANT double precision := greatest(abs(distance::bigint), 1);
BEGIN
    IF abs(score) <= least OR abs(score) < 1e-300 AND abs(score * 0.5::double precision) * 2.0::double precision <= steps * least THEN
        RETURN score * 0.0::double precision;
    END IF;
    RETURN score * 0.5::double precision / steps;
END
$$;

COMMENT ON FUNCTION _passage.decayed_score(double precision, integer) IS 'score of context at a distance from its hit';

-- The selected chunks as the store has them. The names of the statement are found as in _passage.window_claims.

CREATE FUNCTION _passage.stored_context(store name, hits _passage.expanded_hit[], decisions _passage.decision[], cut_tokens bigint[]) RETURNS TABLE (
    chunk_id uuid, document_id uuid, ordinal integer, role text, distance integer, hit_id uuid, score double precision, decayed_score double precision,
    level integer, section text[], path ltree, tokens integer, content text, source_id text, cut integer
) LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
AS $$
#variable_conflict use_column
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN QUERY
        WITH chunks AS NOT MATERIALIZED (
            SELECT c.id::uuid, c.document_id::uuid, c.ordinal::integer, c.section::text[], c.path, c.level::integer, c.content::text FROM chunks AS c
        )
        SELECT c.id, c.document_id, c.ordinal, coalesce((_passage.role_names())[(kept.claim).role], 'hit'), (kept.claim).distance, h.id, h.score,
            CASE WHEN (kept.claim).role = 0 THEN h.score ELSE _passage.decayed_score(h.score, (kept.claim).distance) END,
            c.level, c.section, c.path, (kept.claim).tokens, c.content, NULL::text, _passage.saturated(cut_tokens[h.hit])
        FROM pg_catalog.unnest(decisions) AS kept JOIN pg_catalog.unnest(hits) AS h ON h.hit = (kept.claim).hit
        JOIN chunks AS c ON c.id = (kept.claim).id AND c.document_id = h.document
        WHERE kept.verdict IS NULL
        ORDER BY min(h.score_rank * 10000000::bigint + h.hit) OVER (PARTITION BY h.document), c.ordinal, h.hit;
END
$$;

COMMENT ON FUNCTION _passage.stored_context(name, _passage.expanded_hit[], _passage.decision[], bigint[]) IS 'selected chunks as the store has them';

-- twin: expand_context_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM _passage.context_rows(ARRAY[expand_context.chunk_id], NULL, expand_context.strategy,
        _passage.read_limits(expand_context.max_tokens, expand_context.max_chunks, expand_context.limits), expand_context.store);
END;

-- twin: expand_contexts_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM _passage.context_rows(expand_contexts.chunk_ids, expand_contexts.scores, expand_contexts.strategy,
        _passage.read_limits(expand_contexts.max_tokens, expand_contexts.max_chunks, expand_contexts.limits), expand_contexts.store);
END;
