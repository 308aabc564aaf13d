-- Chunks that links connect with a chunk or a document: those that it links to, those that link to it, and those that link to the
-- same targets.

-- A target counts the less the more chunks or documents link to it, by the index of Adamic and Adar: 1 / ln(number). A link between
-- the two counts like a target that they alone have. Targets of more than 1,000 links, as in a menu, say nothing. `target` tells the
-- reasons apart, so that several links of a document for one reason count once.

CREATE FUNCTION _passage.shared_links(store name, of_chunk uuid, of_document uuid) RETURNS TABLE (document_id uuid, chunk_id uuid, target text, weight double precision)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 20
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    -- The links that the caller may see, of documents that have their source.
    visible CONSTANT text := format('FROM %1$I.links AS l JOIN %1$I.documents AS d ON d.id = l.document_id JOIN %1$I.chunks AS c ON c.document_id = l.document_id AND c.id = l.from_chunk '
        'WHERE d.orphaned_at IS NULL AND l.kind <> ''label''', store);
BEGIN
    IF NOT _passage.has_links(store, false) THEN
        RETURN;
    END IF;
    RETURN QUERY
        SELECT l.to_document, l.to_chunk, '>', 1 / ln(2::double precision) FROM passage.links(of_chunk, of_document, store => store) AS l
        WHERE l.to_chunk IS NOT NULL AND l.to_document IS DISTINCT FROM of_document AND l.to_chunk IS DISTINCT FROM of_chunk
        UNION ALL
        SELECT l.from_document, l.from_chunk, '<', 1 / ln(2::double precision) FROM passage.backlinks(of_chunk, of_document, store => store) AS l;
    RETURN QUERY EXECUTE format($sql$
        WITH target AS MATERIALIZED (
            SELECT DISTINCT l.to_uri, l.to_name, d.collection, d.version %1$s AND (l.from_chunk = $1 OR l.document_id = $2) AND l.to_uri <> ''
        ), sharing AS MATERIALIZED (
            SELECT target.to_uri, other.* FROM target CROSS JOIN LATERAL (
                SELECT l.document_id, l.from_chunk %1$s AND l.to_name = target.to_name AND l.to_uri = target.to_uri
                    -- A path leads to a document of the same collection and version.
                    AND (l.to_uri ~ '^[A-Za-z][A-Za-z0-9+.-]*:' OR d.collection = target.collection AND d.version = target.version)
                LIMIT 1001
            ) AS other
        ), counted AS (
            SELECT to_uri, count(DISTINCT CASE WHEN $2 IS NULL THEN from_chunk ELSE document_id END) AS number FROM sharing GROUP BY 1 HAVING count(*) <= 1000
        )
        SELECT DISTINCT document_id, from_chunk, to_uri, 1 / ln(number::double precision) FROM sharing JOIN counted USING (to_uri)
        WHERE number > 1 AND document_id IS DISTINCT FROM $2 AND from_chunk IS DISTINCT FROM $1$sql$, visible)
    USING of_chunk, of_document;
END
$$;

COMMENT ON FUNCTION _passage.shared_links(name, uuid, uuid) IS 'chunks that links connect with a chunk or a document, with the reason and its weight';
