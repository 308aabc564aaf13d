-- Claims: which chunks may be context of which hit, as in core/passages/src/expand/plan.rs.

-- Roles are numbered in the order of their priority.

CREATE FUNCTION _passage.role_names() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{parent,ancestor,preceding,following,child,adjacent,section,linked}'::pg_catalog.text[];

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

-- Whether the strategy of a hit adds chunks.

CREATE FUNCTION _passage.has_context(strategy _passage.strategy) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN strategy.scope <> 'none' OR greatest(strategy.parents, strategy.preceding, strategy.following, strategy.children) > 0
        OR 0 < ANY (strategy.before || strategy.after);
END
$$;

COMMENT ON FUNCTION _passage.has_context(_passage.strategy) IS 'whether a strategy adds chunks';

-- Chunks around hits.
--
-- Each kind of context is a statement of its own, which runs only if a hit asks for it: to start one statement for all
-- of them takes longer than to read a few chunks.
--
-- The statements name no store: the search_path of this call has the schema of the store behind pg_catalog. So PostgreSQL
-- plans them once for a session, which takes longer than to execute them. Their first part names the columns and casts them to
-- the types that operators of pg_catalog take, because for another type the store could have an operator that fits better.
-- Functions and operators of any type are qualified for the same reason. Ordinals may be any integers, so sums are bigint.

