-- Passages: groups the selected chunks, and writes their text, as in core/passages/src/reassemble.rs and
-- extension/src/expansion/passage_rows.rs.

CREATE TYPE _passage.passage_chunk AS (
    hit integer, document uuid, id uuid, ordinal integer, role integer, rule text, tokens integer, section text[], unit text, level integer,
    content text, start_byte integer, end_byte integer, first_line integer, last_line integer, preamble text, place jsonb, passage integer
);

CREATE TYPE _passage.passage_row AS (
    rank integer, score double precision, document_id uuid, collection text, version text, uri text, title text, media_type text, section text[],
    content text, tokens integer, chunk_ids uuid[], hit_ids uuid[], first_line integer, last_line integer, spans int4range[], citations jsonb,
    truncated boolean, complete boolean, metadata jsonb, source_ids text[], explanation jsonb
);

-- Pages, slides and sheets of a chunk in a converted document, as citations name them.

CREATE FUNCTION _passage.place_of(metadata jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    kind text;
    first jsonb;
    last jsonb;
BEGIN
    IF NOT metadata ?| '{page,slide,sheet}' THEN
        RETURN NULL;
    ELSIF metadata ? 'total_pages' THEN
        RETURN CASE WHEN jsonb_path_match(metadata, '$.page.type() == "number" && $.page >= 0 && $.page.floor() == $.page') THEN jsonb_build_object('page', (metadata ->> 'page')::bigint + 1) END;
    END IF;
    FOREACH kind IN ARRAY '{page,slide,sheet}'::text[] LOOP
        first := metadata -> kind;
        last := metadata -> ('last_' || kind);
        CONTINUE WHEN first IS NULL;
        IF kind = 'sheet' THEN
            CONTINUE WHEN jsonb_typeof(first) <> 'string';
            last := CASE jsonb_typeof(last) WHEN 'string' THEN last ELSE first END;
        ELSE
            CONTINUE WHEN jsonb_typeof(first) <> 'number' OR first::numeric % 1 <> 0 OR first::numeric < 1;
            last := CASE WHEN jsonb_typeof(last) <> 'number' THEN first WHEN last::numeric % 1 = 0 AND last::numeric >= 1 THEN last ELSE first END;
        END IF;
        RETURN jsonb_build_object(kind, first) || CASE WHEN coalesce(last, first) <> first THEN jsonb_build_object('last_' || kind, last) ELSE '{}' END;
    END LOOP;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.place_of(jsonb) IS 'place of a chunk in a converted document';

-- The names of the scopes that hits were widened to, which hits can share, and whether the store lacks a part of them. The
-- ordinals are those of the first and the last chunk of a section or container.

CREATE FUNCTION _passage.scopes_of(store name, expanded _passage.expansion) RETURNS TABLE (hit integer, scope text, is_broken boolean, first integer, last integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT h.hit, CASE WHEN expanded.merged[h.hit] IS NOT NULL THEN 'merged/' || expanded.merged[h.hit]
            WHEN w.hit IS NOT NULL THEN format('record/%s/%s/%s', h.document, (w.rows[w.firsts[cardinality(w.firsts)]]).ordinal, (w.rows[w.lasts[cardinality(w.lasts)]]).ordinal) END,
            CASE WHEN w.hit IS NOT NULL THEN w.has_gap[cardinality(w.has_gap)] OR w.is_broken OR h.structure IN ('text/x-yaml', 'text/x-toml', 'application/xml') ELSE false END,
            (w.rows[w.firsts[cardinality(w.firsts)]]).ordinal, (w.rows[w.lasts[cardinality(w.lasts)]]).ordinal
        FROM unnest(expanded.hits) AS h LEFT JOIN unnest(expanded.records) AS w ON w.hit = h.hit AND cardinality(w.firsts) > 0
        WHERE h.scope_group IS NULL;
    RETURN QUERY EXECUTE format($sql$
        WITH hits AS MATERIALIZED (SELECT * FROM unnest($1) AS h WHERE h.scope_group IS NOT NULL), runs AS (
            SELECT h.*, run.first, run.last FROM hits AS h CROSS JOIN LATERAL (
                SELECT greatest(least(h.scope_first, h.ordinal), h.ordinal::bigint - h.reach) AS first, least(greatest(h.scope_last, h.ordinal), h.ordinal::bigint + h.reach) AS last
            ) AS core
            CROSS JOIN LATERAL (
                SELECT coalesce((SELECT e.ordinal FROM %1$I.chunks AS e WHERE e.document_id = h.document AND e.ordinal >= h.ordinal::bigint - h.reach AND e.ordinal < core.first
                        AND NOT _passage.starts_with(e.section, h.scope_section) ORDER BY e.ordinal DESC LIMIT 1), h.ordinal::bigint - h.reach - 1) AS low,
                    coalesce((SELECT e.ordinal FROM %1$I.chunks AS e WHERE e.document_id = h.document AND e.ordinal > core.last AND e.ordinal <= h.ordinal::bigint + h.reach
                        AND NOT _passage.starts_with(e.section, h.scope_section) ORDER BY e.ordinal LIMIT 1), h.ordinal::bigint + h.reach + 1) AS high
                OFFSET 0
            ) AS ends
            CROSS JOIN LATERAL (
                SELECT min(c.ordinal) AS first, max(c.ordinal) AS last FROM %1$I.chunks AS c
                WHERE c.document_id = h.document AND c.ordinal > ends.low AND c.ordinal < ends.high AND _passage.starts_with(c.section, h.scope_section)
            ) AS run
        ), extents AS (
            SELECT scope_group, document, scope_section, min(first) AS first, max(last) AS last FROM runs GROUP BY scope_group, document, scope_section
        )
        SELECT h.hit, 'group/' || h.scope_group, coalesce(before.ordinal <> e.first::bigint - 1 OR before.is_inside, false) OR coalesce(after.ordinal <> e.last::bigint + 1 OR after.is_inside, false)
            OR coalesce(h.scope_first > h.ordinal, false), e.first, e.last
        FROM hits AS h JOIN extents AS e USING (scope_group)
        LEFT JOIN LATERAL (SELECT c.ordinal, _passage.starts_with(c.section, h.scope_section) AS is_inside FROM %1$I.chunks AS c
            WHERE c.document_id = h.document AND c.ordinal < e.first ORDER BY c.ordinal DESC LIMIT 1) AS before ON true
        LEFT JOIN LATERAL (SELECT c.ordinal, _passage.starts_with(c.section, h.scope_section) AS is_inside FROM %1$I.chunks AS c
            WHERE c.document_id = h.document AND c.ordinal > e.last ORDER BY c.ordinal LIMIT 1) AS after ON true$sql$, store) USING expanded.hits;
END
$function$;

COMMENT ON FUNCTION _passage.scopes_of(name, _passage.expansion) IS 'scopes that hits were widened to';

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
    IF NOT EXISTS (SELECT FROM unnest(expanded.hits) AS h WHERE h.scope_first IS NOT NULL AND h.kind = 'code')
        OR true <> ALL (SELECT verdict IS NOT NULL FROM unnest(expanded.decisions)) THEN
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

CREATE FUNCTION _passage.line_count(content text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT length(content) - length(replace(content, E'\n', '')) + (content <> '' AND right(content, 1) <> E'\n')::integer $$;

COMMENT ON FUNCTION _passage.line_count(text) IS 'number of lines of a text';

-- The header of a table, which later chunks have in their preamble: its first and last byte in the first chunk, and its
-- tokens as a share of those of this chunk.

CREATE FUNCTION _passage.table_header(store name, document uuid, preamble text, OUT content text, OUT start_byte integer, OUT tokens integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    line CONSTANT text := substring(preamble COLLATE "C" FROM '([^\r\n]+)[\r\n]*$');
    first record;
    at integer;
BEGIN
    EXECUTE format('SELECT c.content::text, c.start_byte::integer, coalesce(c.tokens::integer, (char_length(c.content) + 3) / 4) AS tokens FROM %I.chunks AS c WHERE c.document_id = $1 AND c.ordinal = 0', store)
        INTO first USING document;
    at := strpos(first.content, line);
    IF (at > 0) IS NOT TRUE THEN
        RETURN;
    END IF;
    content := line || coalesce(substring(substr(first.content, at + length(line)) COLLATE "C" FROM '^[ \t]*(?:\r\n|\n|\r)'), '');
    start_byte := _passage.saturated(first.start_byte::bigint + octet_length(left(first.content, at - 1)));
    tokens := ceil(first.tokens::numeric * octet_length(content) / octet_length(first.content));
END
$$;

COMMENT ON FUNCTION _passage.table_header(name, uuid, text) IS 'names of the columns of a table';

-- The tokens of the whole result that headers of tables and repeated lines may take: each hit may be in a passage of its own.

CREATE FUNCTION _passage.reserved_tokens(store name, hits _passage.expanded_hit[]) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    reserved bigint;
BEGIN
    EXECUTE format($sql$
        SELECT sum(CASE WHEN h.family = 'prose' THEN coalesce((octet_length(_passage.repeated_line(c.preamble, c.content)) + 3) / 4, 0)
            WHEN h.structure = 'text/csv' THEN coalesce((SELECT tokens FROM _passage.table_header($2, h.document, coalesce((
                SELECT e.preamble FROM %1$I.chunks AS e WHERE e.document_id = h.document AND e.ordinal = greatest(h.ordinal, 1)), ''))), 0) ELSE 0 END)
        FROM unnest($1) AS h JOIN %1$I.chunks AS c ON c.document_id = h.document AND c.id = h.id
        WHERE h.family = 'prose' AND c.preamble IS NOT NULL OR h.structure = 'text/csv'$sql$, store) INTO reserved USING hits, store;
    RETURN coalesce(_passage.saturated(reserved), 0);
END
$$;

COMMENT ON FUNCTION _passage.reserved_tokens(name, _passage.expanded_hit[]) IS 'tokens that headers and repeated lines may take';

-- Groups the chunks of documents into passages: by their number. Hits share a passage if they were widened to the same scope,
-- if they are at most so many ordinals apart, or if all chunks between them are selected.

CREATE FUNCTION _passage.group_chunks(chunks _passage.passage_chunk[], scopes text[], max_distance integer) RETURNS _passage.passage_chunk[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    chunk _passage.passage_chunk;
    document uuid;
    before integer;
    before_ordinal integer;
    passage integer;
    count integer := 0;
    of_hits integer[] := array_fill(NULL::integer, ARRAY[cardinality(scopes)]);
    names text[] := '{}';
    of_names integer[] := '{}';
    gap bigint;
BEGIN
    FOR i IN 1 .. cardinality(chunks) LOOP
        chunk := chunks[i];
        IF chunk.document IS DISTINCT FROM document THEN
            document := chunk.document;
            before := NULL;
        END IF;
        CONTINUE WHEN chunk.role <> 0;
        passage := of_names[array_position(names, scopes[chunk.hit])];
        IF passage IS NULL AND before IS NOT NULL THEN
            gap := abs(chunk.ordinal::bigint - before_ordinal);
            IF max_distance IS NULL OR gap <= max_distance OR gap = i - before THEN
                passage := of_hits[chunks[before].hit];
            END IF;
        END IF;
        IF passage IS NULL THEN
            count := count + 1;
            passage := count;
        END IF;
        of_hits[chunk.hit] := passage;
        IF scopes[chunk.hit] IS NOT NULL AND array_position(names, scopes[chunk.hit]) IS NULL THEN
            names := names || scopes[chunk.hit];
            of_names := of_names || passage;
        END IF;
        before := i;
        before_ordinal := chunk.ordinal;
    END LOOP;
    FOR i IN 1 .. cardinality(chunks) LOOP
        chunks[i].passage := of_hits[chunks[i].hit];
    END LOOP;
    RETURN chunks;
END
$$;

COMMENT ON FUNCTION _passage.group_chunks(_passage.passage_chunk[], text[], integer) IS 'chunks with the numbers of their passages';

-- The score of a passage, from those of its hits, the best first. A sum beyond all numbers is infinite; infinite scores of
-- both signs have no sum.

CREATE FUNCTION _passage.passage_score(score_by text, scores double precision[], hits integer[]) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    total double precision := 0;
    count integer := 0;
    own double precision;
BEGIN
    IF score_by = 'max' THEN
        RETURN scores[1];
    ELSIF score_by = 'rank' THEN
        RETURN (SELECT sum(1.0::double precision / (60.0::double precision + hit) ORDER BY place) FROM unnest(hits) WITH ORDINALITY AS listed (hit, place));
    END IF;
    FOREACH own IN ARRAY scores LOOP
        CONTINUE WHEN own IS NULL;
        count := count + 1;
        IF greatest(abs(total), abs(own)) BETWEEN 1e307 AND 1.7976931348623157e308 AND abs(total / 2.0::double precision + own / 2.0::double precision) >= 8.98846567431158e307 THEN
            total := sign(own) * 'Infinity'::double precision;
        ELSE
            total := total + own;
        END IF;
    END LOOP;
    IF score_by = 'mean' THEN
        -- PostgreSQL has an error for a quotient that is nearly 0.
        total := CASE WHEN count = 0 OR abs(total) < 1e-300 AND abs(total) * 2.0::double precision <= count * 5e-324::double precision THEN total * 0.0::double precision ELSE total / count END;
    END IF;
    RETURN CASE WHEN count > 0 THEN nullif(total, 'NaN') END;
END
$$;

COMMENT ON FUNCTION _passage.passage_score(text, double precision[], integer[]) IS 'score of a passage from those of its hits';

-- Writes the text of a passage. Parts without an id are closing lines, which no citation names.

CREATE FUNCTION _passage.passage_text(
    store name, parts _passage.passage_chunk[], hit _passage.expanded_hit, output jsonb, OUT assembly _passage.assembly, OUT added integer
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    known CONSTANT record := _passage.known_media_type(hit.media_type);
    has_marks CONSTANT boolean := NOT output ? 'separator' AND coalesce(output ->> 'gaps', CASE WHEN known.family <> 'data' THEN 'comment' END) IS NOT DISTINCT FROM 'comment'
        AND (output ? 'gaps' OR known.family <> 'data');
    contents text[] := '{}';
    starts integer[] := '{}';
    ends integer[] := '{}';
    separators text[] := '{}';
    marks text[] := '{}';
    separator text;
    mark text;
    header record;
    count CONSTANT integer := cardinality(parts);
    length integer;
BEGIN
    added := 0;
    FOR i IN 1 .. count LOOP
        mark := NULL;
        separator := coalesce(output ->> 'separator', CASE WHEN known.family <> 'prose' THEN '' END);
        IF has_marks AND known.family <> 'prose' AND known.comment_prefix IS NOT NULL THEN
            separator := CASE WHEN i > 1 THEN _passage.gap_comment(parts[i - 1].content, parts[i].content, parts[i - 1].ordinal, parts[i].ordinal, parts[i - 1].last_line, parts[i].first_line,
                known.comment_prefix, known.comment_suffix, known.empty_body) END;
        ELSIF has_marks AND known.family = 'prose' AND i > 1 AND parts[i].ordinal::bigint - parts[i - 1].ordinal <> 1 THEN
            mark := '[...]';
        END IF;
        contents := contents || parts[i].content;
        starts := starts || parts[i].start_byte;
        ends := ends || parts[i].end_byte;
        separators := separators || separator;
        marks := marks || mark;
    END LOOP;
    IF known.structure = 'text/csv' AND parts[1].ordinal <> 0 THEN
        header := _passage.table_header(store, hit.document, parts[1].preamble);
        IF header.content IS NOT NULL THEN
            added := header.tokens;
            length := octet_length(header.content);
            assembly := _passage.join_parts(header.content || contents, header.start_byte || starts, _passage.saturated(header.start_byte::bigint + length) || ends, ARRAY[NULL, ''] || separators[2:], NULL::text || marks);
            assembly.firsts := assembly.firsts[2:];
            assembly.lasts := assembly.lasts[2:];
        END IF;
    END IF;
    IF assembly.body IS NULL THEN
        assembly := _passage.join_parts(contents, starts, ends, separators, marks);
    END IF;
    -- Nothing cites closing lines.
    FOR i IN REVERSE count .. 1 LOOP
        IF parts[i].id IS NULL THEN
            assembly.firsts := assembly.firsts[:i - 1] || assembly.firsts[i + 1:];
            assembly.lasts := assembly.lasts[:i - 1] || assembly.lasts[i + 1:];
        END IF;
    END LOOP;
    IF known.family = 'prose' THEN
        length := octet_length(assembly.body);
        assembly := _passage.with_repeated_lines(assembly, ARRAY(SELECT coalesce(part.preamble, '') FROM unnest(parts) AS part WHERE part.id IS NOT NULL), known.structure = 'text/markdown');
        added := added + (octet_length(assembly.body) - length + 3) / 4;
    ELSIF known.structure IN ('application/json', 'application/jsonl') THEN
        assembly := _passage.excerpt(assembly, known.structure);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.passage_text(name, _passage.passage_chunk[], _passage.expanded_hit, jsonb) IS 'text of a passage, and the tokens that were added to its chunks';

-- The passages of selected chunks, best first.

CREATE FUNCTION _passage.passage_rows(
    store name, expanded _passage.expansion, output jsonb, score_by text, max_passages integer, ids uuid[], scores double precision[]
) RETURNS _passage.passage_row[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    max_distance CONSTANT integer := CASE WHEN output -> 'max_distance' = '"document"' THEN NULL ELSE coalesce((output ->> 'max_distance')::integer, 3) END;
    hits CONSTANT _passage.expanded_hit[] := expanded.hits;
    chunks _passage.passage_chunk[];
    lines _passage.passage_chunk[];
    parts _passage.passage_chunk[];
    scope_names text[];
    broken boolean[];
    firsts integer[];
    lasts integer[];
    rows _passage.passage_row[] := '{}';
    row _passage.passage_row;
    listed record;
    part _passage.passage_chunk;
    hit _passage.expanded_hit;
    document record;
    written record;
    kept text;
    outer_lines integer;
    last integer;
    explained jsonb;
BEGIN
    IF expanded.hits IS NULL THEN
        RETURN rows;
    END IF;
    EXECUTE format($sql$
        SELECT array_agg((h.hit, h.document, c.id, c.ordinal, (claim).role, (claim).rule, (claim).tokens, c.section, c.unit, c.level, c.content,
            c.start_byte, c.end_byte, c.first_line, c.last_line, c.preamble, _passage.place_of(c.metadata), NULL)::_passage.passage_chunk ORDER BY best.rank, c.ordinal, h.hit)
        FROM unnest($1) AS decision JOIN unnest($2) AS h ON h.hit = (claim).hit
        JOIN (SELECT document, min(score_rank * 10000000::bigint + hit) AS rank FROM unnest($2) GROUP BY document) AS best USING (document)
        JOIN %I.chunks AS c ON c.document_id = h.document AND c.id = (claim).id
        WHERE decision.verdict IS NULL$sql$, store) INTO chunks USING expanded.decisions, hits;
    SELECT array_agg(s.scope ORDER BY s.hit), array_agg(s.is_broken ORDER BY s.hit), array_agg(s.first ORDER BY s.hit), array_agg(s.last ORDER BY s.hit)
    INTO scope_names, broken, firsts, lasts FROM _passage.scopes_of(store, expanded) AS s;
    chunks := _passage.group_chunks(chunks, scope_names, max_distance);
    lines := _passage.closing_lines(store, expanded, chunks);
    IF (output ->> 'explain')::boolean THEN
        SELECT jsonb_object_agg(by_hit.id, by_hit.objects) INTO explained FROM (
            SELECT e.hit_id AS id, jsonb_agg(to_jsonb(e) - 'number' ORDER BY number) AS objects
            FROM _passage.explanation_rows(expanded, ids, scores) WITH ORDINALITY AS e (hit, kept, role, rule, distance, ordinal, section, tokens, tokens_so_far, cut_by, chunk_id, hit_id, source_id, number)
            WHERE e.tokens IS NOT NULL GROUP BY e.hit_id) AS by_hit;
    END IF;
    FOR listed IN
        SELECT *, row_number() OVER (ORDER BY by_score DESC NULLS LAST, score_rank, first_place)::integer AS rank
        FROM (
            SELECT grouped.*, CASE score_by WHEN 'max' THEN NULL ELSE score END AS by_score
            FROM (
                SELECT c.passage, min(c.place) AS first_place, array_agg(c.place::integer ORDER BY c.place) AS places,
                    array_agg(c.hit ORDER BY h.score_rank, c.hit) FILTER (WHERE c.role = 0) AS hits, min(h.score_rank) FILTER (WHERE c.role = 0) AS score_rank,
                    _passage.passage_score(score_by, array_agg(h.score ORDER BY h.score_rank, c.hit) FILTER (WHERE c.role = 0),
                        array_agg(c.hit ORDER BY h.score_rank, c.hit) FILTER (WHERE c.role = 0)) AS score
                FROM unnest(chunks) WITH ORDINALITY AS c (hit, document, id, ordinal, role, rule, tokens, section, unit, level, content, start_byte, end_byte, first_line, last_line, preamble, place_of, passage, place)
                JOIN unnest(hits) AS h ON h.hit = c.hit GROUP BY c.passage
            ) AS grouped
        ) AS scored
        ORDER BY rank LIMIT max_passages
    LOOP
        hit := hits[listed.hits[1]];
        row := NULL;
        row.rank := listed.rank;
        row.score := listed.score;
        row.document_id := hit.document;
        row.truncated := (SELECT bool_or(expanded.truncated[h]) FROM unnest(listed.hits) AS h);
        row.complete := NOT row.truncated AND NOT (SELECT bool_or(broken[h] OR expanded.fell_back[h]) FROM unnest(listed.hits) AS h);
        row.section := NULL;
        row.tokens := 0;
        parts := '{}';
        last := NULL;
        FOR i IN 1 .. cardinality(listed.places) LOOP
            part := chunks[listed.places[i]];
            IF part.rule <> 'imports' THEN
                row.complete := row.complete AND (last IS NULL OR coalesce(part.ordinal - last::bigint = 1, false));
                last := part.ordinal;
                row.section := CASE WHEN row.section IS NULL THEN part.section WHEN row.section = '{}' THEN row.section ELSE passage.common_section(row.section, part.section) END;
            END IF;
            outer_lines := _passage.outer_closings(hits, part);
            kept := CASE WHEN outer_lines > 0 THEN _passage.without_closing_lines(part.content, outer_lines) END;
            IF kept IS NOT NULL THEN
                part.last_line := _passage.distance(_passage.line_count(substr(part.content, length(kept) + 1)), part.last_line);
                part.end_byte := greatest(part.end_byte::bigint - octet_length(part.content) + octet_length(kept), part.start_byte);
                part.content := kept;
            END IF;
            row.tokens := _passage.saturated(row.tokens::bigint + part.tokens);
            parts := parts || part;
        END LOOP;
        row.section := coalesce(row.section, '{}');
        -- All chunks of its scopes.
        row.complete := row.complete AND (SELECT coalesce(bool_and(firsts[h] >= parts[1].ordinal AND lasts[h] <= parts[cardinality(parts)].ordinal), true)
            FROM unnest(listed.hits) AS h WHERE scope_names[h] NOT LIKE 'merged/%');
        row.chunk_ids := ARRAY(SELECT c.id FROM unnest(parts) AS c);
        row.hit_ids := ARRAY(SELECT hits[h].id FROM unnest(listed.hits) WITH ORDINALITY AS numbered (h, place) ORDER BY place);
        SELECT min(c.first_line), max(c.last_line) INTO row.first_line, row.last_line FROM unnest(parts) AS c;
        written := _passage.passage_text(store, (SELECT array_agg(c ORDER BY (c).ordinal, (c).id IS NULL DESC) FROM unnest(parts || ARRAY(SELECT l FROM unnest(lines) AS l WHERE l.hit = ANY (listed.hits))) AS c), hit, output);
        row.tokens := _passage.saturated(row.tokens::bigint + written.added);
        IF hit.structure IN ('application/json', 'application/jsonl') AND row.complete AND (SELECT count(DISTINCT scope_names[h]) FROM unnest(listed.hits) AS h) > 1 THEN
            row.complete := CASE hit.structure WHEN 'application/json' THEN _passage.is_json(convert_from((written.assembly).body, 'UTF8'))
                ELSE _passage.excerpt_parses(hit.structure, convert_from((written.assembly).body, 'UTF8')) END;
        END IF;
        written.assembly := _passage.highlight(written.assembly, ARRAY(SELECT c.role = 0 FROM unnest(parts) AS c), output -> 'marks' ->> 0, output -> 'marks' ->> 1);
        row.content := convert_from((written.assembly).body, 'UTF8');
        row.spans := ARRAY(SELECT int4range(s.first, s.last) FROM unnest((written.assembly).span_firsts, (written.assembly).span_lasts) WITH ORDINALITY AS s (first, last, place) ORDER BY place);
        SELECT coalesce(jsonb_agg(jsonb_build_object('chunk_id', c.id, 'ordinal', c.ordinal, 'role', coalesce((_passage.role_names())[c.role], 'hit'),
                'start', (written.assembly).firsts[c.place], 'end', (written.assembly).lasts[c.place], 'first_line', c.first_line, 'last_line', c.last_line) || coalesce(c.place_of, '{}') ORDER BY c.place), '[]')
        INTO row.citations
        FROM unnest(parts) WITH ORDINALITY AS c (hit, document, id, ordinal, role, rule, tokens, section, unit, level, content, start_byte, end_byte, first_line, last_line, preamble, place_of, passage, place);
        EXECUTE format('SELECT d.collection::text, d.version::text, d.uri::text, d.title::text, d.media_type::text, d.metadata::jsonb FROM %I.documents AS d WHERE d.id = $1', store) INTO document USING hit.document;
        row.collection := document.collection;
        row.version := document.version;
        row.uri := document.uri;
        row.title := document.title;
        row.media_type := document.media_type;
        row.metadata := document.metadata;
        row.explanation := CASE WHEN (output ->> 'explain')::boolean THEN (
            SELECT coalesce(jsonb_agg(object ORDER BY h.place, o.place), '[]') FROM unnest(row.hit_ids) WITH ORDINALITY AS h (id, place)
            CROSS JOIN LATERAL jsonb_array_elements(explained -> h.id::text) WITH ORDINALITY AS o (object, place)) END;
        rows := rows || row;
    END LOOP;
    IF output ->> 'order_by' = 'document' THEN
        rows := ARRAY(SELECT r FROM (SELECT r, min((r).rank) OVER (PARTITION BY (r).document_id) AS best FROM unnest(rows) AS r) AS ranked
            ORDER BY best, ((r).citations -> 0 ->> 'ordinal')::integer);
    END IF;
    RETURN rows;
END
$$;

COMMENT ON FUNCTION _passage.passage_rows(name, _passage.expansion, jsonb, text, integer, uuid[], double precision[]) IS 'passages of selected chunks, best first';
