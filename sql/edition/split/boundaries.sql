-- Boundaries of prose: the lines after a marker such as <!-- passage: split -->, those that a pattern matches, and offsets, as in
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

-- Adds offsets in bytes to the lines that are boundaries. An offset within a character, or within the line end \r\n, is moved behind
-- it. A boundary is left out if only white space is before or after it. The text is read once, in bytes: to find a character,
-- PostgreSQL reads the text before it.

CREATE FUNCTION _passage.with_split_offsets(value text, line_bytes integer[], split_offsets integer[], OUT boundaries integer[], OUT boundary_bytes integer[])
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    blank CONSTANT text := U&'\0009\000A\000B\000C\000D\0020\0085\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000';
    bytes CONSTANT bytea := convert_to(value, 'UTF8');
    size CONSTANT integer := octet_length(bytes);
    visible CONSTANT integer := octet_length(convert_to(rtrim(value, blank), 'UTF8'));
    at integer := 0;
    characters integer := 0;
    has_text boolean := false;
    place integer;
    part text;
BEGIN
    boundaries := '{}';
    boundary_bytes := '{}';
    IF split_offsets[cardinality(split_offsets)] > size THEN
        PERFORM _passage.refuse_argument(format('"split_offsets" has offset %s, but the text has %s bytes', (SELECT min(split_offset) FROM unnest(split_offsets) AS split_offset WHERE split_offset > size), size),
            'Pass offsets in bytes of the text as it is stored, as start_byte of its chunks counts them.');
    END IF;
    FOR place IN SELECT DISTINCT listed FROM unnest(line_bytes || split_offsets) AS listed ORDER BY listed LOOP
        WHILE place < size AND get_byte(bytes, place) & 192 = 128 LOOP
            place := place + 1;
        END LOOP;
        IF substr(bytes, place, 2) = '\x0d0a' AND place > 0 THEN
            place := place + 1;
        END IF;
        EXIT WHEN place >= visible;
        CONTINUE WHEN place <= at;
        part := convert_from(substr(bytes, at + 1, place - at), 'UTF8');
        at := place;
        characters := characters + length(part);
        IF has_text OR btrim(part, blank || U&'\FEFF') <> '' THEN
            boundaries := boundaries || characters;
            boundary_bytes := boundary_bytes || at;
            has_text := false;
        END IF;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.with_split_offsets(text, integer[], integer[]) IS 'boundaries in characters and in bytes, with offsets of a caller';

-- Lets a line end at each boundary.

CREATE FUNCTION _passage.divided_lines(lines text[], boundary_bytes integer[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    divided text[] := '{}';
    next integer := 1;
    line_start integer := 0;
    line_end integer;
    at integer;
    bytes bytea;
    line text;
BEGIN
    IF boundary_bytes IS NULL THEN
        RETURN lines;
    END IF;
    FOREACH line IN ARRAY lines LOOP
        line_end := line_start + octet_length(line);
        IF boundary_bytes[next] < line_end THEN
            bytes := convert_to(line, 'UTF8');
            at := line_start;
            WHILE boundary_bytes[next] < line_end LOOP
                IF boundary_bytes[next] > at THEN
                    divided := divided || convert_from(substr(bytes, at - line_start + 1, boundary_bytes[next] - at), 'UTF8');
                    at := boundary_bytes[next];
                END IF;
                next := next + 1;
            END LOOP;
            line := convert_from(substr(bytes, at - line_start + 1), 'UTF8');
        END IF;
        divided := divided || line;
        line_start := line_end;
    END LOOP;
    RETURN divided;
END
$$;

COMMENT ON FUNCTION _passage.divided_lines(text[], integer[]) IS 'lines of a text and their parts between boundaries';

-- Adds the boundaries of a document to its blocks, and lets a block begin at each.

CREATE FUNCTION _passage.divided_blocks(value text, blocks _passage.prose_blocks, media_type text, split_at text, split_offsets integer[]) RETURNS _passage.prose_blocks
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
    line_bytes integer[] := '{}';
    at integer := 0;
    byte integer := 0;
    has_text boolean := false;
    is_marked boolean := false;
    fence integer;
    lines text[];
    line text;
BEGIN
    IF media_type NOT IN ('text/markdown', 'text/plain') OR strpos(value, 'passage: split') = 0 AND split_at IS NULL THEN
        IF split_offsets IS NULL THEN
            RETURN blocks;
        END IF;
        lines := '{}';
    ELSE
        lines := _passage.text_lines(value);
    END IF;
    FOREACH line IN ARRAY lines LOOP
        -- A marker in a fence is an example.
        fence := CASE WHEN cardinality(header_firsts) > 0 THEN width_bucket(at, header_firsts) ELSE 0 END;
        IF line COLLATE "C" ~ marker AND NOT (fence > 0 AND at < header_ends[greatest(fence, 1)]) THEN
            is_marked := true;
        ELSIF btrim(ltrim(line, U&'\FEFF'), E' \t\r\n\f\x0b') <> '' THEN
            IF has_text AND (is_marked OR octet_length(line) <= 65536 AND rtrim(line, E'\r\n') COLLATE "C" ~ split_at) THEN
                boundaries := boundaries || at;
                line_bytes := line_bytes || byte;
            END IF;
            has_text := true;
            is_marked := false;
        END IF;
        at := at + length(line);
        byte := byte + octet_length(line);
    END LOOP;
    IF split_offsets IS NOT NULL THEN
        SELECT added.boundaries, added.boundary_bytes INTO boundaries, blocks.boundary_bytes FROM _passage.with_split_offsets(value, line_bytes, split_offsets) AS added;
    END IF;
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

COMMENT ON FUNCTION _passage.divided_blocks(text, _passage.prose_blocks, text, text, integer[]) IS 'blocks of prose with the boundaries of its markers, a pattern and offsets';
