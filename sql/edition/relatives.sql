-- Relatives: the parents, siblings and children of hits, as in core/passages/src/expand/ probe.rs and plan.rs.

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

-- The names of the statement are found as in _passage.window_claims.

CREATE FUNCTION _passage.relative_claims(store name, hits _passage.expanded_hit[], skip uuid[]) RETURNS _passage.claim[]
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
            SELECT c.id::uuid, c.document_id::uuid, c.ordinal::integer, pg_catalog.array_replace(c.section::text[], NULL, '') AS section, c.section_key::bigint, c.parent_key::bigint, c.unit::text, c.level::integer,
                greatest(coalesce(c.tokens::integer, (pg_catalog.char_length(c.content::text) + 3) / 4), 0) AS tokens FROM chunks AS c
        )
        , hits AS MATERIALIZED (
            SELECT h.hit, h.document, h.ordinal, h.section, h.section_key, h.parent_key, h.relatives, pg_catalog.cardinality(h.section) AS depth, h.section[:pg_catalog.cardinality(h.section) - 1] AS parent,
                CASE WHEN h.relatives[2] + h.relatives[3] > 0 THEN (h.strategy).siblings = 'parent' AND pg_catalog.cardinality(h.section) > 0
                    AND NOT _passage.is_release(h.section[pg_catalog.cardinality(h.section)]) ELSE false END AS by_parent
            FROM pg_catalog.unnest(hits) AS h WHERE h.ordinal IS NOT NULL
        )
        SELECT pg_catalog.array_agg((c.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, c.rule, c.role, _passage.distance(c.from_ordinal, c.ordinal), false)::_passage.claim)
        FROM (
            SELECT h.hit, h.ordinal AS from_ordinal, 'parents' AS rule, CASE row_number() OVER (PARTITION BY h.hit ORDER BY c.near DESC, c.ordinal DESC) WHEN 1 THEN 1 ELSE 2 END AS role, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level
            FROM hits AS h CROSS JOIN LATERAL (
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
                LIMIT h.relatives[1]) AS c
            WHERE h.relatives[1] > 0 AND h.depth > 0 AND c.id <> ALL (skip)
            UNION ALL
            SELECT h.hit, h.ordinal, 'preceding', 3, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM hits AS h CROSS JOIN LATERAL (
                SELECT c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.parent_key, c.ordinal) >= (h.parent_key, '-2147483648'::integer) AND (c.parent_key, c.ordinal) < (h.parent_key, h.ordinal)
                    AND pg_catalog.cardinality(c.section) = h.depth AND c.section[:h.depth - 1] OPERATOR(pg_catalog.=) h.parent
                ORDER BY c.parent_key DESC, c.ordinal DESC LIMIT h.relatives[2]) AS c WHERE h.relatives[2] > 0 AND h.by_parent
            UNION ALL
            SELECT h.hit, h.ordinal, 'preceding', 3, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM hits AS h CROSS JOIN LATERAL (
                SELECT c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.section_key, c.ordinal) >= (h.section_key, '-2147483648'::integer) AND (c.section_key, c.ordinal) < (h.section_key, h.ordinal)
                    AND c.section OPERATOR(pg_catalog.=) h.section ORDER BY c.section_key DESC, c.ordinal DESC LIMIT h.relatives[2]) AS c WHERE h.relatives[2] > 0 AND NOT h.by_parent
            UNION ALL
            SELECT h.hit, h.ordinal, 'following', 4, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM hits AS h CROSS JOIN LATERAL (
                SELECT c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.parent_key, c.ordinal) > (h.parent_key, h.ordinal) AND (c.parent_key, c.ordinal) <= (h.parent_key, 2147483647)
                    AND pg_catalog.cardinality(c.section) = h.depth AND c.section[:h.depth - 1] OPERATOR(pg_catalog.=) h.parent
                ORDER BY c.parent_key, c.ordinal LIMIT h.relatives[3]) AS c WHERE h.relatives[3] > 0 AND h.by_parent
            UNION ALL
            SELECT h.hit, h.ordinal, 'following', 4, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM hits AS h CROSS JOIN LATERAL (
                SELECT c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.section_key, c.ordinal) > (h.section_key, h.ordinal) AND (c.section_key, c.ordinal) <= (h.section_key, 2147483647)
                    AND c.section OPERATOR(pg_catalog.=) h.section ORDER BY c.section_key, c.ordinal LIMIT h.relatives[3]) AS c WHERE h.relatives[3] > 0 AND NOT h.by_parent
            UNION ALL
            SELECT h.hit, h.ordinal, 'children', 5, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM hits AS h CROSS JOIN LATERAL (
                SELECT c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = h.document AND (c.parent_key, c.ordinal) > (h.section_key, h.ordinal) AND (c.parent_key, c.ordinal) <= (h.section_key, 2147483647)
                    AND pg_catalog.cardinality(c.section) = h.depth + 1 AND c.section[:h.depth] OPERATOR(pg_catalog.=) h.section
                ORDER BY c.parent_key, c.ordinal LIMIT h.relatives[4]) AS c WHERE h.relatives[4] > 0
        ) AS c);
END
$$;

COMMENT ON FUNCTION _passage.relative_claims(name, _passage.expanded_hit[], uuid[]) IS 'parents, siblings and children of hits';
