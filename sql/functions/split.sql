-- split: returns the chunks of a text, without a store.
--
-- Sizes are in characters. A size that is NULL keeps its proportion to the others, whose defaults are
-- 200, 600, 1000 and 1250.

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

COMMENT ON FUNCTION passage.split(text, text, text, text, text, text, integer, integer, integer, integer, integer) IS 'returns the chunks of a text, in document order
text: the document
media_type: NULL detects it from uri and text; kind: prose, code, api-reference or data, NULL detects it
title: NULL takes that of the document, else of the uri; uri: url or path, none by default
base_url: url that links of HTML are relative to; NULL takes the uri where it is a url
max_size, preferred_size, min_size, max_with_preamble: sizes in characters, 1000, 600, 200 and 1250 by default; NULL keeps the proportion
overlap: characters of the previous chunk that a preamble repeats, 0 by default';
