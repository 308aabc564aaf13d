-- Changes: what of a document is new, has moved or lacks an embedding, compared with the store.
--
-- Callers pass documents as a JSON array with an object for each, and their chunks as arrays, one for each column of
-- chunks that a writer knows. The chunks of a document follow one another in its order. A section is the text of an
-- array, since SQL has no ragged arrays, and metadata the text of a JSON object.
--
-- PostgreSQL keeps the plan of a statement of PL/pgSQL, but plans a text again at each EXECUTE, which takes longer than
-- writing a small document. So statements name the tables of a store without its schema, and use_store puts the schema
-- after pg_catalog on the search_path of the function. After it operators, functions and types have their schema, because one of
-- the store could be preferred for a domain. So no statement compares columns with IS DISTINCT FROM, which finds its operator by
-- the path. Columns are not cast to types that PostgreSQL would parse from a text, since the error shows the text. (PostgreSQL
-- gives unnest of several arrays its schema itself, and allows none.)

CREATE FUNCTION _passage.use_store(store name, is_distributed boolean) RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN pg_catalog.concat(
    pg_catalog.set_config('search_path', pg_catalog.concat('pg_catalog, ', pg_catalog.quote_ident(store::pg_catalog.text), ', pg_temp'), true),
    pg_catalog.set_config('plan_cache_mode', CASE WHEN is_distributed THEN 'force_custom_plan' ELSE 'force_generic_plan' END, true));

COMMENT ON FUNCTION _passage.use_store(name, boolean) IS 'puts a store on the search_path until the end of the function that calls this one';

CREATE FUNCTION _passage.is_distributed(store name) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AND EXISTS (SELECT FROM _passage.distributed_relations(store));
END
$$;

COMMENT ON FUNCTION _passage.is_distributed(name) IS 'whether Citus distributes a store';

CREATE FUNCTION _passage.given_document(document jsonb)
RETURNS TABLE (
    id uuid, collection text, version text, uri text, title text, media_type text, source_media_type text, content_hash bytea,
    chunks integer, metadata jsonb, source_row jsonb,
    -- Whether the store has the document with this id, and the content hash that it must still have, if that is compared.
    is_stored boolean, is_compared boolean, compared_hash bytea,
    -- The content hash of another version that need not be replaced.
    other_hash bytea,
    -- Whether the ids of chunks are given, so they do not imply section, content and metadata.
    has_given_ids boolean,
    -- For a new split of the stored text: the versions of the rows that it was read from, and its number of chunks.
    -- Columns that describe the source stay. With a key, metadata are added to the stored ones without that key.
    row_version text, chunk_versions jsonb, chunk_count integer, without_key text
)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    SELECT n.* FROM pg_catalog.jsonb_to_record(document) AS n (
        id pg_catalog.uuid, collection pg_catalog.text, version pg_catalog.text, uri pg_catalog.text, title pg_catalog.text,
        media_type pg_catalog.text, source_media_type pg_catalog.text, content_hash pg_catalog.bytea, chunks pg_catalog.int4,
        metadata pg_catalog.jsonb, source_row pg_catalog.jsonb, is_stored pg_catalog.bool, is_compared pg_catalog.bool,
        compared_hash pg_catalog.bytea, other_hash pg_catalog.bytea, has_given_ids pg_catalog.bool, row_version pg_catalog.text,
        chunk_versions pg_catalog.jsonb, chunk_count pg_catalog.int4, without_key pg_catalog.text);
END;

COMMENT ON FUNCTION _passage.given_document(jsonb) IS 'a document that a call compares or writes';

CREATE FUNCTION _passage.has_embeddings(store name) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (
    SELECT FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid OPERATOR(pg_catalog.=) relnamespace
    WHERE nspname OPERATOR(pg_catalog.=) store AND relname OPERATOR(pg_catalog.=) 'embeddings');

COMMENT ON FUNCTION _passage.has_embeddings(name) IS 'whether a store has embeddings';

-- Compares the stored chunks of documents with given ones: the ids of obsolete stored chunks, and the places of the given
-- chunks that keep their rows, of those with another preamble, and of those that move. An id implies section and content,
-- unless the ids of the document are given; with_metadata compares metadata too.
--
-- A nested loop could scan a long document for each chunk, since the plan is kept.

