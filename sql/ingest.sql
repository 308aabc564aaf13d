-- ingest: split a document and put it into a store in place of what was there.

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

COMMENT ON FUNCTION passage.ingest(text, text, text, text, text, text, jsonb, text, text, integer, integer, integer, integer, integer, name) IS 'split a document and put it into a store, keeping the chunks that have not changed';
