-- Assembly: one text from several chunks of a document, as in core/passages/src/ assemble.rs, gaps.rs, repeated_lines.rs,
-- excerpt.rs and highlight.rs.
--
-- The text is bytes, because spans and citations count bytes. Ranges begin at 0 and end before their last number.

CREATE TYPE _passage.assembly AS (body bytea, firsts integer[], lasts integer[], span_firsts integer[], span_lasts integer[]);

-- Joins chunks in document order. A separator before each part is a text; NULL is a blank line, around a mark if there is
-- one. Spans that touch are joined, and what overlaps appears once.

CREATE FUNCTION _passage.join_parts(contents text[], starts integer[], ends integer[], separators text[], marks text[]) RETURNS _passage.assembly
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    result _passage.assembly;
    -- An array in a variable changes in place, one in a row is copied. The text so far is pieces, of so many bytes.
    pieces bytea[] := '{}';
    piece integer := 0;
    length integer := 0;
    firsts integer[] := '{}';
    lasts integer[] := '{}';
    span_firsts integer[] := '{}';
    span_lasts integer[] := '{}';
    content bytea;
    line_ends CONSTANT bytea := '\x0a0d';
    first integer;
    last integer;
    -- The end of the source covered so far; NULL behind a part without a span.
    covered integer;
    shared integer;
    count integer := 0;
    kept bytea;
BEGIN
    FOR i IN 1 .. cardinality(contents) LOOP
        content := convert_to(contents[i], 'UTF8');
        first := starts[i];
        last := ends[i];
        IF (first >= 0 AND last::bigint - first = octet_length(content)) IS NOT TRUE THEN
            first := NULL;
            last := NULL;
        END IF;
        shared := CASE WHEN first <= covered THEN least(covered, last) - first END;
        IF shared > 0 AND shared < octet_length(content) AND get_byte(content, shared) & 192 = 128 THEN
            shared := NULL;
        END IF;
        IF shared IS NOT NULL THEN
            content := substring(content FROM shared + 1);
        ELSIF i > 1 THEN
            IF separators[i] IS NOT NULL THEN
                content := convert_to(separators[i], 'UTF8') || content;
            ELSE
                WHILE piece > 0 LOOP
                    kept := rtrim(pieces[piece], line_ends);
                    length := length - octet_length(pieces[piece]) + octet_length(kept);
                    pieces[piece] := kept;
                    EXIT WHEN kept <> '';
                    piece := piece - 1;
                END LOOP;
                FOR place IN REVERSE i - 1 .. 1 LOOP
                    EXIT WHEN lasts[place] <= length;
                    firsts[place] := least(firsts[place], length);
                    lasts[place] := length;
                END LOOP;
                content := ltrim(content, line_ends);
                IF length > 0 AND content <> '' THEN
                    piece := piece + 1;
                    pieces[piece] := '\x0a0a' || coalesce(convert_to(marks[i], 'UTF8') || '\x0a0a', '');
                    length := length + octet_length(pieces[piece]);
                END IF;
            END IF;
        END IF;
        lasts[i] := length + octet_length(content);
        firsts[i] := CASE WHEN shared IS NULL AND i > 1 THEN length + coalesce(octet_length(convert_to(separators[i], 'UTF8')), 0) ELSE length END;
        piece := piece + 1;
        pieces[piece] := content;
        length := lasts[i];
        IF first IS NOT NULL THEN
            IF shared IS NOT NULL AND count > 0 THEN
                span_lasts[count] := greatest(span_lasts[count], last);
            ELSE
                count := count + 1;
                span_firsts[count] := first;
                span_lasts[count] := last;
            END IF;
        END IF;
        covered := CASE WHEN first IS NOT NULL AND shared IS NOT NULL THEN greatest(covered, last) ELSE last END;
    END LOOP;
    result.body := (SELECT coalesce(string_agg(listed, '' ORDER BY place), '') FROM unnest(pieces[:piece]) WITH ORDINALITY AS joined (listed, place));
    result.firsts := firsts;
    result.lasts := lasts;
    result.span_firsts := span_firsts;
    result.span_lasts := span_lasts;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.join_parts(text[], integer[], integer[], text[], text[]) IS 'text of chunks of a document';

-- The indentation of the first line that is not blank.

