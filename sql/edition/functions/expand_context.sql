-- PL/pgSQL has no argument and column of one name, so the public functions call this one.

CREATE FUNCTION _passage.context_rows(ids uuid[], scores double precision[], strategy text, given jsonb, store name) RETURNS TABLE (
    chunk_id uuid, document_id uuid, ordinal integer, role text, distance integer, hit_id uuid, score double precision, decayed_score double precision,
    level integer, section text[], path ltree, tokens integer, content text, source_id text, cut integer
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema CONSTANT name := _passage.store_name(store);
    expanded CONSTANT _passage.expansion := _passage.expand(schema, ids, scores, coalesce(strategy, _passage.text_setting('strategy', 'auto')), given, '{}', false, false);
BEGIN
    IF expanded.decisions IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format($sql$
        SELECT c.id, c.document_id, c.ordinal, coalesce((_passage.role_names())[(claim).role], 'hit'), (claim).distance, h.id, h.score,
            CASE WHEN (claim).role = 0 THEN h.score ELSE h.score * 0.5 / greatest(abs((claim).distance), 1) END,
            c.level, c.section, c.path, (claim).tokens, c.content, NULL::text, ($2)[h.hit]::integer
        FROM unnest($1) AS decision JOIN unnest($3) AS h ON h.hit = (claim).hit
        JOIN %I.chunks AS c ON c.document_id = h.document AND c.id = (claim).id
        WHERE decision.verdict IS NULL
        ORDER BY min(h.score_rank * 10000000 + h.hit) OVER (PARTITION BY h.document), c.ordinal, h.hit$sql$, schema)
        USING expanded.decisions, expanded.cut_tokens, expanded.hits;
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
