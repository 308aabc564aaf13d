-- A score as near as possible to 0 has no half.

CREATE FUNCTION _passage.decayed_score(score double precision, distance integer) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN pg_catalog.abs(score) OPERATOR(pg_catalog.<=) 5e-324::pg_catalog.float8 OR (pg_catalog.abs(score) OPERATOR(pg_catalog.<) 1e-300::pg_catalog.float8
        AND (pg_catalog.abs(score OPERATOR(pg_catalog.*) 0.5::pg_catalog.float8) OPERATOR(pg_catalog.*) 2.0::pg_catalog.float8)
            OPERATOR(pg_catalog.<=) (greatest(pg_catalog.abs(distance::pg_catalog.int8), 1::pg_catalog.int8)::pg_catalog.float8 OPERATOR(pg_catalog.*) 5e-324::pg_catalog.float8))
    THEN score OPERATOR(pg_catalog.*) 0.0::pg_catalog.float8
    ELSE (score OPERATOR(pg_catalog.*) 0.5::pg_catalog.float8) OPERATOR(pg_catalog./) greatest(pg_catalog.abs(distance::pg_catalog.int8), 1::pg_catalog.int8)::pg_catalog.float8 END;

COMMENT ON FUNCTION _passage.decayed_score(double precision, integer) IS 'score of context at a distance from its hit';

-- PL/pgSQL has no argument and column of one name, so the public functions call this one. The names of the statement are found
-- as in _passage.window_claims.

CREATE FUNCTION _passage.context_rows(ids uuid[], scores double precision[], strategy text, given jsonb, store name) RETURNS TABLE (
    chunk_id uuid, document_id uuid, ordinal integer, role text, distance integer, hit_id uuid, score double precision, decayed_score double precision,
    level integer, section text[], path ltree, tokens integer, content text, source_id text, cut integer
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    schema CONSTANT name := _passage.store_name(store);
    expanded CONSTANT _passage.expansion := _passage.expand(schema, ids, scores, coalesce(strategy, _passage.text_setting('strategy', 'auto')), given, '{}', false, false);
    hit _passage.expanded_hit;
    -- What the hits have, by their numbers: a join would compare each chunk with all of them.
    hit_ids uuid[] := '{}';
    documents uuid[] := '{}';
    scores_of double precision[] := '{}';
    first_hits integer[];
BEGIN
    IF expanded.decisions IS NULL THEN
        RETURN;
    END IF;
    FOREACH hit IN ARRAY expanded.hits LOOP
        hit_ids := hit_ids || hit.id;
        documents := documents || hit.document;
        scores_of := scores_of || hit.score;
    END LOOP;
    first_hits := _passage.first_hits(documents);
    PERFORM _passage.use_store(schema, false);
    RETURN QUERY
        SELECT c.id, c.document_id, c.ordinal, coalesce((_passage.role_names())[(kept.claim).role], 'hit'), (kept.claim).distance, hit_ids[(kept.claim).hit], scores_of[(kept.claim).hit],
            CASE WHEN (kept.claim).role = 0 THEN scores_of[(kept.claim).hit] ELSE _passage.decayed_score(scores_of[(kept.claim).hit], (kept.claim).distance) END,
            c.level, c.section, c.path, (kept.claim).tokens, c.content, NULL::text, _passage.saturated(expanded.cut_tokens[(kept.claim).hit])
        FROM pg_catalog.unnest(expanded.decisions) AS kept
        JOIN (SELECT c.id::uuid, c.document_id::uuid, c.ordinal::integer, c.section::text[], c.path, c.level::integer, c.content::text FROM chunks AS c) AS c
            ON c.id = (kept.claim).id AND ((kept.claim).role = 8 OR c.document_id = documents[(kept.claim).hit])
        WHERE kept.verdict IS NULL
        ORDER BY (kept.claim).role = 8, CASE WHEN (kept.claim).role = 8 THEN (kept.claim).hit ELSE first_hits[(kept.claim).hit] END,
            CASE WHEN (kept.claim).role = 8 THEN (kept.claim).distance ELSE c.ordinal END, (kept.claim).hit;
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(schema);
    RAISE;
END
$$;

COMMENT ON FUNCTION _passage.context_rows(uuid[], double precision[], text, jsonb, name) IS 'hits with their context';

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
