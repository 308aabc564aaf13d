-- Claims: which chunks are context of which hit, as in core/passages/src/expand/ plan.rs and claim.rs.
--
-- If several hits claim a chunk, the hit with the best score gets it; of equal scores the nearest. A hit whose container
-- includes the chunk comes before all others.

-- Roles are numbered in the order of their priority.

CREATE FUNCTION _passage.role_names() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{parent,ancestor,preceding,following,child,adjacent,section}'::pg_catalog.text[];

COMMENT ON FUNCTION _passage.role_names() IS 'roles of context, by their numbers';

CREATE TYPE _passage.claim AS (
    hit integer, id uuid, ordinal integer, tokens integer, section text[], unit text, level integer,
    rule text, role integer, distance integer, is_bridge boolean
);

-- Ordinals, lines and tokens of a store may be any integers, so sums and distances saturate.

CREATE FUNCTION _passage.saturated(value bigint) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN value OPERATOR(pg_catalog.>) 2147483647 THEN 2147483647 WHEN value OPERATOR(pg_catalog.<) -2147483648 THEN -2147483648 ELSE value END::integer;

COMMENT ON FUNCTION _passage.saturated(bigint) IS 'nearest integer';

CREATE FUNCTION _passage.distance(ordinal integer, other integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN _passage.saturated(other::bigint OPERATOR(pg_catalog.-) ordinal);

COMMENT ON FUNCTION _passage.distance(integer, integer) IS 'chunks from one ordinal to another';

-- Headings of changelogs: the releases before and after one say nothing about it. The rules are those of
-- core/split/src/release.rs.

CREATE FUNCTION _passage.is_release(title text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    heading CONSTANT text COLLATE "C" := rtrim(rtrim(btrim(title, E' \t\n\f\r\x0b'), ':=-'), E' \t\n\f\r\x0b');
    version CONSTANT text := '^[vV]?[0-9]{1,8}(\.[0-9]{1,8})+\.*([^0-9.][0-9A-Za-z+.~_-]{0,23})?$';
    rest CONSTANT text := '^(|[0-9].*|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun).*'
        '|on|of|unreleased|yanked|released|release|tbd|not|yet|beta|alpha|at)$';
    words text[] COLLATE "C";
    others text[] COLLATE "C";
BEGIN
    IF octet_length(heading) > 120 OR heading ~ '\.$' THEN
        RETURN false;
    ELSIF lower(btrim(heading, '[]')) = 'unreleased' THEN
        RETURN true;
    ELSIF heading !~ '[0-9]' AND heading !~ '; urgency=' THEN
        RETURN false;
    END IF;
    words := ARRAY(SELECT btrim(word, '[](){}*_`,:;–—-') FROM regexp_split_to_table(heading, '\s+') WITH ORDINALITY AS listed (word, place)
        WHERE word <> '' ORDER BY place);
    WHILE lower(words[1]) IN ('version', 'release', 'released', 'changes', 'in', 'for') LOOP
        words := words[2:];
    END LOOP;
    others := CASE WHEN words[1] ~ version THEN words[2:] WHEN words[2] ~ version AND words[1] ~ '^[\w.+/@-]+$' AND words[1] ~ '[[:alpha:]]' THEN words[3:] END;
    IF others IS NOT NULL AND (SELECT coalesce(bool_and(lower(word) ~ rest), true) FROM unnest(others) AS word) THEN
        RETURN true;
    END IF;
    RETURN words[1] ~ '^[0-9]{4}[-/.][0-9]{2}[-/.][0-9]{2}$' AND heading ~ '[@ ]' OR heading ~ '; urgency=';
END
$$;

COMMENT ON FUNCTION _passage.is_release(text) IS 'whether a title names a release';

-- Whether the strategy of a hit adds chunks.

CREATE FUNCTION _passage.has_context(strategy _passage.strategy) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN strategy.scope <> 'none' OR strategy.parents + strategy.preceding + strategy.following + strategy.children > 0
        OR 0 < ANY (strategy.before || strategy.after);
END
$$;

COMMENT ON FUNCTION _passage.has_context(_passage.strategy) IS 'whether a strategy adds chunks';

-- The best claim of each chunk that is not a hit, in the order in which a budget is spent on single chunks. `others` are
-- the claims that do not come from an index.
--
-- The statement names no store: the search_path of this call has the schema of the store behind pg_catalog. So PostgreSQL
-- plans it once for a session, which takes longer than to execute it. Its first part names the columns and casts them to the
-- types that operators of pg_catalog take, because for another type the store could have an operator that fits better.
-- Functions and operators of any type are qualified for the same reason. Ordinals may be any integers, so sums are bigint.

CREATE FUNCTION _passage.read_claims(store name, hits _passage.expanded_hit[], skip uuid[], bridges boolean, others _passage.claim[])
RETURNS _passage.claim[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    best _passage.claim[];
BEGIN
    PERFORM _passage.use_store(store, false);
    WITH chunks AS NOT MATERIALIZED (
        SELECT c.id::uuid, c.document_id::uuid, c.ordinal::integer, pg_catalog.array_replace(c.section::text[], NULL, '') AS section, c.section_key::bigint, c.parent_key::bigint, c.unit::text, c.level::integer,
            c.tokens::integer, c.content::text FROM chunks AS c
    ), hits AS MATERIALIZED (
        SELECT h.ordinal::bigint AS place, h.hit, h.id, h.document, h.ordinal, h.section, h.section_key, h.parent_key, h.score_rank, h.relatives, h.before, h.after, h.reach,
            h.scope_group, h.scope_section, h.scope_first, h.scope_last, (h.strategy).scope AS scope, (h.strategy).within AS within, pg_catalog.cardinality(h.section) AS depth,
            h.section[:pg_catalog.cardinality(h.section) - 1] AS parent,
            CASE WHEN h.relatives[2] + h.relatives[3] > 0 THEN (h.strategy).siblings = 'parent' AND pg_catalog.cardinality(h.section) > 0
                AND NOT _passage.is_release(h.section[pg_catalog.cardinality(h.section)]) ELSE false END AS by_parent,
            CASE WHEN bridges THEN coalesce(h.kind, '') <> 'code' AND coalesce(h.kind, '') <> 'data' AND _passage.has_context(h.strategy) ELSE false END AS has_bridges
        FROM pg_catalog.unnest(hits) AS h WHERE h.ordinal IS NOT NULL
    ), bridges AS (
        -- Single chunks between two hits of prose.
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, 'gap'::text AS rule, 6 AS role, _passage.distance(h.ordinal, c.ordinal) AS distance
        FROM (
            SELECT hits.hit, hits.document, hits.ordinal, hits.place, pg_catalog.lag(hits.place) OVER near = hits.place - 2 AND pg_catalog.lag(hits.has_bridges) OVER near AS follows,
                pg_catalog.lead(hits.place) OVER near = hits.place + 2 AND pg_catalog.lead(hits.has_bridges) OVER near AS is_followed, hits.has_bridges
            FROM hits WHERE bridges WINDOW near AS (PARTITION BY hits.document ORDER BY hits.place)
        ) AS h
        CROSS JOIN LATERAL (VALUES (h.follows, h.place - 1), (h.is_followed, h.place + 1)) AS side (is_near, ordinal)
        JOIN chunks AS c ON c.document_id = h.document AND c.ordinal = side.ordinal WHERE h.has_bridges AND side.is_near
    ), claimed AS (
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, 'parents'::text AS rule,
            CASE row_number() OVER (PARTITION BY h.hit ORDER BY c.near DESC, c.ordinal DESC) WHEN 1 THEN 1 ELSE 2 END AS role, _passage.distance(h.ordinal, c.ordinal) AS distance
        FROM hits AS h CROSS JOIN LATERAL (
            SELECT c.*, least(above.depth + (coalesce(c.section[above.depth + 1], '') = coalesce(h.section[above.depth + 1], ''))::integer, h.depth - 1) AS near
            FROM generate_series(h.depth - 1, 0, -1) AS above (depth)
            CROSS JOIN LATERAL (SELECT CASE WHEN above.depth = h.depth - 1 THEN h.parent_key ELSE passage.section_key(h.section[:above.depth]) END AS key OFFSET 0) AS hashed
            CROSS JOIN LATERAL (
                (SELECT c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document
                    AND (c.section_key, c.ordinal) >= (hashed.key, '-2147483648'::integer) AND (c.section_key, c.ordinal) < (hashed.key, h.ordinal)
                    AND c.section OPERATOR(pg_catalog.=) h.section[:above.depth] ORDER BY c.section_key DESC, c.ordinal DESC LIMIT 1)
                UNION ALL
                (SELECT c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document
                    AND (c.parent_key, c.ordinal) >= (hashed.key, '-2147483648'::integer) AND (c.parent_key, c.ordinal) < (hashed.key, h.ordinal)
                    AND pg_catalog.cardinality(c.section) = above.depth + 1 AND c.section[:above.depth] OPERATOR(pg_catalog.=) h.section[:above.depth]
                    ORDER BY c.parent_key, c.ordinal LIMIT (above.depth > 0)::integer)
                LIMIT 1) AS c
            LIMIT h.relatives[1]) AS c
        WHERE h.relatives[1] > 0 AND h.depth > 0 AND c.id <> ALL (skip)
        UNION ALL
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, 'preceding', 3, _passage.distance(h.ordinal, c.ordinal) FROM hits AS h CROSS JOIN LATERAL (
            SELECT c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.parent_key, c.ordinal) >= (h.parent_key, '-2147483648'::integer) AND (c.parent_key, c.ordinal) < (h.parent_key, h.ordinal)
                AND pg_catalog.cardinality(c.section) = h.depth AND c.section[:h.depth - 1] OPERATOR(pg_catalog.=) h.parent
            ORDER BY c.parent_key DESC, c.ordinal DESC LIMIT h.relatives[2]) AS c WHERE h.relatives[2] > 0 AND h.by_parent
        UNION ALL
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, 'preceding', 3, _passage.distance(h.ordinal, c.ordinal) FROM hits AS h CROSS JOIN LATERAL (
            SELECT c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.section_key, c.ordinal) >= (h.section_key, '-2147483648'::integer) AND (c.section_key, c.ordinal) < (h.section_key, h.ordinal)
                AND c.section OPERATOR(pg_catalog.=) h.section ORDER BY c.section_key DESC, c.ordinal DESC LIMIT h.relatives[2]) AS c WHERE h.relatives[2] > 0 AND NOT h.by_parent
        UNION ALL
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, 'following', 4, _passage.distance(h.ordinal, c.ordinal) FROM hits AS h CROSS JOIN LATERAL (
            SELECT c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.parent_key, c.ordinal) > (h.parent_key, h.ordinal) AND (c.parent_key, c.ordinal) <= (h.parent_key, 2147483647)
                AND pg_catalog.cardinality(c.section) = h.depth AND c.section[:h.depth - 1] OPERATOR(pg_catalog.=) h.parent
            ORDER BY c.parent_key, c.ordinal LIMIT h.relatives[3]) AS c WHERE h.relatives[3] > 0 AND h.by_parent
        UNION ALL
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, 'following', 4, _passage.distance(h.ordinal, c.ordinal) FROM hits AS h CROSS JOIN LATERAL (
            SELECT c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.section_key, c.ordinal) > (h.section_key, h.ordinal) AND (c.section_key, c.ordinal) <= (h.section_key, 2147483647)
                AND c.section OPERATOR(pg_catalog.=) h.section ORDER BY c.section_key, c.ordinal LIMIT h.relatives[3]) AS c WHERE h.relatives[3] > 0 AND NOT h.by_parent
        UNION ALL
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, 'children', 5, _passage.distance(h.ordinal, c.ordinal) FROM hits AS h CROSS JOIN LATERAL (
            SELECT c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.parent_key, c.ordinal) > (h.section_key, h.ordinal) AND (c.parent_key, c.ordinal) <= (h.section_key, 2147483647)
                AND pg_catalog.cardinality(c.section) = h.depth + 1 AND c.section[:h.depth] OPERATOR(pg_catalog.=) h.section
            ORDER BY c.parent_key, c.ordinal LIMIT h.relatives[4]) AS c WHERE h.relatives[4] > 0
        UNION ALL
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, h.scope, 7, _passage.distance(h.ordinal, c.ordinal)
        FROM hits AS h CROSS JOIN LATERAL (
            SELECT greatest(least(h.scope_first, h.place), h.place - h.reach) AS first, least(greatest(h.scope_last, h.place), h.place + h.reach) AS last
        ) AS core
        CROSS JOIN LATERAL (
            SELECT coalesce((SELECT e.ordinal FROM chunks AS e WHERE e.document_id = h.document AND e.ordinal >= h.place - h.reach AND e.ordinal < core.first
                    AND NOT e.section[:pg_catalog.cardinality(h.scope_section)] OPERATOR(pg_catalog.=) h.scope_section ORDER BY e.ordinal DESC LIMIT 1), h.place - h.reach - 1) AS low,
                coalesce((SELECT e.ordinal FROM chunks AS e WHERE e.document_id = h.document AND e.ordinal > core.last AND e.ordinal <= h.place + h.reach
                    AND NOT e.section[:pg_catalog.cardinality(h.scope_section)] OPERATOR(pg_catalog.=) h.scope_section ORDER BY e.ordinal LIMIT 1), h.place + h.reach + 1) AS high
            OFFSET 0
        ) AS ends
        JOIN chunks AS c ON c.document_id = h.document AND c.ordinal > ends.low AND c.ordinal < ends.high
            AND c.section[:pg_catalog.cardinality(h.scope_section)] OPERATOR(pg_catalog.=) h.scope_section
        WHERE h.scope_group IS NOT NULL
        UNION ALL
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, h.scope, 7, _passage.distance(h.ordinal, c.ordinal)
        FROM hits AS h CROSS JOIN LATERAL (VALUES (h.scope_first), (h.scope_last)) AS far (ordinal) JOIN chunks AS c ON c.document_id = h.document AND c.ordinal = far.ordinal
        WHERE h.scope_group IS NOT NULL AND abs(far.ordinal - h.place) > h.reach
        UNION ALL
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, 'document', 7, _passage.distance(h.ordinal, c.ordinal)
        FROM hits AS h JOIN chunks AS c ON c.document_id = h.document AND c.ordinal >= h.place - h.reach AND c.ordinal <= h.place + h.reach WHERE h.scope = 'document'
        UNION ALL
        SELECT h.hit, c.id, c.ordinal, c.tokens, c.content, c.section, c.unit, c.level, side.rule, 6, _passage.distance(h.ordinal, c.ordinal)
        FROM hits AS h CROSS JOIN LATERAL (VALUES ('before', h.place - h.before, h.place - 1), ('after', h.place + 1, h.place + h.after)) AS side (rule, first, last)
        JOIN chunks AS c ON c.document_id = h.document AND c.ordinal >= side.first AND c.ordinal <= side.last
        WHERE h.before + h.after > 0 AND side.first <= side.last AND CASE h.within WHEN 'parent' THEN c.section[:h.depth - 1] OPERATOR(pg_catalog.=) h.parent
            WHEN 'section' THEN c.section[:h.depth] OPERATOR(pg_catalog.=) h.section ELSE true END
        UNION ALL
        SELECT * FROM bridges
        UNION ALL
        SELECT o.hit, o.id, o.ordinal, o.tokens, NULL, o.section, o.unit, o.level, o.rule, o.role, o.distance FROM pg_catalog.unnest(others) AS o
    )
    SELECT pg_catalog.array_agg((best.hit, best.id, best.ordinal, greatest(coalesce(best.tokens, (pg_catalog.char_length(best.content) + 3) / 4), 0), best.section, best.unit, best.level,
            best.rule, best.role, best.distance, best.is_bridge)::_passage.claim
        ORDER BY NOT best.is_bridge, best.score_rank, best.role, abs(best.distance::bigint), best.hit, best.ordinal)
    INTO best
    FROM (
        SELECT DISTINCT ON (claimed.id) claimed.*, h.score_rank, claimed.id IN (SELECT bridges.id FROM bridges) AS is_bridge
        FROM claimed JOIN hits AS h ON h.hit = claimed.hit
        WHERE claimed.id <> ALL (skip) AND NOT claimed.id = ANY (SELECT hits.id FROM hits)
        ORDER BY claimed.id, claimed.rule <> 'container',
            (claimed.rule = 'container' AND h.scope_first IS NOT NULL AND h.section OPERATOR(pg_catalog.<>) h.scope_section AND claimed.section[:h.depth] OPERATOR(pg_catalog.=) h.section) IS NOT TRUE,
            h.score_rank, abs(claimed.distance::bigint), claimed.role, claimed.hit,
            pg_catalog.array_position('{parents,preceding,following,children,section,container,document,before,after,gap,merge}'::text[], claimed.rule)
    ) AS best;
    RETURN coalesce(best, '{}');
END
$$;

COMMENT ON FUNCTION _passage.read_claims(name, _passage.expanded_hit[], uuid[], boolean, _passage.claim[]) IS 'best claim of each chunk that is not a hit';
