-- Gaps: the comment between two parts of code that do not touch, as in core/passages/src/gaps.rs.

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
    ending text;
    first text;
    left_out text;
    head text;
BEGIN
    IF ordinal_after::bigint - ordinal_before = 1 OR missing <= 0 THEN
        RETURN '';
    END IF;
    ending := CASE WHEN strpos(before, E'\r\n') > 0 THEN E'\r\n' ELSE E'\n' END;
    first := CASE WHEN before = '' OR right(before, 1) IN (E'\n', E'\r') THEN '' ELSE ending END;
    left_out := CASE WHEN missing = 1 THEN '1 line left out' ELSE concat(missing, CASE WHEN missing IS NOT NULL THEN ' ' END, 'lines left out') END;
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
