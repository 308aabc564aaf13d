-- assemble: one text of chosen chunks of a document.

CREATE FUNCTION passage.assemble(
    document_id uuid,
    chunk_ids uuid[],
    separator text DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS text
LANGUAGE c STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'assemble_wrapper';

COMMENT ON FUNCTION passage.assemble(uuid, uuid[], text, name) IS 'text of chunks of a document, in its order; the separator stands where chunks do not touch';
