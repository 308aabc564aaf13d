-- Hits: the chunks of a call that the store has and the caller may see, best first, with what their strategies need.
--
-- Hits are numbered from 1. `relatives` are the limits of parents, preceding, following and children that apply.

CREATE TYPE _passage.expanded_hit AS (
    hit integer, id uuid, document uuid, ordinal integer, section text[], section_key bigint, parent_key bigint,
    kind text, unit text, level integer, tokens integer, media_type _passage.known_type, structure text, family text,
    score double precision, score_rank integer, containers integer[], strategy _passage.strategy,
    relatives integer[], before integer, after integer, reach integer, is_record boolean,
    scope_group integer, scope_section text[], scope_first integer, scope_last integer
);

-- The hits of a call as the store has them, and their media types. The names of the statement are found as in
-- _passage.window_claims.

CREATE FUNCTION _passage.stored_hits(store name, ids uuid[], scores double precision[], skip uuid[]) RETURNS _passage.expanded_hit[]
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
        SELECT pg_catalog.array_agg((NULL, c.id, c.document_id, c.ordinal, c.section, c.section_key, c.parent_key, c.kind, c.unit, c.level, c.tokens,
                ((SELECT d.media_type::text FROM documents AS d WHERE d.id::uuid = c.document_id), NULL, NULL, NULL, NULL, NULL, NULL)::_passage.known_type, NULL, NULL,
                ranked.score, ranked.score_rank, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::_passage.expanded_hit ORDER BY ranked.score_rank, ranked.first)
        FROM _passage.rank_hits(ids, scores, skip) AS ranked JOIN (
            SELECT c.id::uuid, c.document_id::uuid, c.ordinal::integer, pg_catalog.array_replace(c.section::text[], NULL, '') AS section, c.section_key::bigint, c.parent_key::bigint, c.kind::text, c.unit::text, c.level::integer,
                greatest(coalesce(c.tokens::integer, (pg_catalog.char_length(c.content::text) + 3) / 4), 0) AS tokens FROM chunks AS c
        ) AS c ON c.id = ranked.id);
END
$$;

COMMENT ON FUNCTION _passage.stored_hits(name, uuid[], double precision[], uuid[]) IS 'hits of a call as the store has them';

-- Containers are those around a chunk, the nearest first, four numbers each: the number of titles, the ordinals of the first
-- and the last chunk directly in it, and the tokens of the first one. A section is a container if its first chunk is the head of
-- one. The names of the statement are found as in _passage.window_claims.

