-- Spending the budget on context, as in core/passages/src/expand/ budget.rs, ledger.rs and spend.rs.
--
-- A budget never drops a hit. When a chunk no longer fits, the rest of its hit's context is cut too, so a budget makes no
-- holes in a window. A parent is outside of the window, so the siblings of the hit follow even if it does not fit.

CREATE TYPE _passage.budget AS (max_tokens integer, max_passage_tokens integer, max_chunks integer);

CREATE TYPE _passage.decision AS (claim _passage.claim, verdict text, tokens_before bigint);

-- What was spent, and for each hit the tokens of its context, without the chunks whose number the call names.

CREATE TYPE _passage.ledger AS (tokens bigint, chunks integer, of_hits bigint[], is_cut boolean[]);

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

CREATE FUNCTION _passage.verdict(budget _passage.budget, ledger _passage.ledger, hits _passage.expanded_hit[], claims _passage.claim[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim _passage.claim;
    strategy _passage.strategy;
    own bigint;
    total bigint := ledger.tokens;
BEGIN
    FOREACH claim IN ARRAY claims LOOP
        total := total + claim.tokens;
    END LOOP;
    IF total > budget.max_tokens THEN
        RETURN 'max_tokens';
    END IF;
    -- All hits in the order of their numbers.
    FOR i IN 1 .. cardinality(hits) LOOP
        own := 0;
        strategy := hits[i].strategy;
        FOREACH claim IN ARRAY claims LOOP
            IF claim.hit = i AND claim.rule <> ALL (strategy.named) THEN
                own := own + claim.tokens;
            END IF;
        END LOOP;
        CONTINUE WHEN own = 0;
        IF strategy.max_passage_tokens IS NOT NULL THEN
            IF ledger.of_hits[i] + own > nullif(strategy.max_passage_tokens, 0) THEN
                RETURN 'max_passage_tokens';
            END IF;
        ELSIF strategy.max_tokens IS NOT NULL THEN
            IF ledger.of_hits[i] + own > nullif(strategy.max_tokens, 0) THEN
                RETURN 'max_tokens';
            END IF;
        ELSIF ledger.of_hits[i] + own > budget.max_passage_tokens THEN
            RETURN 'max_passage_tokens';
        END IF;
    END LOOP;
    IF ledger.chunks + cardinality(claims) > budget.max_chunks THEN
        RETURN 'max_chunks';
    END IF;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.verdict(_passage.budget, _passage.ledger, _passage.expanded_hit[], _passage.claim[]) IS 'limit that chunks exceed, NULL if they fit';

-- Decides on single chunks in their order.

CREATE FUNCTION _passage.spend(hits _passage.expanded_hit[], claims _passage.claim[], budget _passage.budget, explain boolean)
RETURNS _passage.decision[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim _passage.claim;
    strategy _passage.strategy;
    decisions _passage.decision[] := '{}';
    verdict text;
    tokens bigint := 0;
    chunks integer := cardinality(hits);
    of_hits bigint[] := array_fill(0::bigint, ARRAY[cardinality(hits)]);
    is_cut boolean[] := array_fill(false, ARRAY[cardinality(hits)]);
    own integer;
    is_structured boolean := false;
BEGIN
    FOR i IN 1 .. cardinality(hits) LOOP
        claim := (i, hits[i].id, hits[i].ordinal, hits[i].tokens, hits[i].section, hits[i].unit, hits[i].level, 'hit', 0, 0);
        decisions := decisions || (claim, NULL, tokens)::_passage.decision;
        tokens := tokens + claim.tokens;
    END LOOP;
    FOREACH claim IN ARRAY claims LOOP
        strategy := hits[claim.hit].strategy;
        is_structured := is_structured OR claim.rule IN ('container', 'section', 'document')
            AND (hits[claim.hit].kind IN ('code', 'data') OR claim.rule = 'container' AND hits[claim.hit].scope_first IS NOT NULL);
        own := CASE WHEN claim.rule = ANY (strategy.named) THEN 0 ELSE claim.tokens END;
        verdict := CASE WHEN is_cut[claim.hit] THEN 'a nearer chunk of the hit was cut'
            WHEN tokens + claim.tokens > budget.max_tokens THEN 'max_tokens'
            WHEN own > 0 AND of_hits[claim.hit] + own > nullif(coalesce(strategy.max_passage_tokens, strategy.max_tokens, budget.max_passage_tokens), 0) THEN
                CASE WHEN strategy.max_passage_tokens IS NULL AND strategy.max_tokens IS NOT NULL THEN 'max_tokens' ELSE 'max_passage_tokens' END
            WHEN chunks + 1 > budget.max_chunks THEN 'max_chunks' END;
        decisions := decisions || (claim, verdict, tokens)::_passage.decision;
        IF verdict IS NULL THEN
            tokens := tokens + claim.tokens;
            chunks := chunks + 1;
            of_hits[claim.hit] := of_hits[claim.hit] + own;
        ELSIF claim.role > 2 THEN
            is_cut[claim.hit] := true;
        END IF;
    END LOOP;
    RETURN decisions;
END
$$;

COMMENT ON FUNCTION _passage.spend(_passage.expanded_hit[], _passage.claim[], _passage.budget, boolean) IS 'decisions on hits and context, in the order in which the budget is spent';
