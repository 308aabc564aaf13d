CREATE FUNCTION _passage.explanation_rows(expanded _passage.expansion, ids uuid[], scores double precision[]) RETURNS TABLE (
    hit integer, kept boolean, role text, rule text, distance integer, ordinal integer, section text[], tokens integer, tokens_so_far integer,
    cut_by text, chunk_id uuid, hit_id uuid, source_id text
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH ranked AS MATERIALIZED (SELECT id, (row_number() OVER (ORDER BY score_rank, first))::integer AS place FROM _passage.rank_hits(ids, scores, '{}'))
        SELECT place, cut_by IS NULL, role, rule, distance, ordinal, section, tokens, tokens_so_far, cut_by, chunk_id, hit_id, NULL::text
        FROM (
            SELECT ranked.place, coalesce((_passage.role_names())[(claim).role], 'hit') AS role,
                (claim).rule || CASE WHEN (expanded).fell_back[h.hit] AND (claim).rule IN ('parents', 'preceding', 'following', 'children') THEN ', nothing whole' ELSE '' END AS rule,
                (claim).distance, (claim).ordinal, (claim).section, (claim).tokens,
                _passage.saturated(tokens_before + CASE WHEN verdict IS NULL THEN (claim).tokens ELSE 0 END) AS tokens_so_far, verdict AS cut_by,
                (claim).id AS chunk_id, h.id AS hit_id, decision.number
            FROM unnest((expanded).decisions) WITH ORDINALITY AS decision (claim, verdict, tokens_before, number)
            JOIN unnest((expanded).hits) AS h ON h.hit = (claim).hit JOIN ranked ON ranked.id = h.id
            UNION ALL
            SELECT ranked.place, 'hit', 'hit', NULL, NULL, NULL, NULL, NULL, 'not found or not visible', ranked.id, ranked.id, 10000000 + ranked.place
            FROM ranked WHERE ranked.id NOT IN (SELECT h.id FROM unnest((expanded).hits) AS h)
        ) AS explained
        ORDER BY number;
END
$$;

COMMENT ON FUNCTION _passage.explanation_rows(_passage.expansion, uuid[], double precision[]) IS 'chunks that expansion considered';

-- twin: explain_context_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM _passage.explanation_rows(
        _passage.expand(_passage.store_name(explain_context.store), explain_context.chunk_ids, explain_context.scores,
            coalesce(explain_context.strategy, _passage.text_setting('strategy', 'auto')),
            _passage.read_limits(explain_context.max_tokens, explain_context.max_chunks, explain_context.limits), '{}', false, true),
        explain_context.chunk_ids, explain_context.scores);
END;
