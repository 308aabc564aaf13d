-- Stored documents that write_documents replaces: it locks them, compares their chunks, and updates what differs.

CREATE FUNCTION _passage.must_have_written(relation text, expected bigint, written bigint, store name) RETURNS void
LANGUAGE c STABLE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'must_have_written_wrapper';

COMMENT ON FUNCTION _passage.must_have_written(text, bigint, bigint, name) IS 'raises an error if policies hid rows that had to be written, or if several rows have one id';

-- The outcome is replaced, unchanged or conflict, and kept the number of chunks of an unchanged document. A new split of the
-- stored text requires the rows that it was read from.

CREATE FUNCTION _passage.replace_document(store name, is_distributed boolean, document jsonb, OUT outcome text, OUT kept integer)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
AS $$
DECLARE
    n record;
    stored record;
    versions jsonb;
    written bigint;
BEGIN
    SELECT * INTO n FROM _passage.given_document(document);
    PERFORM _passage.use_store(store, is_distributed);
    IF is_distributed THEN
        -- Citus does not keep a shard for a statement that only locks rows. After a wait for a shard that moves here, a statement does
        -- not see its rows, so this one writes none.
        UPDATE documents AS d SET chunk_count = d.chunk_count WHERE d.id OPERATOR(pg_catalog.=) n.id AND d.chunk_count OPERATOR(pg_catalog.<) 0;
    END IF;
    SELECT d.content_hash::pg_catalog.bytea AS content_hash, d.orphaned_at IS NULL AS has_source, d.chunk_count::pg_catalog.int4 AS chunk_count,
        d.xmin::pg_catalog.text OPERATOR(pg_catalog.||) ' ' OPERATOR(pg_catalog.||) d.ctid::pg_catalog.text AS version
    INTO stored FROM documents AS d WHERE d.id OPERATOR(pg_catalog.=) n.id FOR NO KEY UPDATE;
    kept := stored.chunk_count;
    IF stored.has_source IS NULL THEN
        outcome := 'conflict';
    ELSIF n.row_version IS NOT NULL THEN
        SELECT pg_catalog.jsonb_object_agg(locked.id, locked.version) INTO versions FROM (
            SELECT c.id::pg_catalog.uuid AS id, c.xmin::pg_catalog.text OPERATOR(pg_catalog.||) ' ' OPERATOR(pg_catalog.||) c.ctid::pg_catalog.text AS version
            FROM chunks AS c WHERE c.document_id OPERATOR(pg_catalog.=) n.id ORDER BY c.ordinal FOR UPDATE) AS locked;
        outcome := CASE WHEN stored.version OPERATOR(pg_catalog.=) n.row_version AND coalesce(versions, '{}') OPERATOR(pg_catalog.=) coalesce(n.chunk_versions, '{}')
            AND (n.chunk_count IS NULL OR stored.chunk_count OPERATOR(pg_catalog.=) n.chunk_count) THEN 'replaced' ELSE 'conflict' END;
    ELSIF stored.has_source AND (stored.content_hash OPERATOR(pg_catalog.=) n.content_hash OR stored.content_hash OPERATOR(pg_catalog.=) n.other_hash) THEN
        outcome := 'unchanged';
    ELSIF n.is_compared AND coalesce(stored.content_hash, '') OPERATOR(pg_catalog.<>) coalesce(n.compared_hash, '') THEN
        outcome := 'conflict';
    ELSE
        outcome := 'replaced';
    END IF;
    IF outcome OPERATOR(pg_catalog.<>) 'replaced' THEN
        RETURN;
    END IF;

    IF n.row_version IS NULL THEN
        -- The source exists, so the document is not orphaned.
        UPDATE documents AS d SET title = n.title, media_type = n.media_type, source_media_type = n.source_media_type,
            content_hash = n.content_hash, chunk_count = n.chunks, metadata = n.metadata,
            orphaned_at = NULL, ingested_at = pg_catalog.now()
        WHERE d.id OPERATOR(pg_catalog.=) n.id;
    ELSE
        UPDATE documents AS d SET content_hash = n.content_hash, chunk_count = n.chunks, metadata = CASE
            WHEN n.without_key IS NULL THEN n.metadata
            ELSE n.metadata OPERATOR(pg_catalog.||) (d.metadata OPERATOR(pg_catalog.-) n.without_key) END
        WHERE d.id OPERATOR(pg_catalog.=) n.id;
    END IF;
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM _passage.must_have_written('documents', 1, written, store);
END
$$;

COMMENT ON FUNCTION _passage.replace_document(name, boolean, jsonb) IS 'locks a stored document, compares it, and updates it if it may be replaced';

-- Deletes chunks, or embeddings of chunks whose text changes.

