-- upgrade_store: creates what a store lacks of the current layout.
--
-- DROP EXTENSION ... CASCADE drops the derived columns and their indexes, and no content. upgrade_store
-- adds and computes them again. It also computes the lexemes again that another version of chunk_tsv computed.

CREATE FUNCTION passage.upgrade_store(store name DEFAULT NULL, dry_run boolean DEFAULT false)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    adoption jsonb;
    change record;
    is_due boolean;
    recomputed text[];
    statement text;
BEGIN
    store := _passage.store_name(store);
    adoption := _passage.adoption(store);
    IF adoption IS NOT NULL THEN
        PERFORM _passage.store_must_be_own(store);
        IF to_regclass(adoption ->> 'source') IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
                MESSAGE = format('table %s, which store "%s" adopted, does not exist', adoption ->> 'source', store),
                HINT = format('Create the table and run this again, or run SELECT passage.unadopt(%L);', store);
        END IF;
        change := _passage.adopted_source_problem(store);
        IF change.remedy NOT LIKE '%passage.upgrade_store%' THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
                MESSAGE = change.problem, DETAIL = change.detail, HINT = _passage.adoption_hint(change.remedy);
        END IF;
        is_due := _passage.has_stale_tsv(store)
            OR EXISTS (SELECT FROM _passage.adoption_problems(store) AS found WHERE found.remedy LIKE '%passage.upgrade_store%');
        -- Rows that the triggers did not see.
        IF NOT is_due AND change.problem IS NULL THEN
            is_due := EXISTS (SELECT FROM _passage.adopted_data_problems(store) AS found WHERE found.remedy LIKE '%passage.upgrade_store%');
        END IF;
        IF is_due THEN
            RETURN QUERY SELECT * FROM passage.adopt((adoption ->> 'source')::regclass, store, dry_run => upgrade_store.dry_run);
        END IF;
        RETURN;
    END IF;
    PERFORM _passage.store_must_exist(store);
    recomputed := ARRAY(SELECT _passage.tsv_statements(store));
    FOR statement IN SELECT * FROM passage.create_store(store, dry_run => upgrade_store.dry_run) LOOP
        IF statement NOT LIKE '--%' THEN
            RETURN NEXT statement;
        END IF;
    END LOOP;
    IF recomputed <> '{}' AND NOT dry_run THEN
        PERFORM _passage.transaction_must_write('upgrade_store');
        -- Without the lock, another role could add a trigger between two statements.
        EXECUTE format('LOCK TABLE %I.settings IN SHARE ROW EXCLUSIVE MODE', store);
        PERFORM _passage.store_must_be_own(store);
    END IF;
    FOREACH statement IN ARRAY recomputed LOOP
        IF NOT dry_run THEN
            EXECUTE statement;
        END IF;
        RETURN NEXT statement;
    END LOOP;
END
$$;

COMMENT ON FUNCTION passage.upgrade_store(name, boolean) IS 'adds what a store lacks of the current layout, computes stale lexemes again, and returns the statements
store: schema of the store; NULL takes the setting passage.store (rag)
dry_run: whether to return the statements without executing them, false by default';
