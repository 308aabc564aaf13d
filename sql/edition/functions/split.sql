-- The split of prose: Markdown and plain text, as in extension/src/split/document.rs and core/split/src/document.rs.

CREATE TYPE _passage.split_document AS (media_type text, kind text, title text, limits _passage.split_limits, blocks _passage.prose_blocks);

CREATE FUNCTION _passage.check_text_length(argument text, value text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF octet_length(value) > 65536 THEN
        PERFORM _passage.refuse_argument(format('"%s" must have at most 65536 bytes, not %s', argument, octet_length(value)), 'Pass a shorter text.');
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.check_text_length(text, text) IS 'raises an error for an argument that is too long';

-- Offsets in their order. An empty list is none.

CREATE FUNCTION _passage.read_split_offsets(given jsonb) RETURNS integer[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    wrong numeric;
BEGIN
    IF jsonb_array_length(given) > 100000 THEN
        PERFORM _passage.refuse_argument(format('"split_offsets" in "splitting" must have at most 100000 values, not %s', jsonb_array_length(given)), 'Pass fewer values, or a pattern.');
    END IF;
    SELECT one::numeric INTO wrong FROM jsonb_array_elements(given) WITH ORDINALITY AS listed (one, place) WHERE one::numeric NOT BETWEEN 0 AND 1073741823 ORDER BY place LIMIT 1;
    IF FOUND THEN
        PERFORM _passage.refuse_argument(format('"split_offsets" is out of range: %s', greatest(-2147483648, least(2147483647, trunc(wrong)))), 'Use a number from 0 to 1073741823.');
    END IF;
    RETURN nullif(ARRAY(SELECT DISTINCT one::numeric::integer FROM jsonb_array_elements(given) AS one ORDER BY 1), '{}');
END
$$;

COMMENT ON FUNCTION _passage.read_split_offsets(jsonb) IS 'offsets at which a text is divided, ascending, or an error';

-- How a document is split, with sizes that keep their proportions by default.

CREATE FUNCTION _passage.read_splitting(splitting jsonb) RETURNS _passage.split_limits
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    given CONSTANT jsonb := _passage.read_group('splitting', splitting);
    max_size CONSTANT integer := given ->> 'max_size';
    max_with_preamble CONSTANT integer := given ->> 'max_with_preamble';
    limits _passage.split_limits;
BEGIN
    limits.maximum := coalesce(max_size, least(1000, max_with_preamble::bigint * 4 / 5));
    limits.preferred := coalesce((given ->> 'preferred_size')::integer, limits.maximum::bigint * 3 / 5);
    limits.minimum := coalesce((given ->> 'min_size')::integer, least(limits.maximum / 5, limits.preferred / 3));
    limits.total := coalesce(max_with_preamble, least(limits.maximum::bigint * 5 / 4, greatest(limits.maximum, 1000000)));
    limits.overlap := coalesce((given ->> 'overlap')::integer, 0);
    limits.split_at := given ->> 'split_at';
    limits.split_offsets := _passage.read_split_offsets(given -> 'split_offsets');
    IF limits.maximum > limits.total THEN
        PERFORM _passage.refuse_argument(format('"max_size" is out of range: %s', limits.maximum), format('Use a number from 0 to %s.', limits.total));
    ELSIF limits.preferred > limits.maximum THEN
        PERFORM _passage.refuse_argument(format('"preferred_size" is out of range: %s', limits.preferred), format('Use a number from 0 to %s.', limits.maximum));
    ELSIF limits.minimum > limits.preferred THEN
        PERFORM _passage.refuse_argument(format('"min_size" is out of range: %s', limits.minimum), format('Use a number from 0 to %s.', limits.preferred));
    END IF;
    PERFORM _passage.check_split_pattern(limits.split_at);
    RETURN limits;
END
$$;

COMMENT ON FUNCTION _passage.read_splitting(jsonb) IS 'how a document is split, or an error';

-- The media type of a text: the given one, else that of its name. A text whose name tells nothing is plain text, unless it begins as
-- data, a script or a page does.

CREATE FUNCTION _passage.media_type_of(given text, uri text, value text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    file CONSTANT text := lower(regexp_replace(uri COLLATE "C", '^.*[/\\]', ''));
    known text;
BEGIN
    IF given IS NOT NULL THEN
        PERFORM _passage.check_media_type(given);
        known := (_passage.known_media_type(given)).name;
    ELSE
        SELECT listed.name INTO known
        FROM _passage.media_types() WITH ORDINALITY AS listed (name, aliases, family, extensions, files, prefix, suffix, body, place)
        WHERE file = ANY (files) OR file ~ '^.+\.' AND substring(file FROM '\.([^.]*)$') = ANY (extensions)
        ORDER BY file = ANY (files) DESC, place LIMIT 1;
    END IF;
    IF known IS NULL AND ltrim(value, U&'\FEFF' || E' \t\r\n') ~ '^(?:[<{[;%]|#!|---[ \t]*[\r\n])' THEN
        PERFORM _passage.refuse_argument('the media type is not clear from the uri', 'Pass media_type => ..., such as ''text/plain'' or ''text/markdown''.');
    ELSIF known IS NULL THEN
        known := 'text/plain';
    END IF;
    IF known NOT IN ('text/markdown', 'text/plain') AND EXISTS (SELECT FROM _passage.media_types() AS listed WHERE listed.name = (_passage.known_media_type(known)).structure) THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = format('the SQL edition does not split %s', known),
            DETAIL = 'It splits text/markdown and text/plain.', HINT = 'Run passage ingest, which splits all media types, or install the native extension.';
    END IF;
    RETURN known;
END
$$;

COMMENT ON FUNCTION _passage.media_type_of(text, text, text) IS 'media type of a text that the edition splits';

CREATE FUNCTION _passage.read_document(value text, media_type text, title text, uri text, kind text, base_url text, limits _passage.split_limits) RETURNS _passage.split_document
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    document _passage.split_document;
    split_offsets CONSTANT integer[] := limits.split_offsets;
    path CONSTANT text := CASE WHEN strpos(split_part(split_part(uri, '?', 1), '#', 1), '://') > 0 THEN substring(split_part(split_part(uri, '?', 1), '#', 1) FROM '://[^/]*/(.*)$') ELSE split_part(split_part(uri, '?', 1), '#', 1) END;
    front integer;
    lines text[];
BEGIN
    PERFORM _passage.check_text_length('uri', uri), _passage.check_text_length('base_url', base_url);
    IF kind IS NOT NULL AND kind NOT IN ('prose', 'code', 'api-reference', 'data') THEN
        PERFORM _passage.refuse_argument(format('unrecognized value for "kind": "%s"', left(kind, 100)), 'Valid values are "prose", "code", "api-reference" and "data".');
    END IF;
    -- Without the offsets, which every call with limits would copy.
    limits.split_offsets := NULL;
    document.limits := limits;
    document.media_type := _passage.media_type_of(media_type, coalesce(uri, ''), value);
    document.kind := coalesce(kind, CASE WHEN EXISTS (
            SELECT FROM regexp_split_to_table(coalesce(path, ''), '[/\\]') WITH ORDINALITY AS listed (part, place)
            WHERE lower(part) = ANY ('{api,apis,api-docs,api-reference,api_docs,api_reference,apidoc,apidocs,apireference,javadoc,man,ref,reference,references}'))
        OR lower(regexp_replace(regexp_replace(coalesce(path, ''), '^.*[/\\]', ''), '\.[^.]*$', '')) = ANY ('{api,apis,api-docs,api-reference,api_docs,api_reference,apidoc,apidocs,apireference,javadoc,man,ref,reference,references}')
        THEN 'api-reference' ELSE 'prose' END);
    document.blocks := CASE document.media_type WHEN 'text/markdown' THEN _passage.markdown_blocks(value) ELSE _passage.plain_blocks(value) END;
    document.blocks := _passage.divided_blocks(value, document.blocks, document.media_type, limits.split_at, split_offsets);
    document.title := title;
    IF title IS NULL AND document.media_type = 'text/markdown' THEN
        lines := _passage.text_lines(left(value, 65536));
        front := CASE WHEN cardinality(lines) > 0 THEN _passage.front_matter_lines(lines) ELSE 0 END;
        document.title := (SELECT _passage.shortened_title(listed_title) FROM unnest(lines[:front]) WITH ORDINALITY AS listed (line, place)
            CROSS JOIN LATERAL (SELECT btrim(coalesce(matched[2], matched[3], regexp_replace(matched[4], ' #.*$', '')), E' \t\r\n')
                FROM regexp_match(line COLLATE "C", '^title[ \t]*[:=][ \t]*(?:(["''])(.*?)(?:\1.*)?|()[|>[{&*!].*|([^ \t\r\n].*))[\r\n]*$') AS matched) AS named (listed_title) WHERE listed_title <> '' ORDER BY place LIMIT 1);
        document.title := coalesce(document.title, (SELECT (document.blocks).titles[section] FROM unnest((document.blocks).list) AS block
            WHERE form = 'heading' AND (document.blocks).titles[section] <> '' ORDER BY level = 1 DESC, first LIMIT 1));
    END IF;
    document.title := coalesce(document.title, nullif(regexp_replace(uri, '^.*/', ''), ''));
    RETURN document;
END
$$;

COMMENT ON FUNCTION _passage.read_document(text, text, text, text, text, text, _passage.split_limits) IS 'properties and blocks of a text';

CREATE FUNCTION _passage.document_chunks(value text, document _passage.split_document) RETURNS TABLE (
    ordinal integer, level integer, section text[], kind text, unit text, content text, preamble text, tokens integer, start_byte integer, end_byte integer, first_line integer, last_line integer, metadata jsonb
) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 50
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    chunk _passage.prose_chunk;
    of_section integer;
    before text;
    line integer := 1;
    line_ends integer;
    part text;
    part_start integer := 0;
    part_end integer := 0;
BEGIN
    ordinal := 0;
    end_byte := 0;
    kind := document.kind;
    unit := 'text';
    metadata := '{}';
    FOREACH chunk IN ARRAY _passage.merged_pieces(value, document.blocks, document.limits) LOOP
        IF chunk.section IS DISTINCT FROM of_section THEN
            of_section := chunk.section;
            section := _passage.section_titles(document.blocks, of_section);
        END IF;
        level := chunk.level;
        -- To find a character, PostgreSQL reads the text before it. So a part of the text is read at once.
        IF chunk.ending > part_end THEN
            part_start := chunk.first;
            part := substr(value, part_start + 1, 30000 + chunk.ending - chunk.first);
            part_end := part_start + length(part);
        END IF;
        content := substr(part, chunk.first - part_start + 1, chunk.ending - chunk.first);
        preamble := _passage.chunk_preamble(document.title, section, chunk.header, chunk.size, before, (document.limits).total, (document.limits).overlap);
        tokens := (chunk.size + 3) / 4;
        start_byte := end_byte;
        end_byte := end_byte + octet_length(content);
        first_line := line;
        -- A carriage return ends a line unless a line feed follows.
        line_ends := length(content) - length(replace(content, E'\n', ''));
        IF strpos(content, E'\r') > 0 THEN
            line_ends := regexp_count(content, '\r\n|\r|\n');
        END IF;
        line := line + line_ends;
        last_line := line - (right(content, 1) IN (E'\n', E'\r'))::integer;
        RETURN NEXT;
        ordinal := ordinal + 1;
        before := content;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.document_chunks(text, _passage.split_document) IS 'chunks of a text';

-- twin: split_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT listed.* FROM _passage.document_chunks(split.text, _passage.read_document(split.text, split.media_type, split.title, split.uri, split.kind, split.base_url,
        _passage.read_splitting(split.splitting))) AS listed WHERE split.text IS NOT NULL;
END;
