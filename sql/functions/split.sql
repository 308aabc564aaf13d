-- split: returns the chunks of a text, without a store.

CREATE FUNCTION passage.split(
    text text,
    media_type text DEFAULT NULL,
    title text DEFAULT NULL,
    uri text DEFAULT NULL,
    kind text DEFAULT NULL,
    base_url text DEFAULT NULL,
    splitting jsonb DEFAULT NULL
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

COMMENT ON FUNCTION passage.split(text, text, text, text, text, text, jsonb) IS 'returns the chunks of a text, in document order
text: the document
media_type: NULL detects it from uri and text; kind: prose, code, api-reference or data, NULL detects it
title: NULL takes that of the document, else of the uri; uri: url or path, none by default
base_url: url that links of HTML are relative to; NULL takes the uri where it is a url
splitting: how the text is split, as passage.splitting(max_size => 500) or {"split_at": "^=== ", "split_offsets": [120, 480]}; chunks of 1000 characters at most by default';
