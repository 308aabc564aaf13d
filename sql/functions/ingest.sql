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
    splitting jsonb DEFAULT NULL,
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

COMMENT ON FUNCTION passage.ingest(text, text, text, text, text, text, jsonb, text, text, jsonb, name) IS 'splits a document and writes it to a store; unchanged chunks keep their ids and embeddings
uri: url or path; unique with collection and version
text: the document
media_type: NULL detects it from uri and text; kind: prose, code, api-reference or data, NULL detects it
title: NULL takes that of the document, else of the uri
collection, version: empty by default; metadata: a JSON object, {} by default
base_url: url that links of HTML are relative to; NULL takes the uri where it is a url
splitting: how the text is split, as passage.splitting(max_size => 500) or {"split_at": "^=== ", "split_offsets": [120, 480]}; chunks of 1000 characters at most by default
store: schema of the store; NULL takes the setting passage.store (rag)';
