-- split: the chunks of a text, without a store.
--
-- Sizes are in characters. One that is NULL keeps the proportion to the others that it has among
-- the defaults, which are 200, 600, 1000 and 1250.

CREATE FUNCTION passage.split(
    text text,
    media_type text DEFAULT NULL,
    title text DEFAULT NULL,
    uri text DEFAULT NULL,
    kind text DEFAULT NULL,
    base_url text DEFAULT NULL,
    max_size integer DEFAULT NULL,
    preferred_size integer DEFAULT NULL,
    min_size integer DEFAULT NULL,
    max_with_preamble integer DEFAULT NULL,
    overlap integer DEFAULT 0
) RETURNS TABLE (
    ordinal integer,
    level integer,
    section text[],
    kind text,
    unit text,
    content text,
    preamble text,
    tokens integer,
    start_byte integer,
    end_byte integer,
    first_line integer,
    last_line integer,
    metadata jsonb
) LANGUAGE c IMMUTABLE PARALLEL SAFE ROWS 50 COST 10000
AS 'MODULE_PATHNAME', 'split_wrapper';

COMMENT ON FUNCTION passage.split(text, text, text, text, text, text, integer, integer, integer, integer, integer) IS 'chunks that a document is split into, in its order';