CREATE FUNCTION _passage.delete_rows(store name, is_distributed boolean, relation text, stored uuid[], ids uuid[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    written bigint;
BEGIN
    PERFORM _passage.use_store(store, is_distributed);
    IF relation OPERATOR(pg_catalog.=) 'embeddings' THEN
        DELETE FROM embeddings AS e
        WHERE e.document_id OPERATOR(pg_catalog.=) ANY (stored) AND e.chunk_id OPERATOR(pg_catalog.=) ANY (delete_rows.ids);
    ELSE
        DELETE FROM chunks AS c
        WHERE c.document_id OPERATOR(pg_catalog.=) ANY (stored) AND c.id OPERATOR(pg_catalog.=) ANY (delete_rows.ids);
        GET DIAGNOSTICS written = ROW_COUNT;
        PERFORM _passage.must_have_written('chunks', pg_catalog.cardinality(delete_rows.ids), written, store);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.delete_rows(name, boolean, text, uuid[], uuid[]) IS 'deletes chunks, or their embeddings';

-- Updates stored chunks. PostgreSQL computes the text search vector again when a statement writes preambles. So preambles are
-- written alone, unless most chunks that move have another one. One statement moves all chunks: ordinals are unique at its
-- end, and chunks may exchange theirs.

CREATE FUNCTION _passage.update_chunks(
    store name, stored uuid[], stale integer[], moved integer[],
    document_ids uuid[], ids uuid[], ordinals integer[], levels integer[], kinds text[], units text[], preambles text[],
    tokens integer[], start_bytes integer[], end_bytes integer[], first_lines integer[], last_lines integer[], metadata text[]
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    is_joint CONSTANT boolean := cardinality(stale) > cardinality(moved) / 2;
    written bigint := 0;
BEGIN
    -- A kept plan may scan a long document for each of its chunks.
    PERFORM _passage.use_store(store, true);
    IF is_joint THEN
        moved := ARRAY(SELECT p.place FROM pg_catalog.unnest(stale) AS p (place) UNION SELECT p.place FROM pg_catalog.unnest(moved) AS p (place));
        UPDATE chunks AS c SET preamble = m.preamble, ordinal = m.ordinal, level = m.level, kind = m.kind, unit = m.unit, tokens = m.tokens,
            start_byte = m.start_byte, end_byte = m.end_byte, first_line = m.first_line, last_line = m.last_line,
            metadata = (c.metadata OPERATOR(pg_catalog.-) 'imports'::pg_catalog.text) OPERATOR(pg_catalog.||) m.metadata::pg_catalog.jsonb
        FROM pg_catalog.unnest(moved) AS p (place) JOIN unnest(document_ids, ids, ordinals, levels, kinds, units, preambles, update_chunks.tokens,
            start_bytes, end_bytes, first_lines, last_lines, update_chunks.metadata) WITH ORDINALITY
            AS m (document_id, id, ordinal, level, kind, unit, preamble, tokens, start_byte, end_byte, first_line, last_line, metadata, place)
            ON m.place OPERATOR(pg_catalog.=) p.place
        WHERE c.document_id OPERATOR(pg_catalog.=) ANY (stored) AND c.document_id OPERATOR(pg_catalog.=) m.document_id
            AND c.id OPERATOR(pg_catalog.=) m.id;
        GET DIAGNOSTICS written = ROW_COUNT;
    ELSIF stale IS NOT NULL THEN
        UPDATE chunks AS c SET preamble = m.preamble
        FROM pg_catalog.unnest(stale) AS p (place) JOIN unnest(document_ids, ids, preambles) WITH ORDINALITY
            AS m (document_id, id, preamble, place) ON m.place OPERATOR(pg_catalog.=) p.place
        WHERE c.document_id OPERATOR(pg_catalog.=) ANY (stored) AND c.document_id OPERATOR(pg_catalog.=) m.document_id
            AND c.id OPERATOR(pg_catalog.=) m.id;
    END IF;
    IF moved IS NOT NULL AND is_joint IS NOT TRUE THEN
        UPDATE chunks AS c SET ordinal = m.ordinal, level = m.level, kind = m.kind, unit = m.unit, tokens = m.tokens,
            start_byte = m.start_byte, end_byte = m.end_byte, first_line = m.first_line, last_line = m.last_line,
            metadata = (c.metadata OPERATOR(pg_catalog.-) 'imports'::pg_catalog.text) OPERATOR(pg_catalog.||) m.metadata::pg_catalog.jsonb
        FROM pg_catalog.unnest(moved) AS p (place) JOIN unnest(document_ids, ids, ordinals, levels, kinds, units, update_chunks.tokens,
            start_bytes, end_bytes, first_lines, last_lines, update_chunks.metadata) WITH ORDINALITY
            AS m (document_id, id, ordinal, level, kind, unit, tokens, start_byte, end_byte, first_line, last_line, metadata, place)
            ON m.place OPERATOR(pg_catalog.=) p.place
        WHERE c.document_id OPERATOR(pg_catalog.=) ANY (stored) AND c.document_id OPERATOR(pg_catalog.=) m.document_id
            AND c.id OPERATOR(pg_catalog.=) m.id;
        GET DIAGNOSTICS written = ROW_COUNT;
    END IF;
    IF written OPERATOR(pg_catalog.<) pg_catalog.cardinality(moved) THEN
        -- A policy may hide chunks whose ordinals stay.
        SELECT pg_catalog.count(*) INTO written
        FROM pg_catalog.unnest(moved) AS p (place)
        JOIN unnest(document_ids, ids, ordinals) WITH ORDINALITY AS m (document_id, id, ordinal, place) ON m.place OPERATOR(pg_catalog.=) p.place
        JOIN chunks AS c ON c.document_id OPERATOR(pg_catalog.=) m.document_id AND c.id OPERATOR(pg_catalog.=) m.id AND c.ordinal OPERATOR(pg_catalog.=) m.ordinal
        WHERE c.document_id OPERATOR(pg_catalog.=) ANY (stored);
        PERFORM _passage.must_have_written('chunks', pg_catalog.cardinality(moved), written, store);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.update_chunks(name, uuid[], integer[], integer[], uuid[], uuid[], integer[], integer[], text[], text[], text[], integer[], integer[], integer[], integer[], integer[], text[]) IS 'updates the preambles and positions of stored chunks';

-- embedded has the places of chunks with new embeddings. The numbers are those of chunks that stay, of those that are
-- updated, and of those that are inserted and deleted.

CREATE FUNCTION _passage.replace_chunks(
    store name, operation text, is_distributed boolean, stored uuid[], with_given_ids uuid[], with_metadata boolean, embedded integer[],
    document_ids uuid[], ids uuid[], ordinals integer[], levels integer[], sections text[], kinds text[], units text[], contents text[],
    preambles text[], tokens integer[], start_bytes integer[], end_bytes integer[], first_lines integer[], last_lines integer[],
    metadata text[],
    OUT kept integer, OUT moved integer, OUT added integer, OUT removed integer
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
SET enable_nestloop = off
SET jit = off
AS $$
DECLARE
    change record;
    are_new boolean[];
    outdated uuid[];
BEGIN
    PERFORM _passage.must_allow_write(operation, 'chunks', 'SELECT', store);
    SELECT c.* INTO change FROM _passage.chunk_changes(store, is_distributed, stored, with_given_ids, with_metadata,
        document_ids, ids, ordinals, levels, sections, kinds, units, contents, preambles, tokens, start_bytes, end_bytes, first_lines,
        last_lines, metadata) AS c;
    kept := coalesce(cardinality(change.kept), 0);
    added := cardinality(array_remove(document_ids, NULL)) - kept;
    removed := coalesce(cardinality(change.obsolete), 0);
    moved := 0;
    IF removed > 0 THEN
        PERFORM _passage.must_allow_write(operation, 'chunks', 'DELETE', store);
        PERFORM _passage.delete_rows(store, is_distributed, 'chunks', stored, change.obsolete);
    END IF;
    IF change.stale IS NOT NULL OR kept > 0 AND embedded IS NOT NULL THEN
        outdated := ARRAY(
            SELECT ids[p.place] FROM unnest(change.stale) AS p (place)
            UNION SELECT ids[p.place] FROM unnest(embedded) AS p (place) JOIN unnest(change.kept) AS k (place) ON k.place = p.place);
        IF outdated <> '{}' AND _passage.has_embeddings(store) THEN
            PERFORM _passage.must_allow_write(operation, 'embeddings', 'DELETE', store);
            PERFORM _passage.delete_rows(store, is_distributed, 'embeddings', stored, outdated);
        END IF;
    END IF;
    IF change.stale IS NOT NULL OR change.moved IS NOT NULL THEN
        PERFORM _passage.must_allow_write(operation, 'chunks', 'UPDATE', store);
        PERFORM _passage.update_chunks(store, stored, change.stale, change.moved, document_ids, ids, ordinals, levels, kinds, units, preambles,
            tokens, start_bytes, end_bytes, first_lines, last_lines, metadata);
        moved := (SELECT count(*) FROM (SELECT unnest(change.stale) UNION SELECT unnest(change.moved)) AS updated);
    END IF;
    IF added > 0 THEN
        IF kept > 0 THEN
            are_new := ARRAY(
                SELECT k.place IS NULL FROM generate_series(1, cardinality(ids)) AS m (place)
                LEFT JOIN unnest(change.kept) AS k (place) ON k.place = m.place ORDER BY m.place);
        END IF;
        PERFORM _passage.insert_chunks(store, operation, is_distributed, are_new, document_ids, ids, ordinals, levels, sections, kinds, units,
            contents, preambles, tokens, start_bytes, end_bytes, first_lines, last_lines, metadata);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.replace_chunks(name, text, boolean, uuid[], uuid[], boolean, integer[], uuid[], uuid[], integer[], integer[], text[], text[], text[], text[], text[], integer[], integer[], integer[], integer[], integer[], text[]) IS 'replaces the chunks of stored documents, and returns the numbers of chunks';
