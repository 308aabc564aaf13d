-- assemble: joins chosen chunks of a document into one text.

CREATE FUNCTION passage.assemble(
    document_id uuid,
    chunk_ids uuid[],
    separator text DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS text
LANGUAGE c STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'assemble_wrapper';

COMMENT ON FUNCTION passage.assemble(uuid, uuid[], text, name) IS 'returns the text of chunks of a document, in document order
document_id: the document
chunk_ids: its chunks; ids that the document does not have are skipped
separator: text between chunks that do not touch; NULL takes that of the media type
store: schema of the store; NULL takes the setting passage.store (rag)';
