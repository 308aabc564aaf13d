-- Spending the budget on context, as in core/passages/src/expand/spend.rs, which explains the rules.
--
-- A budget never drops a hit. When a chunk no longer fits, the rest of its hit's context is cut too, so a budget makes no
-- holes in a window. Of code and data, parts are kept or cut as a whole.

-- Decides on single chunks in their order. Hits and roles are those of claims.

CREATE FUNCTION _passage.spend_on_chunks(s _passage.spending, roles integer[]) RETURNS _passage.spending
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- An array in a variable changes in place, one in a row is copied.
    hit_of CONSTANT integer[] := s.hit_of;
    tokens_of CONSTANT integer[] := s.tokens_of;
    named CONSTANT integer[] := s.named;
    limits CONSTANT bigint[] := s.limits;
    of_hits bigint[] := s.of_hits;
    is_cut boolean[] := s.is_cut;
    verdicts text[] := '{}';
    tokens_before bigint[] := '{}';
    tokens bigint := s.tokens;
    chunks integer := s.chunks;
    max_tokens CONSTANT bigint := s.max_tokens;
    hit integer;
    verdict text;
BEGIN
    FOR i IN 1 .. coalesce(cardinality(hit_of), 0) LOOP
        hit := hit_of[i];
        tokens_before := tokens_before || tokens;
        IF is_cut[hit] THEN
            verdicts := verdicts || 'a nearer chunk of the hit was cut'::text;
            CONTINUE;
        END IF;
        verdict := CASE WHEN tokens + tokens_of[i] > max_tokens THEN 'max_tokens'
            WHEN named[i] > 0 AND named[i] > limits[hit] - of_hits[hit] THEN s.limit_names[hit] WHEN chunks >= s.max_chunks THEN 'max_chunks' END;
        verdicts := verdicts || verdict;
        IF verdict IS NULL THEN
            tokens := tokens + tokens_of[i];
            chunks := chunks + 1;
            of_hits[hit] := of_hits[hit] + named[i];
        ELSIF roles[i] > 2 THEN
            is_cut[hit] := true;
        END IF;
    END LOOP;
    s.decided := ARRAY(SELECT generate_series(1, cardinality(hit_of)));
    s.verdicts := verdicts;
    s.tokens_before := tokens_before;
    RETURN s;
END
$$;

COMMENT ON FUNCTION _passage.spend_on_chunks(_passage.spending, integer[]) IS 'account with decisions on single chunks';

-- Decides on parts in their order. A part that is kept or cut as a whole changes only variables; an excerpt needs the
-- account.

CREATE FUNCTION _passage.spend_on_parts(s _passage.spending, hits _passage.expanded_hit[], roles integer[], parts _passage.part[]) RETURNS _passage.spending
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    count CONSTANT integer := coalesce(cardinality(parts), 0);
    hit_of CONSTANT integer[] := s.hit_of;
    tokens_of CONSTANT integer[] := s.tokens_of;
    named CONSTANT integer[] := s.named;
    limits CONSTANT bigint[] := s.limits;
    claim_of CONSTANT integer[] := s.claim_of;
    is_last_read CONSTANT boolean[] := s.is_last_read;
    all_ends CONSTANT integer[] := ARRAY(SELECT place::integer FROM unnest(parts) WITH ORDINALITY AS p (kind, chunks, pieces, place) WHERE kind = 'ends' ORDER BY place);
    -- The tokens and chunks of single parts since the account was last written, and of a part for each hit.
    tokens bigint := s.tokens;
    chunks integer := s.chunks;
    of_hits bigint[] := s.of_hits;
    of_part bigint[] := array_fill(0::bigint, ARRAY[cardinality(hits)]);
    is_cut boolean[] := s.is_cut;
    decided integer[] := '{}';
    verdicts text[] := '{}';
    tokens_before bigint[] := '{}';
    is_decided boolean[] := array_fill(false, ARRAY[count]);
    -- The claims of heads that are kept, by their ends.
    heads text[] := array_fill(NULL::text, ARRAY[count]);
    has_all_heads boolean := false;
    -- Ends whose heads are decided; the rest of them comes before members.
    open integer[] := '{}';
    i integer := 1;
    part _passage.part;
    around _passage.part[];
    around_heads text[];
    verdict text;
    total bigint;
    exceeded integer;
    is_excerpt boolean;
    is_head boolean;
    ending integer;
    claim integer;
    hit integer;
    taken record;
