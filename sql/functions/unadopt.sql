-- unadopt: removes an adopted store, so that its table is as before.

CREATE FUNCTION passage.unadopt(store name, dry_run boolean DEFAULT false)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 20
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    side CONSTANT oid := _passage.adopted_side(store);
    statement text;
BEGIN
    -- PostgreSQL decides who may drop the objects, and dropping them runs no code of their owners.
    IF _passage.adoption(store) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('store "%s" is not an adopted store', store),
            HINT = 'Name a store that passage.adopt made.';
    END IF;
    IF NOT dry_run THEN
        PERFORM _passage.transaction_must_write('unadopt');
    END IF;
    FOR statement IN
        SELECT format('DROP TRIGGER %I ON %I.%I;', tgname, nspname, relname)
        FROM _passage.adopted_triggers(side) JOIN pg_trigger ON pg_trigger.oid = trigger AND is_own
        JOIN pg_class ON pg_class.oid = adopted JOIN pg_namespace ON pg_namespace.oid = relnamespace
        UNION ALL
        -- Only the owner of a table drops its triggers, unless they depend on what is dropped.
        (SELECT format('DROP %s %I.%I%s;', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, store, relname,
            CASE WHEN pg_class.oid = side AND EXISTS (SELECT FROM _passage.adopted_triggers(side) WHERE NOT is_own) THEN ' CASCADE' ELSE '' END)
        FROM unnest('{chunks_embedded,embeddings,chunks,documents,adopted_documents,adopted_chunks,strategies,settings}'::name[])
            WITH ORDINALITY AS made (made, place)
        JOIN pg_class ON relname = made JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relkind IN ('v', 'r')
        ORDER BY place)
        UNION ALL
        SELECT format('DROP FUNCTION %s;', pg_proc.oid::regprocedure)
        FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
        WHERE nspname = store AND proname = 'adopted_source'
        UNION ALL
        SELECT format('DROP TYPE %I.%I;', nspname, typname)
        FROM pg_type JOIN pg_namespace ON pg_namespace.oid = typnamespace
        WHERE nspname = store AND typname = 'adopted_row' AND typtype = 'c'
    LOOP
        IF NOT dry_run THEN
            EXECUTE statement;
        END IF;
        RETURN NEXT statement;
    END LOOP;
    -- Other objects of the schema stay.
    IF NOT EXISTS (
        SELECT FROM pg_depend JOIN pg_namespace ON pg_namespace.oid = refobjid
        WHERE refclassid = 'pg_namespace'::regclass AND nspname = store AND (NOT dry_run OR NOT (
            classid = 'pg_class'::regclass AND objid IN (
                SELECT pg_class.oid FROM pg_class WHERE relnamespace = pg_namespace.oid AND (
                    relname IN ('chunks_embedded', 'embeddings', 'chunks', 'documents', 'adopted_documents', 'adopted_chunks', 'strategies', 'settings')
                    OR relname = 'adopted_chunks_arrival_seq'))
            OR classid = 'pg_type'::regclass AND objid IN (SELECT pg_type.oid FROM pg_type WHERE typnamespace = pg_namespace.oid AND typname = 'adopted_row')
            OR classid = 'pg_proc'::regclass AND objid IN (
                SELECT pg_proc.oid FROM pg_proc WHERE pronamespace = pg_namespace.oid AND proname = 'adopted_source'))))
    THEN
        statement := format('DROP SCHEMA %I;', store);
        IF NOT dry_run THEN
            EXECUTE statement;
        END IF;
        RETURN NEXT statement;
    END IF;
END
$$;

COMMENT ON FUNCTION passage.unadopt(name, boolean) IS 'removes an adopted store, so that its source is as before, and returns the statements
store: schema of the store
dry_run: whether to return the statements without executing them, false by default';
