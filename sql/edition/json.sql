-- Excerpts of JSON: the entries that a text holds whole, as in core/split/src/split/excerpt.rs and core/passages/src/excerpt.rs.
--
-- Entries of JSON are parsed. PostgreSQL has no parser of YAML and TOML, so their entries count as valid.

-- The entries that a text of JSON holds whole, by the numbers of the first and the last character, and the brackets that
-- make one value of them. NULL if the text stays as it is.

CREATE FUNCTION _passage.json_excerpt(content text, are_lines boolean, OUT first integer, OUT last integer, OUT opening text, OUT closing text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- White space and comments, a bracket, comma or colon, or a scalar.
    matched text[];
    token text;
    at integer := 1;
    after integer;
    is_closed boolean := false;
    -- The open brackets up to `depth`, above which are closed ones: the character after each, its first entry, the number of
    -- its entries, the end of its last value, whether its entries have keys, and whether an entry, a value, the end of a
    -- scalar or the end of a value is next.
    starts integer[] := '{1}';
    firsts integer[] := '{NULL}';
    entries integer[] := '{0}';
    ends integer[] := '{1}';
    keys boolean[] := '{NULL}';
    places text[] := '{entry}';
    depth integer := 1;
    has_key boolean;
    separates boolean;
    bytes text;
BEGIN
    FOR matched IN
        SELECT pieces FROM regexp_matches(content COLLATE "C",
            '((?:[ \t\n\v\f\r\u0085\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]|//[^\n\r]*|/\*(?:[^*]|\*+[^*/])*\*+/)+)|([][{}:,])'
            '|("(?:[^"\\\n]|\\.)*"|''(?:[^''\\\n]|\\.)*''|[A-Za-z0-9_$+.\u0080-\U0010ffff-]+)|.', 'g') AS listed (pieces)
    LOOP
        token := coalesce(matched[2], matched[3]);
        IF matched[1] IS NOT NULL THEN
            at := at + length(matched[1]);
            CONTINUE;
        ELSIF token IS NULL OR is_closed AND token NOT IN ('}', ']', ',') THEN
            RETURN;
        END IF;
        after := at + length(token);
        -- Whether a value must first separate itself from the one before: lines have no commas.
        separates := false;
        IF is_closed THEN
            NULL;
        ELSIF token IN ('}', ']') AND depth = 1 THEN
            is_closed := true;
        ELSIF token IN ('}', ']') THEN
            depth := depth - 1;
            places[depth] := 'behind';
            ends[depth] := after;
        ELSIF token = ':' THEN
            IF places[depth] <> 'scalar' OR keys[depth] = false THEN
                RETURN;
            END IF;
            keys[depth] := true;
            places[depth] := 'value';
        ELSE
            IF token = ',' THEN
                IF places[depth] = 'entry' AND entries[depth] = 0 THEN
                    starts[depth] := after;
                END IF;
                separates := true;
            ELSIF places[depth] IN ('scalar', 'behind') THEN
                IF NOT are_lines OR depth > 1 THEN
                    RETURN;
                END IF;
                separates := true;
            END IF;
            IF separates AND NOT (places[depth] = 'entry' AND entries[depth] = 0) THEN
                IF places[depth] IN ('entry', 'value') THEN
                    RETURN;
                END IF;
                has_key := places[depth] = 'behind' AND coalesce(keys[depth], false);
                IF coalesce(keys[depth], has_key) <> has_key THEN
                    RETURN;
                END IF;
                keys[depth] := has_key;
                entries[depth] := entries[depth] + 1;
                places[depth] := 'entry';
            END IF;
            IF token IN ('{', '[') THEN
                IF places[depth] = 'entry' AND keys[depth] THEN
                    RETURN;
                END IF;
                firsts[depth] := coalesce(firsts[depth], at);
                depth := depth + 1;
                starts[depth] := after;
                firsts[depth] := NULL;
                entries[depth] := 0;
                ends[depth] := after;
                keys[depth] := NULL;
                places[depth] := 'entry';
            ELSIF token <> ',' THEN
                firsts[depth] := coalesce(firsts[depth], at);
                places[depth] := CASE places[depth] WHEN 'value' THEN 'behind' ELSE 'scalar' END;
                ends[depth] := after;
            END IF;
        END IF;
        at := after;
    END LOOP;
    IF 0 < ANY (entries[:depth - 1]) OR places[depth] = 'value' THEN
        RETURN;
    ELSIF places[depth] <> 'entry' THEN
        has_key := places[depth] = 'behind' AND coalesce(keys[depth], false);
        IF coalesce(keys[depth], has_key) <> has_key THEN
            RETURN;
        END IF;
        keys[depth] := has_key;
        entries[depth] := entries[depth] + 1;
    END IF;
    IF keys[depth] IS NULL THEN
        RETURN;
    END IF;
    opening := CASE WHEN keys[depth] THEN '{' WHEN entries[depth] = 1 OR depth = 1 AND are_lines THEN '' ELSE '[' END;
    closing := translate(opening, '{[', '}]');
    last := ends[depth] - 1;
    -- A comment before the first entry can only be inside of brackets.
    bytes := substr(content, starts[depth]);
    first := CASE opening WHEN '' THEN firsts[depth] ELSE starts[depth] + length(bytes) - length(ltrim(bytes, E' \t\n\f\r\x0b')) END;
    IF opening = '' AND btrim(left(content, first - 1), E' \t\n\f\r\x0b') = '' AND btrim(substr(content, last + 1), E' \t\n\f\r\x0b') = '' THEN
        first := NULL;
        last := NULL;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.json_excerpt(text, boolean) IS 'entries of a text of JSON';

CREATE FUNCTION _passage.is_json(content text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Comments are removed, strings stay.
    RETURN regexp_replace(content COLLATE "C", '("(?:[^"\\]|\\.)*")|//[^\n\r]*|/\*(?:[^*]|\*+[^*/])*\*+/', '\1', 'g')::json IS NOT NULL;
EXCEPTION WHEN invalid_text_representation OR statement_too_complex THEN
    RETURN false;
END
$$;

COMMENT ON FUNCTION _passage.is_json(text) IS 'whether a text is one value of JSON';

-- Whether the entries of data in a text parse, as far as PostgreSQL can tell.

CREATE FUNCTION _passage.excerpt_parses(structure text, content text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    excerpt record;
BEGIN
    IF structure NOT IN ('application/json', 'application/jsonl') THEN
        RETURN true;
    END IF;
    excerpt := _passage.json_excerpt(content, structure = 'application/jsonl');
    IF excerpt.first IS NOT NULL THEN
        content := excerpt.opening || substr(content, excerpt.first, excerpt.last - excerpt.first + 1) || excerpt.closing;
    END IF;
    IF structure = 'application/jsonl' THEN
        RETURN NOT EXISTS (SELECT FROM regexp_split_to_table(content, '[\r\n]+') AS line WHERE line ~ '\S' AND NOT _passage.is_json(line));
    END IF;
    RETURN _passage.is_json(content);
END
$$;

COMMENT ON FUNCTION _passage.excerpt_parses(text, text) IS 'whether the entries of data in a text parse';

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