BEGIN
    WHILE i <= count OR cardinality(open) + cardinality(decided) > 0 LOOP
        IF is_decided[i] THEN
            i := i + 1;
            CONTINUE;
        END IF;
        part := parts[i];
        hit := hit_of[part.chunks[1]];
        is_excerpt := false;
        is_head := false;
        IF i <= count AND NOT (part.kind = 'member' AND cardinality(open) > 0) THEN
            i := i + 1;
            total := tokens;
            exceeded := NULL;
            FOREACH claim IN ARRAY part.chunks LOOP
                total := total + tokens_of[claim];
                of_part[hit_of[claim]] := of_part[hit_of[claim]] + named[claim];
                IF named[claim] > 0 AND of_part[hit_of[claim]] > limits[hit_of[claim]] - of_hits[hit_of[claim]] THEN
                    exceeded := least(exceeded, hit_of[claim]);
                END IF;
            END LOOP;
            FOREACH claim IN ARRAY part.chunks LOOP
                of_part[hit_of[claim]] := 0;
            END LOOP;
            verdict := CASE WHEN is_cut[hit] THEN 'a nearer chunk of the hit was cut' WHEN total > s.max_tokens THEN 'max_tokens' WHEN exceeded IS NOT NULL THEN s.limit_names[exceeded]
                WHEN chunks + cardinality(part.chunks) > s.max_chunks THEN 'max_chunks' END;
            is_excerpt := verdict IS NOT NULL AND cardinality(part.pieces) > 0 AND _passage.has_hit(claim_of, part);
            is_head := NOT is_excerpt AND part.kind = 'ends' AND NOT _passage.has_hit(claim_of, part);
            IF NOT is_excerpt AND NOT is_head THEN
                IF part.kind = 'member' AND verdict IS NULL THEN
                    -- A member with the last chunk that was read may have more chunks.
                    FOREACH claim IN ARRAY part.chunks LOOP
                        verdict := CASE WHEN verdict IS NOT NULL OR is_last_read[claim] THEN 'max_chunks' END;
                    END LOOP;
                ELSIF verdict IS NOT NULL AND part.kind <> 'member' AND roles[part.chunks[1]] > 2 THEN
                    is_cut[hit] := true;
                END IF;
                FOREACH claim IN ARRAY part.chunks LOOP
                    decided := decided || claim;
                    verdicts := verdicts || verdict;
                    tokens_before := tokens_before || tokens;
                    IF verdict IS NULL THEN
                        tokens := tokens + tokens_of[claim];
                        chunks := chunks + 1;
                        of_hits[hit_of[claim]] := of_hits[hit_of[claim]] + named[claim];
                    END IF;
                END LOOP;
                CONTINUE;
            END IF;
        END IF;
        s.tokens := tokens;
        s.chunks := chunks;
        s.of_hits := of_hits;
        s.is_cut := is_cut;
        s.decided := s.decided || decided;
        s.verdicts := s.verdicts || verdicts;
        s.tokens_before := s.tokens_before || tokens_before;
        IF is_excerpt THEN
            IF NOT has_all_heads THEN
                has_all_heads := true;
                FOREACH ending IN ARRAY all_ends LOOP
                    IF hit_of[parts[ending].chunks[1]] <> hit AND NOT is_decided[ending] AND heads[ending] IS NULL AND NOT _passage.has_hit(claim_of, parts[ending]) THEN
                        taken := _passage.take_heads(s, hits[hit_of[parts[ending].chunks[1]]].containers, parts[ending]);
                        s := taken.s;
                        heads[ending] := taken.kept::text;
                    END IF;
                END LOOP;
            END IF;
            around := '{}';
            around_heads := '{}';
            FOREACH ending IN ARRAY all_ends LOOP
                IF ending <> i - 1 AND hit_of[parts[ending].chunks[1]] = hit AND NOT is_decided[ending] THEN
                    is_decided[ending] := true;
                    around := around || parts[ending];
                    around_heads := around_heads || heads[ending];
                    open := array_remove(open, ending);
                END IF;
            END LOOP;
            s := _passage.take_excerpt(s, hits, part, around, around_heads);
        ELSIF is_head THEN
            IF heads[i - 1] IS NULL THEN
                taken := _passage.take_heads(s, hits[hit].containers, part);
                s := taken.s;
                heads[i - 1] := taken.kept::text;
            END IF;
            open := open || (i - 1);
        ELSE
            FOREACH ending IN ARRAY open LOOP
                s := _passage.take_ends(s, parts[ending], heads[ending]::integer[]);
            END LOOP;
            open := '{}';
        END IF;
        tokens := s.tokens;
        chunks := s.chunks;
        of_hits := s.of_hits;
        is_cut := s.is_cut;
        decided := '{}';
        verdicts := '{}';
        tokens_before := '{}';
    END LOOP;
    RETURN s;
