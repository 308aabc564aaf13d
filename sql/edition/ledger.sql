-- The account of a budget: what was spent, and the decisions so far, as in core/passages/src/expand/ budget.rs and ledger.rs.

CREATE TYPE _passage.budget AS (max_tokens integer, max_passage_tokens integer, max_chunks integer);

CREATE TYPE _passage.decision AS (claim _passage.claim, verdict text, tokens_before bigint);

-- The claims and pieces by their numbers, and what was spent. `of_hits` are the tokens of the context of each hit, without
-- chunks whose number the call names; a limit that is not set is beyond all numbers. The claim of a piece is 0 for a hit. Decisions have the number of their claim.

CREATE TYPE _passage.spending AS (
    hit_of integer[], tokens_of integer[], named integer[], is_last_read boolean[], limits bigint[], limit_names text[],
    max_tokens integer, max_chunks integer,
    claim_of integer[], hit_of_piece integer[], ordinals integer[], before text[], after text[],
    tokens bigint, chunks integer, of_hits bigint[], is_cut boolean[],
    decided integer[], verdicts text[], tokens_before bigint[]
);

-- If hits have several strategies, the largest limits apply.

CREATE FUNCTION _passage.budget_of(hits _passage.expanded_hit[], max_tokens integer, max_passage_tokens integer) RETURNS _passage.budget
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    result _passage.budget;
    own integer;
BEGIN
    FOR i IN 1 .. cardinality(hits) LOOP
        own := nullif(coalesce((hits[i].strategy).max_tokens, max_tokens), 0);
        result.max_tokens := CASE i WHEN 1 THEN own ELSE nullif(greatest(coalesce(result.max_tokens, 2147483647), coalesce(own, 2147483647)), 2147483647) END;
        own := (hits[i].strategy).max_chunks;
        result.max_chunks := CASE i WHEN 1 THEN own ELSE nullif(greatest(coalesce(result.max_chunks, 2147483647), coalesce(own, 2147483647)), 2147483647) END;
    END LOOP;
    result.max_passage_tokens := nullif(max_passage_tokens, 0);
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.budget_of(_passage.expanded_hit[], integer, integer) IS 'budget of a call; NULL means no limit';

CREATE FUNCTION _passage.context_limit(strategy _passage.strategy, max_passage_tokens integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN coalesce((strategy).max_passage_tokens, (strategy).max_tokens, max_passage_tokens) OPERATOR(pg_catalog.>) 0
    THEN coalesce((strategy).max_passage_tokens, (strategy).max_tokens, max_passage_tokens) ELSE 9223372036854775807 END;

COMMENT ON FUNCTION _passage.context_limit(_passage.strategy, integer) IS 'limit of tokens of the context of a hit';

CREATE FUNCTION _passage.spending_of(
    hits _passage.expanded_hit[], claims _passage.claim[], chunks _passage.scope_chunk[], budget _passage.budget
) RETURNS _passage.spending
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    s _passage.spending;
    hit _passage.expanded_hit;
    reaches integer[] := '{}';
    -- The rules of each hit whose chunks the call names, as a text.
    named text[] := '{}';
BEGIN
    s.limits := '{}';
    s.limit_names := '{}';
    s.tokens := 0;
    s.chunks := cardinality(hits);
    FOREACH hit IN ARRAY hits LOOP
        reaches := reaches || hit.reach;
        named := named || array_to_string((hit.strategy).named, ',');
        s.limits := s.limits || _passage.context_limit(hit.strategy, budget.max_passage_tokens);
        s.limit_names := s.limit_names || CASE WHEN (hit.strategy).max_passage_tokens IS NULL AND (hit.strategy).max_tokens IS NOT NULL THEN 'max_tokens' ELSE 'max_passage_tokens' END;
        s.tokens := s.tokens + hit.tokens;
    END LOOP;
    -- unnest() has the order of the array.
    SELECT array_agg(c.hit), array_agg(c.tokens),
        array_agg(CASE WHEN named[c.hit] <> '' AND c.rule = ANY (string_to_array(named[c.hit], ',')) THEN 0 ELSE c.tokens END), array_agg(abs(c.distance::bigint) >= reaches[c.hit])
    INTO s.hit_of, s.tokens_of, s.named, s.is_last_read FROM unnest(claims) AS c;
    IF cardinality(chunks) > 0 THEN
        SELECT array_agg(coalesce(c.claim, 0)), array_agg(c.hit), array_agg(c.ordinal), array_agg(c.before), array_agg(c.after)
        INTO s.claim_of, s.hit_of_piece, s.ordinals, s.before, s.after FROM unnest(chunks) AS c;
    END IF;
    s.max_tokens := budget.max_tokens;
    s.max_chunks := budget.max_chunks;
    s.of_hits := array_fill(0::bigint, ARRAY[cardinality(hits)]);
    s.is_cut := array_fill(false, ARRAY[cardinality(hits)]);
    s.decided := '{}';
    s.verdicts := '{}';
    s.tokens_before := '{}';
    RETURN s;
END
$$;

COMMENT ON FUNCTION _passage.spending_of(_passage.expanded_hit[], _passage.claim[], _passage.scope_chunk[], _passage.budget) IS 'account with the hits of a call';

-- The limit that context exceeds, NULL if it fits. It is cut if the rest of the context of a hit is; each chunk counts
-- against the limit of its own hit.

CREATE FUNCTION _passage.verdict(s _passage.spending, hit integer, claims integer[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    total bigint := s.tokens;
    claim integer;
    exceeded text;
BEGIN
    IF s.is_cut[hit] THEN
        RETURN 'a nearer chunk of the hit was cut';
    END IF;
    FOREACH claim IN ARRAY claims LOOP
        total := total + s.tokens_of[claim];
    END LOOP;
    IF total > s.max_tokens THEN
        RETURN 'max_tokens';
    END IF;
    SELECT s.limit_names[of_hit] INTO exceeded
    FROM (SELECT s.hit_of[listed] AS of_hit, sum(s.named[listed]) AS own FROM unnest(claims) AS listed GROUP BY 1) AS spent
    WHERE own > 0 AND own > s.limits[of_hit] - s.of_hits[of_hit] ORDER BY of_hit LIMIT 1;
    RETURN CASE WHEN exceeded IS NOT NULL THEN exceeded WHEN s.chunks + cardinality(claims) > s.max_chunks THEN 'max_chunks' END;
END
$$;

COMMENT ON FUNCTION _passage.verdict(_passage.spending, integer, integer[]) IS 'limit that context exceeds';

CREATE FUNCTION _passage.decide(s _passage.spending, claims integer[], verdict text) RETURNS _passage.spending
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim integer;
    tokens bigint := s.tokens;
    tokens_before bigint[] := '{}';
    of_hits bigint[] := s.of_hits;
BEGIN
    FOREACH claim IN ARRAY claims LOOP
        tokens_before := tokens_before || tokens;
        IF verdict IS NULL THEN
            tokens := tokens + s.tokens_of[claim];
            of_hits[s.hit_of[claim]] := of_hits[s.hit_of[claim]] + s.named[claim];
        END IF;
    END LOOP;
    IF verdict IS NULL THEN
        s.chunks := s.chunks + cardinality(claims);
    END IF;
    s.tokens := tokens;
    s.of_hits := of_hits;
    s.decided := s.decided || claims;
    s.verdicts := s.verdicts || array_fill(verdict, ARRAY[cardinality(claims)]);
    s.tokens_before := s.tokens_before || tokens_before;
    RETURN s;
END
$$;

COMMENT ON FUNCTION _passage.decide(_passage.spending, integer[], text) IS 'account with decisions on context';
