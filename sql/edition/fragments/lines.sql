-- Text runs: chunks whose spans touch, as one text with lines, as in core/passages/src/fragments/ build_text_runs.rs, text_run.rs and
-- fences.rs, and extension/src/store/fragments/source_chunks.rs.
--
-- A chunk may begin in the middle of a line or a fenced block. So its neighbors are read too. Offsets are bytes in a run, from 0;
-- ends are behind the last one. Lines and chunks are numbered from 1 through all runs.

CREATE TYPE _passage.source_chunk AS (
    id uuid, document uuid, ordinal integer, content text, tokens integer, start_byte integer, end_byte integer, first_line integer, section bigint,
    has_unread_before boolean, has_unread_after boolean, run integer, run_start integer, run_end integer, first_at integer, end_at integer
);

-- Lines `block_first` to `block_end`, exclusive, are the fenced block of a line, or the line itself. `text_end` is without the line end.

CREATE TYPE _passage.text_line AS (
    run integer, content text, run_start integer, text_end integer, run_end integer, number integer, tokens double precision, is_complete boolean, is_blank boolean,
    block_first integer, block_end integer
);

CREATE TYPE _passage.text_run AS (document uuid, content text, first_chunk integer, end_chunk integer, first_line integer, end_line integer);

CREATE TYPE _passage.text_runs AS (chunks _passage.source_chunk[], lines _passage.text_line[], runs _passage.text_run[]);

-- Chunks with six neighbors on each side.

