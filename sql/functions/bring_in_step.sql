-- bring_in_step: makes the documents of a table equal to its rows.
--
-- It ingests rows that were there before the trigger of keep_in_step, and repairs what no trigger sees:
-- ATTACH and DETACH PARTITION, ALTER TABLE, disabled triggers, session_replication_role. It also reports
-- what prevents a trigger from working. Its settings are in internal/shared_settings.sql.

CREATE FUNCTION passage.bring_in_step(relation regclass, OUT documents bigint, OUT removed bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET passage.step_guard = ''
AS $$
DECLARE
    definition record;
    plan text[];
    image record;
    kept text[] := '{}';
    stores name[] := '{}';
    source text;
    of_store name;
    document uuid;
BEGIN
    documents := 0;
    removed := 0;
    PERFORM _passage.transaction_must_write('bring_in_step');
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = format('passage.bring_in_step may not see all rows in isolation level "%s"', current_setting('transaction_isolation')),
            HINT = 'Call it in a READ COMMITTED transaction.';
    END IF;
    IF NOT has_table_privilege(relation, 'SELECT') OR NOT has_table_privilege(relation, 'UPDATE, DELETE, TRUNCATE') THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('role "%s" may not lock and read table %s', current_user, relation),
            HINT = format('As the owner of the table, run GRANT SELECT, UPDATE ON %s TO %I;', relation, current_user);
    END IF;
    -- The lock blocks writers: a row must not change between the read and the ingest.
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', relation);
    IF row_security_active(relation) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('row-level security may hide rows of %s', relation),
            HINT = 'Call it as a role that bypasses row-level security.';
    END IF;

    FOR definition IN
        SELECT min(tgname) AS trigger, _passage.step_arguments(tgargs) AS arguments
        FROM pg_trigger
        WHERE tgrelid = relation AND tgparentid = 0 AND tgtype & 1 = 1 AND tgfoid = 'passage.keep_in_step()'::regprocedure
        GROUP BY tgargs ORDER BY 1
    LOOP
        plan := _passage.step_plan(relation, definition.trigger, 'ROW', definition.arguments);
        source := plan[2];
        stores := stores || plan[1]::name;
        PERFORM _passage.must_be_allowed('ingest', '{SELECT}', plan[1]::name);
        IF row_security_active(format('%I.documents', plan[1])) THEN
            RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
                MESSAGE = format('row-level security of store "%s" may hide documents of %s', plan[1], source),
                HINT = 'Call it as a role that bypasses row-level security.';
        END IF;
        FOR image IN EXECUTE plan[7] LOOP
            CONTINUE WHEN image.uri IS NULL;
            IF image.text IS NULL THEN
                PERFORM _passage.step_remove(plan, image.key, image.uri, image.collection, image.version, false);
            ELSE
                document := _passage.step_ingest(plan, image.key, image.uri, image.collection, image.version,
                    image.text, image.title, image.media_type, image.metadata, image.kind, image.base_url);
                kept := array_append(kept, plan[1] || '/' || document);
                documents := documents + 1;
            END IF;
        END LOOP;
    END LOOP;
    IF stores = '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_object',
            MESSAGE = format('table %s has no trigger of its own that calls passage.keep_in_step', relation),
            HINT = format('For a partition, name the table that has the trigger. Otherwise create one: CREATE TRIGGER ... AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step(''text={...}'', ''uri=.../{...}'');', relation);
    END IF;

    FOREACH of_store IN ARRAY ARRAY(SELECT DISTINCT unnest(stores)) LOOP
        FOR document IN EXECUTE format('SELECT id FROM %I.documents WHERE source_row ->> ''table'' = $1 AND $2 || ''/'' || id <> ALL ($3) ORDER BY id',
            of_store) USING source, of_store, kept
        LOOP
            PERFORM passage.remove(document_id => document, store => of_store);
            removed := removed + 1;
        END LOOP;
    END LOOP;
END
$$;

COMMENT ON FUNCTION passage.bring_in_step(regclass) IS 'ingests all rows of a table with a trigger of keep_in_step, removes documents without a row, and returns both counts
relation: the table that has the trigger';
