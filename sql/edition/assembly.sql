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
    body bytea := '';
    content bytea;
    line_ends CONSTANT bytea := '\x0a0d';
    first integer;
    last integer;
    -- The end of the source covered so far; NULL behind a part without a span.
    covered integer;
    shared integer;
    count integer := 0;
    kept integer;
BEGIN
    result.firsts := '{}';
    result.lasts := '{}';
    result.span_firsts := '{}';
    result.span_lasts := '{}';
    FOR i IN 1 .. cardinality(contents) LOOP
        content := convert_to(contents[i], 'UTF8');
        first := starts[i];
        last := ends[i];
        IF (first >= 0 AND last - first = length(content)) IS NOT TRUE THEN
            first := NULL;
            last := NULL;
        END IF;
        shared := CASE WHEN first <= covered THEN least(covered, last) - first END;
        IF shared > 0 AND shared < length(content) AND get_byte(content, shared) & 192 = 128 THEN
            shared := NULL;
        END IF;
        IF shared IS NOT NULL THEN
            content := substring(content FROM shared + 1);
        ELSIF i > 1 THEN
            IF separators[i] IS NOT NULL THEN
                body := body || convert_to(separators[i], 'UTF8');
            ELSE
                body := rtrim(body, line_ends);
                kept := length(body);
                FOR place IN REVERSE i - 1 .. 1 LOOP
                    EXIT WHEN result.lasts[place] <= kept;
                    result.firsts[place] := least(result.firsts[place], kept);
                    result.lasts[place] := kept;
                END LOOP;
                content := ltrim(content, line_ends);
                IF kept > 0 AND length(content) > 0 THEN
                    body := body || '\x0a0a' || coalesce(convert_to(marks[i], 'UTF8') || '\x0a0a', '');
                END IF;
            END IF;
        END IF;
        result.firsts[i] := length(body);
        body := body || content;
        result.lasts[i] := length(body);
        IF first IS NOT NULL THEN
            IF shared IS NOT NULL AND count > 0 THEN
                result.span_lasts[count] := greatest(result.span_lasts[count], last);
            ELSE
                count := count + 1;
                result.span_firsts[count] := first;
                result.span_lasts[count] := last;
            END IF;
        END IF;
        covered := CASE WHEN first IS NOT NULL AND shared IS NOT NULL THEN greatest(covered, last) ELSE last END;
    END LOOP;
    result.body := body;
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
    missing CONSTANT integer := first_line - last_line - 1;
    ending CONSTANT text := CASE WHEN strpos(before, E'\r\n') > 0 THEN E'\r\n' ELSE E'\n' END;
    first CONSTANT text := CASE WHEN before = '' OR right(before, 1) IN (E'\n', E'\r') THEN '' ELSE ending END;
    left_out CONSTANT text := CASE WHEN missing = 1 THEN '1 line left out' ELSE concat(missing, CASE WHEN missing IS NOT NULL THEN ' ' END, 'lines left out') END;
    head text;
BEGIN
    IF ordinal_after - ordinal_before = 1 OR missing <= 0 THEN
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
    count CONSTANT integer := cardinality(given.firsts);
    body bytea := '';
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
    moved integer;
BEGIN
    WHILE number <= count LOOP
        last := number;
        WHILE last < count AND given.lasts[last] = given.firsts[last + 1] LOOP
            last := last + 1;
        END LOOP;
        content := convert_from(substring(given.body FROM given.firsts[number] + 1 FOR given.lasts[last] - given.firsts[number]), 'UTF8');
        repeated := _passage.repeated_line(preambles[number], content);
        body := body || substring(given.body FROM copied + 1 FOR given.firsts[number] - copied);
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
            body := body || convert_to(opening, 'UTF8');
            fence_prefix := substring(split_part(content, E'\n', 1) COLLATE "C" FROM '^[ \t>]*');
        END IF;
        moved := length(body) - given.firsts[number];
        FOR place IN number .. last LOOP
            result.firsts[place] := given.firsts[place] + moved;
            result.lasts[place] := given.lasts[place] + moved;
        END LOOP;
        body := body || convert_to(content, 'UTF8');
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
                body := body || convert_to(CASE WHEN right(content, 1) IN (E'\n', E'\r') THEN fence_prefix || fence || E'\n' ELSE E'\n' || fence_prefix || fence END, 'UTF8');
            END IF;
        END IF;
        copied := given.lasts[last];
        number := last + 1;
    END LOOP;
    result.body := body || substring(given.body FROM copied + 1);
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.with_repeated_lines(_passage.assembly, text[], boolean) IS 'text with the lines that its chunks repeat';