CREATE FUNCTION _passage.indentation(content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT coalesce(substring(content COLLATE "C" FROM '^(?:\s*\n)?([^\S\n]*)\S'), '') $$;

COMMENT ON FUNCTION _passage.indentation(text) IS 'indentation of the first line that is not blank';

-- The indentation of the block that a text of Python ends in without a line of its body, NULL if there is none.

CREATE FUNCTION _passage.open_block(content text, prefix text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    line text COLLATE "C";
    code text COLLATE "C";
    closed integer := 0;
    is_first boolean := true;
BEGIN
    FOR line IN SELECT listed FROM regexp_split_to_table(content COLLATE "C", '\r?\n') WITH ORDINALITY AS lines (listed, place) ORDER BY place DESC LOOP
        code := _passage.without_comment(line, prefix);
        CONTINUE WHEN code !~ '\S';
        IF is_first AND code !~ ':\s*$' THEN
            RETURN NULL;
        END IF;
        is_first := false;
        closed := greatest(closed + length(regexp_replace(code, '[^])}]', '', 'g')) - length(regexp_replace(code, '[^[({]', '', 'g')), 0);
        IF closed = 0 THEN
            RETURN _passage.indentation(line);
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.open_block(text, text) IS 'indentation of a block without a body';

CREATE FUNCTION _passage.without_comment(line text, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT substring(line COLLATE "C" FROM '^(?:"[^"]*(?:"|$)|''[^'']*(?:''|$)|(?!' || prefix || ')[^"''])*') $$;

COMMENT ON FUNCTION _passage.without_comment(text, text) IS 'line without the comment at its end';

-- The text between two parts of code that do not touch.

CREATE FUNCTION _passage.gap_comment(
    before text, after text, ordinal_before integer, ordinal_after integer, last_line integer, first_line integer, prefix text, suffix text, empty_body text
) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing CONSTANT bigint := first_line::bigint - last_line - 1;
    ending CONSTANT text := CASE WHEN strpos(before, E'\r\n') > 0 THEN E'\r\n' ELSE E'\n' END;
    first CONSTANT text := CASE WHEN before = '' OR right(before, 1) IN (E'\n', E'\r') THEN '' ELSE ending END;
    left_out CONSTANT text := CASE WHEN missing = 1 THEN '1 line left out' ELSE concat(missing, CASE WHEN missing IS NOT NULL THEN ' ' END, 'lines left out') END;
    head text;
BEGIN
    IF ordinal_after::bigint - ordinal_before = 1 OR missing <= 0 THEN
        RETURN '';
    END IF;
    IF empty_body IS NOT NULL THEN
        head := _passage.open_block(before, prefix);
        IF length(coalesce((SELECT _passage.indentation(line) FROM regexp_split_to_table(after COLLATE "C", '\r?\n') WITH ORDINALITY AS lines (line, place)
                WHERE _passage.without_comment(line, prefix) ~ '\S' ORDER BY place LIMIT 1), '')) <= length(head) THEN
            RETURN concat(first, head, '    ', empty_body, '  ', prefix, ' ', left_out, ending);
        END IF;
    END IF;
    -- A gap before a closing bracket has the indentation of the block's content.
    RETURN concat(first, _passage.indentation(CASE WHEN after COLLATE "C" ~ '^\s*[])}]' THEN before ELSE after END),
        prefix, ' ... ', left_out, CASE WHEN suffix <> '' THEN ' ' END, suffix, ending);
END
$$;

COMMENT ON FUNCTION _passage.gap_comment(text, text, integer, integer, integer, integer, text, text, text) IS 'comment where a passage leaves out lines';

-- The line of a preamble that a chunk repeats, if the chunk begins below it: the fence before its code, or the header of its
-- table.

CREATE FUNCTION _passage.fence_marks(line text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT coalesce(substring(line COLLATE "C" FROM '^[ \t>]*(`{3,})[^`]*$'), substring(line COLLATE "C" FROM '^[ \t>]*(~{3,})')) $$;

COMMENT ON FUNCTION _passage.fence_marks(text) IS 'marks of a fence, NULL for another line';

CREATE FUNCTION _passage.repeated_line(preamble text, content text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    first CONSTANT text COLLATE "C" := substring(content COLLATE "C" FROM '^(?:\s*\n)?([^\n]*\S[^\n]*)');
    lines CONSTANT text[] := string_to_array(regexp_replace(preamble, '\r?\n$', ''), E'\n');
    line text;
BEGIN
    IF first IS NULL THEN
        RETURN NULL;
    END IF;
    -- The end of the chunk before may follow it.
    FOR back IN 0 .. 1 LOOP
        line := rtrim(lines[cardinality(lines) - back], E'\r');
        IF _passage.fence_marks(line) IS NOT NULL OR strpos(line, '|') > 0 AND strpos(first, '|') > 0 OR line COLLATE "C" ~ '^\s*\* - ' AND first ~ '^\s*\* - ' THEN
            RETURN line;
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.repeated_line(text, text) IS 'line of a preamble that a chunk repeats';

-- Adds the repeated lines of chunks that touch no chunk before them, and closes their fences.

CREATE FUNCTION _passage.with_repeated_lines(given _passage.assembly, preambles text[], is_markdown boolean) RETURNS _passage.assembly
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    result _passage.assembly := given;
    firsts integer[] := given.firsts;
    lasts integer[] := given.lasts;
    count CONSTANT integer := cardinality(firsts);
    pieces bytea[] := '{}';
    -- The bytes that were added so far.
    moved integer := 0;
    start integer;
    content text;
    repeated text;
    first_line text COLLATE "C";
    bare text COLLATE "C";
    prefix text;
    opening text;
    fence text;
    marks text;
    fence_prefix text;
    line text COLLATE "C";
    copied integer := 0;
    number integer := 1;
    last integer;
BEGIN
    WHILE number <= count LOOP
        last := number;
        WHILE last < count AND lasts[last] = firsts[last + 1] LOOP
            last := last + 1;
        END LOOP;
        start := firsts[number];
        content := convert_from(substring(given.body FROM start + 1 FOR lasts[last] - start), 'UTF8');
        repeated := _passage.repeated_line(preambles[number], content);
        pieces := pieces || substring(given.body FROM copied + 1 FOR start - copied);
        fence := NULL;
        IF repeated IS NOT NULL THEN
            first_line := substring(content COLLATE "C" FROM '^(?:\s*\n)?([^\n]*\S[^\n]*)');
            prefix := substring(first_line FROM '^[ \t>]*');
            opening := prefix || repeated || E'\n';
            fence := _passage.fence_marks(repeated);
            IF is_markdown AND fence IS NULL THEN
                bare := btrim(repeated, E' \t\r\n');
                opening := opening || prefix || CASE WHEN bare ~ '^\|' THEN '| ' ELSE '' END
                    || array_to_string(array_fill('---'::text, ARRAY[length(regexp_replace(replace(regexp_replace(regexp_replace(bare, '^\|', ''), '([^\\])\|$', '\1'), '\|', ''), '[^|]', '', 'g')) + 1]), ' | ')
                    || CASE WHEN bare ~ '^\|' THEN ' |' ELSE '' END || E'\n';
            END IF;
            pieces := pieces || convert_to(opening, 'UTF8');
            moved := moved + octet_length(opening);
            fence_prefix := substring(split_part(content, E'\n', 1) COLLATE "C" FROM '^[ \t>]*');
        END IF;
        copied := lasts[last];
        FOR place IN number .. last LOOP
            firsts[place] := firsts[place] + moved;
            lasts[place] := lasts[place] + moved;
        END LOOP;
        pieces := pieces || convert_to(content, 'UTF8');
        IF fence IS NOT NULL OR content COLLATE "C" ~ '(^|\n)[ \t>]*(```|~~~)' THEN
            FOR line IN SELECT listed FROM regexp_split_to_table(content COLLATE "C", '\r?\n') WITH ORDINALITY AS lines (listed, place) ORDER BY place LOOP
                marks := _passage.fence_marks(line);
                CONTINUE WHEN marks IS NULL;
                IF fence IS NULL THEN
                    fence := marks;
                    fence_prefix := substring(line FROM '^[ \t>]*');
                ELSIF line ~ '^[ \t>]*[`~]+\s*$' AND left(fence, 1) = left(marks, 1) AND length(fence) <= length(marks) THEN
                    fence := NULL;
                END IF;
            END LOOP;
            IF fence IS NOT NULL THEN
                pieces := pieces || convert_to(CASE WHEN right(content, 1) IN (E'\n', E'\r') THEN fence_prefix || fence || E'\n' ELSE E'\n' || fence_prefix || fence END, 'UTF8');
                moved := moved + octet_length(fence_prefix || fence) + 1;
            END IF;
        END IF;
        number := last + 1;
    END LOOP;
    result.body := (SELECT coalesce(string_agg(listed, '' ORDER BY place), '') FROM unnest(pieces || substring(given.body FROM copied + 1)) WITH ORDINALITY AS joined (listed, place));
    result.firsts := firsts;
    result.lasts := lasts;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.with_repeated_lines(_passage.assembly, text[], boolean) IS 'text with the lines that its chunks repeat';

-- Reduces a text of JSON to the entries that it holds whole, as one value.

CREATE FUNCTION _passage.excerpt(given _passage.assembly, structure text) RETURNS _passage.assembly
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    result _passage.assembly := given;
    content CONSTANT text := convert_from(given.body, 'UTF8');
    excerpt CONSTANT record := _passage.json_excerpt(content, structure = 'application/jsonl');
    first integer;
    last integer;
BEGIN
    IF excerpt.first IS NULL THEN
        RETURN given;
    END IF;
    first := octet_length(left(content, excerpt.first - 1));
    last := octet_length(left(content, excerpt.last));
    result.body := convert_to(excerpt.opening, 'UTF8') || substring(given.body FROM first + 1 FOR last - first) || convert_to(excerpt.closing, 'UTF8');
    SELECT array_agg(least(greatest(range.first, first), last) - first + octet_length(excerpt.opening) ORDER BY place),
        array_agg(least(greatest(range.last, first), last) - first + octet_length(excerpt.opening) ORDER BY place)
    INTO result.firsts, result.lasts
    FROM unnest(given.firsts, given.lasts) WITH ORDINALITY AS range (first, last, place);
    -- As many bytes are cut off the first and the last spans.
    SELECT coalesce(array_agg(span.first + greatest(first - span.before, 0) ORDER BY place), '{}'), coalesce(array_agg(span.last - greatest(octet_length(given.body) - last - span.after, 0) ORDER BY place), '{}')
    INTO result.span_firsts, result.span_lasts
    FROM (
        SELECT s.first, s.last, s.place, s.last - s.first AS length, sum(s.last - s.first) OVER (ORDER BY s.place) - (s.last - s.first) AS before,
            sum(s.last - s.first) OVER (ORDER BY s.place DESC) - (s.last - s.first) AS after
        FROM unnest(given.span_firsts, given.span_lasts) WITH ORDINALITY AS s (first, last, place)
    ) AS span
    WHERE span.before + span.length > first AND span.after + span.length - greatest(first - span.before, 0) > octet_length(given.body) - last;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.excerpt(_passage.assembly, text) IS 'entries of JSON in a text';

-- Inserts marks around the parts that are hits. Hits that touch share one pair of marks.

CREATE FUNCTION _passage.highlight(given _passage.assembly, are_hits boolean[], opening text, closing text) RETURNS _passage.assembly
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    result _passage.assembly := given;
    firsts integer[] := given.firsts;
    lasts integer[] := given.lasts;
    pieces bytea[] := '{}';
    copied integer := 0;
    run_firsts integer[] := '{}';
    run_lasts integer[] := '{}';
    opened integer := 0;
    closed integer := 0;
    moved integer;
BEGIN
    IF coalesce(opening, '') = '' AND coalesce(closing, '') = '' THEN
        RETURN given;
    END IF;
    FOR i IN 1 .. cardinality(are_hits) LOOP
        CONTINUE WHEN NOT are_hits[i] OR firsts[i] = lasts[i];
        IF run_lasts[cardinality(run_lasts)] = firsts[i] THEN
            run_lasts[cardinality(run_lasts)] := lasts[i];
        ELSE
            run_firsts := run_firsts || firsts[i];
            run_lasts := run_lasts || lasts[i];
        END IF;
    END LOOP;
    FOR i IN 1 .. cardinality(run_firsts) LOOP
        pieces := pieces || substring(given.body FROM copied + 1 FOR run_firsts[i] - copied) || convert_to(opening, 'UTF8')
            || substring(given.body FROM run_firsts[i] + 1 FOR run_lasts[i] - run_firsts[i]) || convert_to(closing, 'UTF8');
        copied := run_lasts[i];
    END LOOP;
    FOR i IN 1 .. cardinality(firsts) LOOP
        WHILE run_firsts[opened + 1] <= firsts[i] LOOP
            opened := opened + 1;
        END LOOP;
        WHILE run_lasts[closed + 1] <= firsts[i] LOOP
            closed := closed + 1;
        END LOOP;
        moved := octet_length(opening) * opened + octet_length(closing) * closed;
        firsts[i] := firsts[i] + moved;
        lasts[i] := lasts[i] + moved;
    END LOOP;
    result.body := (SELECT coalesce(string_agg(listed, '' ORDER BY place), '') FROM unnest(pieces || substring(given.body FROM copied + 1)) WITH ORDINALITY AS joined (listed, place));
    result.firsts := firsts;
    result.lasts := lasts;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.highlight(_passage.assembly, boolean[], text, text) IS 'text with marks around hits';
