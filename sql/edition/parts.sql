-- Parts: the chunks of code and data that a budget keeps or cuts together, as in core/passages/src/expand/ scope_chunks.rs
-- and members.rs, which explain the rules.

-- A chunk of a scope, or a hit in it; a hit has no claim. The edges on both sides name the body between whose items they
-- are; NULL is inside of an item.

CREATE TYPE _passage.scope_chunk AS (
    scope integer, ordinal integer, section text[], unit text, claim integer, hit integer, run integer,
    is_inside boolean, before text, after text, follows boolean
);

-- The kind of a part is chunk, own unit, own run, ends or member. Its chunks are numbers of claims, the nearest to the hit
-- first; its pieces are numbers of scope chunks in document order.

CREATE TYPE _passage.part AS (kind text, chunks integer[], pieces integer[]);

CREATE FUNCTION _passage.starts_with(section text[], above text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.array_replace(section[:pg_catalog.cardinality(above)], NULL, '') OPERATOR(pg_catalog.=) pg_catalog.array_replace(above, NULL, '');

COMMENT ON FUNCTION _passage.starts_with(text[], text[]) IS 'whether a section is another one or below it';

-- Sections of hits and claims have no NULL.

CREATE FUNCTION _passage.common_depth(section text[], other text[]) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    shared integer := 0;
BEGIN
    WHILE section[shared + 1] = other[shared + 1] LOOP
        shared := shared + 1;
    END LOOP;
    RETURN shared;
END
$$;

COMMENT ON FUNCTION _passage.common_depth(text[], text[]) IS 'number of titles that two sections share';

CREATE FUNCTION _passage.scope_chunks(hits _passage.expanded_hit[], claims _passage.claim[]) RETURNS _passage.scope_chunk[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_nestloop = off
AS $$
BEGIN
    RETURN (
        WITH listed_hits AS MATERIALIZED (
            SELECT h.*, coalesce(h.scope_group, -dense_rank() OVER (ORDER BY h.document)) AS own_scope, -dense_rank() OVER (ORDER BY h.document) AS document_scope
            FROM unnest(hits) AS h
        ), of_claims AS MATERIALIZED (
            SELECT CASE c.rule WHEN 'document' THEN h.document_scope ELSE h.scope_group END AS scope, c.ordinal, c.section, c.unit, c.level, c.place::integer AS claim, c.hit
            FROM unnest(claims) WITH ORDINALITY AS c (hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge, place) JOIN listed_hits AS h USING (hit)
            WHERE c.rule IN ('container', 'section', 'document') AND (h.kind IN ('code', 'data') OR c.rule = 'container' AND h.scope_first IS NOT NULL)
        ), listed AS (
            -- Other units of a store count as unknown.
            SELECT scope, ordinal, section, CASE WHEN unit = ANY ('{module,container,member,value,text}') THEN unit END AS unit, level, claim, hit
            FROM (
                SELECT * FROM of_claims WHERE scope IS NOT NULL
                UNION ALL
                SELECT own_scope, ordinal, section, unit, level, NULL, hit FROM listed_hits WHERE own_scope IN (SELECT scope FROM of_claims) AND ordinal IS NOT NULL
            ) AS both_kinds
        ), ordered AS (
            SELECT *, lag(section) OVER neighbor AS section_before, lag(unit) OVER neighbor AS unit_before,
                coalesce(lag(scope) OVER neighbor = scope AND ordinal - lag(ordinal::bigint) OVER neighbor = 1, false) AS follows,
                unit = 'member' AND coalesce(bool_or(unit = 'container') OVER (PARTITION BY scope, section), false) AS has_members
            FROM listed WINDOW neighbor AS (ORDER BY scope, ordinal, hit)
        ), begun AS (
            SELECT *, follows AND section = section_before AND unit IS NOT DISTINCT FROM unit_before AS continues,
                -- True is inside of an item, false is at an item.
                CASE WHEN level = cardinality(section) + coalesce(has_members, false)::integer THEN false
                    WHEN level > cardinality(section) + coalesce(has_members, false)::integer THEN true
                    WHEN level >= 1 AND level < cardinality(section) AND follows THEN _passage.starts_with(section_before, section) END AS is_inside
            FROM ordered
        ), numbered AS (
            SELECT *, count(*) FILTER (WHERE NOT continues) OVER (ORDER BY scope, ordinal, hit) AS run,
                CASE WHEN unit IN ('container', 'module') THEN cardinality(section) WHEN is_inside IS NULL THEN greatest(cardinality(section) - 1, 0) END AS beside
            FROM begun
        ), edged AS (
            SELECT *, CASE WHEN is_inside THEN NULL
                WHEN continues THEN CASE WHEN NOT is_inside THEN concat_ws('/', scope, CASE unit WHEN 'container' THEN run END, section) END
                WHEN follows THEN format('%s/%s', scope, section[:_passage.common_depth(section_before, section)])
                WHEN beside IS NOT NULL THEN format('%s/%s', scope, section[:beside]) END AS before
            FROM numbered
        ), both_sides AS (
            SELECT *, CASE WHEN lead(follows) OVER (ORDER BY scope, ordinal, hit) THEN lead(before) OVER (ORDER BY scope, ordinal, hit)
                WHEN beside IS NOT NULL THEN format('%s/%s', scope, section[:beside]) END AS after
            FROM edged
        )
        SELECT array_agg((scope, ordinal, section, unit, claim, hit, run, coalesce(is_inside, false), before, after, follows)::_passage.scope_chunk ORDER BY scope, ordinal, hit)
        FROM both_sides);
END
$$;

COMMENT ON FUNCTION _passage.scope_chunks(_passage.expanded_hit[], _passage.claim[]) IS 'chunks of scopes of code and data, with the hits in them';

-- The first of the chunks with an ordinal of a scope, by which they are sorted; NULL if there is none.

CREATE FUNCTION _passage.chunk_at(scopes integer[], ordinals integer[], scope integer, ordinal bigint) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    low integer := 1;
    high integer := cardinality(scopes) + 1;
    middle integer;
BEGIN
    WHILE low < high LOOP
        middle := (low + high) / 2;
        IF scopes[middle] < scope OR scopes[middle] = scope AND ordinals[middle] < ordinal THEN
            low := middle + 1;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    RETURN CASE WHEN scopes[low] = scope AND ordinals[low] = ordinal THEN low END;
END
$$;

COMMENT ON FUNCTION _passage.chunk_at(integer[], integer[], integer, bigint) IS 'number of the chunk at an ordinal of a scope';

-- Identifies the part of a chunk. Hits that share a scope share its members. Scopes and ordinals are those of all chunks.

CREATE FUNCTION _passage.part_key(
    hit _passage.expanded_hit, chunks _passage.scope_chunk[], number integer, scopes integer[], ordinals integer[], own_run integer
) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    chunk CONSTANT _passage.scope_chunk := chunks[number];
    titles CONSTANT text[] := hit.section;
    scope_depth CONSTANT integer := CASE WHEN chunk.scope > 0 THEN cardinality(hit.scope_section) ELSE 0 END;
    has_container CONSTANT boolean := hit.scope_first IS NOT NULL;
    count CONSTANT integer := CASE WHEN has_container THEN cardinality(hit.containers) / 4 ELSE 0 END;
    is_run CONSTANT boolean := chunk.unit IN ('container', 'module');
    own integer := cardinality(titles);
    ending _passage.scope_chunk;
    depth integer;
    last integer;
    common integer;
    is_end boolean;
BEGIN
    IF count > 0 AND hit.containers[1] >= scope_depth THEN
        own := least(own, hit.containers[1] + 1);
    END IF;
    IF (own > scope_depth OR NOT has_container AND hit.unit = 'member' AND own > 0) AND _passage.starts_with(chunk.section, titles[:own]) THEN
        -- The last unit may have the closing part, and does not parse without the head then.
        FOR at IN 0 .. count - 1 LOOP
            depth := hit.containers[at * 4 + 1];
            last := _passage.chunk_at(scopes, ordinals, chunk.scope, hit.containers[at * 4 + 3]);
            IF depth >= scope_depth AND depth < own AND last IS NOT NULL AND _passage.starts_with((chunks[last]).section, titles[:own]) THEN
                RETURN _passage.ends_key(hit.containers, chunk.scope, scope_depth, at);
            END IF;
        END LOOP;
        RETURN format('own unit/%s/%s', chunk.scope, titles[:own]);
    END IF;
    FOR at IN 0 .. count - 1 LOOP
        depth := hit.containers[at * 4 + 1];
        CONTINUE WHEN depth < scope_depth;
        last := _passage.chunk_at(scopes, ordinals, chunk.scope, hit.containers[at * 4 + 2]);
        is_end := last IS NOT NULL AND (chunks[last]).run = chunk.run;
        last := _passage.chunk_at(scopes, ordinals, chunk.scope, hit.containers[at * 4 + 3]);
        IF NOT is_end AND last IS NOT NULL THEN
            ending := chunks[last];
            is_end := CASE WHEN cardinality(ending.section) > depth THEN _passage.starts_with(chunk.section, ending.section[:depth + 1]) ELSE ending.run = chunk.run END;
            last := _passage.chunk_at(scopes, ordinals, chunk.scope, ending.ordinal::bigint + 1);
            is_end := is_end AND (last IS NULL OR NOT _passage.starts_with((chunks[last]).section, titles[:depth]));
        END IF;
        IF is_end THEN
            RETURN _passage.ends_key(hit.containers, chunk.scope, scope_depth, at);
        END IF;
    END LOOP;
    -- Of a container, several merged members are whole each chunk.
    IF own_run = chunk.run AND (coalesce(is_run, false) OR NOT has_container) THEN
        RETURN format('own run/%s', chunk.run);
    END IF;
    common := _passage.common_depth(chunk.section, titles);
    RETURN CASE WHEN cardinality(chunk.section) > common THEN format('member/%s/%s', chunk.scope, chunk.section[:common + 1])
        WHEN is_run THEN format('member/run/%s', chunk.run) ELSE format('member/merged/%s', number) END;
END
$$;

COMMENT ON FUNCTION _passage.part_key(_passage.expanded_hit, _passage.scope_chunk[], integer, integer[], integer[], integer) IS 'name of the part of a chunk';

-- Containers that end in one chunk have their ends together.

CREATE FUNCTION _passage.ends_key(containers integer[], scope integer, scope_depth integer, place integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('ends/%s/%s', scope, containers[max(at) * 4 + 1]) FROM generate_series(0, cardinality(containers) / 4 - 1) AS at
    WHERE containers[at * 4 + 1] >= scope_depth AND containers[at * 4 + 3] = containers[place * 4 + 3]
$$;

COMMENT ON FUNCTION _passage.ends_key(integer[], integer, integer, integer) IS 'name of the ends of a container';

-- Divides context into parts, in the order in which a budget is spent on them. Claims have the order of single chunks.

CREATE FUNCTION _passage.parts(
    hits _passage.expanded_hit[], claims _passage.claim[], chunks _passage.scope_chunk[]
) RETURNS _passage.part[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
    scopes CONSTANT integer[] := ARRAY(SELECT scope FROM unnest(chunks));
    ordinals CONSTANT integer[] := ARRAY(SELECT ordinal FROM unnest(chunks));
    -- The scope and the run of each hit.
    own_scopes integer[] := array_fill(NULL::integer, ARRAY[cardinality(hits)]);
    own_runs integer[] := own_scopes;
    chunk _passage.scope_chunk;
    keys text[] := '{}';
    numbers integer[];
    kinds text[] := '{}';
    -- The part that a part was joined to, or itself.
    into_part integer[] := '{}';
    of_chunk integer[] := '{}';
    of_claim integer[] := array_fill(0, ARRAY[cardinality(claims)]);
    part integer;
    last integer;
BEGIN
    FOREACH chunk IN ARRAY chunks LOOP
        IF chunk.claim IS NULL THEN
            own_scopes[chunk.hit] := chunk.scope;
            own_runs[chunk.hit] := chunk.run;
        END IF;
    END LOOP;
    FOR i IN 1 .. cardinality(chunks) LOOP
        chunk := chunks[i];
        keys := keys || _passage.part_key(hits[chunk.hit], chunks, i, scopes, ordinals, CASE own_scopes[chunk.hit] WHEN chunk.scope THEN own_runs[chunk.hit] END);
    END LOOP;
    -- Parts have the order of their first chunks.
    numbers := ARRAY(SELECT dense_rank() OVER (ORDER BY first) FROM (
        SELECT place, min(place) OVER (PARTITION BY key) AS first FROM unnest(keys) WITH ORDINALITY AS listed (key, place)) AS keyed ORDER BY place);
    FOR i IN 1 .. cardinality(chunks) LOOP
        chunk := chunks[i];
        part := numbers[i];
        IF part > cardinality(kinds) THEN
            kinds := kinds || split_part(keys[i], '/', 1);
            into_part := into_part || part;
        END IF;
        WHILE into_part[part] <> part LOOP
            part := into_part[part];
        END LOOP;
        -- A chunk that does not parse without the one before it.
        IF i > 1 AND chunk.is_inside AND chunk.follows THEN
            WHILE into_part[last] <> last LOOP
                last := into_part[last];
            END LOOP;
            IF last <> part THEN
                kinds[last] := CASE WHEN 'ends' IN (kinds[last], kinds[part]) THEN 'ends'
                    WHEN kinds[last] IN ('own unit', 'own run') OR kinds[part] IN ('own unit', 'own run') THEN 'own unit' ELSE 'member' END;
                into_part[part] := last;
                part := last;
            END IF;
        END IF;
        of_chunk := of_chunk || part;
        IF chunk.claim IS NOT NULL THEN
            of_claim[chunk.claim] := part;
        END IF;
        last := part;
    END LOOP;
    FOR i IN 1 .. cardinality(of_chunk) LOOP
        WHILE into_part[of_chunk[i]] <> of_chunk[i] LOOP
            of_chunk[i] := into_part[of_chunk[i]];
        END LOOP;
    END LOOP;
    FOR i IN 1 .. cardinality(of_claim) LOOP
        WHILE of_claim[i] <> 0 AND into_part[of_claim[i]] <> of_claim[i] LOOP
            of_claim[i] := into_part[of_claim[i]];
        END LOOP;
    END LOOP;
    RETURN (
        WITH ranked AS (
            SELECT c.place::integer AS claim, CASE of_claim[c.place] WHEN 0 THEN -c.place ELSE of_claim[c.place] END AS part,
                h.score_rank, abs(c.distance::bigint) AS distance, c.role, c.hit, c.is_bridge,
                h.scope_group,
                row_number() OVER (ORDER BY h.score_rank, abs(c.distance::bigint), c.role, c.hit, c.ordinal) AS position
            FROM unnest(claims) WITH ORDINALITY AS c (hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge, place) JOIN unnest(hits) AS h USING (hit)
        ), group_ranks AS (
            SELECT h.scope_group, min(h.score_rank) AS group_rank FROM unnest(hits) AS h WHERE h.scope_group IS NOT NULL GROUP BY h.scope_group
        ), members AS (
            SELECT part, array_agg(claim ORDER BY position) AS own FROM ranked GROUP BY part
        ), placed AS (
            SELECT part, array_agg(place::integer ORDER BY ordinal, place) AS pieces
            FROM unnest(of_chunk, ordinals) WITH ORDINALITY AS listed (part, ordinal, place) GROUP BY part
        ), nearest AS (
            SELECT DISTINCT ON (ranked.part) ranked.part, coalesce(named.kind, 'chunk') AS kind, is_bridge,
                ranked.score_rank, group_ranks.group_rank, role, distance, hit, position
            FROM ranked LEFT JOIN group_ranks USING (scope_group) LEFT JOIN unnest(kinds) WITH ORDINALITY AS named (kind, number) ON named.number = ranked.part
            ORDER BY ranked.part, position
        ), listed AS (
            SELECT kind, own, CASE WHEN kind IN ('own unit', 'own run', 'ends') THEN pieces ELSE '{}' END AS pieces,
                CASE WHEN is_bridge THEN 0 WHEN kind = 'member' THEN 2 ELSE 1 END AS class,
                CASE WHEN kind IN ('own unit', 'own run', 'ends') THEN coalesce(group_rank, score_rank) ELSE score_rank END AS rank,
                CASE WHEN role = 8 THEN 3 WHEN kind = 'ends' THEN 1 WHEN kind = 'member' THEN 2 ELSE 0 END AS stage, role, distance, hit, position
            FROM nearest JOIN members USING (part) LEFT JOIN placed USING (part)
        )
        SELECT array_agg((kind, own, pieces)::_passage.part ORDER BY class, rank, stage, role, distance, hit, position) FROM listed);
END
$$;

COMMENT ON FUNCTION _passage.parts(_passage.expanded_hit[], _passage.claim[], _passage.scope_chunk[]) IS 'parts of context, in the order in which a budget is spent on them';
