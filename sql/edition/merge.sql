-- Auto-merging: a section replaces its parts if hits cover enough of it, as in core/passages/src/expand/merge.rs.

-- The claims of merged sections and of single chunks between two selected ones, and the number of the merged section of
-- each hit.

CREATE FUNCTION _passage.merged_sections(store name, hits _passage.expanded_hit[], skip uuid[], OUT claims _passage.claim[], OUT of_hits integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    node record;
    nodes text[] := '{}';
    parents integer[] := '{}';
    hit_weights double precision[] := '{}';
    weights double precision[] := '{}';
    is_merged boolean[] := '{}';
    outermost integer[] := '{}';
BEGIN
    claims := '{}';
    of_hits := array_fill(NULL::integer, ARRAY[cardinality(hits)]);
    IF NOT EXISTS (SELECT FROM unnest(hits) AS h WHERE (h.strategy).scope = 'merge') THEN
        RETURN;
    END IF;
    -- The sections above hits, with the weight of their chunks; parents come first.
    FOR node IN EXECUTE format($sql$
        WITH merging AS MATERIALIZED (
            SELECT h.*, first_value((h.strategy).threshold) OVER of_document AS threshold, first_value((h.strategy).count_by) OVER of_document = 'tokens' AS by_tokens
            FROM unnest($1) AS h WHERE (h.strategy).scope = 'merge' WINDOW of_document AS (PARTITION BY h.document ORDER BY h.hit)
        ), rows AS MATERIALIZED (
            SELECT DISTINCT ON (c.document_id, c.ordinal) c.document_id AS document, c.section, c.ordinal,
                greatest(coalesce(c.tokens, (char_length(c.content) + 3) / 4), 0) AS tokens, c.id IN (SELECT id FROM merging) AS is_hit,
                NOT EXISTS (SELECT FROM merging AS m WHERE m.document = c.document_id AND c.ordinal - 1 BETWEEN m.ordinal - m.reach AND m.ordinal + m.reach)
                    OR NOT EXISTS (SELECT FROM merging AS m WHERE m.document = c.document_id AND c.ordinal + 1 BETWEEN m.ordinal - m.reach AND m.ordinal + m.reach) AS is_open
            FROM merging AS h JOIN %I.chunks AS c ON c.document_id = h.document AND c.ordinal BETWEEN h.ordinal - h.reach AND h.ordinal + h.reach
            WHERE c.id <> ALL ($2)
        ), above AS (
            SELECT DISTINCT document, section[:depth] AS section, depth, threshold, by_tokens FROM merging CROSS JOIN generate_series(0, cardinality(section)) AS depth
        )
        SELECT format('%%s/%%s', above.document, above.section) AS name, format('%%s/%%s', above.document, above.section[:above.depth - 1]) AS parent, above.depth,
            above.threshold, above.by_tokens, sum(rows.tokens) AS tokens, bool_or(rows.is_open) AS is_open,
            coalesce(sum(CASE WHEN by_tokens THEN rows.tokens ELSE 1 END) FILTER (WHERE rows.section = above.section), 0) AS own_weight,
            coalesce(sum(CASE WHEN by_tokens THEN rows.tokens ELSE 1 END) FILTER (WHERE rows.section = above.section AND rows.is_hit), 0) AS hit_weight,
            count(DISTINCT rows.section[above.depth + 1]) FILTER (WHERE cardinality(rows.section) > above.depth) AS subsections
        FROM above JOIN rows ON rows.document = above.document AND _passage.starts_with(rows.section, above.section)
        GROUP BY above.document, above.section, above.depth, above.threshold, above.by_tokens ORDER BY above.depth$sql$, store) USING hits, skip
    LOOP
        nodes := nodes || node.name;
        parents := parents || CASE WHEN node.depth > 0 THEN array_position(nodes, node.parent) END;
        hit_weights := hit_weights || node.hit_weight::double precision;
        is_merged := is_merged || NOT node.is_open;
        -- The weight that hits must exceed, and what the section weighs in its parent.
        weights := weights || (node.threshold * CASE WHEN node.by_tokens THEN node.tokens ELSE node.own_weight + node.subsections END)::double precision
            || CASE WHEN node.by_tokens THEN node.tokens ELSE 1 END::double precision;
    END LOOP;
    FOR i IN REVERSE cardinality(nodes) .. 1 LOOP
        is_merged[i] := is_merged[i] AND hit_weights[i] > weights[2 * i - 1];
        IF is_merged[i] AND parents[i] IS NOT NULL THEN
            hit_weights[parents[i]] := hit_weights[parents[i]] + weights[2 * i];
        END IF;
    END LOOP;
    FOR i IN 1 .. cardinality(nodes) LOOP
        outermost := outermost || coalesce(outermost[parents[i]], CASE WHEN is_merged[i] THEN i END);
    END LOOP;
    of_hits := ARRAY(SELECT CASE WHEN (h.strategy).scope = 'merge' THEN outermost[array_position(nodes, format('%s/%s', h.document, h.section))] END FROM unnest(hits) AS h ORDER BY h.hit);
    EXECUTE format($sql$
        WITH merging AS MATERIALIZED (SELECT h.*, ($3)[h.hit] AS merged FROM unnest($1) AS h WHERE (h.strategy).scope = 'merge'),
        rows AS MATERIALIZED (
            SELECT DISTINCT ON (c.document_id, c.ordinal) c.document_id AS document, c.id, c.ordinal, greatest(coalesce(c.tokens, (char_length(c.content) + 3) / 4), 0) AS tokens,
                c.section, c.unit, c.level, (
                    SELECT ($5)[place] FROM unnest($4) WITH ORDINALITY AS listed (name, place) JOIN generate_series(0, cardinality(c.section)) AS depth
                    ON listed.name = format('%%s/%%s', c.document_id, c.section[:depth]) ORDER BY depth DESC LIMIT 1) AS merged,
                (SELECT m.hit FROM merging AS m WHERE m.document = c.document_id AND m.ordinal = c.ordinal AND m.merged IS NULL ORDER BY m.hit LIMIT 1) AS alone
            FROM merging AS h JOIN %I.chunks AS c ON c.document_id = h.document AND c.ordinal BETWEEN h.ordinal - h.reach AND h.ordinal + h.reach
            WHERE c.id <> ALL ($2)
        ), claimed AS (
            SELECT rows.*, near.hit, 'merge' AS rule, 7 AS role FROM rows CROSS JOIN LATERAL (
                SELECT m.hit FROM merging AS m WHERE m.merged = rows.merged ORDER BY m.score_rank, abs(m.ordinal - rows.ordinal), m.hit LIMIT 1) AS near
            UNION ALL
            SELECT rows.*, near.hit, 'gap', 6
            FROM rows JOIN rows AS before ON before.document = rows.document AND before.ordinal = rows.ordinal - 1
            JOIN rows AS after ON after.document = rows.document AND after.ordinal = rows.ordinal + 1
            CROSS JOIN LATERAL (VALUES (before.merged, before.alone), (after.merged, after.alone)) AS side (merged, alone)
            CROSS JOIN LATERAL (SELECT coalesce((SELECT m.hit FROM merging AS m WHERE m.merged = side.merged ORDER BY m.score_rank, abs(m.ordinal - rows.ordinal), m.hit LIMIT 1), side.alone)) AS near (hit)
            WHERE rows.merged IS NULL AND rows.alone IS NULL AND coalesce(before.merged, before.alone) IS NOT NULL AND coalesce(after.merged, after.alone) IS NOT NULL
        )
        SELECT array_agg((claimed.hit, claimed.id, claimed.ordinal, claimed.tokens, claimed.section, claimed.unit, claimed.level, claimed.rule, claimed.role,
            claimed.ordinal - m.ordinal, false)::_passage.claim)
        FROM claimed JOIN merging AS m ON m.hit = claimed.hit$sql$, store) INTO claims USING hits, skip, of_hits, nodes, outermost;
    claims := coalesce(claims, '{}');
END
$$;

COMMENT ON FUNCTION _passage.merged_sections(name, _passage.expanded_hit[], uuid[]) IS 'claims of merged sections';
