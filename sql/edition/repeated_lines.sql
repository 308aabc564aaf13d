-- Lines that chunks repeat: the fence of a block of code and the header of a table, as in
-- core/passages/src/repeated_lines.rs.

-- The line of a preamble that a chunk repeats, if the chunk begins below it: the fence before its code, or the header of its
-- table.

CREATE FUNCTION _passage.fence_marks(line text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT coalesce(substring(line COLLATE "C" FROM '^[ \t>]*(`{3,})[^`]*$'), substring(line COLLATE "C" FROM '^[ \t>]*(~{3,})')) $$;

COMMENT ON FUNCTION _passage.fence_marks(text) IS 'marks of a fence, NULL for another line';

-- Whether a text can have a fence.

CREATE FUNCTION _passage.may_fence(content text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.strpos(content, '```') OPERATOR(pg_catalog.>) 0 OR pg_catalog.strpos(content, '~~~') OPERATOR(pg_catalog.>) 0;

COMMENT ON FUNCTION _passage.may_fence(text) IS 'whether a text has marks that can be a fence';

CREATE FUNCTION _passage.may_repeat(preamble text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.strpos(preamble, '|') OPERATOR(pg_catalog.>) 0 OR pg_catalog.strpos(preamble, '* - ') OPERATOR(pg_catalog.>) 0 OR _passage.may_fence(preamble);

COMMENT ON FUNCTION _passage.may_repeat(text) IS 'whether a preamble has marks of a line that chunks repeat';

CREATE FUNCTION _passage.repeated_line(preamble text, content text, titles text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    first text COLLATE "C";
    lines text[];
    line text;
BEGIN
    IF NOT _passage.may_repeat(preamble) THEN
        RETURN NULL;
    END IF;
    first := substring(content COLLATE "C" FROM '^(?:\s*\n)?([^\n]*\S[^\n]*)');
    lines := string_to_array(regexp_replace(preamble, '\r?\n$', ''), E'\n');
    IF first IS NULL THEN
        RETURN NULL;
    END IF;
    -- The end of the chunk before may follow it.
    FOR back IN 0 .. 1 LOOP
        line := rtrim(lines[cardinality(lines) - back], E'\r');
        IF (_passage.fence_marks(line) IS NOT NULL OR strpos(line, '|') > 0 AND strpos(first, '|') > 0 OR line COLLATE "C" ~ '^\s*\* - ' AND first ~ '^\s*\* - ')
            AND array_position(titles, line) IS NULL THEN
            RETURN line;
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.repeated_line(text, text, text[]) IS 'line of a preamble that a chunk repeats, which is none of the titles';

-- Adds the repeated lines of chunks that touch no chunk before them, and closes their fences. The title is that of their document.

CREATE FUNCTION _passage.with_repeated_lines(given _passage.assembly, parts _passage.passage_chunk[], title text, is_markdown boolean) RETURNS _passage.assembly
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    may_repeat boolean := false;
    part _passage.passage_chunk;
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
    FOREACH part IN ARRAY parts LOOP
        may_repeat := may_repeat OR _passage.may_repeat(part.preamble);
    END LOOP;
    IF may_repeat IS NOT TRUE AND NOT _passage.may_fence(convert_from(given.body, 'UTF8')) THEN
        RETURN given;
    END IF;
    WHILE number <= count LOOP
        last := number;
        WHILE last < count AND lasts[last] = firsts[last + 1] LOOP
            last := last + 1;
        END LOOP;
        start := firsts[number];
        content := convert_from(substring(given.body FROM start + 1 FOR lasts[last] - start), 'UTF8');
        repeated := _passage.repeated_line(parts[number].preamble, content, parts[number].section || _passage.preamble_title(title));
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
        IF fence IS NOT NULL OR _passage.may_fence(content) THEN
            FOR line IN SELECT listed FROM string_to_table(content, E'\n') WITH ORDINALITY AS lines (listed, place) WHERE _passage.may_fence(listed) ORDER BY place LOOP
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

COMMENT ON FUNCTION _passage.with_repeated_lines(_passage.assembly, _passage.passage_chunk[], text, boolean) IS 'text with the lines that its chunks repeat';
