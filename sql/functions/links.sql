-- links, backlinks: what a chunk or a document refers to, and what refers to it.
--
-- A store without the table links, such as an adopted one, has none.

CREATE FUNCTION _passage.linked_documents(document_id uuid, uri text, store name) RETURNS uuid[]
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ids uuid[];
BEGIN
    IF document_id IS NULL AND uri IS NULL THEN
        RETURN NULL;
    ELSIF NOT _passage.has_links(store, false) THEN
        -- Columns of other types are never compared: the error of a cast would show a value.
        RETURN '{}';
    END IF;
    EXECUTE format('SELECT coalesce(array_agg(d.id), ''{}'') FROM %I.documents AS d WHERE %s', store,
        concat_ws(' AND ', CASE WHEN document_id IS NOT NULL THEN 'd.id = $1' END, CASE WHEN uri IS NOT NULL THEN 'd.uri = $2' END))
        INTO ids USING document_id, uri;
    RETURN ids;
END
$$;

COMMENT ON FUNCTION _passage.linked_documents(uuid, text, name) IS 'documents with an id or a uri, NULL if both are NULL';

CREATE FUNCTION _passage.linked_store(chunk_id uuid, document_id uuid, uri text, store name) RETURNS name
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF chunk_id IS NULL AND document_id IS NULL AND uri IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'chunk_id, document_id and uri are NULL',
            HINT = 'Pass the id of a chunk, the id of a document, or its uri.';
    END IF;
    store := _passage.store_name(store);
    PERFORM _passage.store_must_exist(store);
    RETURN store;
END
$$;

COMMENT ON FUNCTION _passage.linked_store(uuid, uuid, text, name) IS 'store of a call of links or backlinks';

CREATE FUNCTION passage.links(
    chunk_id uuid DEFAULT NULL,
    document_id uuid DEFAULT NULL,
    uri text DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    kind text,
    text text,
    from_chunk uuid,
    from_document uuid,
    from_uri text,
    from_title text,
    to_chunk uuid,
    to_document uuid,
    to_uri text,
    to_title text,
    to_section text
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 20
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    schema CONSTANT name := _passage.linked_store(chunk_id, document_id, uri, store);
    documents CONSTANT uuid[] := _passage.linked_documents(document_id, uri, schema);
BEGIN
    RETURN QUERY
        SELECT link.* FROM _passage.resolved_links(schema, CASE WHEN links.chunk_id IS NOT NULL THEN ARRAY[links.chunk_id] END, documents, NULL) AS link
        WHERE documents IS NULL OR link.from_document = ANY (documents);
END
$$;

COMMENT ON FUNCTION passage.links(uuid, uuid, text, name) IS 'returns the links of a chunk or a document in their order, with the documents and chunks that they lead to; both are NULL for a target that the store lacks
chunk_id: chunk with the links; NULL takes all of the document
document_id: document with the links; NULL does not compare it
uri: of the document; NULL does not compare it
store: schema of the store; NULL takes the setting passage.store (rag)';

CREATE FUNCTION passage.backlinks(
    chunk_id uuid DEFAULT NULL,
    document_id uuid DEFAULT NULL,
    uri text DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    kind text,
    text text,
    from_chunk uuid,
    from_document uuid,
    from_uri text,
    from_title text,
    to_chunk uuid,
    to_document uuid,
    to_uri text,
    to_title text,
    to_section text
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 20
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    schema CONSTANT name := _passage.linked_store(chunk_id, document_id, uri, store);
    documents uuid[];
    names text[];
BEGIN
    IF NOT _passage.has_links(schema, false) THEN
        RETURN;
    END IF;
    documents := _passage.linked_documents(document_id, uri, schema);
    IF chunk_id IS NOT NULL THEN
        EXECUTE format('SELECT coalesce(array_agg(c.document_id), ''{}'') FROM %I.chunks AS c WHERE c.id = $1 AND ($2 IS NULL OR c.document_id = ANY ($2))', schema)
            INTO documents USING chunk_id, documents;
    END IF;
    -- "from package import module" has the name of the package, which is the folder of the module.
    EXECUTE format($sql$
        SELECT array_agg(DISTINCT name) FROM (
            SELECT name FROM %1$I.documents AS d CROSS JOIN LATERAL (
                VALUES (passage.link_name(d.uri)), (passage.link_name(regexp_replace(_passage.link_path(d.uri), '/?[^/]*$', '')))) AS named (name)
            WHERE d.id = ANY ($1)
            UNION ALL
            SELECT l.to_name FROM %1$I.links AS l WHERE l.document_id = ANY ($1) AND l.kind = 'label'
        ) AS listed WHERE name <> ''$sql$, schema) INTO names USING documents;
    RETURN QUERY
        SELECT link.* FROM _passage.resolved_links(schema, NULL, NULL, coalesce(names, '{}')) AS link
        WHERE link.to_document = ANY (documents) AND link.from_document <> link.to_document AND (backlinks.chunk_id IS NULL OR link.to_chunk = backlinks.chunk_id);
END
$$;

COMMENT ON FUNCTION passage.backlinks(uuid, uuid, text, name) IS 'returns the links of other documents that lead to a chunk or a document
chunk_id: chunk to which the links lead; NULL takes all of the document
document_id: document to which the links lead; NULL does not compare it
uri: of the document; NULL does not compare it
store: schema of the store; NULL takes the setting passage.store (rag)';