END
$$;

COMMENT ON FUNCTION _passage.spend_on_parts(_passage.spending, _passage.expanded_hit[], integer[], _passage.part[]) IS 'account with decisions on parts';

-- Decides on hits and context.

CREATE FUNCTION _passage.spend(store name, hits _passage.expanded_hit[], claims _passage.claim[], budget _passage.budget, explain boolean)
RETURNS _passage.decision[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_nestloop = off
AS $$
DECLARE
    s _passage.spending := _passage.spending_of(hits, claims, '{}', budget);
    all_claims CONSTANT integer[] := ARRAY(SELECT generate_series(1, cardinality(claims)));
    roles CONSTANT integer[] := ARRAY(SELECT role FROM unnest(claims));
    chunks _passage.scope_chunk[];
    hit _passage.expanded_hit;
    has_named boolean := false;
    has_parts boolean := false;
    total bigint := 0;
    decisions _passage.decision[] := '{}';
BEGIN
    FOREACH hit IN ARRAY hits LOOP
        has_named := has_named OR (hit.strategy).named <> '{}';
        has_parts := has_parts OR hit.kind IN ('code', 'data') OR hit.scope_first IS NOT NULL;
        decisions := decisions || ((hit.hit, hit.id, hit.ordinal, hit.tokens, hit.section, hit.unit, hit.level, 'hit', 0, 0, false)::_passage.claim, NULL, total)::_passage.decision;
        total := total + hit.tokens;
    END LOOP;
    IF NOT explain AND has_named AND _passage.verdict(s, 1, all_claims) IS NULL AND true <> ALL (coalesce(s.is_last_read, '{}')) THEN
        RETURN _passage.keep_all(hits, claims);
    END IF;
    IF has_parts THEN
        hits := _passage.with_closings(store, hits);
        chunks := _passage.scope_chunks(hits, claims);
    END IF;
    IF chunks IS NULL THEN
        s := _passage.spend_on_chunks(s, roles);
        RETURN decisions || ARRAY(SELECT ((c.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, c.rule, c.role, c.distance, c.is_bridge)::_passage.claim, c.verdict, c.spent_before)::_passage.decision
            FROM ROWS FROM (unnest(claims), unnest(s.verdicts), unnest(s.tokens_before)) AS c (hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge, verdict, spent_before));
    END IF;
    s := _passage.spend_on_parts(_passage.spending_of(hits, claims, chunks, budget), hits, roles, _passage.parts(hits, claims, chunks));
    -- A subscript of an array of rows takes long in a statement, so this one joins them.
    RETURN decisions || ARRAY(
        SELECT ((c.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, c.rule, c.role, c.distance, c.is_bridge)::_passage.claim, decided.verdict, decided.spent_before)::_passage.decision
        FROM unnest(claims) WITH ORDINALITY AS c (hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge, number)
        JOIN unnest(s.decided, s.verdicts, s.tokens_before) WITH ORDINALITY AS decided (claim, verdict, spent_before, place) ON decided.claim = c.number ORDER BY decided.place);
END
$$;

COMMENT ON FUNCTION _passage.spend(name, _passage.expanded_hit[], _passage.claim[], _passage.budget, boolean) IS 'decisions on hits and context, in the order in which the budget is spent';
