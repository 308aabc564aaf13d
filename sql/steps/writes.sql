-- The writes of a trigger of keep_in_step.
--
-- Ingests a document. A new document records the row. An existing one is locked, and the result tells
-- which row it records.

CREATE FUNCTION _passage.step_write(
    uri text, text text, media_type text, title text, collection text, version text, metadata jsonb, kind text,
    base_url text, source_row jsonb, store name
) RETURNS TABLE (document_id uuid, added boolean, locked boolean, recorded jsonb)
LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 1 COST 10000
AS 'MODULE_PATHNAME', 'step_write_wrapper';

COMMENT ON FUNCTION _passage.step_write(text, text, text, text, text, text, jsonb, text, text, jsonb, name) IS 'ingests the document of a row and returns the row that it records';

CREATE FUNCTION _passage.step_record(document_id uuid, source_row jsonb, store name) RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE COST 100
AS 'MODULE_PATHNAME', 'step_record_wrapper';

COMMENT ON FUNCTION _passage.step_record(uuid, jsonb, name) IS 'records the row of a document, and returns whether the document is visible';

-- Raises an error if the document belongs to another row.

CREATE FUNCTION _passage.step_ingest(
    plan text[], key jsonb, uri text, collection text, version text,
    text text, title text, media_type text, metadata text, kind text, base_url text
) RETURNS uuid
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    store CONSTANT name := plan[1];
    source CONSTANT text := plan[2];
    source_row CONSTANT jsonb := jsonb_build_object('table', source, 'key', key);
    document uuid;
    added boolean;
    locked boolean := false;
    recorded jsonb;
    attempts integer := 0;
    taken boolean;
BEGIN
    -- PostgreSQL parses JSON without a check for interrupts.
    IF octet_length(metadata) > 4194304 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('metadata of a row of %s must have at most 4194304 bytes, not %s', source, octet_length(metadata)),
            HINT = 'Leave large columns out of metadata.';
    END IF;
    -- Another session can remove an existing document before it is locked.
    WHILE NOT locked LOOP
        attempts := attempts + 1;
        IF attempts > 8 THEN
            RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
                MESSAGE = format('row-level security of store "%s" hides the document of a row of %s', store, source),
                HINT = 'Grant roles that write the table policies for SELECT and UPDATE on documents.';
        END IF;
        SELECT * INTO document, added, locked, recorded FROM _passage.step_write(uri, text, media_type, title,
            collection, version, coalesce(metadata::jsonb, '{}'), kind, base_url, source_row, plan[1]::name);
    END LOOP;
    IF added OR recorded IS NOT DISTINCT FROM source_row THEN
        RETURN document;
    END IF;

    IF recorded IS NULL THEN
        taken := false;
    ELSIF recorded ->> 'table' = source THEN
        taken := row_security_active(plan[3]::oid);
        IF NOT taken THEN
            EXECUTE format('SELECT %s FROM (SELECT $1 AS key) AS recorded', plan[9]) INTO taken USING recorded -> 'key';
        END IF;
    ELSE
        taken := _passage.has_step_trigger(recorded ->> 'table');
    END IF;
    IF taken THEN
        RAISE EXCEPTION USING ERRCODE = 'unique_violation',
            MESSAGE = format('a row of %s has the same uri, collection and version as another row', source),
            DETAIL = format('The document of store "%s" comes from table %s.', store, recorded ->> 'table'),
            HINT = 'Make uri, collection and version unique over all rows and tables, as in ''uri=articles/{id}''.';
    END IF;
    IF NOT _passage.step_record(document, source_row, plan[1]::name) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('row-level security of store "%s" prevents the update of documents', store),
            HINT = 'Grant roles that write the table a policy for UPDATE on documents.';
    END IF;
    RETURN document;
END
$$;

COMMENT ON FUNCTION _passage.step_ingest(text[], jsonb, text, text, text, text, text, text, text, text, text) IS 'ingests the document of a row and records the row';

-- Removes a document only if it records this row, no row, or a row of a table without a trigger.

