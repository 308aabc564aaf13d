-- The text of a passage: its chunks, what marks gaps between them, and the lines that they repeat, as in
-- extension/src/expansion/passage_rows.rs.

-- Writes the text of a passage of the document with a title. Parts without an id are closing lines, which no citation names.

CREATE FUNCTION _passage.passage_text(
    store name, parts _passage.passage_chunk[], hit _passage.expanded_hit, title text, output jsonb, OUT assembly _passage.assembly, OUT added integer
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
    cited _passage.passage_chunk[] := '{}';
    part _passage.passage_chunk;
    before _passage.passage_chunk;
    -- The places of closing lines.
    uncited integer[] := '{}';
    i integer := 0;
    length integer;
BEGIN
    added := 0;
    FOREACH part IN ARRAY parts LOOP
        i := i + 1;
        mark := NULL;
        separator := coalesce(output ->> 'separator', CASE WHEN known.family <> 'prose' THEN '' END);
        IF has_marks AND known.family <> 'prose' AND known.comment_prefix IS NOT NULL THEN
            separator := CASE WHEN i > 1 THEN _passage.gap_comment(before.content, part.content, before.ordinal, part.ordinal, before.last_line, part.first_line,
                known.comment_prefix, known.comment_suffix, known.empty_body) END;
        ELSIF has_marks AND known.family = 'prose' AND i > 1 AND part.ordinal::bigint - before.ordinal <> 1 THEN
            mark := '[...]';
        END IF;
        contents := contents || part.content;
        starts := starts || part.start_byte;
        ends := ends || part.end_byte;
        separators := separators || separator;
        marks := marks || mark;
        IF part.id IS NULL THEN
            uncited := i || uncited;
        ELSE
            cited := cited || part;
        END IF;
        before := part;
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
    FOREACH i IN ARRAY uncited LOOP
        assembly.firsts := assembly.firsts[:i - 1] || assembly.firsts[i + 1:];
        assembly.lasts := assembly.lasts[:i - 1] || assembly.lasts[i + 1:];
    END LOOP;
    IF known.family = 'prose' THEN
        length := octet_length(assembly.body);
        assembly := _passage.with_repeated_lines(assembly, cited, title, known.structure = 'text/markdown');
        added := added + (octet_length(assembly.body) - length + 3) / 4;
    ELSIF known.family = 'data' THEN
        assembly := _passage.excerpt(assembly, known.structure);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.passage_text(name, _passage.passage_chunk[], _passage.expanded_hit, text, jsonb) IS 'text of a passage, and the tokens that were added to its chunks';
