-- Expansion: reads the hits and their context, and selects chunks, as in core/passages/src/expand/select_context.rs.

-- For each hit: whether the budget cut part of its context and of its linked sections, the tokens that were left out, and whether
-- its strategy widens to a container that it lacks. `claims` are all chunks that are considered, those that are decided.

CREATE TYPE _passage.expansion AS (
    hits _passage.expanded_hit[], decisions _passage.decision[], truncated boolean[], cut_tokens bigint[], fell_back boolean[],
    merged integer[], records _passage.record_window[], cut_links boolean[]
);

CREATE FUNCTION _passage.expand_hits(
    store name, hits _passage.expanded_hit[], skip uuid[], bridges boolean, imports boolean, explain boolean, budget _passage.budget
) RETURNS _passage.expansion
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    result _passage.expansion;
    merged record;
    merged_claims _passage.claim[] := '{}';
    windows _passage.record_window[] := _passage.record_windows(store, hits, skip);
    narrowed record;
    hit _passage.expanded_hit;
    has_merged boolean := false;
    has_containers boolean := false;
    claims _passage.claim[];
    cut_hit integer;
    is_own boolean;
    is_linked boolean;
    lost_tokens bigint;
    -- The context of hits that were cut, also what a fallback replaced: its ids, hits and tokens.
    wanted uuid[];
    wanted_hits integer[];
    wanted_tokens integer[];
    is_cut boolean[] := array_fill(false, ARRAY[cardinality(hits)]);
    any_changed boolean;
    -- The ordinals of the sections around the hits of a scope.
    runs int8multirange;