CREATE FUNCTION _passage.step_remove(
    plan text[], key jsonb, uri text, collection text, version text, expected boolean
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    store CONSTANT name := plan[1];
    source CONSTANT text := plan[2];
    document uuid;
    recorded jsonb;
BEGIN
    -- A lock needs UPDATE.
    PERFORM _passage.must_be_allowed('remove', '{SELECT,UPDATE}', store);
    IF EXISTS (SELECT FROM _passage.distributed_relations(store)) THEN
        -- Citus locks only a row that its id finds.
        EXECUTE format('SELECT id FROM %I.documents WHERE uri = $1 AND collection = $2 AND version = $3', store)
            INTO document USING uri, collection, version;
        EXECUTE format('SELECT id, source_row FROM %I.documents WHERE id = $1 FOR UPDATE', store)
            INTO document, recorded USING document;
    ELSE
        EXECUTE format('SELECT id, source_row FROM %I.documents WHERE uri = $1 AND collection = $2 AND version = $3 FOR UPDATE', store)
            INTO document, recorded USING uri, collection, version;
    END IF;
    IF document IS NULL THEN
        IF expected AND row_security_active(format('%I.documents', store)) THEN
            RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
                MESSAGE = format('row-level security of store "%s" may hide the document of a row of %s', store, source),
                HINT = 'Grant roles that write the table policies for SELECT, UPDATE and DELETE on documents.';
        END IF;
    ELSIF recorded IS NULL
        OR recorded -> 'key' = key AND (recorded ->> 'table' = source OR NOT _passage.has_step_trigger(recorded ->> 'table'))
    THEN
        PERFORM passage.remove(document_id => document, store => plan[1]::name);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.step_remove(text[], jsonb, text, text, text, boolean) IS 'removes the document of a row';

-- Removes the documents of a table that was truncated, or of one of its partitions.

CREATE FUNCTION _passage.step_truncate(plan text[], condition text, trigger name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    store CONSTANT name := plan[1];
    source CONSTANT text := plan[2];
    key_columns CONSTANT text[] := plan[5];
    patterns CONSTANT jsonb := plan[6];
    recorded text[];
    missing text[];
    unknown bigint;
    document uuid;
BEGIN
    -- TRUNCATE also removes rows that the snapshot does not see.
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = format('trigger "%s" cannot follow TRUNCATE of %s in isolation level "%s"', trigger, source,
                current_setting('transaction_isolation')),
            HINT = 'Truncate in a READ COMMITTED transaction, or delete the rows.';
    END IF;
    PERFORM _passage.must_be_allowed('remove', NULL, store);
    IF row_security_active(format('%I.documents', store)) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('row-level security of store "%s" may hide documents of %s', store, source),
            HINT = 'Truncate as a role that bypasses row-level security, or delete the rows.';
    END IF;
    -- Another node of Citus does not know the tables of this one, so they are looked up here.
    EXECUTE format('SELECT array_agg(DISTINCT source_row ->> ''table'') FROM %I.documents WHERE uri ~ $1 AND collection ~ $2 AND version ~ $3', store)
        INTO recorded
        USING patterns ->> 'uri', coalesce(patterns ->> 'collection', '^$'), coalesce(patterns ->> 'version', '^$');
    missing := ARRAY(SELECT name FROM unnest(recorded) AS name WHERE name IS NOT NULL AND to_regclass(name) IS NULL);
    -- Documents that no trigger ingested have no source_row.
    EXECUTE format('SELECT count(*) FROM %I.documents WHERE uri ~ $1 AND collection ~ $2 AND version ~ $3 '
        'AND (source_row ->> ''table'' IS NULL OR source_row ->> ''table'' = ANY ($6) '
        'OR source_row ->> ''table'' = $4 AND NOT source_row -> ''key'' ?& $5)', store)
        INTO unknown
        USING patterns ->> 'uri', coalesce(patterns ->> 'collection', '^$'), coalesce(patterns ->> 'version', '^$'), source, key_columns, missing;
    IF unknown > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('trigger "%s": %s documents of store "%s" may come from rows of %s', trigger, unknown, store, source),
            DETAIL = 'Their uris match the trigger, but their source_row names no row of an existing table.',
            HINT = format('Run SELECT passage.bring_in_step(%L); to record the rows. Remove documents that are left without source_row with passage.remove, or give them another uri.', source);
    END IF;
    FOR document IN EXECUTE format('SELECT id FROM (SELECT id, source_row -> ''key'' AS key FROM %I.documents '
        'WHERE source_row ->> ''table'' = $1) AS recorded WHERE %s ORDER BY id', store, condition) USING source
    LOOP
        PERFORM passage.remove(document_id => document, store => plan[1]::name);
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.step_truncate(text[], text, name) IS 'removes the documents of truncated rows';
