-- Imports that a passage uses, as in core/passages/src/expand/imports.rs. They are at the head of the file or of a module above
-- a hit, in chunks whose metadata list the names that they bind, and are last in the budget.

CREATE FUNCTION _passage.with_imports(store name, expanded _passage.expansion, budget _passage.budget, skip uuid[]) RETURNS _passage.expansion
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    kept CONSTANT _passage.claim[] := ARRAY(SELECT (claim) FROM unnest(expanded.decisions) WITH ORDINALITY AS listed (claim, verdict, tokens_before, place)
        WHERE verdict IS NULL AND (claim).role > 0 ORDER BY place);
    s _passage.spending := _passage.spending_of(expanded.hits, kept, '{}', budget);
    taken uuid[] := ARRAY(SELECT (claim).id FROM unnest(expanded.decisions) WHERE verdict IS NULL);
    hit _passage.expanded_hit;
    words text[];
    claim _passage.claim;
    verdict text;
BEGIN
    s := _passage.decide(s, ARRAY(SELECT generate_series(1, cardinality(kept))), NULL);
    FOREACH hit IN ARRAY expanded.hits LOOP
        EXECUTE format($sql$
            SELECT array_agg(DISTINCT word[1]) FROM %I.chunks AS c CROSS JOIN LATERAL regexp_matches(c.content, '[\w$]+', 'g') AS word
            WHERE c.document_id = $1 AND c.id = ANY ($2)$sql$, store) INTO words
            USING hit.document, ARRAY(SELECT (listed.claim).id FROM unnest(expanded.decisions) AS listed WHERE listed.verdict IS NULL AND (listed.claim).hit = hit.hit AND (listed.claim).role <> 8);
        FOR claim IN EXECUTE format($sql$
            SELECT $1, c.id, c.ordinal, greatest(coalesce(c.tokens, (char_length(c.content) + 3) / 4), 0), c.section, c.unit, c.level, 'imports', 2, _passage.distance($2, c.ordinal), false
            FROM generate_series(0, least(cardinality($3), 7)) AS depth CROSS JOIN LATERAL (
                SELECT k.id, k.ordinal, k.tokens, k.content, k.section, k.unit, k.level, k.metadata FROM %I.chunks AS k WHERE k.document_id = $4 AND k.section_key = passage.section_key($3[:depth]) AND k.section = $3[:depth] ORDER BY k.ordinal LIMIT 64) AS c
            WHERE c.metadata -> 'imports' ?| $5 AND c.id <> ALL ($6) ORDER BY depth, c.ordinal$sql$, store)
            USING hit.hit, hit.ordinal, hit.section, hit.document, words, skip
        LOOP
            CONTINUE WHEN claim.id = ANY (taken);
            taken := taken || claim.id;
            s.hit_of := s.hit_of || claim.hit;
            s.tokens_of := s.tokens_of || claim.tokens;
            s.named := s.named || claim.tokens;
            s.is_cut[claim.hit] := false;
            verdict := _passage.verdict(s, claim.hit, ARRAY[cardinality(s.hit_of)]);
            IF verdict IS NULL THEN
                expanded.decisions := expanded.decisions || (claim, NULL, s.tokens)::_passage.decision;
                s := _passage.decide(s, ARRAY[cardinality(s.hit_of)], NULL);
            ELSE
                expanded.truncated[claim.hit] := true;
                expanded.cut_tokens[claim.hit] := expanded.cut_tokens[claim.hit] + claim.tokens;
            END IF;
        END LOOP;
    END LOOP;
    RETURN expanded;
END
$$;

COMMENT ON FUNCTION _passage.with_imports(name, _passage.expansion, _passage.budget, uuid[]) IS 'context of hits with the imports that it uses';
