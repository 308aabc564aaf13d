-- Budgets that cut nothing, which is the case of most calls.

-- Whether a budget cuts nothing, as far as that shows without the account: chunks whose number the call names count, too.

CREATE FUNCTION _passage.all_fit(hits _passage.expanded_hit[], claims _passage.claim[], budget _passage.budget) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hit _passage.expanded_hit;
    total bigint := 0;
    reaches integer[] := '{}';
    limits bigint[] := '{}';
BEGIN
    IF cardinality(hits) + cardinality(claims) > budget.max_chunks THEN
        RETURN false;
    ELSIF cardinality(claims) = 0 THEN
        RETURN true;
    END IF;
    FOREACH hit IN ARRAY hits LOOP
        total := total + hit.tokens;
        reaches := reaches || hit.reach;
        limits := limits || _passage.context_limit(hit.strategy, budget.max_passage_tokens);
    END LOOP;
    RETURN (
        SELECT bool_and(own.tokens <= limits[own.hit] AND own.distance < reaches[own.hit]) AND (sum(own.tokens) + total <= budget.max_tokens) IS NOT FALSE
        FROM (SELECT c.hit, sum(c.tokens) AS tokens, max(abs(c.distance::bigint)) AS distance FROM unnest(claims) AS c GROUP BY c.hit) AS own);
END
$$;

COMMENT ON FUNCTION _passage.all_fit(_passage.expanded_hit[], _passage.claim[], _passage.budget) IS 'whether a budget cuts nothing';

-- The order and the tokens before a decision matter only to explain it.

CREATE FUNCTION _passage.keep_all(hits _passage.expanded_hit[], claims _passage.claim[]) RETURNS _passage.decision[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    decisions _passage.decision[] := '{}';
    hit _passage.expanded_hit;
BEGIN
    FOREACH hit IN ARRAY hits LOOP
        decisions := decisions || ((hit.hit, hit.id, hit.ordinal, hit.tokens, hit.section, hit.unit, hit.level, 'hit', 0, 0, false)::_passage.claim, NULL, NULL)::_passage.decision;
    END LOOP;
    RETURN CASE WHEN cardinality(claims) = 0 THEN decisions ELSE decisions || ARRAY(SELECT (c, NULL, NULL)::_passage.decision FROM unnest(claims) AS c) END;
END
$$;

COMMENT ON FUNCTION _passage.keep_all(_passage.expanded_hit[], _passage.claim[]) IS 'decisions that keep all context';
