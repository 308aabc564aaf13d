-- keep_in_step: a trigger that updates the documents of a store when the rows of a table change.
--
-- Its arguments are NAME=VALUE with the argument names of ingest. In a value, {column} is replaced by the
-- column of the row, so a uri can contain a key and a text several columns. A row whose text or uri is NULL
-- has no document. An error fails the statement that wrote the row.
--
-- The column source_row of a document names the row that it comes from. So TRUNCATE removes the documents
-- of its own table alone, and two rows never share a document. The settings of keep_in_step are in
-- internal/shared_settings.sql.

CREATE FUNCTION passage.keep_in_step() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET passage.step_guard = ''
AS $$
DECLARE
    plan text[];
    ancestor record;
    image record;
    is_previous boolean := false;
BEGIN
    IF TG_WHEN <> 'AFTER' OR (TG_LEVEL = 'STATEMENT' AND TG_OP <> 'TRUNCATE') THEN
        RAISE EXCEPTION USING ERRCODE = 'trigger_protocol_violated',
            MESSAGE = 'passage.keep_in_step must be called by a trigger AFTER INSERT OR UPDATE OR DELETE ... FOR EACH ROW',
            HINT = 'For TRUNCATE create a second trigger, AFTER TRUNCATE ... FOR EACH STATEMENT, with the same arguments.';
    END IF;
    plan := _passage.step_plan(TG_RELID, TG_NAME, TG_LEVEL, TG_ARGV);
    -- Sessions with different settings must not write a row into two stores.
    IF NOT plan[4]::boolean AND _passage.store_name() <> plan[1] THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('trigger "%s" names no store, but setting passage.store is not "rag"', TG_NAME),
            HINT = 'Create the trigger again with the argument ''store=NAME'', so that all sessions write to the same store.';
    END IF;

    IF TG_OP = 'TRUNCATE' THEN
        PERFORM _passage.step_truncate(plan, 'true', TG_NAME);
        -- PostgreSQL does not call the triggers of the partitioned table. Only the rows of this partition are removed.
        FOR ancestor IN
            SELECT relid::oid AS relation, tgname, _passage.step_arguments(tgargs) AS arguments
            FROM pg_partition_ancestors(TG_RELID) JOIN pg_trigger ON tgrelid = relid
            WHERE relid <> TG_RELID AND tgparentid = 0 AND tgtype & 1 = 1 AND tgfoid = 'passage.keep_in_step()'::regprocedure
        LOOP
            plan := _passage.step_plan(ancestor.relation, ancestor.tgname, 'ROW', ancestor.arguments);
            IF row_security_active(plan[3]::oid) THEN
                RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
                    MESSAGE = format('row-level security may hide rows of %s that are left', plan[2]),
                    HINT = 'Truncate as a role that bypasses row-level security, or delete the rows.';
            END IF;
            PERFORM _passage.step_truncate(plan, 'NOT ' || plan[9], TG_NAME);
        END LOOP;
        RETURN NULL;
    END IF;

    -- First the document with the current uri of the row, then the one with the previous uri.
    SELECT * INTO image FROM _passage.step_row(TG_RELID, TG_NAME, TG_ARGV, coalesce(NEW, OLD), coalesce(OLD, NEW));
    LOOP
        IF image.uri IS NULL THEN
            NULL;
        ELSIF image.text IS NOT NULL AND image.is_same THEN
            PERFORM _passage.step_ingest(plan, image.key, image.uri, image.collection, image.version, image.text, image.title,
                image.media_type, image.metadata, image.kind, image.base_url);
        ELSIF image.found IS NULL AND NOT is_previous AND TG_OP <> 'DELETE' AND row_security_active(plan[3]::oid) THEN
            RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
                MESSAGE = format('row-level security of %s hides the row that was written', plan[2]),
                HINT = 'Grant roles that write the table a policy for SELECT that shows the row.';
        ELSE
            PERFORM _passage.step_remove(plan, image.key, image.uri, image.collection, image.version,
                image.had_text AND NOT image.moved AND TG_OP <> 'INSERT');
        END IF;
        EXIT WHEN NOT image.moved;
        is_previous := true;
        SELECT * INTO image FROM _passage.step_row(TG_RELID, TG_NAME, TG_ARGV, OLD, OLD);
    END LOOP;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION passage.keep_in_step() IS 'trigger function that updates the documents of a store when the rows of a table change
Arguments of the trigger are NAME=VALUE, with columns of the row in braces: text, uri, title, collection, version, media_type, metadata, kind, base_url, store; text and uri are required';

-- A table that was dropped or renamed has no claim on the documents that record it.

CREATE FUNCTION _passage.has_step_trigger(source text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- As in named_table, a name has at most 257 bytes.
    SELECT EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = to_regclass(left(source, 257))
        AND tgfoid = 'passage.keep_in_step()'::regprocedure)
$$;

COMMENT ON FUNCTION _passage.has_step_trigger(text) IS 'whether a table exists and has a trigger of keep_in_step';