CREATE FUNCTION _passage.with_containers(store name, hits _passage.expanded_hit[]) RETURNS _passage.expanded_hit[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    inside record;
BEGIN
    PERFORM _passage.use_store(store, false);
    FOR inside IN
        WITH chunks AS NOT MATERIALIZED (
            SELECT c.document_id::uuid, c.ordinal::integer, pg_catalog.array_replace(c.section::text[], NULL, '') AS section, c.section_key::bigint, c.unit::text, c.tokens::integer, c.content::text FROM chunks AS c
        )
        SELECT h.hit, ARRAY(
            SELECT pg_catalog.unnest(ARRAY[above.depth, head.ordinal, tail.ordinal, coalesce(head.tokens, (pg_catalog.char_length(head.content) + 3) / 4)])
            FROM (
                SELECT depth, CASE WHEN depth = pg_catalog.cardinality(h.section) THEN h.section_key WHEN depth = pg_catalog.cardinality(h.section) - 1 THEN h.parent_key
                    ELSE passage.section_key(h.section[:depth]) END AS key
                FROM generate_series(pg_catalog.cardinality(h.section), greatest(1, pg_catalog.cardinality(h.section) - 63), -1) AS listed (depth) OFFSET 0
            ) AS above
            CROSS JOIN LATERAL (SELECT k.ordinal, k.unit, k.tokens, k.content FROM chunks AS k WHERE k.document_id = h.document AND k.section_key = above.key
                AND k.section OPERATOR(pg_catalog.=) h.section[:above.depth] ORDER BY k.section_key, k.ordinal LIMIT 1) AS head
            CROSS JOIN LATERAL (SELECT k.ordinal FROM chunks AS k WHERE k.document_id = h.document AND k.section_key = above.key
                AND k.section OPERATOR(pg_catalog.=) h.section[:above.depth] ORDER BY k.section_key DESC, k.ordinal DESC LIMIT 1) AS tail
            WHERE head.unit = 'container' ORDER BY above.depth DESC) AS containers
        FROM pg_catalog.unnest(hits) AS h WHERE coalesce(h.kind, '') <> 'data' AND (h.unit = 'container' OR h.unit = 'member' OR h.unit = 'value')
    LOOP
        hits[inside.hit].containers := inside.containers;
    END LOOP;
    RETURN hits;
END
$$;

COMMENT ON FUNCTION _passage.with_containers(name, _passage.expanded_hit[]) IS 'hits with the containers around them';

-- Without a limit of tokens in its strategy, the context of a hit has the default, unless the hits of a search share one.

CREATE FUNCTION _passage.read_hits(
    store name, ids uuid[], scores double precision[], strategy text, given jsonb, skip uuid[], max_tokens integer, max_passage_tokens integer
) RETURNS _passage.expanded_hit[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    custom jsonb;
    is_preset boolean;
    hits _passage.expanded_hit[] := '{}';
    hit _passage.expanded_hit;
    limits _passage.strategy;
    of_hit _passage.strategy;
    width integer;
    -- The media types so far, and the limits for each.
    types text[] := '{}';
    known_types _passage.known_type[] := '{}';
    limits_of _passage.strategy[] := '{}';
    type integer;
    known _passage.known_type;
    has_members boolean := false;
    has_scopes boolean := false;
    min_score CONSTANT double precision := coalesce((given ->> 'min_score')::double precision, 0);
    -- The score below which a hit brings no context.
    least_score double precision;
BEGIN
    -- The statement of store_must_exist takes as long as reading a hit.
    IF to_regclass(format('%I.chunks', store)) IS NULL THEN
        PERFORM _passage.store_must_exist(store);
    END IF;
    PERFORM _passage.types_must_be_safe(store);
    custom := _passage.custom_strategies(store, strategy);
    is_preset := strategy <> 'auto' AND custom IS NULL;
    -- A limit out of range is an error whether or not a hit exists.
    limits := _passage.with_limits(_passage.preset(CASE WHEN is_preset THEN strategy ELSE 'none' END), given);
    IF cardinality(scores) <> coalesce(cardinality(ids), 0) THEN
        PERFORM _passage.refuse_argument(format('%s scores for %s chunk ids', cardinality(scores), coalesce(cardinality(ids), 0)),
            'Pass one score for each id, NULL for an id without a score, or no scores at all.');
    END IF;
    FOREACH hit IN ARRAY coalesce(_passage.stored_hits(store, ids, scores, skip), hits) LOOP
        type := array_position(types, (hit.media_type).name);
        IF type IS NULL THEN
            known := _passage.known_media_type((hit.media_type).name);
            IF NOT is_preset THEN
                limits := _passage.strategy_of(strategy, custom, given, known);
            END IF;
            IF limits.max_tokens IS NULL AND limits.max_passage_tokens IS NULL AND NOT (max_passage_tokens = 0 AND max_tokens > 0) THEN
                limits.max_passage_tokens := max_passage_tokens;
            END IF;
            types := types || (hit.media_type).name;
            known_types := known_types || known;
            limits_of := limits_of || limits;
        ELSIF cardinality(types) > 1 THEN
            known := known_types[type];
            limits := limits_of[type];
        END IF;
        width := CASE hit.kind WHEN 'code' THEN 2 WHEN 'api-reference' THEN 3 ELSE 1 END;
        hit.hit := cardinality(hits) + 1;
        hit.media_type := known;
        hit.structure := known.structure;
        hit.family := known.family;
        IF hit.hit = 1 AND least(hit.score, min_score) >= 1e-150 THEN
            least_score := hit.score * min_score;
        END IF;
        of_hit := CASE WHEN hit.score < least_score THEN _passage.without_context(limits) ELSE limits END;
        hit.strategy := of_hit;
        hit.relatives := ARRAY[of_hit.parents, of_hit.preceding, of_hit.following, of_hit.children];
        hit.before := of_hit.before[width];
        hit.after := of_hit.after[width];
        hit.reach := coalesce(of_hit.max_chunks, 1000000);
        hit.is_record := of_hit.scope = 'container' AND coalesce(hit.kind = 'data' AND hit.unit IN ('container', 'member', 'value'), false)
            AND cardinality(hit.section) >= _passage.root_depth(known.structure);
        has_members := has_members OR coalesce(hit.unit IN ('container', 'member', 'value') AND hit.kind IS DISTINCT FROM 'data', false);
        has_scopes := has_scopes OR of_hit.scope IN ('section', 'container');
        hits := hits || hit;
    END LOOP;
    IF has_members AND (NOT is_preset OR strategy = 'hierarchical') THEN
        hits := _passage.with_containers(store, hits);
    END IF;
    RETURN CASE WHEN has_scopes THEN _passage.with_scopes(hits) ELSE hits END;
END
$$;

COMMENT ON FUNCTION _passage.read_hits(name, uuid[], double precision[], text, jsonb, uuid[], integer, integer) IS 'hits of a call, best first';

-- The first hit in the document of each hit. Hits are numbered best first, so documents have the order of these numbers.

CREATE FUNCTION _passage.first_hits(documents uuid[]) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF cardinality(documents) = 1 THEN
        RETURN '{1}';
    END IF;
    RETURN ARRAY(SELECT min(place) OVER (PARTITION BY document) FROM unnest(documents) WITH ORDINALITY AS listed (document, place) ORDER BY place);
END
$$;

COMMENT ON FUNCTION _passage.first_hits(uuid[]) IS 'number of the first hit in the document of each hit';

-- The root of a document of data is not a record. The sections of INI are at the top.

CREATE FUNCTION _passage.root_depth(structure text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN structure OPERATOR(pg_catalog.=) ANY ('{text/x-ini,text/x-java-properties}'::pg_catalog.text[]) THEN 0 ELSE 1 END;

COMMENT ON FUNCTION _passage.root_depth(text) IS 'number of titles of the root of a document of data';

-- Groups hits by the section or container that they are widened to, as in core/passages/src/expand/scope_groups.rs. Hits
-- that share their outermost container are widened to the nearest one that all of them share.

CREATE FUNCTION _passage.scope_depth(unit text, depth integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN unit OPERATOR(pg_catalog.=) ANY ('{container,member,value,text}'::pg_catalog.text[]) THEN depth WHEN unit OPERATOR(pg_catalog.=) 'module' THEN 0
    WHEN depth OPERATOR(pg_catalog.>) 1 THEN depth OPERATOR(pg_catalog.-) 1 ELSE depth END;

COMMENT ON FUNCTION _passage.scope_depth(text, integer) IS 'number of titles of the section that a hit without a container is widened to, 0 for none';

CREATE FUNCTION _passage.with_scopes(hits _passage.expanded_hit[]) RETURNS _passage.expanded_hit[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
    hit _passage.expanded_hit;
    scope record;
    count integer := 0;
    depth integer;
BEGIN
    FOREACH hit IN ARRAY hits LOOP
        CONTINUE WHEN (hit.strategy).scope NOT IN ('section', 'container') OR hit.is_record IS NOT FALSE OR hit.ordinal IS NULL;
        count := count + 1;
        EXIT WHEN count > 1;
        -- A single hit shares nothing.
        depth := CASE (hit.strategy).scope WHEN 'section' THEN cardinality(hit.section) ELSE coalesce(hit.containers[1], nullif(_passage.scope_depth(hit.unit, cardinality(hit.section)), 0)) END;
        IF depth IS NOT NULL THEN
            hit.scope_group := 1;
            hit.scope_section := hit.section[:depth];
            IF (hit.strategy).scope = 'container' THEN
                hit.scope_first := hit.containers[2];
                hit.scope_last := hit.containers[3];
            END IF;
            hits[hit.hit] := hit;
        END IF;
    END LOOP;
    IF count > 1 THEN
        FOR scope IN
            WITH listed AS MATERIALIZED (
                SELECT h.hit, h.document, h.section, h.unit, (h.strategy).scope = 'section' AS is_section, h.containers, cardinality(h.section) AS depth,
                    h.containers[cardinality(h.containers) - 3] AS outermost
                FROM unnest(hits) AS h WHERE (h.strategy).scope = ANY ('{section,container}') AND NOT h.is_record AND h.ordinal IS NOT NULL
            ), nested AS (
                SELECT hit, document, outermost, section, containers[place] AS depth, containers[place + 1] AS first, containers[place + 2] AS last,
                    count(*) FILTER (WHERE containers[place] = outermost) OVER (PARTITION BY document, outermost, section[:outermost]) AS hits_around
                FROM listed CROSS JOIN LATERAL generate_series(1, cardinality(containers), 4) AS place WHERE NOT is_section
            ), counted AS (
                SELECT *, count(*) OVER (PARTITION BY document, outermost, section[:outermost], depth, section[:depth]) AS hits_inside FROM nested
            ), shared AS (
                SELECT DISTINCT ON (hit) hit, depth, first, last FROM counted WHERE hits_inside = hits_around ORDER BY hit, depth DESC
            ), chosen AS (
                SELECT listed.hit, document, section, first, last, CASE WHEN is_section THEN listed.depth ELSE coalesce(shared.depth, nullif(_passage.scope_depth(unit, listed.depth), 0)) END AS depth
                FROM listed LEFT JOIN shared ON shared.hit = listed.hit
            )
            SELECT hit, dense_rank() OVER (ORDER BY first_hit) AS number, titles, first, last
            FROM (SELECT hit, min(hit) OVER (PARTITION BY document, section[:depth]) AS first_hit, section[:depth] AS titles, first, last FROM chosen WHERE depth IS NOT NULL) AS grouped
        LOOP
            hit := hits[scope.hit];
            hit.scope_group := scope.number;
            hit.scope_section := scope.titles;
            hit.scope_first := scope.first;
            hit.scope_last := scope.last;
            hits[scope.hit] := hit;
        END LOOP;
    END IF;
    FOR i IN 1 .. cardinality(hits) LOOP
        hit := hits[i];
        IF (hit.strategy).scope = 'container' AND hit.scope_group IS NULL AND NOT hit.is_record THEN
            hit.relatives := (hit.strategy).fallback;
            hits[i] := hit;
        END IF;
    END LOOP;
    RETURN hits;
END
$$;

COMMENT ON FUNCTION _passage.with_scopes(_passage.expanded_hit[]) IS 'hits with the scopes that they are widened to';
