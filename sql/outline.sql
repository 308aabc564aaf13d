-- outline: shows the section tree of a document.

CREATE FUNCTION passage.outline(
    document_id uuid DEFAULT NULL,
    uri text DEFAULT NULL,
    hit_ids uuid[] DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    outline text,
    section text[],
    level integer,
    chunks bigint,
    hits bigint,
    tokens bigint,
    first_ordinal integer,
    last_ordinal integer,
    first_line integer,
    last_line integer
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 50
AS 'MODULE_PATHNAME', 'outline_wrapper';

COMMENT ON FUNCTION passage.outline(uuid, text, uuid[], name) IS 'returns the sections of a document as an indented tree, those with hits marked by an asterisk
document_id, uri: the document; at least one of them
hit_ids: chunks that count as hits, none by default
store: schema of the store; NULL takes the setting passage.store (rag)';
