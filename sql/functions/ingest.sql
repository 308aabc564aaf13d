-- ingest: splits a document and writes it to a store, replacing the stored version.

CREATE FUNCTION passage.ingest(
    uri text,
    text text,
    media_type text DEFAULT NULL,
    title text DEFAULT NULL,
    collection text DEFAULT '',
    version text DEFAULT '',
    metadata jsonb DEFAULT '{}',
    kind text DEFAULT NULL,
    base_url text DEFAULT NULL,
    max_size integer DEFAULT NULL,
    preferred_size integer DEFAULT NULL,
    min_size integer DEFAULT NULL,
    max_with_preamble integer DEFAULT NULL,
    overlap integer DEFAULT 0,
    store name DEFAULT NULL
) RETURNS TABLE (
    document_id uuid,
    outcome text,
    chunks integer,
    kept integer,
    moved integer,
    added integer,
    removed integer
) LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 1 COST 10000
AS 'MODULE_PATHNAME', 'ingest_wrapper';

COMMENT ON FUNCTION passage.ingest(text, text, text, text, text, text, jsonb, text, text, integer, integer, integer, integer, integer, name) IS 'splits a document and writes it to a store; unchanged chunks keep their ids and embeddings
uri: url or path; unique with collection and version
text: the document
media_type: NULL detects it from uri and text; kind: prose, code, api-reference or data, NULL detects it
title: NULL takes that of the document, else of the uri
collection, version: empty by default; metadata: a JSON object, {} by default
base_url: url that links of HTML are relative to; NULL takes the uri where it is a url
max_size, preferred_size, min_size, max_with_preamble: sizes in characters, 1000, 600, 200 and 1250 by default; NULL keeps the proportion
overlap: characters of the previous chunk that a preamble repeats, 0 by default
store: schema of the store; NULL takes the setting passage.store (rag)';
