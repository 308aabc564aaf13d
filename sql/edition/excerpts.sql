-- Excerpts of units that a budget cannot keep whole: their ends and the hits in them, as in core/passages/src/expand/
-- excerpt.rs and spend.rs.

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
            (CASE WHEN at > first AND s.ordinals[pieces[at]]::bigint - s.ordinals[pieces[at - 1]] = 1 THEN tokens[at - first] END, counts[at - first], at - 1),
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
            IF at > count OR s.ordinals[part.pieces[at]]::bigint - s.ordinals[part.pieces[at - 1]] <> 1 THEN
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
        WHILE low > 1 AND s.ordinals[pieces[low]]::bigint - s.ordinals[pieces[low - 1]] = 1 LOOP
            low := low - 1;
        END LOOP;
        WHILE at < cardinality(pieces) AND s.ordinals[pieces[at + 1]]::bigint - s.ordinals[pieces[at]] = 1 LOOP
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
        IF of_end IS NULL AND NOT _passage.has_hit(s.claim_of, around[place]) THEN
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

CREATE FUNCTION _passage.has_hit(claim_of integer[], part _passage.part) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN EXISTS (SELECT FROM unnest(part.pieces) AS piece WHERE claim_of[piece] = 0);
END
$$;

COMMENT ON FUNCTION _passage.has_hit(integer[], _passage.part) IS 'whether a hit is in a part';
