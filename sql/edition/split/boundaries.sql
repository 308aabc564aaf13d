-- Boundaries of prose: the lines after a marker such as <!-- passage: split -->, and those that a pattern matches, as in
-- core/split/src/split/ boundaries.rs and split_at.rs.

-- A pattern may have what means the same to PostgreSQL and to the Rust crate regex, whose syntax the native extension has. Letters
-- and digits of classes such as \w are those of ASCII.

CREATE FUNCTION _passage.check_split_pattern(pattern text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    reason text;
BEGIN
    IF pattern IS NULL THEN
        RETURN;
    END IF;
    IF octet_length(pattern) NOT BETWEEN 1 AND 1000 THEN
        reason := 'it must have 1 to 1000 bytes';
    ELSIF pattern COLLATE "C" !~ '^(?!\*)(?:[^\\[({]|\\[^0-9A-Za-z]|\\[dswtDSW]|\((?!\?)|\(\?:|\{[0-9]+(?:,[0-9]*)?\}|\[\^?\]?(?:[^]\\[]|\\[^0-9A-Za-z]|\\[dswt])*\])*$'
        OR pattern COLLATE "C" ~ '\[[^]]*(?:--|&&|~~)' THEN
        reason := 'a class is not closed, or it has what the SQL edition lacks: flags, named groups, nested classes, or escapes of letters but \d, \s, \w, \t, \D, \S and \W';
    ELSE
        BEGIN
            PERFORM '' COLLATE "C" ~ pattern;
        EXCEPTION WHEN invalid_regular_expression THEN
            reason := regexp_replace(SQLERRM, '^invalid regular expression: ', '');
        END;
    END IF;
    IF reason IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_regular_expression', MESSAGE = format('invalid regular expression "%s": %s', left(pattern, 100), reason),
            HINT = 'Pass a regular expression for the lines before which the document is divided, such as splitting => passage.splitting(split_at => ''^=== '').';
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.check_split_pattern(text) IS 'raises an error for a pattern of lines that is invalid';

-- Adds the boundaries of a document to its blocks, and lets a block begin at each.

CREATE FUNCTION _passage.divided_blocks(value text, blocks _passage.prose_blocks, media_type text, split_at text) RETURNS _passage.prose_blocks
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- MDX has no comments of HTML.
    marker CONSTANT text := CASE media_type
        WHEN 'text/markdown' THEN '^(?! {4}|\t)\s*(?:<!--\s*passage: split\s*-->|\{/\*\s*passage: split\s*\*/\})\s*$'
        ELSE '^(?! {4}|\t)\s*<!--\s*passage: split\s*-->\s*$' END;
    header_firsts CONSTANT integer[] := blocks.header_firsts;
    header_ends CONSTANT integer[] := blocks.header_ends;
    boundaries integer[] := '{}';
    at integer := 0;
    has_text boolean := false;
    is_marked boolean := false;
    fence integer;
    line text;
BEGIN
    IF media_type NOT IN ('text/markdown', 'text/plain') OR strpos(value, 'passage: split') = 0 AND split_at IS NULL THEN
        RETURN blocks;
    END IF;
    FOREACH line IN ARRAY _passage.text_lines(value) LOOP
        -- A marker in a fence is an example.
        fence := CASE WHEN cardinality(header_firsts) > 0 THEN width_bucket(at, header_firsts) ELSE 0 END;
        IF line COLLATE "C" ~ marker AND NOT (fence > 0 AND at < header_ends[greatest(fence, 1)]) THEN
            is_marked := true;
        ELSIF btrim(ltrim(line, U&'\FEFF'), E' \t\r\n\f\x0b') <> '' THEN
            IF has_text AND (is_marked OR octet_length(line) <= 65536 AND rtrim(line, E'\r\n') COLLATE "C" ~ split_at) THEN
                boundaries := boundaries || at;
            END IF;
            has_text := true;
            is_marked := false;
        END IF;
        at := at + length(line);
    END LOOP;
    blocks.boundaries := boundaries;
    IF boundaries <> '{}' THEN
        blocks.list := ARRAY(
            SELECT (part.first, block.section, block.level, CASE WHEN part.first = block.first OR block.form <> 'heading' THEN block.form ELSE 'body' END,
                CASE WHEN block.rows >= part.first AND block.rows < part.ending THEN block.rows END)::_passage.prose_block
            FROM (
                SELECT starts.first, max(starts.block) OVER (ORDER BY starts.first) AS place, lead(starts.first, 1, length(value)) OVER (ORDER BY starts.first) AS ending
                FROM (
                    SELECT listed.first, max(listed.block) AS block
                    FROM (
                        SELECT one.first, one.place AS block FROM unnest(blocks.list) WITH ORDINALITY AS one (first, section, level, form, rows, place)
                        UNION ALL
                        SELECT boundary, NULL FROM unnest(boundaries) AS boundary
                    ) AS listed
                    GROUP BY listed.first
                ) AS starts
            ) AS part
            JOIN unnest(blocks.list) WITH ORDINALITY AS block (first, section, level, form, rows, place) ON block.place = part.place
            ORDER BY part.first
        );
    END IF;
    RETURN blocks;
END
$$;

COMMENT ON FUNCTION _passage.divided_blocks(text, _passage.prose_blocks, text, text) IS 'blocks of prose with the boundaries of its markers and a pattern';
