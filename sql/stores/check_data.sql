-- check_store with data => true: problems in the rows of a store, with document and count.
--
-- A section needs no chunk of its own before its members: the splitter may merge it with the first one, and an
-- array begins with its first item. But a chunk of a container in code is its head or its closing part, so no
-- member precedes the first such chunk. C++ is different: methods are often defined outside of their class, and a
-- comment between two of them belongs to the class.

CREATE FUNCTION _passage.data_problems(store name)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    available CONSTANT text[] := coalesce(_passage.matching_columns(store), '{}');
    is_adopted CONSTANT boolean := _passage.adoption(store) IS NOT NULL;
    has_views CONSTANT boolean := EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks' AND relkind NOT IN ('r', 'p'));
    of_program CONSTANT text := CASE WHEN is_adopted THEN 'Let the program that writes the adopted table write the rows again.'
        ELSE 'Let the program that writes the tables of the views write the rows again.' END;
    -- Templates with the id of the document. A document whose hash is that of its source is not written again. Then its
    -- chunks get their positions. The id of a chunk is that of its section and content, so these are not compared.
    again CONSTANT text := CASE WHEN has_views THEN of_program
        WHEN available @> '{documents.content_hash}' THEN
            replace(format('UPDATE %I.documents SET content_hash = NULL WHERE id = ', store), '%', '%%') || '%1$L; -- Then ingest the document again.'
        ELSE 'Remove the document and ingest it again.' END;
    without_chunks CONSTANT text := CASE WHEN again LIKE 'UPDATE%' THEN
        replace(format('DELETE FROM %I.chunks WHERE document_id = ', store), '%', '%%') || '%1$L; ' ELSE '' END || again;
    placement CONSTANT jsonb := _passage.store_placement(store);
    -- Citus joins only rows of one document. A foreign key ensures that both name the same.
    is_spread CONSTANT boolean := _passage.is_spread_by_document(placement);