BEGIN
    FOREACH hit IN ARRAY hits LOOP
        has_merged := has_merged OR (hit.strategy).scope = 'merge';
        has_containers := has_containers OR (hit.strategy).scope = 'container';
    END LOOP;
    IF has_merged THEN
        merged := _passage.merged_sections(store, hits, skip);
        merged_claims := merged.claims;
        result.merged := merged.of_hits;
    END IF;
    LOOP
        -- A record may be too large from the beginning.
        FOR i IN 1 .. cardinality(windows) LOOP
            IF cardinality(windows[i].firsts) = 0 THEN
                hits[windows[i].hit].relatives := (hits[windows[i].hit].strategy).fallback;
            END IF;
        END LOOP;
        result.truncated := array_fill(false, ARRAY[cardinality(hits)]);
        result.cut_links := result.truncated;
        result.cut_tokens := array_fill(0::bigint, ARRAY[cardinality(hits)]);
        claims := _passage.read_claims(store, hits, skip, bridges, imports, merged_claims || _passage.record_claims(windows));
        IF NOT explain AND _passage.all_fit(hits, claims, budget) THEN
            result.decisions := _passage.keep_all(hits, claims);
        ELSE
            result.decisions := _passage.spend(store, hits, claims, budget, explain);
            FOR cut_hit, lost_tokens, is_own, is_linked IN
                SELECT (claim).hit, sum((claim).tokens), bool_or((claim).role <> 8), bool_or((claim).role = 8) FROM unnest(result.decisions) WHERE verdict IS NOT NULL GROUP BY 1
            LOOP
                result.truncated[cut_hit] := is_own;
                result.cut_links[cut_hit] := is_linked;
                result.cut_tokens[cut_hit] := lost_tokens;
            END LOOP;
        END IF;
        any_changed := false;
        -- The section of a hit of JSON is returned whole and parses, or it gives way to relatives.
        FOR i IN 1 .. CASE WHEN has_containers THEN cardinality(hits) ELSE 0 END LOOP
            CONTINUE WHEN hits[i].structure <> 'application/json' OR hits[i].scope_group IS NULL OR (hits[i].strategy).scope <> 'container';
            IF NOT EXISTS (SELECT FROM unnest(hits) AS h WHERE h.scope_group = hits[i].scope_group AND result.truncated[h.hit]) THEN
                -- A hit in another part of the section is not around it. A container has its ends instead.
                runs := CASE WHEN hits[i].scope_first IS NULL
                        AND EXISTS (SELECT FROM unnest(hits) AS h WHERE h.document = hits[i].document AND h.scope_group IS DISTINCT FROM hits[i].scope_group)
                    THEN _passage.ordinals_in_section(store, hits[i].document, hits[i].scope_section,
                    ARRAY(SELECT h.ordinal FROM unnest(hits) AS h WHERE h.scope_group = hits[i].scope_group)) ELSE '{(,)}' END;
                CONTINUE WHEN _passage.chunks_parse(store, hits[i].structure, hits[i].document,
                    ARRAY(SELECT (claim).id FROM unnest(result.decisions) WHERE ((claim).role = 0 OR (claim).rule = 'container')
                        AND _passage.starts_with((claim).section, hits[i].scope_section) AND runs @> (claim).ordinal::bigint));
            END IF;
            any_changed := true;
            FOR j IN REVERSE cardinality(hits) .. i LOOP
                IF hits[j].scope_group = hits[i].scope_group THEN
                    is_cut[j] := is_cut[j] OR result.truncated[j];
                    hits[j].scope_group := NULL;
                    hits[j].relatives := (hits[j].strategy).fallback;
                END IF;
            END LOOP;
        END LOOP;
        IF cardinality(windows) > 0 THEN
            narrowed := _passage.narrow_records(store, hits, result.decisions, windows);
            windows := narrowed.windows;
            any_changed := any_changed OR narrowed.any_changed;
        END IF;
        EXIT WHEN NOT any_changed AND wanted IS NULL;
        SELECT wanted || array_agg(id ORDER BY place), wanted_hits || array_agg(of_hit ORDER BY place), wanted_tokens || array_agg(listed.tokens ORDER BY place) INTO wanted, wanted_hits, wanted_tokens
        FROM (SELECT (claim).id, (claim).hit AS of_hit, (claim).tokens, place FROM unnest(result.decisions) WITH ORDINALITY AS listed (claim, verdict, tokens_before, place)) AS listed
        WHERE result.truncated[of_hit] OR result.cut_links[of_hit];
        EXIT WHEN NOT any_changed;
    END LOOP;
    FOR i IN 1 .. cardinality(hits) LOOP
        result.truncated[i] := result.truncated[i] OR is_cut[i];
    END LOOP;
    FOR i IN 1 .. cardinality(windows) LOOP
        result.truncated[windows[i].hit] := result.truncated[windows[i].hit] OR windows[i].is_cut;
    END LOOP;
    IF wanted IS NOT NULL THEN
        result.cut_tokens := array_fill(0::bigint, ARRAY[cardinality(hits)]);
        FOR cut_hit, lost_tokens IN
            SELECT last.hit, sum(last.tokens) FROM (
                SELECT DISTINCT ON (listed.id) listed.id, listed.hit, listed.tokens FROM unnest(wanted, wanted_hits, wanted_tokens) WITH ORDINALITY AS listed (id, hit, tokens, place)
                ORDER BY listed.id, listed.place DESC
            ) AS last
            WHERE NOT last.id = ANY (SELECT (claim).id FROM unnest(result.decisions) WHERE verdict IS NULL) GROUP BY last.hit
        LOOP
            result.cut_tokens[cut_hit] := lost_tokens;
        END LOOP;
    END IF;
    result.fell_back := array_fill(false, ARRAY[cardinality(hits)]);
    IF has_containers THEN
        result.fell_back := ARRAY(
            SELECT (h.strategy).scope = 'container' AND h.scope_group IS NULL AND NOT EXISTS (SELECT FROM unnest(windows) AS w WHERE w.hit = h.hit AND cardinality(w.firsts) > 0)
            FROM unnest(hits) AS h ORDER BY h.hit);
    END IF;
    result.hits := hits;
    result.records := windows;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.expand_hits(name, _passage.expanded_hit[], uuid[], boolean, boolean, boolean, _passage.budget) IS 'context of hits';

CREATE FUNCTION _passage.expand(
    store name, ids uuid[], scores double precision[], strategy text, given jsonb, skip uuid[], bridges boolean, explain boolean
) RETURNS _passage.expansion
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    max_passage_tokens CONSTANT integer := _passage.number_setting('max_passage_tokens', 2048);
    hits _passage.expanded_hit[];
BEGIN
    hits := _passage.read_hits(store, ids, scores, strategy, given, skip, 0, max_passage_tokens);
    IF cardinality(hits) = 0 THEN
        RETURN NULL;
    END IF;
    RETURN _passage.expand_hits(store, hits, skip, bridges, false, explain, _passage.budget_of(hits, 0, max_passage_tokens));
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(store);
    RAISE;
END
$$;

COMMENT ON FUNCTION _passage.expand(name, uuid[], double precision[], text, jsonb, uuid[], boolean, boolean) IS 'hits with their context';
