-- Auto-merging: a section replaces its parts if hits cover enough of it, as in core/passages/src/expand/ merge.rs and
-- section_tree.rs.

-- The ordinals around the hits of each document, and the number of its first hit. Windows that touch are one.

CREATE FUNCTION _passage.merge_windows(hits _passage.expanded_hit[]) RETURNS TABLE (first_hit integer, document uuid, windows int8multirange)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT min(h.hit), h.document, range_agg(int8range(greatest(h.ordinal::bigint - h.reach, -2147483648), least(h.ordinal::bigint + h.reach, 2147483647), '[]'))
    FROM unnest(hits) AS h WHERE (h.strategy).scope = 'merge' AND h.ordinal IS NOT NULL GROUP BY h.document
$$;

COMMENT ON FUNCTION _passage.merge_windows(_passage.expanded_hit[]) IS 'ordinals around hits that may be merged';

-- The rows of these windows, as claims of the first hit of their document. The names of the statement are found as in
-- _passage.window_claims.

CREATE FUNCTION _passage.merge_rows(store name, hits _passage.expanded_hit[], skip uuid[]) RETURNS _passage.claim[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    rows _passage.claim[];
BEGIN
    PERFORM _passage.use_store(store, false);
    WITH chunks AS NOT MATERIALIZED (
        SELECT c.id::uuid, c.document_id::uuid, c.ordinal::integer, pg_catalog.array_replace(c.section::text[], NULL, '') AS section, c.unit::text, c.level::integer, c.tokens::integer, c.content::text FROM chunks AS c
    )
    SELECT pg_catalog.array_agg((listed.first_hit, listed.id, listed.ordinal, listed.tokens, listed.section, listed.unit, listed.level, 'merge', 7, 0, false)::_passage.claim
        ORDER BY listed.first_hit, listed.ordinal)
    INTO rows
    FROM (
        SELECT DISTINCT ON (near.first_hit, c.ordinal) near.first_hit, c.id, c.ordinal, greatest(coalesce(c.tokens, (pg_catalog.char_length(c.content) + 3) / 4), 0) AS tokens,
            c.section, c.unit, c.level
        FROM (SELECT found.first_hit, found.document, pg_catalog.unnest(found.windows) AS window FROM _passage.merge_windows(hits) AS found) AS near
        -- OFFSET makes the planner look up each window, whatever it knows of their size.
        CROSS JOIN LATERAL (SELECT * FROM chunks AS c WHERE c.document_id = near.document AND c.ordinal >= pg_catalog.lower(near.window) AND c.ordinal < pg_catalog.upper(near.window) OFFSET 0) AS c
        WHERE c.id <> ALL (skip)
        ORDER BY near.first_hit, c.ordinal
    ) AS listed;
    RETURN coalesce(rows, '{}');
END
$$;

COMMENT ON FUNCTION _passage.merge_rows(name, _passage.expanded_hit[], uuid[]) IS 'rows around hits that may be merged';

-- The sections above hits as a tree: parents come first. `outermost` is the outermost merged section that contains a section;
-- `of_rows` and `of_hits` are the nearest section of each row and the own section of each hit.

CREATE TYPE _passage.section_tree AS (outermost integer[], of_rows integer[], of_hits integer[]);

CREATE FUNCTION _passage.section_tree(hits _passage.expanded_hit[], rows _passage.claim[]) RETURNS _passage.section_tree
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_nestloop = off
AS $$
DECLARE
    tree _passage.section_tree;
    parents integer[];
    hit_weights double precision[];
    -- The weight that hits must exceed, and what the section weighs in its parent.
    needed double precision[];
    weights double precision[];
    is_merged boolean[];
BEGIN
    WITH merging AS MATERIALIZED (
        SELECT h.hit, h.id, h.section, near.first_hit, near.windows, (h.strategy).threshold AS threshold, (h.strategy).count_by = 'tokens' AS by_tokens
        FROM unnest(hits) AS h JOIN _passage.merge_windows(hits) AS near ON near.document = h.document WHERE (h.strategy).scope = 'merge' AND h.ordinal IS NOT NULL
    ), sections AS MATERIALIZED (
        SELECT first_hit, section[:depth] AS section, depth, min(threshold) AS threshold, bool_or(by_tokens) AS by_tokens, row_number() OVER (ORDER BY depth, first_hit, section[:depth])::integer AS number
        FROM merging CROSS JOIN LATERAL generate_series(0, cardinality(section)) AS depth GROUP BY 1, 2, 3
    ), listed AS MATERIALIZED (
        SELECT r.hit AS first_hit, r.section, r.tokens, r.place::integer, m.id IS NOT NULL AS is_hit,
            NOT (near.windows @> greatest(r.ordinal::bigint - 1, -2147483648) AND near.windows @> least(r.ordinal::bigint + 1, 2147483647)) AS is_open
        FROM unnest(rows) WITH ORDINALITY AS r (hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge, place)
        JOIN (SELECT DISTINCT ON (first_hit) first_hit, windows FROM merging) AS near ON near.first_hit = r.hit LEFT JOIN merging AS m ON m.id = r.id
    ), above AS MATERIALIZED (
        SELECT s.number, l.place, l.tokens, CASE WHEN s.by_tokens THEN l.tokens ELSE 1 END AS weight, l.is_hit, l.is_open, l.section[s.depth + 1] AS subsection, l.depth = s.depth AS is_own
        FROM (SELECT *, cardinality(section) AS depth, generate_series(0, cardinality(section)) AS above_depth FROM listed) AS l
        JOIN sections AS s ON s.first_hit = l.first_hit AND s.section = l.section[:l.above_depth]
    ), weighed AS (
        SELECT number, sum(tokens) AS tokens, bool_or(is_open) AS is_open, coalesce(sum(weight) FILTER (WHERE is_own), 0) AS own_weight,
            coalesce(sum(weight) FILTER (WHERE is_own AND is_hit), 0) AS hit_weight, count(DISTINCT subsection) FILTER (WHERE NOT is_own) AS subsections
        FROM above GROUP BY number
    )
    SELECT array_agg(parent.number ORDER BY s.number), array_agg(coalesce(w.hit_weight, 0) ORDER BY s.number),
        array_agg(s.threshold * coalesce(CASE WHEN s.by_tokens THEN w.tokens ELSE w.own_weight + w.subsections END, 0)::double precision ORDER BY s.number),
        array_agg(CASE WHEN s.by_tokens THEN w.tokens ELSE 1 END ORDER BY s.number), array_agg(w.is_open IS FALSE ORDER BY s.number),
        (SELECT array_agg(nearest.number ORDER BY nearest.place) FROM (SELECT place, max(number) AS number FROM above GROUP BY place) AS nearest),
        (SELECT array_agg(own.number ORDER BY h.hit) FROM unnest(hits) AS h LEFT JOIN (
            SELECT m.hit, o.number FROM merging AS m JOIN sections AS o ON o.first_hit = m.first_hit AND o.section = m.section) AS own ON own.hit = h.hit)
    INTO parents, hit_weights, needed, weights, is_merged, tree.of_rows, tree.of_hits
    FROM sections AS s LEFT JOIN weighed AS w ON w.number = s.number
    LEFT JOIN sections AS parent ON parent.first_hit = s.first_hit AND parent.section = s.section[:s.depth - 1] AND parent.depth = s.depth - 1;
    FOR i IN REVERSE cardinality(parents) .. 1 LOOP
        is_merged[i] := is_merged[i] AND hit_weights[i] > needed[i];
        IF is_merged[i] AND parents[i] IS NOT NULL THEN
            hit_weights[parents[i]] := hit_weights[parents[i]] + weights[i];
        END IF;
    END LOOP;
    -- Parents come first, so the loop that reads theirs has them.
    FOR i IN 1 .. cardinality(parents) LOOP
        parents[i] := coalesce(parents[parents[i]], CASE WHEN is_merged[i] THEN i END);
    END LOOP;
    tree.outermost := parents;
    RETURN tree;
END
$$;

COMMENT ON FUNCTION _passage.section_tree(_passage.expanded_hit[], _passage.claim[]) IS 'sections above hits, and which of them are merged';

-- The claims of merged sections and of single chunks between two selected ones, and the number of the merged section of
-- each hit. Of the hits with the best score in a section, the nearest claims a row.

CREATE FUNCTION _passage.merged_sections(store name, hits _passage.expanded_hit[], skip uuid[], OUT claims _passage.claim[], OUT of_hits integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_nestloop = off
AS $$
DECLARE
    rows _passage.claim[];
    tree _passage.section_tree;
BEGIN
    rows := _passage.merge_rows(store, hits, skip);
    tree := _passage.section_tree(hits, rows);
    of_hits := ARRAY(SELECT tree.outermost[own] FROM unnest(tree.of_hits) WITH ORDINALITY AS listed (own, hit) ORDER BY hit);
    WITH merging AS MATERIALIZED (
        SELECT h.hit, h.ordinal, h.score_rank, of_hits[h.hit] AS merged, min(h.hit) OVER (PARTITION BY h.document) AS first_hit
        FROM unnest(hits) AS h WHERE (h.strategy).scope = 'merge' AND h.ordinal IS NOT NULL
    ), claimants AS (
        -- Ordinal and number in one integer, which has the order of both.
        SELECT best.merged, best.ordinal, best.ordinal::bigint * 2147483648 + min(best.hit) AS key
        FROM (SELECT merging.*, min(score_rank) OVER (PARTITION BY merged) AS best_rank FROM merging WHERE merged IS NOT NULL) AS best
        WHERE best.score_rank = best.best_rank GROUP BY best.merged, best.ordinal
    ), listed AS (
        SELECT r.place::integer, r.hit AS first_hit, r.ordinal, tree.outermost[tree.of_rows[r.place]] AS merged, alone.hit AS alone
        FROM unnest(rows) WITH ORDINALITY AS r (hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge, place)
        LEFT JOIN (SELECT first_hit, ordinal, min(hit) AS hit FROM merging WHERE merged IS NULL GROUP BY first_hit, ordinal) AS alone ON alone.first_hit = r.hit AND alone.ordinal = r.ordinal
    ), sides AS (
        SELECT *, lag(ordinal::bigint) OVER near = ordinal::bigint - 1 AS follows, lag(merged) OVER near AS merged_before, lag(alone) OVER near AS alone_before,
            lead(ordinal) OVER near = ordinal::bigint + 1 AS is_followed, lead(merged) OVER near AS merged_after, lead(alone) OVER near AS alone_after
        FROM listed WINDOW near AS (PARTITION BY first_hit ORDER BY ordinal)
    ), wanted AS (
        SELECT place, ordinal, merged, NULL::integer AS alone, 'merge' AS rule, 7 AS role FROM listed WHERE merged IS NOT NULL
        UNION ALL
        SELECT place, ordinal, side.merged, CASE WHEN side.merged IS NULL THEN side.alone END, 'gap', 6
        FROM sides CROSS JOIN LATERAL (VALUES (merged_before, alone_before), (merged_after, alone_after)) AS side (merged, alone)
        WHERE sides.merged IS NULL AND sides.alone IS NULL AND follows AND is_followed AND coalesce(merged_before, alone_before) IS NOT NULL AND coalesce(merged_after, alone_after) IS NOT NULL
    ), near AS (
        SELECT place, ordinal, alone, rule, role, max(key) OVER (PARTITION BY merged ORDER BY ordinal) AS before,
            min(key) OVER (PARTITION BY merged ORDER BY ordinal RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS after
        FROM (SELECT *, NULL::bigint AS key FROM wanted UNION ALL SELECT NULL, ordinal, merged, NULL, NULL, NULL, key FROM claimants) AS both_kinds
    ), claimed AS (
        SELECT place, rule, role, CASE WHEN alone IS NOT NULL THEN alone
            WHEN (before IS NULL OR (after >> 31) - ordinal < ordinal - (before >> 31) OR (after >> 31) - ordinal = ordinal - (before >> 31) AND after & 2147483647 < before & 2147483647) AND after IS NOT NULL
            THEN after & 2147483647 ELSE before & 2147483647 END::integer AS hit
        FROM near WHERE place IS NOT NULL
    )
    SELECT array_agg((claimed.hit, r.id, r.ordinal, r.tokens, r.section, r.unit, r.level, claimed.rule, claimed.role, _passage.distance(m.ordinal, r.ordinal), false)::_passage.claim)
    INTO claims
    FROM claimed JOIN merging AS m ON m.hit = claimed.hit
    JOIN unnest(rows) WITH ORDINALITY AS r (hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge, place) ON r.place = claimed.place;
    claims := coalesce(claims, '{}');
END
$$;

COMMENT ON FUNCTION _passage.merged_sections(name, _passage.expanded_hit[], uuid[]) IS 'claims of merged sections';
