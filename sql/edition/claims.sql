-- Claims: which chunks are context of which hit, as in core/passages/src/expand/ plan.rs and claim.rs.
--
-- If several hits claim a chunk, the hit with the best score gets it; of equal scores the nearest. A hit whose container
-- includes the chunk comes before all others.

-- Roles are numbered in the order of their priority.

CREATE FUNCTION _passage.role_names() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{parent,ancestor,preceding,following,child,adjacent,section}'::pg_catalog.text[];

COMMENT ON FUNCTION _passage.role_names() IS 'roles of chunks that are no hits, by their numbers';

CREATE TYPE _passage.claim AS (
    hit integer, id uuid, ordinal integer, tokens integer, section text[], unit text, level integer,
    rule text, role integer, distance integer, is_bridge boolean
);

-- Headings of changelogs: the releases before and after one say nothing about it. The rules are those of
-- core/split/src/release.rs.

CREATE FUNCTION _passage.is_release(title text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    heading CONSTANT text COLLATE "C" := rtrim(rtrim(btrim(title, E' \t\n\f\r\v'), ':=-'), E' \t\n\f\r\v');
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

-- The query of claims, with a part for each rule that a hit uses. Its parameters are the hits, the chunks that are shown
-- already, and the claims that do not come from an index.

CREATE FUNCTION _passage.claims_query(store name, hits _passage.expanded_hit[], bridges boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    columns CONSTANT text := 'c.id, c.ordinal, greatest(coalesce(c.tokens, (char_length(c.content) + 3) / 4), 0) AS tokens, c.section, c.unit, c.level';
    least CONSTANT text := '''-2147483648''::integer';
    claim CONSTANT text := 'SELECT h.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, %L, %s, c.ordinal - h.ordinal, false FROM hits AS h CROSS JOIN LATERAL (SELECT '
        || columns || ' FROM ' || format('%I.chunks', store) || ' AS c WHERE c.document_id = h.document AND %s) AS c WHERE %s';
    backward CONSTANT text := '(c.%1$s, c.ordinal) >= (h.%1$s, ' || least || ') AND (c.%1$s, c.ordinal) < (h.%1$s, h.ordinal) AND %2$s ORDER BY c.%1$s DESC, c.ordinal DESC LIMIT h.relatives[%3$s]';
    forward CONSTANT text := '(c.%1$s, c.ordinal) > (h.%4$s, h.ordinal) AND (c.%1$s, c.ordinal) <= (h.%4$s, 2147483647) AND %2$s ORDER BY c.%1$s, c.ordinal LIMIT h.relatives[%3$s]';
    same CONSTANT text := 'c.section = h.section';
    sibling CONSTANT text := 'cardinality(c.section) = cardinality(h.section) AND c.section[:cardinality(c.section) - 1] = h.section[:cardinality(h.section) - 1]';
    child CONSTANT text := 'cardinality(c.section) = cardinality(h.section) + 1 AND c.section[:cardinality(h.section)] = h.section';
    within CONSTANT text := 'CASE (h.strategy).within WHEN ''parent'' THEN c.section[:cardinality(h.section) - 1] = h.section[:cardinality(h.section) - 1]'
        ' WHEN ''section'' THEN c.section[:cardinality(h.section)] = h.section ELSE true END';
    inside CONSTANT text := '%1$s.section[:cardinality(h.scope_section)] = h.scope_section';
    parts text[] := '{}';
    hit _passage.expanded_hit;
    -- For each rule, whether a hit uses it.
    parents boolean := false;
    siblings boolean[] := '{f,f}';
    own boolean[] := '{f,f}';
    children boolean := false;
    windows boolean[] := '{f,f}';
    document boolean := false;
    scope boolean := false;
    by_parent boolean;
    bridge text;
BEGIN
    FOREACH hit IN ARRAY hits LOOP
        CONTINUE WHEN hit.ordinal IS NULL;
        parents := parents OR hit.relatives[1] > 0 AND cardinality(hit.section) > 0;
        by_parent := (hit.strategy).siblings = 'parent' AND cardinality(hit.section) > 0;
        FOR side IN 1 .. 2 LOOP
            siblings[side] := siblings[side] OR hit.relatives[side + 1] > 0 AND by_parent;
            own[side] := own[side] OR hit.relatives[side + 1] > 0 AND (NOT by_parent OR _passage.is_release(hit.section[cardinality(hit.section)]));
        END LOOP;
        children := children OR hit.relatives[4] > 0;
        windows := ARRAY[windows[1] OR hit.before > 0, windows[2] OR hit.after > 0];
        document := document OR (hit.strategy).scope = 'document';
        scope := scope OR hit.scope_group IS NOT NULL;
    END LOOP;
    IF parents THEN
        parts := parts || format($sql$
            SELECT h.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, 'parents',
                CASE row_number() OVER (PARTITION BY h.hit ORDER BY c.near DESC, c.ordinal DESC) WHEN 1 THEN 1 ELSE 2 END, c.ordinal - h.ordinal, false
            FROM hits AS h CROSS JOIN LATERAL (
                SELECT c.*, least(above.depth + (c.section[above.depth + 1] IS NOT DISTINCT FROM h.section[above.depth + 1])::integer, cardinality(h.section) - 1) AS near
                FROM generate_series(cardinality(h.section) - 1, 0, -1) AS above (depth)
                CROSS JOIN LATERAL (SELECT CASE above.depth WHEN cardinality(h.section) - 1 THEN h.parent_key ELSE passage.section_key(h.section[:above.depth]) END AS key OFFSET 0) AS hashed
                CROSS JOIN LATERAL (
                    (SELECT %1$s FROM %2$s AS c WHERE c.document_id = h.document
                        AND (c.section_key, c.ordinal) >= (hashed.key, %3$s) AND (c.section_key, c.ordinal) < (hashed.key, h.ordinal)
                        AND c.section = h.section[:above.depth] ORDER BY c.section_key DESC, c.ordinal DESC LIMIT 1)
                    UNION ALL
                    (SELECT %1$s FROM %2$s AS c WHERE c.document_id = h.document
                        AND (c.parent_key, c.ordinal) >= (hashed.key, %3$s) AND (c.parent_key, c.ordinal) < (hashed.key, h.ordinal)
                        AND cardinality(c.section) = above.depth + 1 AND c.section[:above.depth] = h.section[:above.depth]
                        ORDER BY c.parent_key, c.ordinal LIMIT (above.depth > 0)::integer)
                    LIMIT 1) AS c
                LIMIT h.relatives[1]) AS c
            WHERE h.relatives[1] > 0 AND cardinality(h.section) > 0 AND c.id <> ALL ($2)$sql$, columns, format('%I.chunks', store), least);
    END IF;
    FOR side IN 1 .. 2 LOOP
        IF siblings[side] THEN
            parts := parts || format(claim, ('{preceding,following}'::text[])[side], side + 2,
                format(CASE side WHEN 1 THEN backward ELSE forward END, 'parent_key', sibling, side + 1, 'parent_key'), 'h.by_parent');
        END IF;
        IF own[side] THEN
            parts := parts || format(claim, ('{preceding,following}'::text[])[side], side + 2,
                format(CASE side WHEN 1 THEN backward ELSE forward END, 'section_key', same, side + 1, 'section_key'), 'NOT h.by_parent');
        END IF;
    END LOOP;
    IF children THEN
        parts := parts || format(claim, 'children', 5, format(forward, 'parent_key', child, 4, 'section_key'), 'true');
    END IF;
    IF scope THEN
        parts := parts || format($sql$
            SELECT h.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, (h.strategy).scope, 7, c.ordinal - h.ordinal, false
            FROM hits AS h CROSS JOIN LATERAL (
                SELECT greatest(least(h.scope_first, h.ordinal), h.ordinal - h.reach) AS first, least(greatest(h.scope_last, h.ordinal), h.ordinal + h.reach) AS last
            ) AS core
            CROSS JOIN LATERAL (
                SELECT coalesce((SELECT e.ordinal FROM %1$s AS e WHERE e.document_id = h.document AND e.ordinal >= h.ordinal - h.reach AND e.ordinal < core.first
                        AND NOT %2$s ORDER BY e.ordinal DESC LIMIT 1), h.ordinal - h.reach - 1) AS low,
                    coalesce((SELECT e.ordinal FROM %1$s AS e WHERE e.document_id = h.document AND e.ordinal > core.last AND e.ordinal <= h.ordinal + h.reach
                        AND NOT %2$s ORDER BY e.ordinal LIMIT 1), h.ordinal + h.reach + 1) AS high
                OFFSET 0
            ) AS ends
            CROSS JOIN LATERAL (SELECT %3$s FROM %1$s AS c WHERE c.document_id = h.document AND c.ordinal > ends.low AND c.ordinal < ends.high AND %4$s) AS c
            WHERE h.scope_group IS NOT NULL
            UNION ALL
            SELECT h.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, (h.strategy).scope, 7, c.ordinal - h.ordinal, false
            FROM hits AS h CROSS JOIN LATERAL (VALUES (h.scope_first), (h.scope_last)) AS far (ordinal)
            CROSS JOIN LATERAL (SELECT %3$s FROM %1$s AS c WHERE c.document_id = h.document AND c.ordinal = far.ordinal) AS c
            WHERE h.scope_group IS NOT NULL AND abs(far.ordinal - h.ordinal) > h.reach$sql$,
            format('%I.chunks', store), format(inside, 'e'), columns, format(inside, 'c'));
    END IF;
    IF document THEN
        parts := parts || format(claim, 'document', 7, 'c.ordinal BETWEEN h.ordinal - h.reach AND h.ordinal + h.reach', '(h.strategy).scope = ''document''');
    END IF;
    IF windows[1] THEN
        parts := parts || format(claim, 'before', 6, 'c.ordinal BETWEEN h.ordinal - h.before AND h.ordinal - 1 AND ' || within, 'h.before > 0');
    END IF;
    IF windows[2] THEN
        parts := parts || format(claim, 'after', 6, 'c.ordinal BETWEEN h.ordinal + 1 AND h.ordinal + h.after AND ' || within, 'h.after > 0');
    END IF;
    IF bridges AND cardinality(hits) > 1 THEN
        -- Single chunks between two hits of prose.
        bridge := format(claim, 'gap', 6, 'c.ordinal IN (h.ordinal - 1, h.ordinal + 1)',
            'h.has_bridges AND EXISTS (SELECT FROM hits AS other WHERE other.has_bridges AND other.document = h.document AND other.ordinal = 2 * c.ordinal - h.ordinal)');
        parts := parts || 'SELECT * FROM bridges'::text;
    END IF;
    RETURN 'WITH hits AS MATERIALIZED (SELECT h.*, (h.strategy).siblings = ''parent'' AND cardinality(h.section) > 0 AND NOT _passage.is_release(h.section[cardinality(h.section)]) AS by_parent, '
        || CASE WHEN bridge IS NOT NULL THEN 'h.kind IS DISTINCT FROM ''code'' AND h.kind IS DISTINCT FROM ''data'' AND _passage.has_context(h.strategy)' ELSE 'false' END
        || ' AS has_bridges FROM unnest($1) AS h WHERE h.ordinal IS NOT NULL), '
        || format('bridges (hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge) AS (%s), ',
            coalesce(bridge, 'SELECT NULL::integer, NULL::uuid, NULL::integer, NULL::integer, NULL::text[], NULL::text, NULL::integer, NULL::text, NULL::integer, NULL::integer, NULL::boolean WHERE false'))
        || 'claimed (hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge) AS ('
        || array_to_string(parts || 'SELECT * FROM unnest($3)'::text, ' UNION ALL ') || ')';
END
$function$;

COMMENT ON FUNCTION _passage.claims_query(name, _passage.expanded_hit[], boolean) IS 'query of the claims of hits';

-- The best claim of each chunk that is not a hit, in the order in which a budget is spent on single chunks.

CREATE FUNCTION _passage.read_claims(store name, hits _passage.expanded_hit[], skip uuid[], bridges boolean, others _passage.claim[])
RETURNS _passage.claim[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    best _passage.claim[];
BEGIN
    EXECUTE _passage.claims_query(store, hits, bridges) || $sql$
        SELECT array_agg((hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge)::_passage.claim
            ORDER BY NOT is_bridge, score_rank, role, abs(distance), hit, ordinal)
        FROM (
            SELECT DISTINCT ON (claimed.id) claimed.hit, claimed.id, ordinal, tokens, claimed.section, claimed.unit, claimed.level, rule, role, distance,
                h.score_rank, claimed.id IN (SELECT bridges.id FROM bridges) AS is_bridge
            FROM claimed JOIN (SELECT hits.hit, hits.section, hits.scope_section, hits.scope_first, hits.score_rank FROM hits) AS h USING (hit)
            WHERE claimed.id <> ALL ($2) AND claimed.id <> ALL (ARRAY(SELECT hits.id FROM hits))
            ORDER BY claimed.id, rule <> 'container',
                (rule = 'container' AND h.scope_first IS NOT NULL AND h.section <> h.scope_section AND claimed.section[:cardinality(h.section)] = h.section) IS NOT TRUE,
                h.score_rank, abs(distance), role, hit,
                array_position('{parents,preceding,following,children,section,container,document,before,after,gap,merge}', rule)
        ) AS best$sql$ INTO best USING hits, skip, others;
    RETURN coalesce(best, '{}');
END
$$;

COMMENT ON FUNCTION _passage.read_claims(name, _passage.expanded_hit[], uuid[], boolean, _passage.claim[]) IS 'best claim of each chunk that is not a hit';
