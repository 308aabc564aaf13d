-- outline: shows the section tree of a document.
--
-- PostgreSQL prefers the argument of type text for a literal, so both 'handbook/logging.md' and an id in quotes
-- call the first function. A value of type uuid calls the second one.

CREATE FUNCTION passage.outline(
    uri text,
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    hit_ids uuid[] DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    outline text,
    section text[],
    level integer,
    chunks integer,
    hits integer,
    tokens integer,
    first_ordinal integer,
    last_ordinal integer,
    first_line integer,
    last_line integer
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 50
AS 'MODULE_PATHNAME', 'outline_of_uri_wrapper';

COMMENT ON FUNCTION passage.outline(text, text, text, uuid[], name) IS 'returns the sections of a document as an indented tree, those with hits marked by an asterisk
uri: of the document, or its id as text
collection, version: of the document, if several have the uri, version also latest; NULL does not filter
hit_ids: chunks that count as hits, none by default
store: schema of the store; NULL takes the setting passage.store (rag)';

CREATE FUNCTION passage.outline(
    document_id uuid,
    uri text DEFAULT NULL,
    hit_ids uuid[] DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    outline text,
    section text[],
    level integer,
    chunks integer,
    hits integer,
    tokens integer,
    first_ordinal integer,
    last_ordinal integer,
    first_line integer,
    last_line integer
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 50
AS 'MODULE_PATHNAME', 'outline_wrapper';

COMMENT ON FUNCTION passage.outline(uuid, text, uuid[], name) IS 'returns the sections of a document as an indented tree, those with hits marked by an asterisk
document_id: the document; NULL takes the one with the uri
uri: of the document; NULL does not compare it
hit_ids: chunks that count as hits, none by default
store: schema of the store; NULL takes the setting passage.store (rag)';
