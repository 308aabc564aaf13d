-- Selecting hits: those that form the passages of a search, as in core/passages/src/search/ select_hits.rs, hit_budget.rs and
-- hit_allowance.rs.

CREATE TYPE _passage.hit_selection AS (is_selected boolean[], ending text);

-- The cost of a hit: its tokens; in code the key and the tokens of its unit, and the ordinal and the tokens of the head of its
-- class.

CREATE TYPE _passage.hit_costs AS (tokens integer[], units text[], unit_tokens bigint[], heads text[], head_tokens bigint[]);

CREATE FUNCTION _passage.hit_costs(store name, hits _passage.expanded_hit[], with_units boolean) RETURNS _passage.hit_costs
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
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
    FOREACH hit IN ARRAY hits LOOP
        -- The head of the nearest container around it.
        SELECT min(at) INTO head FROM generate_series(0, cardinality(hit.containers) / 4 - 1) AS at WHERE hit.containers[at * 4 + 2] <> hit.ordinal;
        IF head IS NOT NULL THEN
            costs.heads[hit.hit] := format('%s/%s', hit.document, hit.containers[head * 4 + 2]);
            costs.head_tokens[hit.hit] := hit.containers[head * 4 + 4];
        END IF;
    END LOOP;
    -- No statement may follow on the search_path of the store, which could have functions that fit better.
    PERFORM _passage.use_store(store, false);
    SELECT pg_catalog.array_agg(CASE WHEN kind.is_code THEN pg_catalog.concat(h.document, '/', h.section_key) END ORDER BY h.hit), pg_catalog.array_agg(unit.tokens ORDER BY h.hit)
    INTO costs.units, costs.unit_tokens
    FROM pg_catalog.unnest(hits) AS h CROSS JOIN LATERAL (SELECT (h.strategy).scope = 'container' AND h.kind IS DISTINCT FROM 'data') AS kind (is_code)
    LEFT JOIN LATERAL (SELECT pg_catalog.sum(listed.tokens) AS tokens FROM (
        SELECT coalesce(c.tokens::integer, (pg_catalog.char_length(c.content::text) + 3) / 4) AS tokens FROM chunks AS c
        WHERE kind.is_code AND c.document_id::uuid = h.document AND c.section_key::bigint = h.section_key LIMIT 500) AS listed) AS unit ON true;
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
