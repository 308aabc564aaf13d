-- Spending the budget on context, as in core/passages/src/expand/ budget.rs, ledger.rs, excerpt.rs and spend.rs, which
-- explain the rules.
--
-- A budget never drops a hit. When a chunk no longer fits, the rest of its hit's context is cut too, so a budget makes no
-- holes in a window. Of code and data, parts are kept or cut as a whole.

CREATE TYPE _passage.budget AS (max_tokens integer, max_passage_tokens integer, max_chunks integer);

CREATE TYPE _passage.decision AS (claim _passage.claim, verdict text, tokens_before bigint);

-- The claims and pieces by their numbers, and what was spent. `of_hits` are the tokens of the context of each hit, without
-- chunks whose number the call names. The claim of a piece is 0 for a hit. Decisions have the number of their claim.

CREATE TYPE _passage.spending AS (
    hit_of integer[], tokens_of integer[], named integer[], is_last_read boolean[], limits integer[], limit_names text[],
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

CREATE FUNCTION _passage.spending_of(
    hits _passage.expanded_hit[], claims _passage.claim[], chunks _passage.scope_chunk[], budget _passage.budget
) RETURNS _passage.spending
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    s _passage.spending;
BEGIN
    SELECT array_agg(c.hit ORDER BY place), array_agg(c.tokens ORDER BY place),
        array_agg(CASE WHEN c.rule = ANY ((h.strategy).named) THEN 0 ELSE c.tokens END ORDER BY place), array_agg(abs(c.distance) >= h.reach ORDER BY place)
    INTO s.hit_of, s.tokens_of, s.named, s.is_last_read
    FROM unnest(claims) WITH ORDINALITY AS c (hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge, place) JOIN unnest(hits) AS h USING (hit);
    SELECT array_agg(nullif(coalesce((h.strategy).max_passage_tokens, (h.strategy).max_tokens, budget.max_passage_tokens), 0) ORDER BY h.hit),
        array_agg(CASE WHEN (h.strategy).max_passage_tokens IS NULL AND (h.strategy).max_tokens IS NOT NULL THEN 'max_tokens' ELSE 'max_passage_tokens' END ORDER BY h.hit),
        sum(h.tokens), count(*)
    INTO s.limits, s.limit_names, s.tokens, s.chunks
    FROM unnest(hits) AS h;
    SELECT array_agg(coalesce(c.claim, 0) ORDER BY place), array_agg(c.hit ORDER BY place), array_agg(c.ordinal ORDER BY place), array_agg(c.before ORDER BY place), array_agg(c.after ORDER BY place)
    INTO s.claim_of, s.hit_of_piece, s.ordinals, s.before, s.after
    FROM unnest(chunks) WITH ORDINALITY AS c (scope, ordinal, section, unit, claim, hit, run, is_inside, before, after, follows, place);
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
    own bigint;
    claim integer;
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
    FOR of_hit IN 1 .. cardinality(s.limits) LOOP
        CONTINUE WHEN s.limits[of_hit] IS NULL;
        own := 0;
        FOREACH claim IN ARRAY claims LOOP
            IF s.hit_of[claim] = of_hit THEN
                own := own + s.named[claim];
            END IF;
        END LOOP;
        IF own > 0 AND s.of_hits[of_hit] + own > s.limits[of_hit] THEN
            RETURN s.limit_names[of_hit];
        END IF;
    END LOOP;
    RETURN CASE WHEN s.chunks + cardinality(claims) > s.max_chunks THEN 'max_chunks' END;
END
$$;

COMMENT ON FUNCTION _passage.verdict(_passage.spending, integer, integer[]) IS 'limit that context exceeds';

CREATE FUNCTION _passage.decide(s _passage.spending, claims integer[], verdict text) RETURNS _passage.spending
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim integer;
BEGIN
    FOREACH claim IN ARRAY claims LOOP
        s.decided := s.decided || claim;
        s.verdicts := s.verdicts || verdict;
        s.tokens_before := s.tokens_before || s.tokens;
        IF verdict IS NULL THEN
            s.tokens := s.tokens + s.tokens_of[claim];
            s.chunks := s.chunks + 1;
            s.of_hits[s.hit_of[claim]] := s.of_hits[s.hit_of[claim]] + s.named[claim];
        END IF;
    END LOOP;
    RETURN s;
END
$$;

COMMENT ON FUNCTION _passage.decide(_passage.spending, integer[], text) IS 'account with decisions on context';

-- The claims of an excerpt, which is a list of places among pieces.

CREATE FUNCTION _passage.excerpt_claims(s _passage.spending, pieces integer[], excerpt integer[], kept integer[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT (s).claim_of[pieces[at]] FROM unnest(excerpt) WITH ORDINALITY AS listed (at, place)
        WHERE (s).claim_of[pieces[at]] > 0 AND (s).claim_of[pieces[at]] <> ALL (kept) ORDER BY place)
$$;

COMMENT ON FUNCTION _passage.excerpt_claims(_passage.spending, integer[], integer[], integer[]) IS 'context in an excerpt, without what is kept';

-- The excerpt with the fewest tokens that has all needed pieces and parses between the first and the last of them, NULL if
-- there is none. Text can be left out between two items of one body.

CREATE FUNCTION _passage.cheapest_excerpt(s _passage.spending, pieces integer[], needed integer[]) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    required CONSTANT integer[] := ARRAY(SELECT DISTINCT place FROM unnest(needed) AS place ORDER BY place);
    first CONSTANT integer := required[1];
    last CONSTANT integer := required[cardinality(required)];
    -- For each piece from the first: tokens and chunks of the best excerpt up to it, and the piece before it there.
    tokens bigint[] := '{}';
    counts integer[] := '{}';
    origins integer[] := '{}';
    -- For each body, the best excerpt after which an item of the body follows.
    bodies text[] := '{}';
    open_tokens bigint[] := '{}';
    open_counts integer[] := '{}';
    open_ends integer[] := '{}';
    next integer := 1;
    place integer;
    body text;
    best record;
    excerpt integer[];
BEGIN
    IF first IS NULL THEN
        RETURN NULL;
    END IF;
    FOR at IN first .. last LOOP
        place := array_position(bodies, s.before[pieces[at]]);
        SELECT candidate.tokens, candidate.count, candidate.origin INTO best
        FROM (VALUES
            (open_tokens[place], open_counts[place], open_ends[place]),
            (CASE WHEN at > first AND s.ordinals[pieces[at]] - s.ordinals[pieces[at - 1]] = 1 THEN tokens[at - first] END, counts[at - first], at - 1),
            (CASE WHEN at = first THEN 0::bigint END, 0, at)
        ) AS candidate (tokens, count, origin)
        WHERE candidate.tokens IS NOT NULL ORDER BY 1, 2, 3 LIMIT 1;
        IF FOUND THEN
            best.tokens := best.tokens + CASE s.claim_of[pieces[at]] WHEN 0 THEN 0 ELSE s.tokens_of[s.claim_of[pieces[at]]] END;
            best.count := best.count + (s.claim_of[pieces[at]] > 0)::integer;
        END IF;
        tokens := tokens || best.tokens;
        counts := counts || best.count;
        origins := origins || best.origin;
        IF required[next] = at THEN
            next := next + 1;
            IF best.tokens IS NULL THEN
                RETURN NULL;
            END IF;
            bodies := '{}';
            open_tokens := '{}';
            open_counts := '{}';
            open_ends := '{}';
        END IF;
        body := s.after[pieces[at]];
        IF best.tokens IS NOT NULL AND body IS NOT NULL THEN
            place := array_position(bodies, body);
            IF place IS NULL THEN
                bodies := bodies || body;
                open_tokens := open_tokens || best.tokens;
                open_counts := open_counts || best.count;
                open_ends := open_ends || at;
            ELSIF (best.tokens, best.count, at) < (open_tokens[place], open_counts[place], open_ends[place]) THEN
                open_tokens[place] := best.tokens;
                open_counts[place] := best.count;
                open_ends[place] := at;
            END IF;
        END IF;
    END LOOP;
    place := last;
    excerpt := ARRAY[last];
    WHILE place <> first LOOP
        place := origins[place - first + 1];
        excerpt := place || excerpt;
    END LOOP;
    RETURN excerpt;
END
$$;

COMMENT ON FUNCTION _passage.cheapest_excerpt(_passage.spending, integer[], integer[]) IS 'excerpt with the fewest tokens that has some pieces and parses';

-- The cheapest excerpt with the ends and all hits, or else with the ends and the best hit, if it fits. It has the claims
-- that are kept already.

CREATE FUNCTION _passage.fitting_excerpt(s _passage.spending, payer integer, pieces integer[], kept integer[]) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hits CONSTANT integer[] := ARRAY(SELECT at FROM generate_series(1, cardinality(pieces)) AS at WHERE s.claim_of[pieces[at]] = 0 ORDER BY at);
    needed CONSTANT integer[] := ARRAY[1, cardinality(pieces)]
        || ARRAY(SELECT at FROM generate_series(1, cardinality(pieces)) AS at WHERE s.claim_of[pieces[at]] = ANY (kept));
    excerpt integer[];
BEGIN
    FOR round IN 1 .. 2 LOOP
        excerpt := _passage.cheapest_excerpt(s, pieces, needed || CASE round WHEN 1 THEN hits ELSE _passage.best_hit(s, payer, pieces) END);
        IF excerpt IS NOT NULL AND _passage.verdict(s, payer, _passage.excerpt_claims(s, pieces, excerpt, kept)) IS NULL THEN
            RETURN excerpt;
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.fitting_excerpt(_passage.spending, integer, integer[], integer[]) IS 'excerpt of a unit with its ends and hits that fits';

CREATE FUNCTION _passage.best_hit(s _passage.spending, payer integer, pieces integer[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT at FROM generate_series(1, cardinality(pieces)) AS at WHERE (s).claim_of[pieces[at]] = 0
        ORDER BY (s).hit_of_piece[pieces[at]] <> payer, (s).hit_of_piece[pieces[at]] LIMIT 1)
$$;

COMMENT ON FUNCTION _passage.best_hit(_passage.spending, integer, integer[]) IS 'place of the hit that pays among pieces, else of the best one';

-- Keeps the heads of the containers around a hit that fit, the nearest first. A head ends where an item of a body follows.

CREATE FUNCTION _passage.take_heads(INOUT s _passage.spending, containers integer[], part _passage.part, OUT kept integer[])
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    count CONSTANT integer := cardinality(part.pieces);
    hit CONSTANT integer := s.hit_of[part.chunks[1]];
    head integer[];
    at integer;
BEGIN
    kept := '{}';
    FOR place IN 0 .. cardinality(containers) / 4 - 1 LOOP
        SELECT min(number) INTO at FROM generate_series(1, count) AS number WHERE s.ordinals[part.pieces[number]] = containers[place * 4 + 2];
        CONTINUE WHEN at IS NULL;
        head := ARRAY[at];
        WHILE s.after[part.pieces[at]] IS NULL LOOP
            at := at + 1;
            IF at > count OR s.ordinals[part.pieces[at]] - s.ordinals[part.pieces[at - 1]] <> 1 THEN
                head := NULL;
                EXIT;
            END IF;
            head := head || at;
        END LOOP;
        CONTINUE WHEN head IS NULL;
        head := _passage.excerpt_claims(s, part.pieces, head, kept);
        IF _passage.verdict(s, hit, head) IS NULL THEN
            s := _passage.decide(s, head, NULL);
            kept := kept || head;
        END IF;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.take_heads(_passage.spending, integer[], _passage.part) IS 'account with the heads of containers that fit';

-- Decides on the ends of containers without the heads that are kept: the whole of them, or the cheapest excerpt with both
-- ends, or nothing.

CREATE FUNCTION _passage.take_ends(s _passage.spending, part _passage.part, heads integer[]) RETURNS _passage.spending
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hit CONSTANT integer := s.hit_of[part.chunks[1]];
    rest integer[] := ARRAY(SELECT claim FROM unnest(part.chunks) WITH ORDINALITY AS listed (claim, place) WHERE claim <> ALL (heads) ORDER BY place);
    verdict CONSTANT text := _passage.verdict(s, hit, rest);
    excerpt integer[];
    kept integer[] := '{}';
BEGIN
    IF verdict IS NOT NULL THEN
        excerpt := _passage.fitting_excerpt(s, hit, part.pieces, heads);
        IF excerpt IS NOT NULL THEN
            kept := _passage.excerpt_claims(s, part.pieces, excerpt, heads);
            s := _passage.decide(s, kept, NULL);
            rest := ARRAY(SELECT claim FROM unnest(rest) WITH ORDINALITY AS listed (claim, place) WHERE claim <> ALL (kept) ORDER BY place);
        END IF;
    END IF;
    RETURN _passage.decide(s, rest, verdict);
END
$$;

COMMENT ON FUNCTION _passage.take_ends(_passage.spending, _passage.part, integer[]) IS 'account with the ends of containers';

-- Decides on a unit with a hit that does not fit as a whole, and on the ends of the containers around it, each with the
-- claims of its heads if they are decided. A run of own text parses between the ends of its container, any other unit
-- between its own.

CREATE FUNCTION _passage.take_excerpt(
    s _passage.spending, hits _passage.expanded_hit[], part _passage.part, around _passage.part[], heads text[]
) RETURNS _passage.spending
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hit CONSTANT integer := s.hit_of[part.chunks[1]];
    too_large CONSTANT text := coalesce(_passage.verdict(s, hit, part.chunks), 'max_chunks');
    has_own CONSTANT boolean := part.kind = 'own run' AND cardinality(around) > 0;
    pieces CONSTANT integer[] := ARRAY(SELECT piece FROM unnest(part.pieces || CASE WHEN has_own THEN (around[1]).pieces ELSE '{}' END) AS piece ORDER BY s.ordinals[piece]);
    kept integer[] := CASE WHEN has_own THEN coalesce(heads[1]::integer[], '{}') ELSE '{}' END;
    excerpt integer[] := _passage.fitting_excerpt(s, hit, pieces, kept);
    added integer[];
    new integer[];
    verdict text;
    at integer;
    low integer;
    claim integer;
    of_end integer[];
    taken record;
BEGIN
    IF excerpt IS NULL THEN
        -- The pieces next to the hit, up to the first that does not fit.
        at := (_passage.best_hit(s, hit, pieces))[1];
        low := at;
        WHILE low > 1 AND s.ordinals[pieces[low]] - s.ordinals[pieces[low - 1]] = 1 LOOP
            low := low - 1;
        END LOOP;
        WHILE at < cardinality(pieces) AND s.ordinals[pieces[at + 1]] - s.ordinals[pieces[at]] = 1 LOOP
            at := at + 1;
        END LOOP;
        FOREACH claim IN ARRAY part.chunks LOOP
            verdict := 'a nearer chunk of the hit was cut';
            IF EXISTS (SELECT FROM generate_series(low, at) AS near WHERE s.claim_of[pieces[near]] = claim) THEN
                verdict := _passage.verdict(s, hit, ARRAY[claim]);
                s.is_cut[hit] := s.is_cut[hit] OR verdict IS NOT NULL;
            END IF;
            s := _passage.decide(s, ARRAY[claim], verdict);
        END LOOP;
        s.is_cut[hit] := true;
        FOR place IN 1 .. cardinality(around) LOOP
            s := _passage.decide(s, ARRAY(SELECT end_claim FROM unnest((around[place]).chunks) WITH ORDINALITY AS listed (end_claim, number)
                WHERE end_claim <> ALL (coalesce(heads[place]::integer[], '{}')) ORDER BY number), 'a nearer chunk of the hit was cut');
        END LOOP;
        RETURN s;
    END IF;
    new := _passage.excerpt_claims(s, pieces, excerpt, kept);
    s := _passage.decide(s, new, NULL);
    kept := kept || new;
    FOR place IN 1 + has_own::integer .. cardinality(around) LOOP
        of_end := heads[place]::integer[];
        IF of_end IS NULL AND NOT _passage.has_hit(s, around[place]) THEN
            taken := _passage.take_heads(s, hits[s.hit_of[(around[place]).chunks[1]]].containers, around[place]);
            s := taken.s;
            of_end := taken.kept;
        END IF;
        s := _passage.take_ends(s, around[place], coalesce(of_end, '{}'));
    END LOOP;
    -- The hits that are left, then the nearest pieces.
    FOR at IN
        SELECT number FROM (
            SELECT number, 0 AS stage, number AS position FROM generate_series(1, cardinality(pieces)) AS number WHERE s.claim_of[pieces[number]] = 0
            UNION ALL
            SELECT array_position(pieces, piece.number::integer), 1, listed.place::integer
            FROM unnest(part.chunks) WITH ORDINALITY AS listed (claim, place) JOIN unnest(s.claim_of) WITH ORDINALITY AS piece (claim, number) ON piece.claim = listed.claim
        ) AS following WHERE number IS NOT NULL ORDER BY stage, position
    LOOP
        CONTINUE WHEN at = ANY (excerpt);
        SELECT max(place) INTO low FROM unnest(excerpt) AS place WHERE place < at;
        added := _passage.cheapest_excerpt(s, pieces, ARRAY[low, at, (SELECT min(place) FROM unnest(excerpt) AS place WHERE place > at)]);
        CONTINUE WHEN added IS NULL;
        added := added[2:cardinality(added) - 1];
        new := _passage.excerpt_claims(s, pieces, added, '{}');
        EXIT WHEN _passage.verdict(s, hit, new) IS NOT NULL;
        s := _passage.decide(s, new, NULL);
        kept := kept || new;
        excerpt := ARRAY(SELECT place FROM unnest(excerpt || added) AS place ORDER BY place);
    END LOOP;
    new := CASE WHEN has_own THEN (around[1]).chunks ELSE '{}' END || part.chunks;
    s := _passage.decide(s, ARRAY(SELECT rest FROM unnest(new) WITH ORDINALITY AS listed (rest, place) WHERE rest <> ALL (kept) ORDER BY place), too_large);
    s.is_cut[hit] := true;
    RETURN s;
END
$$;

COMMENT ON FUNCTION _passage.take_excerpt(_passage.spending, _passage.expanded_hit[], _passage.part, _passage.part[], text[]) IS 'account with an excerpt of a unit that does not fit';

CREATE FUNCTION _passage.has_hit(s _passage.spending, part _passage.part) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN EXISTS (SELECT FROM unnest(part.pieces) AS piece WHERE s.claim_of[piece] = 0);
END
$$;

COMMENT ON FUNCTION _passage.has_hit(_passage.spending, _passage.part) IS 'whether a hit is in a part';

-- Decides on parts in their order.

CREATE FUNCTION _passage.spend_on_parts(s _passage.spending, hits _passage.expanded_hit[], roles integer[], parts _passage.part[]) RETURNS _passage.spending
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    count CONSTANT integer := coalesce(cardinality(parts), 0);
    is_decided boolean[] := array_fill(false, ARRAY[count]);
    -- The claims of heads that are kept, by their ends.
    heads text[] := array_fill(NULL::text, ARRAY[count]);
    has_all_heads boolean := false;
    -- Ends whose heads are decided; the rest of them comes before members.
    open integer[] := '{}';
    part _passage.part;
    around _passage.part[];
    around_heads text[];
    verdict text;
    ending integer;
    hit integer;
    taken record;
BEGIN
    FOR i IN 1 .. count LOOP
        CONTINUE WHEN is_decided[i];
        part := parts[i];
        hit := s.hit_of[part.chunks[1]];
        IF part.kind = 'member' THEN
            FOREACH ending IN ARRAY open LOOP
                s := _passage.take_ends(s, parts[ending], heads[ending]::integer[]);
            END LOOP;
            open := '{}';
        END IF;
        -- A member with the last chunk that was read may have more chunks.
        verdict := _passage.verdict(s, hit, part.chunks);
        IF part.kind = 'member' AND verdict IS NULL AND EXISTS (SELECT FROM unnest(part.chunks) AS claim WHERE s.is_last_read[claim]) THEN
            verdict := 'max_chunks';
        END IF;
        IF cardinality(part.pieces) > 0 AND verdict IS NOT NULL AND _passage.has_hit(s, part) THEN
            IF NOT has_all_heads THEN
                has_all_heads := true;
                FOR other IN 1 .. count LOOP
                    IF parts[other].kind = 'ends' AND s.hit_of[parts[other].chunks[1]] <> hit AND NOT is_decided[other] AND heads[other] IS NULL
                        AND NOT _passage.has_hit(s, parts[other]) THEN
                        taken := _passage.take_heads(s, hits[s.hit_of[parts[other].chunks[1]]].containers, parts[other]);
                        s := taken.s;
                        heads[other] := taken.kept::text;
                    END IF;
                END LOOP;
            END IF;
            around := '{}';
            around_heads := '{}';
            FOR other IN 1 .. count LOOP
                IF parts[other].kind = 'ends' AND other <> i AND s.hit_of[parts[other].chunks[1]] = hit AND NOT is_decided[other] THEN
                    is_decided[other] := true;
                    around := around || parts[other];
                    around_heads := around_heads || heads[other];
                    open := array_remove(open, other);
                END IF;
            END LOOP;
            s := _passage.take_excerpt(s, hits, part, around, around_heads);
        ELSIF part.kind = 'ends' AND NOT _passage.has_hit(s, part) THEN
            IF heads[i] IS NULL THEN
                taken := _passage.take_heads(s, hits[hit].containers, part);
                s := taken.s;
                heads[i] := taken.kept::text;
            END IF;
            open := open || i;
        ELSE
            IF verdict IS NOT NULL AND part.kind <> 'member' AND roles[part.chunks[1]] > 2 THEN
                s.is_cut[hit] := true;
            END IF;
            s := _passage.decide(s, part.chunks, verdict);
        END IF;
    END LOOP;
    FOREACH ending IN ARRAY open LOOP
        s := _passage.take_ends(s, parts[ending], heads[ending]::integer[]);
    END LOOP;
    RETURN s;
END
$$;

COMMENT ON FUNCTION _passage.spend_on_parts(_passage.spending, _passage.expanded_hit[], integer[], _passage.part[]) IS 'account with decisions on parts';

-- Decides on hits and context. If all context fits, the order matters only to explain it.

CREATE FUNCTION _passage.spend(store name, hits _passage.expanded_hit[], claims _passage.claim[], budget _passage.budget, explain boolean)
RETURNS _passage.decision[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    s _passage.spending := _passage.spending_of(hits, claims, '{}', budget);
    chunks _passage.scope_chunk[];
    verdict text;
    decisions _passage.decision[];
    all_claims CONSTANT integer[] := ARRAY(SELECT generate_series(1, cardinality(claims)));
BEGIN
    IF NOT explain AND _passage.verdict(s, 1, all_claims) IS NULL AND true <> ALL (coalesce(s.is_last_read, '{}')) THEN
        s := _passage.decide(s, all_claims, NULL);
    ELSE
        hits := _passage.with_closings(store, hits);
        chunks := _passage.scope_chunks(hits, claims);
        IF chunks IS NULL THEN
            FOR i IN 1 .. cardinality(claims) LOOP
                verdict := _passage.verdict(s, claims[i].hit, ARRAY[i]);
                s := _passage.decide(s, ARRAY[i], verdict);
                s.is_cut[claims[i].hit] := s.is_cut[claims[i].hit] OR verdict IS NOT NULL AND claims[i].role > 2;
            END LOOP;
        ELSE
            s := _passage.spend_on_parts(_passage.spending_of(hits, claims, chunks, budget), hits,
                ARRAY(SELECT role FROM unnest(claims)), _passage.parts(hits, claims, chunks));
        END IF;
    END IF;
    SELECT array_agg(((h.hit, h.id, h.ordinal, h.tokens, h.section, h.unit, h.level, 'hit', 0, 0, false)::_passage.claim, NULL, spent_before)::_passage.decision ORDER BY h.hit)
    INTO decisions
    FROM (SELECT h.*, sum(h.tokens) OVER (ORDER BY h.hit) - h.tokens AS spent_before FROM unnest(hits) AS h) AS h;
    RETURN decisions || ARRAY(SELECT (claims[decided.claim], decided.verdict, decided.spent_before)::_passage.decision
        FROM unnest(s.decided, s.verdicts, s.tokens_before) WITH ORDINALITY AS decided (claim, verdict, spent_before, place) ORDER BY place);
END
$$;

COMMENT ON FUNCTION _passage.spend(name, _passage.expanded_hit[], _passage.claim[], _passage.budget, boolean) IS 'decisions on hits and context, in the order in which the budget is spent';
