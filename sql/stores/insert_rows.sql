-- The rows that write_documents inserts.

-- The id of the document of each chunk, NULL for a document that is NULL or not in the batch.

CREATE FUNCTION _passage.ids_of_chunks(places integer[], document_ids uuid[], batch uuid[] DEFAULT NULL) RETURNS uuid[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF cardinality(document_ids) = 1 THEN
        RETURN array_fill(document_ids[1], ARRAY[cardinality(places)]);
    END IF;
    RETURN ARRAY(
        SELECT CASE WHEN batch IS NULL OR document_ids[m.document] = ANY (batch) THEN document_ids[m.document] END
        FROM unnest(places) WITH ORDINALITY AS m (document, place) ORDER BY m.place);
END
$$;

COMMENT ON FUNCTION _passage.ids_of_chunks(integer[], uuid[], uuid[]) IS 'ids of the documents of chunks, by the places of the documents';

CREATE FUNCTION _passage.insert_document(store name, is_distributed boolean, document jsonb) RETURNS boolean
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
AS $$
DECLARE
    n record;
BEGIN
    SELECT * INTO n FROM _passage.given_document(document);
    PERFORM _passage.use_store(store, is_distributed);
    -- A store of an earlier layout has no column source_row.
    IF n.source_row IS NULL THEN
        INSERT INTO documents (id, collection, version, uri, title, media_type, source_media_type, content_hash, chunk_count, metadata)
        VALUES (n.id, n.collection, n.version, n.uri, n.title, n.media_type, n.source_media_type, n.content_hash, n.chunks, n.metadata)
        ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO documents (id, collection, version, uri, title, media_type, source_media_type, content_hash, chunk_count, metadata, source_row)
        VALUES (n.id, n.collection, n.version, n.uri, n.title, n.media_type, n.source_media_type, n.content_hash, n.chunks, n.metadata, n.source_row)
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN FOUND;
END
$$;

COMMENT ON FUNCTION _passage.insert_document(name, boolean, jsonb) IS 'inserts a document, and returns false if its identity or its id exists';

-- Inserts the new chunks of documents. A chunk whose document is NULL belongs to a document that is not written.
--
-- In a store that Citus distributes, each statement inserts the chunks of one document. Citus copies rows of no shard to a
-- table, which policies forbid, so in a store that is spread by document the rows come from the shard of the document.

CREATE FUNCTION _passage.insert_chunks(
    store name, operation text, is_distributed boolean, are_new boolean[],
    document_ids uuid[], ids uuid[], ordinals integer[], levels integer[], sections text[], kinds text[], units text[], contents text[],
    preambles text[], tokens integer[], start_bytes integer[], end_bytes integer[], first_lines integer[], last_lines integer[],
    metadata text[]
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
SET jit = off
AS $$
DECLARE
    is_spread boolean;
    document uuid;
BEGIN
    PERFORM _passage.must_allow_write(operation, 'chunks', 'INSERT', store);
    IF is_distributed THEN
        is_spread := _passage.is_spread_by_document(_passage.store_placement(store));
        FOR document IN SELECT DISTINCT m.document_id FROM unnest(document_ids) AS m (document_id) WHERE m.document_id IS NOT NULL LOOP
            EXECUTE format(
                'INSERT INTO %I.chunks (document_id, id, ordinal, level, section, kind, unit, content, preamble, tokens, start_byte, end_byte, '
                'first_line, last_line, metadata) '
                'SELECT %s, m.id, m.ordinal, m.level, m.section::text[], m.kind, m.unit, m.content, m.preamble, m.tokens, m.start_byte, m.end_byte, '
                'm.first_line, m.last_line, m.metadata::jsonb FROM %s unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) AS m '
                '(document_id, id, ordinal, level, section, kind, unit, content, preamble, tokens, start_byte, end_byte, first_line, last_line, metadata, '
                'is_new) WHERE m.document_id = $1 AND m.is_new IS NOT FALSE%s',
                store, CASE WHEN is_spread THEN 'd.id' ELSE 'm.document_id' END, CASE WHEN is_spread THEN format('%I.documents AS d,', store) END,
                CASE WHEN is_spread THEN ' AND d.id = $1' END)
            USING document, document_ids, ids, ordinals, levels, sections, kinds, units, contents, preambles, tokens, start_bytes, end_bytes,
                first_lines, last_lines, metadata, are_new;
        END LOOP;
        RETURN;
    END IF;
    PERFORM _passage.use_store(store, is_distributed);
    INSERT INTO chunks (document_id, id, ordinal, level, section, kind, unit, content, preamble, tokens, start_byte, end_byte,
        first_line, last_line, metadata)
    SELECT m.document_id, m.id, m.ordinal, m.level, m.section::pg_catalog.text[], m.kind, m.unit, m.content, m.preamble, m.tokens,
        m.start_byte, m.end_byte, m.first_line, m.last_line, m.metadata::pg_catalog.jsonb
    FROM unnest(document_ids, ids, ordinals, levels, sections, kinds, units, contents, preambles, tokens, start_bytes, end_bytes, first_lines,
        last_lines, metadata, are_new)
        AS m (document_id, id, ordinal, level, section, kind, unit, content, preamble, tokens, start_byte, end_byte, first_line, last_line,
            metadata, is_new)
    WHERE m.document_id IS NOT NULL AND m.is_new IS NOT FALSE;
END
$$;

COMMENT ON FUNCTION _passage.insert_chunks(name, text, boolean, boolean[], uuid[], uuid[], integer[], integer[], text[], text[], text[], text[], text[], integer[], integer[], integer[], integer[], integer[], text[]) IS 'inserts chunks of documents';

-- The embeddings are of the type of the column, or of one that PostgreSQL casts to it: vector, halfvec or text. Citus fails to
-- add this cast itself, because the function of pgvector has other arguments.

CREATE FUNCTION _passage.insert_embeddings(
    store name, operation text, is_distributed boolean, places integer[], document_ids uuid[], ids uuid[], embeddings anyarray
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_spread CONSTANT boolean := is_distributed AND _passage.is_spread_by_document(_passage.store_placement(store));
    sql_type CONSTANT text := (
        SELECT format_type(atttypid, atttypmod) FROM pg_attribute
        WHERE attrelid = to_regclass(format('%I.embeddings', store)) AND attname = 'embedding' AND NOT attisdropped);
    document uuid;
BEGIN
    PERFORM _passage.must_allow_write(operation, 'embeddings', 'INSERT', store);
    FOR document IN SELECT DISTINCT CASE WHEN is_distributed THEN document_ids[n.place] END FROM unnest(places) AS n (place) LOOP
        EXECUTE format(
            'INSERT INTO %I.embeddings (chunk_id, document_id, embedding) SELECT m.id, %s, n.embedding::%s '
            'FROM %s unnest($2, $3) AS n (place, embedding) JOIN unnest($4, $5) WITH ORDINALITY AS m (document_id, id, place) ON m.place = n.place '
            'WHERE m.document_id IS NOT NULL%s',
            store, CASE WHEN is_spread THEN 'd.id' ELSE 'm.document_id' END, sql_type, CASE WHEN is_spread THEN format('%I.documents AS d,', store) END,
            concat(CASE WHEN is_distributed THEN ' AND m.document_id = $1' END, CASE WHEN is_spread THEN ' AND d.id = $1' END))
        USING document, places, embeddings, document_ids, ids;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.insert_embeddings(name, text, boolean, integer[], uuid[], uuid[], anyarray) IS 'inserts the embeddings of the chunks at some places';
