-- JSON: whether a text is valid, and the entries that it holds whole, as in core/split/src/split/json.rs and excerpt.rs.

-- The tokens of a text of JSON, also with comments, single quotes and bare keys: brackets, commas and colons are their own
-- kind, and ' ' is white space or a comment, s a string, l another scalar, w a word, which may only be a key. NULL is invalid.

CREATE FUNCTION _passage.json_tokens(content text) RETURNS TABLE (kind text, token text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN pieces[1] IS NOT NULL THEN ' ' WHEN pieces[2] IS NOT NULL THEN pieces[2] WHEN pieces[3] IS NOT NULL THEN 's'
            WHEN pieces[4] COLLATE "C" ~ '^(?:true|false|null|[-+]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?))$' THEN 'l'
            WHEN pieces[4] IS NOT NULL THEN 'w' END, coalesce(pieces[1], pieces[2], pieces[3], pieces[4], '')
    FROM regexp_matches(content COLLATE "C",
        '((?:[ \t\n\v\f\r\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]|//[^\n\r]*|/\*(?:[^*]|\*+[^*/])*\*+/)+)|([][{}:,])'
        '|("(?:[^"\\\n]|\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[^ux]))*"|''(?:[^''\\\n]|\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[^ux]))*'')'
        '|([A-Za-z0-9_$+.\u0080-\U0010ffff-]+)|.', 'g') AS listed (pieces)
$$;

COMMENT ON FUNCTION _passage.json_tokens(text) IS 'tokens of a text of JSON';

-- The entries that a text of JSON holds whole, by the numbers of the first and the last character, and the brackets that
-- make one value of them. NULL if the text stays as it is.

CREATE FUNCTION _passage.json_excerpt(content text, are_lines boolean, OUT first integer, OUT last integer, OUT opening text, OUT closing text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    kind text;
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
    FOR kind, token IN SELECT * FROM _passage.json_tokens(content) LOOP
        after := at + length(token);
        IF kind = ' ' THEN
            at := after;
            CONTINUE;
        ELSIF kind IS NULL OR is_closed AND kind NOT IN ('}', ']', ',') THEN
            RETURN;
        END IF;
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

-- A comma may follow the last entry. Of JSON lines each line is a value.

CREATE FUNCTION _passage.is_json(content text, are_lines boolean) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    kinds text COLLATE "C";
BEGIN
    -- Values at depth 0 are items of an array.
    SELECT '[' || coalesce(string_agg(CASE WHEN are_lines AND depth = 0 AND place > 1 THEN ',' ELSE '' END || coalesce(kind, '!'), '' ORDER BY place), '') || ']' INTO kinds
    FROM (
        SELECT kind, row_number() OVER (ORDER BY place) AS place,
            coalesce(sum(CASE WHEN kind IN ('{', '[') THEN 1 WHEN kind IN ('}', ']') THEN -1 END) OVER (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS depth
        FROM _passage.json_tokens(content) WITH ORDINALITY AS listed (kind, token, place) WHERE kind IS DISTINCT FROM ' '
    ) AS tokens;
    IF NOT are_lines THEN
        kinds := substr(kinds, 2, length(kinds) - 2);
    END IF;
    kinds := regexp_replace(regexp_replace(kinds, '[slw]:', 'k:', 'g'), '([^[{,:]),(?=[]}])', '\1', 'g');
    RETURN replace(translate(kinds, 'sl', '00'), 'k', '""')::json IS NOT NULL;
EXCEPTION WHEN invalid_text_representation OR statement_too_complex THEN
    RETURN false;
END
$$;

COMMENT ON FUNCTION _passage.is_json(text, boolean) IS 'whether a text is one value of JSON, or values in lines';
