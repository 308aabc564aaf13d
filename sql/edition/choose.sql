-- Choosing passages: as many as the caller asks for, if there are enough hits, as in extension/src/search/best_passages.rs
-- and core/passages/src/search/ select_hits.rs, hit_budget.rs and hit_allowance.rs.

CREATE TYPE _passage.hit_selection AS (is_selected boolean[], ending text);

-- The cost of a hit: its tokens; in code the key and the tokens of its unit, and the ordinal and the tokens of the head of its
-- class.

CREATE TYPE _passage.hit_costs AS (tokens integer[], units text[], unit_tokens bigint[], heads text[], head_tokens bigint[]);

CREATE FUNCTION _passage.hit_costs(store name, hits _passage.expanded_hit[], with_units boolean) RETURNS _passage.hit_costs
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    costs _passage.hit_costs;
    hit _passage.expanded_hit;
    head integer;
BEGIN
    costs.tokens := ARRAY(SELECT h.tokens FROM unnest(hits) AS h ORDER BY h.hit);
    costs.heads := array_fill(NULL::text, ARRAY[cardinality(hits)]);
    costs.head_tokens := array_fill(NULL::bigint, ARRAY[cardinality(hits)]);
    IF NOT with_units THEN
        costs.units := costs.heads;
        costs.unit_tokens := costs.head_tokens;
        RETURN costs;
    END IF;
    EXECUTE format($sql$
        SELECT array_agg(CASE WHEN is_code THEN format('%%s/%%s', h.document, h.section_key) END ORDER BY h.hit), array_agg(unit.tokens ORDER BY h.hit)
        FROM unnest($1) AS h CROSS JOIN LATERAL (SELECT (h.strategy).scope = 'container' AND h.kind IS DISTINCT FROM 'data' AS is_code) AS kind
        LEFT JOIN LATERAL (SELECT sum(tokens) AS tokens FROM (
            SELECT coalesce(c.tokens, (char_length(c.content) + 3) / 4) AS tokens FROM %I.chunks AS c WHERE is_code AND c.document_id = h.document AND c.section_key = h.section_key LIMIT 500) AS listed) AS unit ON true$sql$, store)
        INTO costs.units, costs.unit_tokens USING hits;
    FOREACH hit IN ARRAY hits LOOP
        -- The head of the nearest container around it.
        SELECT min(at) INTO head FROM generate_series(0, cardinality(hit.containers) / 4 - 1) AS at WHERE hit.containers[at * 4 + 2] <> hit.ordinal;
        IF head IS NOT NULL THEN
            costs.heads[hit.hit] := format('%s/%s', hit.document, hit.containers[head * 4 + 2]);
            costs.head_tokens[hit.hit] := hit.containers[head * 4 + 4];
        END IF;
    END LOOP;
    RETURN costs;
END
$$;

COMMENT ON FUNCTION _passage.hit_costs(name, _passage.expanded_hit[], boolean) IS 'costs of hits in a budget';

-- Takes the first hits of passages, then hits best first as long as they fit. A hit in code costs its whole unit; what is
-- left goes to single hits.