BEGIN
    IF NOT available @> '{chunks.id,chunks.document_id,chunks.ordinal,chunks.content}' THEN
        RETURN;
    END IF;

    RETURN QUERY EXECUTE format($query$
        SELECT 'document ' || document_id,
            format('ordinals are not dense from 0: %%s chunks from %%s to %%s', count(*), min(ordinal), max(ordinal)), format($1, document_id)
        FROM %I.chunks
        GROUP BY document_id
        HAVING min(ordinal) <> 0 OR max(ordinal) + 1::bigint <> count(*) OR count(DISTINCT ordinal) <> count(*)
        ORDER BY document_id
        $query$, store) USING again;

    -- Splitters of frameworks drop white space and repeat the end of a chunk.
    IF available @> '{chunks.start_byte,chunks.end_byte}' AND NOT is_adopted THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || document_id, 'spans that do not touch the previous span: ' || count(*), format($1, document_id)
            FROM (
                SELECT document_id, start_byte <> lag(end_byte) OVER (PARTITION BY document_id ORDER BY ordinal) AS apart
                FROM %I.chunks
            ) AS spans
            WHERE apart
            GROUP BY document_id
            ORDER BY document_id
            $query$, store) USING again;
    END IF;

    IF available @> '{chunks.start_byte,chunks.end_byte}' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || document_id, 'spans of another length than their content: ' || count(*), format($1, document_id)
            FROM %I.chunks
            WHERE end_byte::bigint - start_byte <> octet_length(content::text)
            GROUP BY document_id
            ORDER BY document_id
            $query$, store) USING without_chunks;
    END IF;

    IF available @> '{chunks.section,chunks.kind,chunks.unit,documents.id,documents.media_type}' THEN
        RETURN QUERY EXECUTE format($query$
            WITH opened AS (
                SELECT document_id, section, min(ordinal) AS first, min(ordinal) FILTER (WHERE unit = 'container') AS head
                FROM %1$I.chunks
                WHERE kind = 'code' AND EXISTS (
                    SELECT FROM %1$I.documents
                    WHERE documents.id = document_id AND coalesce(media_type, '') <> ALL ('{text/x-c,text/x-c++}'))
                GROUP BY document_id, section
            )
            SELECT 'document ' || child.document_id, 'sections before the head of their container: ' || count(*), format($1, child.document_id)
            FROM opened AS child
            JOIN opened AS parent ON parent.document_id = child.document_id
                AND parent.section = child.section[:cardinality(child.section) - 1]
                AND parent.head > child.first
            WHERE cardinality(child.section) > 1
            GROUP BY child.document_id
            ORDER BY child.document_id
            $query$, store) USING without_chunks;
    END IF;

    IF available @> '{documents.id}' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || document_id, 'chunks of a missing document: ' || count(*),
                format('DELETE FROM %%I.chunks WHERE document_id = %%L;', $1, document_id)
            FROM %1$I.chunks
            WHERE NOT EXISTS (SELECT FROM %1$I.documents WHERE documents.id = chunks.document_id)
            GROUP BY document_id
            ORDER BY document_id
            $query$, store) USING store;
    END IF;

    IF available @> '{documents.id,documents.chunk_count}' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || documents.id, format('chunk_count is %%s, but there are %%s chunks', chunk_count, coalesce(counted, 0)),
                format('UPDATE %%I.documents SET chunk_count = %%s WHERE id = %%L;', $1, coalesce(counted, 0), documents.id)
            FROM %1$I.documents
            LEFT JOIN (SELECT document_id, count(*) FROM %1$I.chunks GROUP BY document_id) AS counts (document_id, counted)
                ON document_id = documents.id
            WHERE chunk_count <> coalesce(counted, 0)
            ORDER BY documents.id
            $query$, store) USING store;
    END IF;

    -- Other layouts have a unique index.
    IF available @> '{documents.id,documents.uri,documents.collection,documents.version}' AND placement = '{"distributed": "document"}' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || min(id::text), format('uri, collection and version are those of %%s documents', count(*)),
                format('Compare %%s, and delete all but one of them.', string_agg(id::text, ', ' ORDER BY id))
            FROM %I.documents
            GROUP BY uri, collection, version
            HAVING count(*) > 1
            ORDER BY 1
            $query$, store);
    END IF;

    IF available @> '{embeddings.chunk_id,embeddings.document_id}' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || chunks.document_id,
                format('chunks without an embedding: %%s of %%s', count(*) FILTER (WHERE is_missing), count(*)), $1
            FROM %1$I.chunks LEFT JOIN %1$I.embeddings ON chunk_id = chunks.id%2$s
            CROSS JOIN LATERAL (SELECT chunk_id IS NULL AND NOT _passage.is_encoded_data(content)) AS embedding (is_missing)
            GROUP BY chunks.document_id
            HAVING count(*) FILTER (WHERE is_missing) > 0
            ORDER BY chunks.document_id
            $query$, store, CASE WHEN is_spread THEN ' AND embeddings.document_id = chunks.document_id' END)
            USING CASE WHEN has_views THEN of_program
                ELSE format('Run passage embed. Without the client, INSERT the missing rows into %I.embeddings (chunk_id, document_id, embedding).', store) END;
    END IF;

    RETURN QUERY
        SELECT 'document ' || from_document, 'links to documents or sections that the store lacks: ' || count(*),
            format('SELECT * FROM passage.links(document_id => %L, store => %L) WHERE to_chunk IS NULL; lists them.', from_document, store)
        FROM _passage.resolved_links(store, NULL, NULL, NULL)
        -- A module and a label such as python:tutorial can belong to another project, and an address to another site.
        WHERE to_chunk IS NULL AND kind IN ('link', 'wiki', 'reference') AND (to_document IS NOT NULL OR strpos(to_uri, '://') = 0)
            AND (kind <> 'reference' OR strpos(to_section, ':') = 0)
        GROUP BY from_document
        ORDER BY from_document;

    IF available @> '{ratings.chunk_id}' AND NOT has_views THEN
        RETURN QUERY EXECUTE format($query$
            SELECT $1, 'ratings of chunks that the store lacks: ' || count(*), $2
            FROM %1$I.ratings WHERE NOT EXISTS (SELECT FROM %1$I.chunks WHERE chunks.id = ratings.chunk_id)
            HAVING count(*) > 0
            $query$, store)
            USING format('%I.ratings', store),
                format('DELETE FROM %1$I.ratings WHERE NOT EXISTS (SELECT FROM %1$I.chunks WHERE chunks.id = ratings.chunk_id);', store);
    END IF;

    IF available @> '{embeddings.chunk_id,embeddings.document_id}' AND NOT is_spread THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || chunks.document_id, 'embeddings that name another document: ' || count(*), format($1, chunks.document_id)
            FROM %1$I.chunks JOIN %1$I.embeddings ON chunk_id = chunks.id
            WHERE embeddings.document_id <> chunks.document_id
            GROUP BY chunks.document_id
            ORDER BY chunks.document_id
            $query$, store)
            USING CASE WHEN has_views THEN of_program ELSE replace(format('UPDATE %1$I.embeddings SET document_id = chunks.document_id FROM %1$I.chunks '
                'WHERE chunks.id = chunk_id AND embeddings.document_id <> chunks.document_id AND chunks.document_id = ', store), '%', '%%') || '%L;' END;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.data_problems(name) IS 'problems in the rows of a store';

-- Checks a store of another role. That role could replace a table with a view during the call, so a
-- setting restricts the function to tables.

CREATE FUNCTION _passage.restricted_data_problems(store name)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT * FROM _passage.data_problems(store)
$$;

COMMENT ON FUNCTION _passage.restricted_data_problems(name) IS 'problems in the rows of a store of another role, from tables alone';