CREATE FUNCTION _passage.source_chunks(store name, ids uuid[]) RETURNS _passage.source_chunk[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    chunks _passage.source_chunk[];
BEGIN
    EXECUTE format($sql$
        WITH hits AS MATERIALIZED (SELECT h.document_id, h.ordinal FROM %1$I.chunks AS h WHERE h.id = ANY ($1)),
        listed AS (
            SELECT DISTINCT c.id, c.document_id, c.ordinal, c.content, greatest(coalesce(c.tokens, (char_length(c.content) + 3) / 4), 0) AS tokens, c.start_byte, c.end_byte, c.first_line, c.section_key
            FROM hits JOIN %1$I.chunks AS c ON c.document_id = hits.document_id AND c.ordinal BETWEEN hits.ordinal::bigint - 6 AND hits.ordinal::bigint + 6
        )
        SELECT array_agg((l.id, l.document_id, l.ordinal, l.content, l.tokens, l.start_byte, l.end_byte, l.first_line, l.section_key,
            l.ordinal > 0 AND NOT EXISTS (SELECT FROM hits WHERE hits.document_id = l.document_id AND l.ordinal - 1 BETWEEN hits.ordinal::bigint - 6 AND hits.ordinal::bigint + 6),
            NOT EXISTS (SELECT FROM hits WHERE hits.document_id = l.document_id AND l.ordinal::bigint + 1 BETWEEN hits.ordinal::bigint - 6 AND hits.ordinal::bigint + 6),
            NULL, NULL, NULL, NULL, NULL)::_passage.source_chunk ORDER BY l.document_id, l.ordinal, l.id)
        FROM listed AS l$sql$, store) INTO chunks USING ids;
    RETURN coalesce(chunks, '{}');
END
$$;

COMMENT ON FUNCTION _passage.source_chunks(name, uuid[]) IS 'chunks with their neighbors';

-- The first chunks of a document; the last one has unread chunks behind it if there are more.

CREATE FUNCTION _passage.first_chunks(store name, document uuid, max_chunks bigint) RETURNS _passage.source_chunk[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    chunks _passage.source_chunk[];
BEGIN
    EXECUTE format($sql$
        SELECT array_agg((l.id, l.document_id, l.ordinal, l.content, greatest(coalesce(l.tokens, (char_length(l.content) + 3) / 4), 0), l.start_byte, l.end_byte, l.first_line, l.section_key,
            false, l.place = $2 AND l.has_more, NULL, NULL, NULL, NULL, NULL)::_passage.source_chunk ORDER BY l.place) FILTER (WHERE l.place <= $2)
        FROM (SELECT c.*, row_number() OVER (ORDER BY c.ordinal) AS place, count(*) OVER () > $2 AS has_more FROM (
            SELECT * FROM %I.chunks AS one WHERE one.document_id = $1 ORDER BY one.ordinal LIMIT $2 + 1) AS c) AS l$sql$, store) INTO chunks USING document, max_chunks;
    RETURN coalesce(chunks, '{}');
END
$$;

COMMENT ON FUNCTION _passage.first_chunks(name, uuid, bigint) IS 'first chunks of a document';

-- The part of a chunk from a byte on, NULL if a character does not begin there.

CREATE FUNCTION _passage.text_from_byte(value text, first integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bytes bytea;
BEGIN
    IF first = 0 THEN
        RETURN value;
    END IF;
    bytes := convert_to(value, 'UTF8');
    RETURN CASE WHEN first < length(bytes) AND get_byte(bytes, first) & 192 = 128 THEN NULL ELSE convert_from(substr(bytes, first + 1), 'UTF8') END;
END
$$;

COMMENT ON FUNCTION _passage.text_from_byte(text, integer) IS 'text from a byte on';

-- Joins chunks in document order to runs with lines. Those of Markdown documents have fenced blocks.

CREATE FUNCTION _passage.text_runs(chunks _passage.source_chunk[], markdown uuid[]) RETURNS _passage.text_runs
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    result _passage.text_runs;
    chunk _passage.source_chunk;
    run _passage.text_run;
    parts text[];
    part text;
    last_end integer;
    is_known boolean;
    last_document uuid;
    bytes integer;
    line _passage.text_line;
    lines _passage.text_line[] := '{}';
    runs _passage.text_run[] := '{}';
    contents text[] := '{}';
    at integer;
    next integer;
    total integer := 0;
BEGIN
    FOR i IN 1 .. cardinality(chunks) LOOP
        chunk := chunks[i];
        is_known := coalesce(chunk.end_byte::bigint - chunk.start_byte = octet_length(chunk.content), false);
        part := CASE WHEN is_known AND chunk.document = last_document AND chunk.start_byte <= last_end
            THEN _passage.text_from_byte(chunk.content, least(last_end, chunk.end_byte) - chunk.start_byte) END;
        IF part IS NOT NULL THEN
            parts := parts || part;
            last_end := greatest(last_end, chunk.end_byte);
        ELSE
            contents := contents || array_to_string(parts, '');
            parts := ARRAY[chunk.content];
            part := chunk.content;
            bytes := 0;
            last_end := CASE WHEN is_known THEN chunk.end_byte END;
            runs := runs || (chunk.document, NULL, i, i, NULL, NULL)::_passage.text_run;
        END IF;
        last_document := chunk.document;
        chunk.run := cardinality(runs);
        chunk.run_start := bytes;
        bytes := bytes + octet_length(part);
        chunk.run_end := bytes;
        chunks[i] := chunk;
        run := runs[chunk.run];
        run.end_chunk := i + 1;
        runs[chunk.run] := run;
    END LOOP;
    contents := contents || array_to_string(parts, '');
    contents := array_remove(contents, NULL);
    FOR r IN 1 .. cardinality(runs) LOOP
        run := runs[r];
        run.content := contents[r];
        run.first_line := total + 1;
        at := run.first_chunk;
        FOR line IN
            SELECT r, body, ends - octet_length(whole), ends - octet_length(whole) + octet_length(body), ends, NULL, 0, true, body !~ '\S', NULL, NULL
            FROM (
                SELECT matched[1] AS whole, rtrim(matched[1], E'\r\n') AS body, (sum(octet_length(matched[1])) OVER (ORDER BY place))::integer AS ends, place
                FROM regexp_matches(run.content COLLATE "C", '[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+', 'g') WITH ORDINALITY AS listed (matched, place)
            ) AS cut ORDER BY place
        LOOP
            WHILE chunks[at].run_end <= line.run_start LOOP
                at := at + 1;
            END LOOP;
            total := total + 1;
            chunk := chunks[at];
            -- An overlapping chunk does not begin its first line.
            line.number := coalesce(CASE WHEN chunk.run_start = line.run_start AND chunk.run_end - chunk.run_start = octet_length(chunk.content) THEN chunk.first_line END,
                CASE WHEN total > run.first_line THEN lines[total - 1].number + 1 END);
            next := at;
            WHILE next < run.end_chunk LOOP
                chunk := chunks[next];
                EXIT WHEN chunk.run_start >= line.run_end;
                line.tokens := line.tokens + (least(chunk.run_end, line.run_end) - greatest(chunk.run_start, line.run_start))::double precision * chunk.tokens::double precision
                    / greatest(octet_length(chunk.content), 1)::double precision;
                next := next + 1;
            END LOOP;
            line.block_first := total;
            line.block_end := total + 1;
            lines[total] := line;
        END LOOP;
        run.end_line := total + 1;
        IF run.end_line > run.first_line THEN
            line := lines[run.first_line];
            line.is_complete := NOT chunks[run.first_chunk].has_unread_before;
            lines[run.first_line] := line;
            line := lines[total];
            line.is_complete := line.is_complete AND (NOT chunks[run.end_chunk - 1].has_unread_after OR line.run_end > line.text_end);
            lines[total] := line;
        END IF;
        -- The lines that each chunk touches.
        at := run.first_line;
        FOR i IN run.first_chunk .. run.end_chunk - 1 LOOP
            chunk := chunks[i];
            WHILE at < run.end_line AND lines[at].run_end <= chunk.run_start LOOP
                at := at + 1;
            END LOOP;
            next := at;
            WHILE next < run.end_line AND lines[next].run_start < chunk.run_end LOOP
                next := next + 1;
            END LOOP;
            chunk.first_at := at;
            chunk.end_at := next;
            chunks[i] := chunk;
        END LOOP;
        runs[r] := run;
        IF run.document = ANY (markdown) THEN
            lines := _passage.with_fenced_blocks(lines, run, chunks);
        END IF;
    END LOOP;
    result.chunks := chunks;
    result.lines := lines;
    result.runs := runs;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.text_runs(_passage.source_chunk[], uuid[]) IS 'chunks as texts with lines';

-- The fenced blocks of lines under an assumption about the first one, in pairs of lines, and how often the lines contradict it.
-- A document begins outside of blocks, a section that begins with its heading does too, and a fence with a language opens a block.

CREATE FUNCTION _passage.scan_fences(fences integer[], marks text[], is_named boolean[], outside integer[], end_line integer, first_line integer, is_inside boolean, OUT blocks integer[], OUT contradictions integer)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    opened integer := CASE WHEN is_inside THEN first_line END;
    opening text;
    next integer := 1;
BEGIN
    blocks := '{}';
    contradictions := 0;
    FOR i IN 1 .. cardinality(fences) LOOP
        WHILE outside[next] <= fences[i] LOOP
            IF opened IS NOT NULL THEN
                contradictions := contradictions + 1;
                blocks := blocks || opened || outside[next];
                opened := NULL;
            END IF;
            next := next + 1;
        END LOOP;
        IF opened IS NULL THEN
            opened := fences[i];
            opening := marks[i];
        ELSIF NOT is_named[i] AND (opening IS NULL OR left(opening, 1) = left(marks[i], 1) AND length(opening) <= length(marks[i])) THEN
            blocks := blocks || opened || (fences[i] + 1);
            opened := NULL;
        ELSIF is_named[i] THEN
            contradictions := contradictions + 1;
        END IF;
    END LOOP;
    IF opened IS NOT NULL THEN
        contradictions := contradictions + (outside[next] IS NOT NULL)::integer;
        blocks := blocks || opened || coalesce(outside[next], end_line);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.scan_fences(integer[], text[], boolean[], integer[], integer, integer, boolean) IS 'fenced blocks of lines';

CREATE FUNCTION _passage.with_fenced_blocks(lines _passage.text_line[], run _passage.text_run, chunks _passage.source_chunk[]) RETURNS _passage.text_line[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    fences integer[] := '{}';
    marks text[] := '{}';
    is_named boolean[] := '{}';
    outside integer[] := '{}';
    chunk _passage.source_chunk;
    before _passage.source_chunk;
    line _passage.text_line;
    mark text;
    from_outside record;
    from_inside record;
    blocks integer[];
BEGIN
    FOR at IN run.first_line .. run.end_line - 1 LOOP
        mark := _passage.fence_marks(lines[at].content);
        IF mark IS NOT NULL THEN
            fences := fences || at;
            marks := marks || mark;
            is_named := is_named || (substr(ltrim(lines[at].content, E' \t>'), length(mark) + 1) ~ '\S');
        END IF;
    END LOOP;
    IF cardinality(fences) = 0 THEN
        RETURN lines;
    END IF;
    FOR i IN run.first_chunk .. run.end_chunk - 1 LOOP
        chunk := chunks[i];
        before := CASE WHEN i > 1 THEN chunks[i - 1] END;
        IF chunk.ordinal = 0 OR chunk.start_byte = 0 OR chunk.run_start > 0 AND before.section IS NOT NULL AND before.section IS DISTINCT FROM chunk.section
            AND starts_with(_passage.text_from_byte(chunk.content, octet_length(chunk.content) - (chunk.run_end - chunk.run_start)), '#') THEN
            outside := outside || CASE WHEN chunk.first_at < run.end_line AND lines[chunk.first_at].run_start < chunk.run_start THEN chunk.first_at + 1 ELSE chunk.first_at END;
        END IF;
    END LOOP;
    from_outside := _passage.scan_fences(fences, marks, is_named, outside, run.end_line, run.first_line, false);
    blocks := from_outside.blocks;
    IF outside[1] IS DISTINCT FROM run.first_line THEN
        from_inside := _passage.scan_fences(fences, marks, is_named, outside, run.end_line, run.first_line, true);
        IF from_inside.contradictions < from_outside.contradictions THEN
            blocks := from_inside.blocks;
        END IF;
    END IF;
    FOR block IN 1 .. cardinality(blocks) / 2 LOOP
        FOR at IN blocks[2 * block - 1] .. blocks[2 * block] - 1 LOOP
            line := lines[at];
            line.block_first := blocks[2 * block - 1];
            line.block_end := blocks[2 * block];
            lines[at] := line;
        END LOOP;
    END LOOP;
    RETURN lines;
END
$$;

COMMENT ON FUNCTION _passage.with_fenced_blocks(_passage.text_line[], _passage.text_run, _passage.source_chunk[]) IS 'lines of a run with their fenced blocks';
