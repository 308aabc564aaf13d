-- Choosing passages: as many as the caller asks for, if there are enough hits, as in extension/src/search/best_passages.rs.

-- The share of a budget that is kept for the context that a call asks for.

CREATE FUNCTION _passage.context_share(strategy text, given jsonb) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce((given ->> 'context_share')::double precision,
        CASE WHEN strategy <> 'auto' OR given ?| '{windows,parents,preceding,following,children,before,after}' OR (given ->> 'links')::integer > 0 THEN 0.5 ELSE 0 END)
$$;

COMMENT ON FUNCTION _passage.context_share(text, jsonb) IS 'share of the budget of a search for context';

CREATE FUNCTION _passage.choose_passages(
    store name, ids uuid[], scores double precision[], strategy text, given jsonb, max_passages integer, output jsonb, score_by text, skip uuid[],
    OUT rows _passage.passage_row[], OUT ending text
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    max_tokens CONSTANT integer := _passage.number_setting('max_tokens', 4096);
    max_distance CONSTANT integer := CASE WHEN output -> 'max_distance' = '"document"' THEN NULL ELSE coalesce((output ->> 'max_distance')::integer, 3) END;
    share CONSTANT double precision := _passage.context_share(strategy, given);
    hits CONSTANT _passage.expanded_hit[] := _passage.read_hits(store, ids, scores, strategy, given, skip, max_tokens, 0);
    budget _passage.budget;
    is_given CONSTANT boolean := EXISTS (SELECT FROM unnest(hits) AS h WHERE (h.strategy).max_tokens IS NOT NULL);
    costs _passage.hit_costs;
    selected _passage.hit_selection;
    chosen _passage.expanded_hit[];
    formed _passage.passage_row[];
    for_hits bigint;
    refills integer;
    limit_passages integer := max_passages;
    growth integer := 0;
    is_refill boolean := false;
    of_hits bigint;
    used bigint;
    next bigint;
BEGIN
    rows := '{}';
    ending := 'candidates';
    IF cardinality(hits) = 0 THEN
        RETURN;
    END IF;
    budget := _passage.budget_of(hits, max_tokens, 0);
    costs := _passage.hit_costs(store, hits, budget.max_tokens IS NOT NULL AND share = 0);
    for_hits := round(budget.max_tokens * (1.0::double precision - share));
    refills := CASE WHEN for_hits < budget.max_tokens THEN 2 ELSE 0 END;
    LOOP
        selected := _passage.select_hits(hits, costs, limit_passages, max_distance, budget.max_tokens, is_given, for_hits);
        ending := selected.ending;
        chosen := _passage.some_hits(hits, selected.is_selected);
        formed := '{}';
        IF cardinality(chosen) > 0 THEN
            formed := _passage.budgeted_passages(store, chosen, skip, output, _passage.budget_of(chosen, max_tokens, 0), score_by, max_passages, ids, scores);
        END IF;
        IF is_refill OR _passage.passage_count(formed, given) > _passage.passage_count(rows, given) THEN
            rows := formed;
        END IF;
        is_refill := false;
        -- Hits near each other form one passage, so more candidates become hits.
        IF _passage.passage_count(rows, given) < max_passages AND ending = 'passages' AND growth < 2 THEN
            growth := growth + 1;
            limit_passages := least(max_passages::bigint * CASE growth WHEN 1 THEN 3 ELSE 27 END, 2147483647);
            CONTINUE;
        END IF;
        of_hits := (SELECT coalesce(sum(costs.tokens[place]), 0) FROM unnest(selected.is_selected) WITH ORDINALITY AS listed (is_one, place) WHERE is_one);
        used := _passage.passage_tokens(rows);
        EXIT WHEN ending <> 'budget' OR refills = 0 OR used >= budget.max_tokens;
        -- If the context leaves tokens, more hits get them.
        refills := refills - 1;
        next := trunc(budget.max_tokens * (greatest(of_hits, 1)::double precision / greatest(used, of_hits, 1)::double precision));
        IF refills = 0 OR next <= for_hits THEN
            refills := 0;
            next := of_hits + (budget.max_tokens - used);
        END IF;
        is_refill := next > for_hits;
        for_hits := greatest(next, for_hits);
        EXIT WHEN NOT is_refill;
    END LOOP;
    -- The headers and repeated lines of all passages may not fit beside their hits.
    WHILE cardinality(rows) > 1 AND _passage.passage_tokens(rows) > budget.max_tokens LOOP
        FOR worst IN 1 .. cardinality(rows) LOOP
            IF rows[worst].rank = cardinality(rows) THEN
                rows := rows[:worst - 1] || rows[worst + 1:];
                EXIT;
            END IF;
        END LOOP;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.choose_passages(name, uuid[], double precision[], text, jsonb, integer, jsonb, text, uuid[]) IS 'passages of candidates, and why there are no more';

CREATE FUNCTION _passage.chosen_passages(
    store name, ids uuid[], scores double precision[], strategy text, given jsonb, max_passages integer, output jsonb, score_by text, skip uuid[]
) RETURNS _passage.passage_row[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (_passage.choose_passages(store, ids, scores, strategy, given, max_passages, output, score_by, skip)).rows;
END
$$;

COMMENT ON FUNCTION _passage.chosen_passages(name, uuid[], double precision[], text, jsonb, integer, jsonb, text, uuid[]) IS 'passages of candidates';
