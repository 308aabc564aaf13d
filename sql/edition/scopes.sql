-- Scopes of passages: the sections, containers and records that hits were widened to, and the lines that close them, as in
-- core/passages/src/expand/ select_context.rs, outer_closings.rs and open_containers.rs.

-- The names of the scopes that hits were widened to, which hits can share, and whether the store lacks a part of them. The
-- ordinals are those of the first and the last chunk of a section or container.

CREATE FUNCTION _passage.scopes_of(store name, expanded _passage.expansion) RETURNS TABLE (hit integer, scope text, is_broken boolean, first integer, last integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT h.hit, CASE WHEN expanded.merged[h.hit] IS NOT NULL THEN 'merged/' || expanded.merged[h.hit]
            WHEN w.hit IS NOT NULL THEN format('record/%s/%s/%s', h.document, (w.rows[w.firsts[cardinality(w.firsts)]]).ordinal, (w.rows[w.lasts[cardinality(w.lasts)]]).ordinal) END,
            CASE WHEN w.hit IS NOT NULL THEN w.has_gap[cardinality(w.has_gap)] OR w.is_broken OR h.structure IN ('text/x-yaml', 'text/x-toml') ELSE false END,
            (w.rows[w.firsts[cardinality(w.firsts)]]).ordinal, (w.rows[w.lasts[cardinality(w.lasts)]]).ordinal
        FROM unnest(expanded.hits) AS h LEFT JOIN unnest(expanded.records) AS w ON w.hit = h.hit AND cardinality(w.firsts) > 0
        WHERE h.scope_group IS NULL;
    IF EXISTS (SELECT FROM unnest(expanded.hits) AS h WHERE h.scope_group IS NOT NULL) THEN
        RETURN QUERY SELECT * FROM _passage.group_scopes(store, expanded.hits);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.scopes_of(name, _passage.expansion) IS 'scopes that hits were widened to';

-- The names of the statement are found as in _passage.window_claims.

CREATE FUNCTION _passage.group_scopes(store name, hits _passage.expanded_hit[]) RETURNS TABLE (hit integer, scope text, is_broken boolean, first integer, last integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN QUERY
        WITH chunks AS NOT MATERIALIZED (
            SELECT c.document_id::uuid, c.ordinal::integer, c.section::text[] FROM chunks AS c
        ), hits AS MATERIALIZED (
            SELECT h.hit, h.document, h.ordinal, h.reach, h.scope_group, h.scope_section, h.scope_first, h.scope_last FROM pg_catalog.unnest(hits) AS h WHERE h.scope_group IS NOT NULL
        ), runs AS (
            SELECT h.scope_group, h.document, h.scope_section, run.first, run.last FROM hits AS h CROSS JOIN LATERAL (
                SELECT greatest(least(h.scope_first, h.ordinal), h.ordinal::bigint - h.reach) AS first, least(greatest(h.scope_last, h.ordinal), h.ordinal::bigint + h.reach) AS last
            ) AS core
            CROSS JOIN LATERAL (
                SELECT coalesce((SELECT e.ordinal FROM chunks AS e WHERE e.document_id = h.document AND e.ordinal >= h.ordinal::bigint - h.reach AND e.ordinal < core.first
                        AND NOT _passage.starts_with(e.section, h.scope_section) ORDER BY e.ordinal DESC LIMIT 1), h.ordinal::bigint - h.reach - 1) AS low,
                    coalesce((SELECT e.ordinal FROM chunks AS e WHERE e.document_id = h.document AND e.ordinal > core.last AND e.ordinal <= h.ordinal::bigint + h.reach
                        AND NOT _passage.starts_with(e.section, h.scope_section) ORDER BY e.ordinal LIMIT 1), h.ordinal::bigint + h.reach + 1) AS high
                OFFSET 0
            ) AS ends
            CROSS JOIN LATERAL (
                SELECT min(c.ordinal) AS first, max(c.ordinal) AS last FROM chunks AS c
                WHERE c.document_id = h.document AND c.ordinal > ends.low AND c.ordinal < ends.high AND _passage.starts_with(c.section, h.scope_section)
            ) AS run
        ), extents AS (
            SELECT scope_group, document, scope_section, min(first) AS first, max(last) AS last FROM runs GROUP BY scope_group, document, scope_section
        ), around AS MATERIALIZED (
            SELECT e.*, coalesce(before.ordinal <> e.first::bigint - 1 OR before.is_inside, false) OR coalesce(after.ordinal <> e.last::bigint + 1 OR after.is_inside, false) AS is_broken
            FROM extents AS e
            LEFT JOIN LATERAL (SELECT c.ordinal, _passage.starts_with(c.section, e.scope_section) AS is_inside FROM chunks AS c
                WHERE c.document_id = e.document AND c.ordinal < e.first ORDER BY c.ordinal DESC LIMIT 1) AS before ON true
            LEFT JOIN LATERAL (SELECT c.ordinal, _passage.starts_with(c.section, e.scope_section) AS is_inside FROM chunks AS c
                WHERE c.document_id = e.document AND c.ordinal > e.last ORDER BY c.ordinal LIMIT 1) AS after ON true
        )
        SELECT h.hit, pg_catalog.concat('group/', h.scope_group), a.is_broken OR coalesce(h.scope_first > h.ordinal, false), a.first, a.last
        FROM hits AS h JOIN around AS a ON a.scope_group = h.scope_group;
END
$$;

COMMENT ON FUNCTION _passage.group_scopes(name, _passage.expanded_hit[]) IS 'scopes that hits share';

CREATE FUNCTION _passage.line_count(content text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT length(content) - length(replace(content, E'\n', '')) + (content <> '' AND right(content, 1) <> E'\n')::integer $$;

COMMENT ON FUNCTION _passage.line_count(text) IS 'number of lines of a text';

-- The number of lines at the end of a chunk that close units outside of its scope. The level of such a chunk is that of the
-- outermost unit that it closes.

CREATE FUNCTION _passage.outer_closings(hits _passage.expanded_hit[], chunk _passage.passage_chunk) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hit CONSTANT _passage.expanded_hit := hits[chunk.hit];
    other _passage.expanded_hit;
    depth integer := cardinality(hit.scope_section);
BEGIN
    IF hit.scope_group IS NULL OR hit.kind <> 'code' OR chunk.unit IS NULL OR chunk.level NOT BETWEEN 1 AND depth - 1
        OR NOT _passage.starts_with(chunk.section, hit.scope_section) THEN
        RETURN 0;
    END IF;
    FOREACH other IN ARRAY hits LOOP
        IF other.document = hit.document AND cardinality(other.scope_section) < depth AND _passage.starts_with(chunk.section, other.scope_section) THEN
            depth := cardinality(other.scope_section);
        END IF;
    END LOOP;
    RETURN greatest(depth - chunk.level, 0);
END
$$;

COMMENT ON FUNCTION _passage.outer_closings(_passage.expanded_hit[], _passage.passage_chunk) IS 'closing lines of units outside of a scope';

-- The closing lines of containers whose head is context and whose last chunk is not selected, as parts of passages.

CREATE FUNCTION _passage.closing_lines(store name, expanded _passage.expansion, chunks _passage.passage_chunk[]) RETURNS _passage.passage_chunk[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hits _passage.expanded_hit[];
    listed _passage.passage_chunk[] := '{}';
    line _passage.passage_chunk;
    open record;
    level integer;
    whole text;
    outer_part text;
    both_parts text;
BEGIN
    IF true <> ALL (SELECT verdict IS NOT NULL FROM unnest(expanded.decisions)) THEN
        RETURN listed;
    END IF;
    hits := _passage.with_closings(store, expanded.hits);
    FOR open IN
        SELECT h.scope_group, h.document, h.containers[at * 4 + 4 - 1] AS last, min(h.hit) AS hit, min(h.containers[at * 4 + 1]) AS least, max(h.containers[at * 4 + 1]) AS greatest,
            count(DISTINCT h.containers[at * 4 + 1]) AS count
        FROM unnest(hits) AS h CROSS JOIN LATERAL generate_series(0, cardinality(h.containers) / 4 - 1) AS at
        WHERE h.scope_group IS NOT NULL AND h.kind = 'code' AND h.containers[at * 4 + 1] >= greatest(cardinality(h.scope_section), 1)
            AND EXISTS (SELECT FROM unnest(chunks) AS c WHERE c.document = h.document AND c.ordinal = h.containers[at * 4 + 2] AND c.role > 0)
            AND NOT EXISTS (SELECT FROM unnest(chunks) AS c WHERE c.document = h.document AND c.ordinal = h.containers[at * 4 + 3])
        GROUP BY 1, 2, 3
    LOOP
        CONTINUE WHEN open.count <> open.greatest::bigint - open.least + 1;
        line := NULL;
        EXECUTE format('SELECT c.content::text, c.ordinal::integer, c.level::integer, c.start_byte::integer, c.first_line::integer, c.last_line::integer FROM %I.chunks AS c WHERE c.document_id = $1 AND c.ordinal = $2', store)
            INTO line.content, line.ordinal, level, line.start_byte, line.first_line, line.last_line USING open.document, open.last;
        CONTINUE WHEN (level BETWEEN 1 AND open.least) IS NOT TRUE;
        -- A chunk may be nothing but its closing lines.
        whole := E'\n' || line.content;
        outer_part := _passage.without_closing_lines(whole, open.least - level);
        both_parts := _passage.without_closing_lines(whole, open.least - level + open.count::integer);
        CONTINUE WHEN (length(both_parts) < length(outer_part)) IS NOT TRUE;
        line.hit := open.hit;
        line.document := open.document;
        line.last_line := _passage.distance(_passage.line_count(substr(whole, length(outer_part) + 1)), line.last_line);
        line.content := substr(outer_part, greatest(length(both_parts), 1) + 1);
        line.first_line := _passage.saturated(line.last_line::bigint - _passage.line_count(line.content) + 1);
        line.start_byte := _passage.saturated(line.start_byte::bigint + octet_length(both_parts) - 1);
        line.end_byte := _passage.saturated(line.start_byte::bigint + octet_length(line.content));
        listed := listed || line;
    END LOOP;
    RETURN listed;
END
$$;

COMMENT ON FUNCTION _passage.closing_lines(name, _passage.expansion, _passage.passage_chunk[]) IS 'closing lines of containers whose end is left out';