-- Reduces a text of JSON to the entries that it holds whole, as one value.

CREATE FUNCTION _passage.excerpt(given _passage.assembly, structure text) RETURNS _passage.assembly
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    result _passage.assembly := given;
    content CONSTANT text := convert_from(given.body, 'UTF8');
    excerpt CONSTANT record := _passage.json_excerpt(content, structure = 'application/jsonl');
    first integer;
    last integer;
    rest integer;
    length integer;
BEGIN
    IF excerpt.first IS NULL THEN
        RETURN given;
    END IF;
    first := octet_length(left(content, excerpt.first - 1));
    last := octet_length(left(content, excerpt.last));
    result.body := convert_to(excerpt.opening, 'UTF8') || substring(given.body FROM first + 1 FOR last - first) || convert_to(excerpt.closing, 'UTF8');
    FOR i IN 1 .. cardinality(given.firsts) LOOP
        result.firsts[i] := least(greatest(given.firsts[i], first), last) - first + octet_length(excerpt.opening);
        result.lasts[i] := least(greatest(given.lasts[i], first), last) - first + octet_length(excerpt.opening);
    END LOOP;
    -- As many bytes are cut off the first and the last spans.
    rest := first;
    WHILE cardinality(result.span_firsts) > 0 LOOP
        length := result.span_lasts[1] - result.span_firsts[1];
        IF rest < length THEN
            result.span_firsts[1] := result.span_firsts[1] + rest;
            EXIT;
        END IF;
        rest := rest - length;
        result.span_firsts := result.span_firsts[2:];
        result.span_lasts := result.span_lasts[2:];
    END LOOP;
    rest := octet_length(given.body) - last;
    WHILE cardinality(result.span_firsts) > 0 LOOP
        length := result.span_lasts[cardinality(result.span_lasts)] - result.span_firsts[cardinality(result.span_lasts)];
        IF rest < length THEN
            result.span_lasts[cardinality(result.span_lasts)] := result.span_lasts[cardinality(result.span_lasts)] - rest;
            EXIT;
        END IF;
        rest := rest - length;
        result.span_firsts := trim_array(result.span_firsts, 1);
        result.span_lasts := trim_array(result.span_lasts, 1);
    END LOOP;
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
    firsts integer[] := '{}';
    lasts integer[] := '{}';
    body bytea := '';
    copied integer := 0;
    moved integer;
BEGIN
    IF coalesce(opening, '') = '' AND coalesce(closing, '') = '' THEN
        RETURN given;
    END IF;
    FOR i IN 1 .. cardinality(are_hits) LOOP
        CONTINUE WHEN NOT are_hits[i] OR given.firsts[i] = given.lasts[i];
        IF lasts[cardinality(lasts)] = given.firsts[i] THEN
            lasts[cardinality(lasts)] := given.lasts[i];
        ELSE
            firsts := firsts || given.firsts[i];
            lasts := lasts || given.lasts[i];
        END IF;
    END LOOP;
    FOR i IN 1 .. cardinality(firsts) LOOP
        body := body || substring(given.body FROM copied + 1 FOR firsts[i] - copied) || convert_to(opening, 'UTF8')
            || substring(given.body FROM firsts[i] + 1 FOR lasts[i] - firsts[i]) || convert_to(closing, 'UTF8');
        copied := lasts[i];
    END LOOP;
    result.body := body || substring(given.body FROM copied + 1);
    FOR i IN 1 .. cardinality(given.firsts) LOOP
        moved := octet_length(opening) * (SELECT count(*) FROM unnest(firsts) AS first WHERE first <= given.firsts[i])
            + octet_length(closing) * (SELECT count(*) FROM unnest(lasts) AS last WHERE last <= given.firsts[i]);
        result.firsts[i] := given.firsts[i] + moved;
        result.lasts[i] := given.lasts[i] + moved;
    END LOOP;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.highlight(_passage.assembly, boolean[], text, text) IS 'text with marks around hits';
