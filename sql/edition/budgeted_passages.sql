-- Passages within a budget, as in extension/src/expansion/request.rs.

-- Lines that passages repeat after gaps and fences that they close are known only with the passages. If they do not fit, less
-- context is selected. Hits are never dropped, so their tokens can be too many for any budget.

CREATE FUNCTION _passage.budgeted_passages(
    store name, hits _passage.expanded_hit[], skip uuid[], output jsonb, budget _passage.budget, score_by text, max_passages integer, ids uuid[], scores double precision[]
) RETURNS _passage.passage_row[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rest _passage.budget := budget;
    bridges CONSTANT boolean := CASE WHEN output -> 'max_distance' = '"document"' THEN true ELSE coalesce((output ->> 'max_distance')::integer, 3) >= 2 END;
    expanded _passage.expansion;
    passages _passage.passage_row[];
    tokens bigint;
    least bigint := 9223372036854775807;
BEGIN
    IF budget.max_tokens IS NOT NULL THEN
        rest.max_tokens := greatest(budget.max_tokens - _passage.reserved_tokens(store, hits), 0);
    END IF;
    LOOP
        expanded := _passage.expand_hits(store, hits, skip, bridges, coalesce((output ->> 'imports')::boolean, false), coalesce((output ->> 'explain')::boolean, false), rest);
        IF (output ->> 'imports')::boolean THEN
            expanded := _passage.with_imports(store, expanded, rest, skip);
        END IF;
        passages := _passage.passage_rows(store, expanded, output, score_by, max_passages, ids, scores);
        EXIT WHEN budget.max_tokens IS NULL;
        tokens := _passage.passage_tokens(passages);
        EXIT WHEN tokens <= budget.max_tokens OR tokens >= least;
        least := tokens;
        rest.max_tokens := greatest(rest.max_tokens - (tokens - budget.max_tokens), 0);
    END LOOP;
    RETURN passages;
END
$$;

COMMENT ON FUNCTION _passage.budgeted_passages(name, _passage.expanded_hit[], uuid[], jsonb, _passage.budget, text, integer, uuid[], double precision[]) IS 'passages of hits whose tokens fit into a budget';

CREATE FUNCTION _passage.passage_tokens(passages _passage.passage_row[]) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    total bigint := 0;
    passage _passage.passage_row;
BEGIN
    FOREACH passage IN ARRAY passages LOOP
        total := total + passage.tokens;
    END LOOP;
    RETURN total;
END
$$;

COMMENT ON FUNCTION _passage.passage_tokens(_passage.passage_row[]) IS 'tokens of passages';
