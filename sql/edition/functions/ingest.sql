-- The document of a call of ingest, as in extension/src/functions/ingest.rs, core/split/src/ id.rs and content_hash.rs.

-- Parts of hashed values: the length and the bytes of a text.

CREATE FUNCTION _passage.hashed_text(value text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT int8send(octet_length(coalesce(value, ''))) || convert_to(coalesce(value, ''), 'UTF8') $$;

COMMENT ON FUNCTION _passage.hashed_text(text) IS 'text with its length, as hashes have it';

CREATE FUNCTION _passage.derived_document_id(collection text, version text, uri text, salt integer) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT encode(set_byte(hash, 6, get_byte(hash, 6) & 15 | 128) || '\x8000000000000000'::bytea, 'hex')::uuid
    FROM substr(sha256('passage document 1'::bytea || _passage.hashed_text(collection) || _passage.hashed_text(version) || _passage.hashed_text(uri) || int4send(salt)), 1, 8) AS hash
$$;

COMMENT ON FUNCTION _passage.derived_document_id(text, text, text, integer) IS 'id of a document';

-- The id of a chunk, where earlier chunks of the document have the same section and content.

CREATE FUNCTION _passage.derived_chunk_id(document uuid, section text[], content text, occurrence integer) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT encode(substr(uuid_send(document), 1, 8) || int8send(greatest((('x' || encode(hash, 'hex'))::bit(64) >> 2)::bigint, 1) | (-9223372036854775808)::bigint), 'hex')::uuid
    FROM substr(sha256('passage chunk 1'::bytea || uuid_send(document) || int8send(cardinality(section))
        || coalesce((SELECT string_agg(_passage.hashed_text(title), '' ORDER BY place) FROM unnest(section) WITH ORDINALITY AS listed (title, place)), '') || _passage.hashed_text(content) || int4send(occurrence)), 1, 8) AS hash
$$;

COMMENT ON FUNCTION _passage.derived_chunk_id(uuid, text[], text, integer) IS 'id of a chunk';

-- JSON with its keys in one order, and numbers as core writes them.

CREATE FUNCTION _passage.ordered_json(value jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN CASE jsonb_typeof(value)
        WHEN 'object' THEN format('{%s}', (SELECT string_agg(format('%s:%s', to_json(key), _passage.ordered_json(part)), ',' ORDER BY key COLLATE "C") FROM jsonb_each(value) AS listed (key, part)))
        WHEN 'array' THEN format('[%s]', (SELECT string_agg(_passage.ordered_json(part), ',' ORDER BY place) FROM jsonb_array_elements(value) WITH ORDINALITY AS listed (part, place)))
        WHEN 'number' THEN CASE WHEN strpos(value::text, '.') = 0 THEN value::text WHEN value::double precision = trunc(value::double precision) THEN value::double precision || '.0' ELSE (value::double precision)::text END
        ELSE value::text END;
END
$$;

COMMENT ON FUNCTION _passage.ordered_json(jsonb) IS 'JSON with its keys in one order';

-- The hash changes if a document must be written again: by its bytes, the version of the splitters (SPLITTER_VERSION of core), the
-- limits and the given properties.

CREATE FUNCTION _passage.content_hash(value text, uri text, media_type text, kind text, title text, base_url text, limits _passage.split_limits, metadata jsonb) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT sha256('passage content 2'::bytea || int4send(5) || int8send(limits.minimum) || int8send(limits.preferred) || int8send(limits.maximum) || int8send(limits.total) || int8send(limits.overlap)
        || string_agg(CASE WHEN part IS NULL THEN '\x00'::bytea ELSE '\x01'::bytea END || _passage.hashed_text(part), '' ORDER BY place) || coalesce('\x04'::bytea || convert_to(limits.split_at, 'UTF8'), '')
        || coalesce('\x05'::bytea || (SELECT string_agg(int8send(split_offset), '' ORDER BY split_offset) FROM unnest(limits.split_offsets) AS split_offset), ''))
    FROM unnest(ARRAY['characters', NULL, media_type, kind, title, base_url, uri, _passage.ordered_json(coalesce(metadata, '{}')), value]) WITH ORDINALITY AS listed (part, place)
$$;

COMMENT ON FUNCTION _passage.content_hash(text, text, text, text, text, text, _passage.split_limits, jsonb) IS 'hash of all that decides the chunks of a document';

CREATE FUNCTION _passage.ingested_document(
    uri text, value text, media_type text, title text, collection text, version text, metadata jsonb, kind text, base_url text, splitting jsonb, store name,
    OUT document_id uuid, OUT outcome text, OUT chunks integer, OUT kept integer, OUT moved integer, OUT added integer, OUT removed integer
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema name;
    limits _passage.split_limits;
    document _passage.split_document;
    hash bytea;
    stored record;
    written record;
    columns record;
    ids uuid[];
    salt integer := 0;
BEGIN
    IF uri IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = '"uri" must not be NULL', HINT = 'Pass the uri of the document, which identifies it.';
    ELSIF value IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = '"text" must not be NULL', HINT = 'To remove a document, call passage.remove(uri => ...). An empty text is a document without chunks.';
    ELSIF jsonb_typeof(metadata) <> 'object' THEN
        PERFORM _passage.refuse_argument('"metadata" must be a JSON object', 'Pass an object such as {"author": "A. Writer"}, not nested too deeply.');
    END IF;
    PERFORM _passage.check_text_length('collection', collection), _passage.check_text_length('version', version);
    limits := _passage.read_splitting(splitting);
    document := _passage.read_document(value, media_type, title, uri, kind, base_url, limits);
    schema := _passage.store_name(store);
    PERFORM _passage.store_must_exist(schema);
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction', MESSAGE = 'cannot execute passage.ingest() in a read-only transaction', HINT = 'Run it in a transaction that may write.';
    END IF;
    collection := coalesce(collection, '');
    version := coalesce(version, '');
    hash := _passage.content_hash(value, uri, CASE WHEN media_type IS NOT NULL THEN document.media_type END, kind, title, base_url, limits, metadata);
    FOR attempt IN 1 .. 8 LOOP
        SELECT d.* INTO stored FROM _passage.stored_documents(schema::text, 'ingest', ARRAY[uri], ARRAY[collection], ARRAY[version]) AS d;
        IF stored.content_hash = hash AND NOT stored.is_orphan THEN
            document_id := stored.id;
            outcome := 'unchanged';
            chunks := coalesce(stored.chunk_count, 0);
            kept := chunks;
            moved := 0;
            added := 0;
            removed := 0;
            RETURN;
        END IF;
        document_id := coalesce(stored.id, _passage.derived_document_id(collection, version, uri, salt));
        SELECT coalesce(array_agg(c.ordinal ORDER BY c.ordinal), '{}') AS ordinals, coalesce(array_agg(c.level ORDER BY c.ordinal), '{}') AS levels, coalesce(array_agg(c.section::text ORDER BY c.ordinal), '{}') AS sections, coalesce(array_agg(c.kind ORDER BY c.ordinal), '{}') AS kinds,
            coalesce(array_agg(c.unit ORDER BY c.ordinal), '{}') AS units, coalesce(array_agg(c.content ORDER BY c.ordinal), '{}') AS contents, coalesce(array_agg(c.preamble ORDER BY c.ordinal), '{}') AS preambles, coalesce(array_agg(c.tokens ORDER BY c.ordinal), '{}') AS tokens,
            coalesce(array_agg(c.start_byte ORDER BY c.ordinal), '{}') AS starts, coalesce(array_agg(c.end_byte ORDER BY c.ordinal), '{}') AS ends, coalesce(array_agg(c.first_line ORDER BY c.ordinal), '{}') AS firsts, coalesce(array_agg(c.last_line ORDER BY c.ordinal), '{}') AS lasts,
            coalesce(array_agg(c.metadata::text ORDER BY c.ordinal), '{}') AS metadata, coalesce(count(c.ordinal), 0)::integer AS number, coalesce(array_agg(1 ORDER BY c.ordinal), '{}') AS places,
            coalesce(array_agg(_passage.derived_chunk_id(document_id, c.section, c.content, c.occurrence) ORDER BY c.ordinal), '{}') AS ids
        INTO columns
        FROM (SELECT listed.*, (row_number() OVER (PARTITION BY listed.section, listed.content COLLATE "C" ORDER BY listed.ordinal) - 1)::integer AS occurrence FROM _passage.document_chunks(value, document) AS listed) AS c;
        SELECT w.* INTO written FROM _passage.write_documents(schema, jsonb_build_array(jsonb_build_object(
                'id', document_id, 'is_stored', stored.id IS NOT NULL, 'collection', collection, 'version', version, 'uri', uri, 'title', document.title, 'media_type', document.media_type, 'source_media_type', NULL,
                'content_hash', hash::text, 'other_hash', NULL, 'chunks', columns.number,
                'links', CASE document.media_type WHEN 'text/markdown' THEN _passage.markdown_links(value, columns.contents) ELSE '[]' END, 'metadata', coalesce(metadata, '{}'), 'source_row', NULL)),
            columns.places, columns.ids, columns.ordinals, columns.levels, columns.sections, columns.kinds, columns.units, columns.contents, columns.preambles, columns.tokens,
            columns.starts, columns.ends, columns.firsts, columns.lasts, columns.metadata) AS w;
        IF written.outcome IN ('added', 'replaced', 'unchanged') THEN
            outcome := written.outcome;
            kept := coalesce(written.kept, 0);
            moved := CASE written.outcome WHEN 'unchanged' THEN 0 ELSE coalesce(written.moved, 0) END;
            added := CASE written.outcome WHEN 'unchanged' THEN 0 ELSE coalesce(written.added, 0) END;
            removed := CASE written.outcome WHEN 'unchanged' THEN 0 ELSE coalesce(written.removed, 0) END;
            chunks := kept + added;
            RETURN;
        END IF;
        IF stored.id IS NULL AND NOT EXISTS (SELECT FROM _passage.stored_documents(schema::text, 'ingest', ARRAY[uri], ARRAY[collection], ARRAY[version])) THEN
            salt := salt + 1;
        END IF;
    END LOOP;
    PERFORM _passage.must_have_written('documents', 1, 0, schema);
END
$$;

COMMENT ON FUNCTION _passage.ingested_document(text, text, text, text, text, text, jsonb, text, text, jsonb, name) IS 'splits and writes a document';

-- twin: ingest_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM _passage.ingested_document(ingest.uri, ingest.text, ingest.media_type, ingest.title, ingest.collection, ingest.version, ingest.metadata, ingest.kind, ingest.base_url, ingest.splitting, ingest.store);
END;
