-- bring_in_step: makes the documents of a table equal to its rows.
--
-- It ingests rows that were there before the trigger of keep_in_step, and repairs what no trigger sees:
-- ATTACH and DETACH PARTITION, ALTER TABLE, disabled triggers, session_replication_role. It also reports
-- what prevents a trigger from working. Its settings are in shared_settings.sql.

CREATE FUNCTION passage.bring_in_step(relation regclass, OUT documents bigint, OUT removed bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    of_table record;
    plan text[];
    image record;
    kept text[] := '{}';
    stores name[] := '{}';
    source text;
    filled name;
    document uuid;
BEGIN
    documents := 0;
    removed := 0;
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = format('passage.bring_in_step cannot see all rows in isolation level %s', current_setting('transaction_isolation')),
            HINT = 'Call it in a transaction of READ COMMITTED.';
    END IF;
    -- Writers wait, since a row must not change between its reading and its document.
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', relation);
    IF row_security_active(relation) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('row-level security hides rows of %s', relation),
            HINT = 'Call it as a role that bypasses row-level security.';
    END IF;

    FOR of_table IN
        SELECT min(tgname) AS trigger, _passage.step_arguments(tgargs) AS arguments
        FROM pg_trigger
        WHERE tgrelid = relation AND tgparentid = 0 AND tgtype & 1 = 1 AND tgfoid = 'passage.keep_in_step()'::regprocedure
        GROUP BY tgargs ORDER BY 1
    LOOP
        plan := _passage.step_plan(relation, of_table.trigger, 'ROW', of_table.arguments);
        source := plan[2];
        stores := stores || plan[1]::name;
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
            MESSAGE = format('table %s has no trigger of passage.keep_in_step of its own', relation),
            HINT = format('Of a partition name the table that has the trigger. Else make one: CREATE TRIGGER ... AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step(''text={...}'', ''uri=.../{...}'');', relation);
    END IF;

    FOREACH filled IN ARRAY ARRAY(SELECT DISTINCT unnest(stores)) LOOP
        FOR document IN EXECUTE format('SELECT id FROM %I.documents WHERE source_row ->> ''table'' = $1 AND $2 || ''/'' || id <> ALL ($3) ORDER BY id',
            filled) USING source, filled, kept
        LOOP
            PERFORM passage.remove(document_id => document, store => filled);
            removed := removed + 1;
        END LOOP;
    END LOOP;
END
$$;

COMMENT ON FUNCTION passage.bring_in_step(regclass) IS 'ingests all rows of a table with a trigger of keep_in_step, removes documents without a row, and returns both counts
relation: the table that has the trigger';
