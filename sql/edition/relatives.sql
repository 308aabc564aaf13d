-- Relatives: the parents, siblings and children of hits, as in core/passages/src/expand/relatives.rs.

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
    IF octet_length(heading) > 120 OR right(heading, 1) = '.' THEN
        RETURN false;
    ELSIF lower(btrim(heading, '[]')) = 'unreleased' THEN
        RETURN true;
    ELSIF translate(heading, '0123456789', '') = heading AND strpos(heading, '; urgency=') = 0 THEN
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

-- A subquery with a LIMIT of 0 reads nothing. The names of the statement are found as in _passage.window_claims.

CREATE FUNCTION _passage.relative_claims(store name, hits _passage.expanded_hit[], skip uuid[]) RETURNS _passage.claim[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    by_parent CONSTANT boolean[] := _passage.has_parent_siblings(hits);
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN (
        WITH chunks AS NOT MATERIALIZED (
            @typed_chunks@
        )
        SELECT pg_catalog.array_agg((h.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, c.rule, c.role, _passage.distance(h.ordinal, c.ordinal), false)::_passage.claim)
        FROM (
            SELECT h.hit, h.document, h.ordinal, h.section, h.section_key, h.parent_key, pg_catalog.cardinality(h.section) AS depth, h.section[:pg_catalog.cardinality(h.section) - 1] AS parent,
                h.relatives[1] AS parents, CASE WHEN by_parent[h.hit] THEN h.relatives[2] ELSE 0 END AS preceding, CASE WHEN by_parent[h.hit] THEN h.relatives[3] ELSE 0 END AS following,
                CASE WHEN by_parent[h.hit] THEN 0 ELSE h.relatives[2] END AS section_preceding, CASE WHEN by_parent[h.hit] THEN 0 ELSE h.relatives[3] END AS section_following, h.relatives[4] AS children
            FROM pg_catalog.unnest(hits) AS h WHERE h.ordinal IS NOT NULL OFFSET 0
        ) AS h CROSS JOIN LATERAL (
            SELECT 'parents' AS rule, CASE row_number() OVER (ORDER BY c.near DESC, c.ordinal DESC) WHEN 1 THEN 1 ELSE 2 END AS role, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level
            FROM (
                SELECT c.*, least(above.depth + (coalesce(c.section[above.depth + 1], '') = coalesce(h.section[above.depth + 1], ''))::integer, h.depth - 1) AS near
                FROM generate_series(h.depth - 1, 0, -1) AS above (depth)
                CROSS JOIN LATERAL (SELECT CASE WHEN above.depth = h.depth - 1 THEN h.parent_key ELSE passage.section_key(h.section[:above.depth]) END AS key OFFSET 0) AS hashed
                CROSS JOIN LATERAL (
                    (SELECT c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.section_key, c.ordinal) >= (hashed.key, '-2147483648'::integer) AND (c.section_key, c.ordinal) < (hashed.key, h.ordinal)
                        AND c.section OPERATOR(pg_catalog.=) h.section[:above.depth] ORDER BY c.section_key DESC, c.ordinal DESC LIMIT 1)
                    UNION ALL
                    (SELECT c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.parent_key, c.ordinal) >= (hashed.key, '-2147483648'::integer) AND (c.parent_key, c.ordinal) < (hashed.key, h.ordinal)
                        AND pg_catalog.cardinality(c.section) = above.depth + 1 AND c.section[:above.depth] OPERATOR(pg_catalog.=) h.section[:above.depth]
                        ORDER BY c.parent_key, c.ordinal LIMIT (above.depth > 0)::integer)
                    LIMIT 1) AS c
                LIMIT h.parents) AS c
            WHERE c.id <> ALL (skip)
            UNION ALL
            (SELECT 'preceding', 3, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.parent_key, c.ordinal) >= (h.parent_key, '-2147483648'::integer) AND (c.parent_key, c.ordinal) < (h.parent_key, h.ordinal)
                AND pg_catalog.cardinality(c.section) = h.depth AND c.section[:h.depth - 1] OPERATOR(pg_catalog.=) h.parent
            ORDER BY c.parent_key DESC, c.ordinal DESC LIMIT h.preceding)
            UNION ALL
            (SELECT 'preceding', 3, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.section_key, c.ordinal) >= (h.section_key, '-2147483648'::integer) AND (c.section_key, c.ordinal) < (h.section_key, h.ordinal)
                AND c.section OPERATOR(pg_catalog.=) h.section ORDER BY c.section_key DESC, c.ordinal DESC LIMIT h.section_preceding)
            UNION ALL
            (SELECT 'following', 4, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.parent_key, c.ordinal) > (h.parent_key, h.ordinal) AND (c.parent_key, c.ordinal) <= (h.parent_key, 2147483647)
                AND pg_catalog.cardinality(c.section) = h.depth AND c.section[:h.depth - 1] OPERATOR(pg_catalog.=) h.parent
            ORDER BY c.parent_key, c.ordinal LIMIT h.following)
            UNION ALL
            (SELECT 'following', 4, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.section_key, c.ordinal) > (h.section_key, h.ordinal) AND (c.section_key, c.ordinal) <= (h.section_key, 2147483647)
                AND c.section OPERATOR(pg_catalog.=) h.section ORDER BY c.section_key, c.ordinal LIMIT h.section_following)
            UNION ALL
            (SELECT 'children', 5, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.parent_key, c.ordinal) > (h.section_key, h.ordinal) AND (c.parent_key, c.ordinal) <= (h.section_key, 2147483647)
                AND pg_catalog.cardinality(c.section) = h.depth + 1 AND c.section[:h.depth] OPERATOR(pg_catalog.=) h.section
            ORDER BY c.parent_key, c.ordinal LIMIT h.children)
        ) AS c);
END
$$;

COMMENT ON FUNCTION _passage.relative_claims(name, _passage.expanded_hit[], uuid[]) IS 'parents, siblings and children of hits';

-- Whether the siblings of each hit are the chunks below its parent, not those of its section. It is a function of its own
-- because the search_path of the other one has the schema of the store.

CREATE FUNCTION _passage.has_parent_siblings(hits _passage.expanded_hit[]) RETURNS boolean[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    by_parent boolean[] := '{}';
    hit _passage.expanded_hit;
BEGIN
    FOREACH hit IN ARRAY hits LOOP
        by_parent := by_parent || ((hit.strategy).siblings = 'parent' AND cardinality(hit.section) > 0 AND NOT _passage.is_release(hit.section[cardinality(hit.section)]));
    END LOOP;
    RETURN by_parent;
END
$$;

COMMENT ON FUNCTION _passage.has_parent_siblings(_passage.expanded_hit[]) IS 'whether siblings of hits are the chunks below their parents';
