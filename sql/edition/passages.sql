-- Passages: scores and orders the groups of selected chunks, and writes their text, as in core/passages/src/reassemble.rs and
-- extension/src/expansion/passage_rows.rs.

CREATE TYPE _passage.passage_row AS (
    rank integer, score double precision, document_id uuid, collection text, version text, uri text, title text, media_type text, section text[],
    content text, tokens integer, chunk_ids uuid[], hit_ids uuid[], first_line integer, last_line integer, spans int4range[], citations jsonb,
    truncated boolean, complete boolean, metadata jsonb, source_ids text[], explanation jsonb
);

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
    known CONSTANT _passage.known_type := hit.media_type;
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
    ELSIF known.family = 'data' THEN
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
    documents _passage.passage_document[];
    document_ids uuid[];
    document _passage.passage_document;
    written record;
    kept text;
    outer_lines integer;
    last integer;
    explained jsonb;
BEGIN
    IF expanded.hits IS NULL THEN
        RETURN rows;
    END IF;
    SELECT selected.chunks, selected.documents INTO chunks, documents FROM _passage.selected_chunks(store, hits, expanded.decisions) AS selected;
    document_ids := ARRAY(SELECT id FROM unnest(documents));
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
        -- Records side by side may be on different levels.
        row.complete := row.complete AND ((SELECT count(DISTINCT scope_names[h]) FROM unnest(listed.hits) AS h) <= 1
            OR _passage.data_parses(hit.structure, convert_from((written.assembly).body, 'UTF8')));
        written.assembly := _passage.highlight(written.assembly, ARRAY(SELECT c.role = 0 FROM unnest(parts) AS c), output -> 'marks' ->> 0, output -> 'marks' ->> 1);
        row.content := convert_from((written.assembly).body, 'UTF8');
        row.spans := ARRAY(SELECT int4range(s.first, s.last) FROM unnest((written.assembly).span_firsts, (written.assembly).span_lasts) WITH ORDINALITY AS s (first, last, place) ORDER BY place);
        SELECT coalesce(jsonb_agg(jsonb_build_object('chunk_id', c.id, 'ordinal', c.ordinal, 'role', coalesce((_passage.role_names())[c.role], 'hit'),
                'start', (written.assembly).firsts[c.place], 'end', (written.assembly).lasts[c.place], 'first_line', c.first_line, 'last_line', c.last_line) || coalesce(c.place_of, '{}') ORDER BY c.place), '[]')
        INTO row.citations
        FROM unnest(parts) WITH ORDINALITY AS c (hit, document, id, ordinal, role, rule, tokens, section, unit, level, content, start_byte, end_byte, first_line, last_line, preamble, place_of, passage, place);
        document := documents[array_position(document_ids, hit.document)];
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