CREATE FUNCTION _passage.window_claims(store name, hits _passage.expanded_hit[]) RETURNS _passage.claim[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN (
        WITH chunks AS NOT MATERIALIZED (
            @typed_chunks@
        )
        SELECT pg_catalog.array_agg((h.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, side.rule, 6, _passage.distance(h.ordinal, c.ordinal), false)::_passage.claim)
        FROM pg_catalog.unnest(hits) AS h
        CROSS JOIN LATERAL (VALUES ('before', h.ordinal::bigint - h.before, h.ordinal::bigint - 1), ('after', h.ordinal::bigint + 1, h.ordinal::bigint + h.after)) AS side (rule, first, last)
        JOIN chunks AS c ON c.document_id = h.document AND c.ordinal >= side.first AND c.ordinal <= side.last
        WHERE side.first <= side.last AND CASE (h.strategy).within WHEN 'parent' THEN c.section[:pg_catalog.cardinality(h.section) - 1] OPERATOR(pg_catalog.=) h.section[:pg_catalog.cardinality(h.section) - 1]
            WHEN 'section' THEN c.section[:pg_catalog.cardinality(h.section)] OPERATOR(pg_catalog.=) h.section ELSE true END);
END
$$;

COMMENT ON FUNCTION _passage.window_claims(name, _passage.expanded_hit[]) IS 'chunks next to hits';

-- A chunk around several hits is that of the hit with the best score, so the others do not read it.

CREATE FUNCTION _passage.document_claims(store name, hits _passage.expanded_hit[]) RETURNS _passage.claim[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN (
        WITH chunks AS NOT MATERIALIZED (
            @typed_chunks@
        )
        SELECT pg_catalog.array_agg((h.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, 'document', 7, _passage.distance(h.ordinal, c.ordinal), false)::_passage.claim)
        FROM (
            SELECT h.hit, h.document, h.ordinal, pg_catalog.unnest(pg_catalog.int8multirange(h.around) OPERATOR(pg_catalog.-) coalesce(pg_catalog.range_agg(h.around) OVER (
                PARTITION BY h.document ORDER BY h.score_rank RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), '{}'::int8multirange)) AS window
            FROM (SELECT h.*, pg_catalog.int8range(h.ordinal::bigint - h.reach, h.ordinal::bigint + h.reach, '[]') AS around FROM pg_catalog.unnest(hits) AS h WHERE (h.strategy).scope = 'document' AND h.ordinal IS NOT NULL) AS h
        ) AS h JOIN chunks AS c ON c.document_id = h.document AND c.ordinal >= pg_catalog.lower(h.window) AND c.ordinal < pg_catalog.upper(h.window));
END
$$;

COMMENT ON FUNCTION _passage.document_claims(name, _passage.expanded_hit[]) IS 'chunks of the documents of hits';

CREATE FUNCTION _passage.scope_claims(store name, hits _passage.expanded_hit[]) RETURNS _passage.claim[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN (
        WITH chunks AS NOT MATERIALIZED (
            @typed_chunks@
        )
        , hits AS MATERIALIZED (
            SELECT h.hit, h.document, h.ordinal, h.ordinal::bigint AS place, h.reach, (h.strategy).scope AS scope, h.scope_section, pg_catalog.cardinality(h.scope_section) AS depth, h.scope_first, h.scope_last
            FROM pg_catalog.unnest(hits) AS h WHERE h.scope_group IS NOT NULL AND h.ordinal IS NOT NULL
        )
        SELECT pg_catalog.array_agg((h.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, h.scope, 7, _passage.distance(h.ordinal, c.ordinal), false)::_passage.claim)
        FROM (
            SELECT h.hit, h.scope, h.document, h.ordinal, h.scope_section, h.depth, ends.low, ends.high FROM hits AS h CROSS JOIN LATERAL (
                SELECT greatest(least(h.scope_first, h.place), h.place - h.reach) AS first, least(greatest(h.scope_last, h.place), h.place + h.reach) AS last
            ) AS core
            CROSS JOIN LATERAL (
                SELECT coalesce((SELECT e.ordinal FROM chunks AS e WHERE e.document_id = h.document AND e.ordinal >= h.place - h.reach AND e.ordinal < core.first
                        AND NOT e.section[:h.depth] OPERATOR(pg_catalog.=) h.scope_section ORDER BY e.ordinal DESC LIMIT 1), h.place - h.reach - 1) AS low,
                    coalesce((SELECT e.ordinal FROM chunks AS e WHERE e.document_id = h.document AND e.ordinal > core.last AND e.ordinal <= h.place + h.reach
                        AND NOT e.section[:h.depth] OPERATOR(pg_catalog.=) h.scope_section ORDER BY e.ordinal LIMIT 1), h.place + h.reach + 1) AS high
                OFFSET 0
            ) AS ends
            UNION ALL
            SELECT h.hit, h.scope, h.document, h.ordinal, NULL, NULL, far.ordinal - 1::bigint, far.ordinal + 1::bigint
            FROM hits AS h CROSS JOIN LATERAL (VALUES (h.scope_first), (h.scope_last)) AS far (ordinal) WHERE abs(far.ordinal - h.place) > h.reach
        ) AS h JOIN chunks AS c ON c.document_id = h.document AND c.ordinal > h.low AND c.ordinal < h.high AND (h.depth IS NULL OR c.section[:h.depth] OPERATOR(pg_catalog.=) h.scope_section));
END
$$;

COMMENT ON FUNCTION _passage.scope_claims(name, _passage.expanded_hit[]) IS 'chunks of the sections and containers of hits';

CREATE FUNCTION _passage.has_bridges(hit _passage.expanded_hit) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN coalesce(hit.kind, '') NOT IN ('code', 'data') AND _passage.has_context(hit.strategy);
END
$$;

COMMENT ON FUNCTION _passage.has_bridges(_passage.expanded_hit) IS 'whether a single chunk between a hit and another one is context';

-- Single chunks between two hits of prose.

CREATE FUNCTION _passage.bridge_claims(store name, hits _passage.expanded_hit[]) RETURNS _passage.claim[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN (
        WITH chunks AS NOT MATERIALIZED (
            @typed_chunks@
        )
        SELECT pg_catalog.array_agg((h.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, 'gap', 6, _passage.distance(h.ordinal, c.ordinal), true)::_passage.claim)
        FROM (
            SELECT h.hit, h.document, h.ordinal, h.ordinal::bigint AS place, pg_catalog.lag(h.ordinal::bigint) OVER near = h.ordinal::bigint - 2 AND pg_catalog.lag(h.has_bridges) OVER near AS follows,
                pg_catalog.lead(h.ordinal::bigint) OVER near = h.ordinal::bigint + 2 AND pg_catalog.lead(h.has_bridges) OVER near AS is_followed, h.has_bridges
            FROM (SELECT h.*, _passage.has_bridges(h) AS has_bridges FROM pg_catalog.unnest(hits) AS h WHERE h.ordinal IS NOT NULL) AS h
            WINDOW near AS (PARTITION BY h.document ORDER BY h.ordinal)
        ) AS h
        CROSS JOIN LATERAL (VALUES (h.follows, h.place - 1), (h.is_followed, h.place + 1)) AS side (is_near, ordinal)
        JOIN chunks AS c ON c.document_id = h.document AND c.ordinal = side.ordinal WHERE h.has_bridges AND side.is_near);
END
$$;

COMMENT ON FUNCTION _passage.bridge_claims(name, _passage.expanded_hit[]) IS 'single chunks between hits';