CREATE FUNCTION _passage.select_within(costs _passage.hit_costs, count integer, budget bigint, firsts integer[]) RETURNS boolean[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    taken boolean[] := array_fill(false, ARRAY[count]);
    rest bigint := budget;
    whole text[] := '{}';
    heads text[] := '{}';
    first integer;
    cost bigint;
BEGIN
    FOREACH first IN ARRAY firsts LOOP
        IF costs.tokens[first] <= rest OR first = 1 THEN
            rest := greatest(rest - costs.tokens[first], 0);
            taken[first] := true;
        END IF;
    END LOOP;
    FOREACH first IN ARRAY firsts LOOP
        IF taken[first] AND costs.heads[first] IS NOT NULL AND costs.head_tokens[first] <= rest AND costs.heads[first] <> ALL (heads) THEN
            heads := heads || costs.heads[first];
            rest := rest - costs.head_tokens[first];
        END IF;
    END LOOP;
    FOR i IN 1 .. count LOOP
        cost := CASE WHEN costs.units[i] = ANY (whole) THEN 0 ELSE greatest(costs.unit_tokens[i], costs.tokens[i]) END;
        IF taken[i] THEN
            cost := greatest(cost - costs.tokens[i], 0);
        END IF;
        IF cost <= rest THEN
            rest := rest - cost;
            IF costs.units[i] IS NOT NULL THEN
                whole := whole || costs.units[i];
            END IF;
            taken[i] := true;
        ELSIF i = 1 AND NOT taken[1] THEN
            rest := greatest(rest - costs.tokens[i], 0);
            taken[i] := true;
        END IF;
    END LOOP;
    FOR i IN 1 .. count LOOP
        IF (cardinality(firsts) = 0 OR costs.units[i] IS NULL) AND NOT taken[i] AND costs.tokens[i] <= rest THEN
            taken[i] := true;
            rest := rest - costs.tokens[i];
        END IF;
    END LOOP;
    RETURN taken;
END
$$;

COMMENT ON FUNCTION _passage.select_within(_passage.hit_costs, integer, bigint, integer[]) IS 'hits that fit into a budget';

-- Takes hits until they form so many passages. A budget of the caller goes to the best hits; of the default budget the best
-- hit of each passage comes first.

CREATE FUNCTION _passage.select_hits(
    hits _passage.expanded_hit[], costs _passage.hit_costs, passages integer, max_distance integer, budget bigint, is_given boolean, for_hits bigint
) RETURNS _passage.hit_selection
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    result _passage.hit_selection;
    roots integer[] := '{}';
    firsts integer[] := '{}';
    formed integer := 0;
    count integer := 0;
    other integer;
    joined integer[];
    low integer;
    high integer;
    own integer;
    is_spent boolean := false;
BEGIN
    FOR i IN 1 .. cardinality(hits) LOOP
        joined := '{}';
        low := NULL;
        high := NULL;
        FOR j IN 1 .. i - 1 LOOP
            CONTINUE WHEN hits[j].document <> hits[i].document;
            IF max_distance IS NULL OR hits[j].scope_group = hits[i].scope_group THEN
                joined := joined || j;
            END IF;
            IF hits[j].ordinal <= hits[i].ordinal AND (low IS NULL OR hits[j].ordinal > hits[low].ordinal) THEN
                low := j;
            END IF;
            IF hits[j].ordinal >= hits[i].ordinal AND (high IS NULL OR hits[j].ordinal < hits[high].ordinal) THEN
                high := j;
            END IF;
        END LOOP;
        IF hits[i].ordinal::bigint - hits[low].ordinal <= max_distance THEN
            joined := joined || low;
        END IF;
        IF hits[high].ordinal::bigint - hits[i].ordinal <= max_distance THEN
            joined := joined || high;
        END IF;
        IF cardinality(joined) = 0 THEN
            EXIT WHEN formed >= passages;
            firsts := firsts || i;
        END IF;
        roots := roots || i;
        formed := formed + 1;
        FOREACH other IN ARRAY joined LOOP
            WHILE roots[other] <> other LOOP
                other := roots[other];
            END LOOP;
            own := i;
            WHILE roots[own] <> own LOOP
                own := roots[own];
            END LOOP;
            IF other <> own THEN
                roots[own] := other;
                formed := formed - 1;
            END IF;
        END LOOP;
        count := i;
    END LOOP;
    IF budget IS NULL THEN
        result.is_selected := array_fill(true, ARRAY[count]);
    ELSE
        result.is_selected := _passage.select_within(costs, count, least(for_hits, budget), '{}');
        IF is_given THEN
            is_spent := false = ANY (result.is_selected);
        ELSE
            IF false = ANY (result.is_selected) THEN
                result.is_selected := _passage.select_within(costs, count, least(for_hits, budget), firsts);
            END IF;
            FOREACH other IN ARRAY firsts LOOP
                is_spent := is_spent OR NOT result.is_selected[other];
            END LOOP;
        END IF;
    END IF;
    result.ending := CASE WHEN is_spent THEN 'budget' WHEN count < cardinality(hits) THEN 'passages' ELSE 'candidates' END;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.select_hits(_passage.expanded_hit[], _passage.hit_costs, integer, integer, bigint, boolean, bigint) IS 'hits that form the passages of a search';

-- Hits of a subset, numbered again, with the scopes that they share among themselves.

CREATE FUNCTION _passage.some_hits(hits _passage.expanded_hit[], is_selected boolean[]) RETURNS _passage.expanded_hit[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    chosen _passage.expanded_hit[] := '{}';
    hit _passage.expanded_hit;
BEGIN
    FOREACH hit IN ARRAY hits LOOP
        CONTINUE WHEN is_selected[hit.hit] IS NOT TRUE;
        hit.hit := cardinality(chosen) + 1;
        hit.scope_group := NULL;
        hit.scope_section := NULL;
        hit.scope_first := NULL;
        hit.scope_last := NULL;
        hit.relatives := ARRAY[(hit.strategy).parents, (hit.strategy).preceding, (hit.strategy).following, (hit.strategy).children];
        chosen := chosen || hit;
    END LOOP;
    RETURN _passage.with_scopes(chosen);
END
$$;

COMMENT ON FUNCTION _passage.some_hits(_passage.expanded_hit[], boolean[]) IS 'selected hits';

-- The share of a budget that is kept for the context that a call asks for.

CREATE FUNCTION _passage.context_share(strategy text, given jsonb) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce((given ->> 'context_share')::double precision,
        CASE WHEN strategy <> 'auto' OR given ?| '{windows,parents,preceding,following,children,before,after}' THEN 0.5 ELSE 0 END)
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
    own_budget _passage.budget;
    is_given CONSTANT boolean := EXISTS (SELECT FROM unnest(hits) AS h WHERE (h.strategy).max_tokens IS NOT NULL);
    costs _passage.hit_costs;
    selected _passage.hit_selection;
    chosen _passage.expanded_hit[];
    expanded _passage.expansion;
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
        own_budget := _passage.budget_of(chosen, max_tokens, 0);
        IF own_budget.max_tokens IS NOT NULL THEN
            own_budget.max_tokens := greatest(own_budget.max_tokens - _passage.reserved_tokens(store, chosen), 0);
        END IF;
        formed := '{}';
        IF cardinality(chosen) > 0 THEN
            expanded := _passage.expand_hits(store, chosen, skip, coalesce(max_distance >= 2, true), coalesce((output ->> 'explain')::boolean, false), own_budget);
            IF (output ->> 'imports')::boolean THEN
                expanded := _passage.with_imports(store, expanded, own_budget, skip);
            END IF;
            formed := _passage.passage_rows(store, expanded, output, score_by, max_passages, ids, scores);
        END IF;
        IF is_refill OR cardinality(formed) > cardinality(rows) THEN
            rows := formed;
        END IF;
        is_refill := false;
        -- Hits near each other form one passage, so more candidates become hits.
        IF cardinality(rows) < max_passages AND ending = 'passages' AND growth < 2 THEN
            growth := growth + 1;
            limit_passages := least(max_passages::bigint * CASE growth WHEN 1 THEN 3 ELSE 27 END, 2147483647);
            CONTINUE;
        END IF;
        of_hits := (SELECT coalesce(sum(costs.tokens[place]), 0) FROM unnest(selected.is_selected) WITH ORDINALITY AS listed (is_one, place) WHERE is_one);
        used := (SELECT coalesce(sum((row).tokens), 0) FROM unnest(rows) AS row);
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
