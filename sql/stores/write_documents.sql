-- write_documents: the only writer of documents with their chunks, embeddings and links. ingest, the triggers of keep_in_step and
-- the client call it, with documents and chunks in the form of stores/changes.sql.
--
-- Chunks that are the same as before keep their rows, their embeddings and the references to them; a chunk that only
-- moved gets a new position. New documents are locked before stored ones, each in one order, so two writers of the same
-- documents never deadlock. In a store that Citus distributes, each statement writes rows of one document.
--
-- The numbers of chunks are those of all documents that one statement replaces, so of the document if it is the only one.
--
-- The outcome of a document is added, replaced, unchanged or conflict: another writer has written or removed it, a policy hides
-- it, or its id is in use. Nothing of such a document is written, and the caller compares it again.
--
-- A new split of the stored text changes no column that describes the source.

CREATE FUNCTION _passage.write_documents(
    store name, documents jsonb,
    document_places integer[], ids uuid[], ordinals integer[], levels integer[], sections text[], kinds text[], units text[],
    contents text[], preambles text[], tokens integer[], start_bytes integer[], end_bytes integer[], first_lines integer[],
    last_lines integer[], metadata text[],
    embedded integer[] DEFAULT NULL, embeddings anyarray DEFAULT NULL::pg_catalog.text[]
) RETURNS TABLE (place integer, outcome text, kept integer, moved integer, added integer, removed integer)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 10
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
SET jit = off
AS $$
DECLARE
    operation CONSTANT text := CASE WHEN embeddings IS NULL THEN 'ingest' ELSE 'load' END;
    is_distributed CONSTANT boolean := _passage.is_distributed(store);
    number CONSTANT integer := jsonb_array_length(documents);
    places integer[] := '{1}';
    document jsonb;
    document_id uuid;
    batch uuid[];
    rest uuid[];
    added_ids uuid[] := array_fill(NULL::uuid, ARRAY[number]);
    replaced_ids uuid[] := added_ids;
    with_given_ids uuid[] := '{}';
BEGIN
    IF store = '$user' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_schema_name', MESSAGE = 'store "$user" cannot be written',
            DETAIL = 'On a search_path this name stands for the schema of the current role.',
            HINT = 'Rename the schema: ALTER SCHEMA "$user" RENAME TO ....';
    END IF;
    IF number <> 1 THEN
        places := ARRAY(
            SELECT n.place FROM jsonb_array_elements(documents) WITH ORDINALITY AS n (document, place)
            ORDER BY n.document -> 'is_stored', CASE n.document ->> 'is_stored' WHEN 'true' THEN n.document ->> 'id' END COLLATE "C",
                n.document ->> 'uri' COLLATE "C", n.document ->> 'collection' COLLATE "C", n.document ->> 'version' COLLATE "C", n.place);
    END IF;
    FOREACH place IN ARRAY places LOOP
        document := documents -> place - 1;
        document_id := document ->> 'id';
        kept := 0;
        moved := 0;
        added := 0;
        removed := 0;
        IF (document -> 'is_stored')::boolean THEN
            PERFORM _passage.must_allow_write(operation, 'documents', 'UPDATE', store);
            SELECT r.outcome, r.kept INTO outcome, kept FROM _passage.replace_document(store, is_distributed, document) AS r;
        ELSE
            PERFORM _passage.must_allow_write(operation, 'documents', 'INSERT', store);
            outcome := CASE WHEN _passage.insert_document(store, is_distributed, document) THEN 'added' ELSE 'conflict' END;
        END IF;
        IF outcome = 'replaced' THEN
            replaced_ids[place] := document_id;
            IF (document ->> 'has_given_ids')::boolean THEN
                with_given_ids := with_given_ids || document_id;
            END IF;
            CONTINUE;
        END IF;
        IF outcome = 'added' THEN
            added_ids[place] := document_id;
            added := document -> 'chunks';
        END IF;
        RETURN NEXT;
    END LOOP;

    IF cardinality(array_remove(added_ids, NULL)) > 0 AND cardinality(ids) > 0 THEN
        PERFORM _passage.insert_chunks(store, operation, is_distributed, NULL, _passage.ids_of_chunks(document_places, added_ids),
            ids, ordinals, levels, sections, kinds, units, contents, preambles, tokens, start_bytes, end_bytes, first_lines, last_lines,
            metadata);
    END IF;
    rest := array_remove(replaced_ids, NULL);
    WHILE rest <> '{}' LOOP
        batch := CASE WHEN is_distributed THEN rest[1:1] ELSE rest END;
        rest := rest[cardinality(batch) + 1:];
        SELECT r.kept, r.moved, r.added, r.removed INTO kept, moved, added, removed
        FROM _passage.replace_chunks(store, operation, is_distributed, batch, with_given_ids, documents -> 0 -> 'row_version' IS NULL, embedded,
            _passage.ids_of_chunks(document_places, replaced_ids, batch),
            ids, ordinals, levels, sections, kinds, units, contents, preambles, tokens, start_bytes, end_bytes, first_lines, last_lines,
            metadata) AS r;
        outcome := 'replaced';
        FOREACH document_id IN ARRAY batch LOOP
            place := array_position(replaced_ids, document_id);
            RETURN NEXT;
        END LOOP;
    END LOOP;
    IF cardinality(embeddings) > 0 THEN
        PERFORM _passage.insert_embeddings(store, operation, is_distributed, embedded, _passage.ids_of_chunks(document_places,
            ARRAY(
                SELECT coalesce(w.added, w.replaced) FROM unnest(added_ids, replaced_ids) WITH ORDINALITY AS w (added, replaced, place)
                ORDER BY w.place)),
            ids, embeddings);
    END IF;
    -- A caller who may not write links leaves them: those of chunks that stay are still right.
    IF jsonb_path_exists(documents, '$[*].links') AND _passage.has_links(store, true) THEN
        FOR place IN 1 .. number LOOP
            document := documents -> place - 1;
            document_id := coalesce(added_ids[place], replaced_ids[place]);
            CONTINUE WHEN document_id IS NULL OR NOT document ? 'links';
            PERFORM _passage.write_links(store, is_distributed, document_id, document ->> 'uri', document -> 'links', c.ids, c.ordinals)
            FROM (SELECT array_agg(ids[m.n]) AS ids, array_agg(ordinals[m.n]) AS ordinals
                FROM unnest(document_places) WITH ORDINALITY AS m (document, n) WHERE m.document = place) AS c;
        END LOOP;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.write_documents(name, jsonb, integer[], uuid[], integer[], integer[], text[], text[], text[], text[], text[], integer[], integer[], integer[], integer[], integer[], text[], integer[], anyarray) IS 'writes documents with their chunks, embeddings and links, and returns an outcome for each';
