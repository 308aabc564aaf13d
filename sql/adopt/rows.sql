-- Rows: the values that the triggers of an adopted store compute for each row.

-- The id of a chunk or document whose own id is not a uuid. It depends on the name that the source had when it
-- was adopted and on the key alone, so it survives dump and restore, and the framework's drop and recreate.

CREATE FUNCTION _passage.adopted_id(seed text, key text) RETURNS uuid
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'adopted_id_wrapper';

COMMENT ON FUNCTION _passage.adopted_id(text, text) IS 'uuid of a chunk or document that has another id in its source';

-- Frameworks name the file or page of a chunk but seldom its media type.

CREATE FUNCTION _passage.media_type_of_uri(uri text) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'media_type_of_uri_wrapper';

COMMENT ON FUNCTION _passage.media_type_of_uri(text) IS 'media type that the name of a file or page tells, NULL if none';

-- The settings on which the text of a value depends, as SET writes them.

CREATE FUNCTION _passage.text_settings() RETURNS TABLE (name text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 8
SET search_path = pg_catalog, pg_temp
AS $$
    VALUES ('timezone', '''UTC'''), ('datestyle', '''ISO, YMD'''), ('intervalstyle', '''postgres'''), ('extra_float_digits', '1'),
        ('bytea_output', '''hex'''), ('lc_monetary', '''C'''), ('xmlbinary', '''base64'''), ('quote_all_identifiers', 'off')
$$;

COMMENT ON FUNCTION _passage.text_settings() IS 'settings with which every session writes a value as the same text';

-- The order of chunks of which each names the previous one.

CREATE FUNCTION _passage.chain_order(ids text[], previous text[]) RETURNS integer[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'chain_order_wrapper';

COMMENT ON FUNCTION _passage.chain_order(text[], text[]) IS 'place of each item in the chains that the ids of the previous items form';

-- The sections of a document whose offsets begin again in each section. Rows are given in the order of their arrival.

CREATE FUNCTION _passage.section_runs(pages bigint[], sections bigint[], offsets bigint[], texts integer[]) RETURNS integer[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'section_runs_wrapper';

COMMENT ON FUNCTION _passage.section_runs(bigint[], bigint[], bigint[], integer[]) IS 'place of the section of each row in the document, 0 for all if offsets count through the document';

-- Spans count in the text that the chunks of a document rebuild. The offsets of frameworks count characters, and a
-- splitter may have dropped white space between two chunks. So each chunk is placed behind the previous one: by their
-- offsets, if the text of both agrees, else by the longest end of one that begins the other. A dropped character counts
-- as one byte.
--
-- Returns the bytes from the beginning of the previous chunk to that of the next one. A negative result means that
-- their distance is unknown: they are joined as over a gap of one byte.

CREATE FUNCTION _passage.chunk_advance(previous text, previous_start bigint, next text, next_start bigint) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- Splitters share far less. It bounds the work for a text of equal characters.
    max_shared CONSTANT integer := 8192;
    -- Shorter ends can be equal by chance.
    min_shared CONSTANT integer := 12;
    ahead CONSTANT bigint := next_start - previous_start;
    size CONSTANT bigint := char_length(previous);
    head text;
    tail text;
    skipped integer := 0;
    found integer;
BEGIN
    IF previous IS NULL THEN
        RETURN CASE WHEN next_start < 2147483647 THEN next_start ELSE -1 END;
    ELSIF ahead >= size THEN
        IF ahead < 1073741824 THEN
            RETURN octet_length(previous) + ahead - size;
        END IF;
    ELSIF ahead >= 0 AND left(substr(previous, ahead::integer + 1), char_length(next)) = left(next, (size - ahead)::integer) THEN
        RETURN octet_length(left(previous, ahead::integer));
    END IF;

    tail := right(previous, least(max_shared, char_length(next)));
    head := left(next, min_shared);
    LOOP
        found := strpos(substr(tail, skipped + 1), head);
        EXIT WHEN found IS NULL OR found = 0 OR char_length(head) < min_shared;
        skipped := skipped + found - 1;
        IF starts_with(next, substr(tail, skipped + 1)) THEN
            RETURN octet_length(previous) - octet_length(substr(tail, skipped + 1));
        END IF;
        skipped := skipped + 1;
    END LOOP;
    RETURN - octet_length(previous) - 1;
END
$$;

COMMENT ON FUNCTION _passage.chunk_advance(text, bigint, text, bigint) IS 'bytes from the beginning of a chunk to that of the next one, negative if unknown';