CREATE FUNCTION _passage.chunk_changes(
    store name, is_distributed boolean, stored uuid[], with_given_ids uuid[], with_metadata boolean,
    document_ids uuid[], ids uuid[], ordinals integer[], levels integer[], sections text[], kinds text[], units text[], contents text[],
    preambles text[], tokens integer[], start_bytes integer[], end_bytes integer[], first_lines integer[], last_lines integer[],
    metadata text[],
    OUT obsolete uuid[], OUT kept integer[], OUT stale integer[], OUT moved integer[]
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
SET enable_seqscan = off
SET enable_nestloop = off
SET jit = off
AS $$
BEGIN
    PERFORM _passage.use_store(store, is_distributed);
    SELECT pg_catalog.array_agg(change.id) FILTER (WHERE NOT change.is_kept),
        pg_catalog.array_agg(change.place) FILTER (WHERE change.is_kept),
        pg_catalog.array_agg(change.place) FILTER (WHERE change.is_kept AND change.is_stale),
        pg_catalog.array_agg(change.place) FILTER (WHERE change.is_kept AND change.is_moved)
    INTO obsolete, kept, stale, moved
    FROM (
        SELECT c.id::pg_catalog.uuid AS id, m.place::pg_catalog.int4 AS place,
            m.place IS NOT NULL AND NOT (c.document_id OPERATOR(pg_catalog.=) ANY (with_given_ids) AND (
                (ROW (coalesce(c.section, '{}'), c.content) OPERATOR(pg_catalog.=) ROW (m.section::pg_catalog.text[], m.content)) IS NOT TRUE
                OR with_metadata AND (c.metadata OPERATOR(pg_catalog.-) 'imports'::pg_catalog.text
                    OPERATOR(pg_catalog.=) (m.metadata::pg_catalog.jsonb OPERATOR(pg_catalog.-) 'imports'::pg_catalog.text)) IS NOT TRUE)) AS is_kept,
            coalesce(c.preamble, '') OPERATOR(pg_catalog.<>) m.preamble AS is_stale,
            (ROW (c.ordinal, coalesce(c.level, -1), coalesce(c.kind, ''), coalesce(c.unit, ''), coalesce(c.tokens, -1), coalesce(c.start_byte, -1),
                coalesce(c.end_byte, -1), coalesce(c.first_line, -1), coalesce(c.last_line, -1),
                coalesce(c.metadata OPERATOR(pg_catalog.->) 'imports'::pg_catalog.text, 'null'))
            OPERATOR(pg_catalog.=) ROW (m.ordinal, m.level, m.kind, m.unit, coalesce(m.tokens, -1), coalesce(m.start_byte, -1),
                coalesce(m.end_byte, -1), coalesce(m.first_line, -1), coalesce(m.last_line, -1),
                coalesce(m.metadata::pg_catalog.jsonb OPERATOR(pg_catalog.->) 'imports'::pg_catalog.text, 'null'))) IS NOT TRUE AS is_moved
        FROM chunks AS c LEFT JOIN unnest(document_ids, ids, ordinals, levels, sections, kinds, units, contents, preambles, chunk_changes.tokens,
            start_bytes, end_bytes, first_lines, last_lines, chunk_changes.metadata) WITH ORDINALITY
            AS m (document_id, id, ordinal, level, section, kind, unit, content, preamble, tokens, start_byte, end_byte, first_line, last_line,
                metadata, place)
            ON m.document_id OPERATOR(pg_catalog.=) c.document_id AND m.id OPERATOR(pg_catalog.=) c.id
        WHERE c.document_id OPERATOR(pg_catalog.=) ANY (stored)
    ) AS change;
END
$$;

COMMENT ON FUNCTION _passage.chunk_changes(name, boolean, uuid[], uuid[], boolean, uuid[], uuid[], integer[], integer[], text[], text[], text[], text[], text[], integer[], integer[], integer[], integer[], integer[], text[]) IS 'differences of the stored chunks of documents from given ones';

-- must_allow_write remembers the command for the HINT of a policy that refuses it.

CREATE FUNCTION _passage.must_allow_write(operation text, relation text, command text, store name) RETURNS void
LANGUAGE c STABLE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'must_allow_write_wrapper';

COMMENT ON FUNCTION _passage.must_allow_write(text, text, text, name) IS 'raises the error of refuse if the role lacks the right to a command of a writing operation';

-- The stored documents with some of these uris, collections and versions. The store is a text, because an argument of the
-- type name would give all parameters the collation of that type, and no index on the columns has it.

CREATE FUNCTION _passage.stored_documents(store text, operation text, uris text[], collections text[], versions text[])
RETURNS TABLE (id uuid, uri text, collection text, version text, content_hash bytea, is_orphan boolean, chunk_count integer)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 10
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    is_distributed CONSTANT boolean := _passage.is_distributed(store::name);
BEGIN
    PERFORM _passage.must_allow_write(operation, 'documents', 'SELECT', store::name);
    PERFORM _passage.use_store(store::name, is_distributed);
    RETURN QUERY
    SELECT d.id::pg_catalog.uuid, d.uri::pg_catalog.text, d.collection::pg_catalog.text, d.version::pg_catalog.text,
        d.content_hash::pg_catalog.bytea, d.orphaned_at IS NOT NULL, d.chunk_count::pg_catalog.int4
    FROM documents AS d
    WHERE d.uri OPERATOR(pg_catalog.=) ANY (uris) AND d.collection OPERATOR(pg_catalog.=) ANY (collections)
        AND d.version OPERATOR(pg_catalog.=) ANY (versions);
END
$$;

COMMENT ON FUNCTION _passage.stored_documents(text, text, text[], text[], text[]) IS 'documents of a store with these identities';

-- Compares a stored document with a given one. is_same: the store has all values but the content hash and the time of the
-- ingest. kept: the places of the chunks that keep their rows. unembedded: the places of those without an embedding of their
-- text.

CREATE FUNCTION _passage.document_changes(
    store name, document jsonb,
    ids uuid[], ordinals integer[], levels integer[], sections text[], kinds text[], units text[], contents text[], preambles text[],
    tokens integer[], start_bytes integer[], end_bytes integer[], first_lines integer[], last_lines integer[], metadata text[],
    OUT is_same boolean, OUT kept integer[], OUT unembedded integer[]
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET enable_nestloop = off
SET jit = off
AS $$
DECLARE
    n record;
    change record;
    embedded uuid[];
BEGIN
    PERFORM _passage.must_allow_write('load', 'chunks', 'SELECT', store);
    SELECT * INTO n FROM _passage.given_document(document);
    SELECT * INTO change FROM _passage.chunk_changes(store, _passage.is_distributed(store), ARRAY[n.id],
        CASE WHEN n.has_given_ids THEN ARRAY[n.id] ELSE '{}' END, true, array_fill(n.id, ARRAY[cardinality(ids)]),
        ids, ordinals, levels, sections, kinds, units, contents, preambles, tokens, start_bytes, end_bytes, first_lines, last_lines,
        metadata) AS c;
    kept := coalesce(change.kept, '{}');
    is_same := cardinality(kept) = cardinality(ids) AND change.obsolete IS NULL AND change.stale IS NULL AND change.moved IS NULL;
    IF is_same THEN
        EXECUTE format('SELECT (title, media_type, source_media_type, chunk_count, metadata) IS NOT DISTINCT FROM ($2, $3, $4, $5, $6) '
            'FROM %I.documents WHERE id = $1', store)
            INTO is_same USING n.id, n.title, n.media_type, n.source_media_type, n.chunks, n.metadata;
    END IF;
    IF is_same AND document ? 'links' AND _passage.has_links(store, true) THEN
        is_same := _passage.has_same_links(store, _passage.is_distributed(store), n.id, n.uri, document -> 'links', ids, ordinals);
    END IF;
    IF _passage.has_embeddings(store) THEN
        EXECUTE format('SELECT array_agg(chunk_id) FROM %I.embeddings WHERE document_id = $1 AND chunk_id = ANY ($2)', store)
            INTO embedded USING n.id, ids;
    END IF;
    unembedded := ARRAY(
        SELECT m.place::integer FROM unnest(ids) WITH ORDINALITY AS m (id, place)
        LEFT JOIN unnest(embedded) AS e (id) ON e.id = m.id
        LEFT JOIN unnest(kept) AS k (place) ON k.place = m.place LEFT JOIN unnest(change.stale) AS s (place) ON s.place = m.place
        WHERE e.id IS NULL OR k.place IS NULL OR s.place IS NOT NULL ORDER BY m.place);
END
$$;

COMMENT ON FUNCTION _passage.document_changes(name, jsonb, uuid[], integer[], integer[], text[], text[], text[], text[], text[], integer[], integer[], integer[], integer[], integer[], text[]) IS 'differences of a stored document with its chunks from a given one';
