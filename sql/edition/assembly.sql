-- Assembly: one text from several chunks of a document, as in core/passages/src/ assemble.rs and highlight.rs.
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
    IF piece = 1 THEN
        result.body := pieces[1];
    ELSE
        result.body := (SELECT coalesce(string_agg(listed, '' ORDER BY place), '') FROM unnest(pieces[:piece]) WITH ORDINALITY AS joined (listed, place));
    END IF;
    result.firsts := firsts;
    result.lasts := lasts;
    result.span_firsts := span_firsts;
    result.span_lasts := span_lasts;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.join_parts(text[], integer[], integer[], text[], text[]) IS 'text of chunks of a document';

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
