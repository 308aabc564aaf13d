-- check_store: reports what is wrong with a store or out of date, with a remedy for each problem.
--
-- It compares the store with the layout, from the catalogs. With data => true it also reads the rows, one
-- pass over the store for each check. It writes nothing and shows no text of a document. It runs no code of
-- another role: if reading a relation would, a row of the result says so.

CREATE FUNCTION passage.check_store(store name DEFAULT NULL, data boolean DEFAULT false)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE ROWS 20
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    facts CONSTANT record := _passage.recorded_facts(_passage.store_name(store));
    settings CONSTANT jsonb := _passage.store_settings(_passage.store_name(store));
    -- Compared, not cast: the error of a cast would show the value.
    stored_language CONSTANT regconfig := (
        SELECT pg_ts_config.oid FROM pg_ts_config JOIN pg_namespace ON pg_namespace.oid = cfgnamespace
        WHERE settings ->> 'language' = format('%I.%I', nspname, cfgname)
            OR nspname = 'pg_catalog' AND settings ->> 'language' = quote_ident(cfgname));
    adoption CONSTANT jsonb := _passage.adoption(_passage.store_name(store));
    placement CONSTANT jsonb := _passage.store_placement(_passage.store_name(store));
    is_adopted boolean;
    is_unreadable boolean;
BEGIN
    store := _passage.store_name(store);
    IF adoption IS NULL THEN
        PERFORM _passage.store_must_exist(store);
    END IF;
    -- DROP EXTENSION and DROP TABLE with CASCADE take the views of an adopted store.
    is_adopted := adoption IS NOT NULL OR EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks' AND relkind NOT IN ('r', 'p'));

    RETURN QUERY
        SELECT format('%I.settings', store), format('layout version %s is newer than this pg_passage', settings ->> 'layout_version'),
            'Install a newer pg_passage on the server, then run ALTER EXTENSION pg_passage UPDATE.'
        WHERE jsonb_typeof(settings -> 'layout_version') = 'number' AND settings -> 'layout_version' > '1';
    RETURN QUERY
        SELECT format('%I.%I.tsv', store, CASE WHEN adoption IS NULL THEN 'chunks' ELSE 'adopted_chunks' END),
            format('column was computed by version %s of chunk_tsv, not %s', settings -> 'tsv_version', _passage.tsv_version()),
            CASE WHEN is_adopted AND adoption IS NULL THEN 'Compute the column of the table behind the view again, then run ' || _passage.record_tsv_version(store)
                ELSE format('SELECT passage.upgrade_store(%L);', store) END
        WHERE _passage.has_stale_tsv(store);
    RETURN QUERY
        SELECT format('%I.settings', store), format('not read: row-level security filters rows for "%s"', current_user),
            'Check the store as its owner or as a role with BYPASSRLS.'
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'settings' AND row_security_active(pg_class.oid);
    RETURN QUERY
        SELECT format('%I.settings', store), format('setting %s is %s, but the store has %s', key, settings -> key, to_jsonb(actual)),
            format('UPDATE %I.settings SET value = %L WHERE key = %L;', store, to_jsonb(actual), key)
        FROM (VALUES
            ('language', facts.language), ('embedding_type', facts.embedding_type), ('distance', facts.distance)
        ) AS property (key, actual)
        WHERE settings ->> key <> actual
        UNION ALL
        SELECT format('%I.settings', store), format('setting dimensions is %s, but the store has %s', settings -> 'dimensions', facts.dimensions),
            format('UPDATE %I.settings SET value = %L WHERE key = %L;', store, to_jsonb(facts.dimensions), 'dimensions')
        WHERE settings -> 'dimensions' <> to_jsonb(facts.dimensions)
        UNION ALL
        SELECT format('%I.settings', store), format('setting placement is %s, but the store has %s', settings -> 'placement', placement),
            CASE placement WHEN '{}' THEN format('DELETE FROM %I.settings WHERE key = %L;', store, 'placement')
                ELSE format('UPDATE %I.settings SET value = %L WHERE key = %L;', store, placement, 'placement') END
        WHERE settings -> 'placement' <> placement
        UNION ALL
        SELECT format('%I.embeddings', store), 'table is missing, but setting dimensions is ' || (settings ->> 'dimensions'),
            format('SELECT passage.create_store(%L, %s, %L, %L);', store, settings ->> 'dimensions',
                coalesce(settings ->> 'distance', 'cosine'), coalesce(settings ->> 'embedding_type', 'vector'))
        WHERE settings ->> 'dimensions' ~ '^[0-9]{1,5}$' AND NOT is_adopted AND to_regclass(format('%I.embeddings', store)) IS NULL
        UNION ALL
        SELECT format('%I.settings', store), 'setting language does not name a text search configuration',
            format('UPDATE %I.settings SET value = %L WHERE key = %L;', store, '"english"', 'language')
        WHERE facts.language IS NULL AND settings ? 'language' AND stored_language IS NULL;
    RETURN QUERY
        SELECT * FROM _passage.table_problems(store, facts.dimensions,
            coalesce(facts.distance, settings ->> 'distance', 'cosine'), coalesce(facts.embedding_type, 'vector'),
            coalesce(facts.language::regconfig, stored_language, 'pg_catalog.english'), placement) AS found
        -- A store of views needs no tables for settings and strategies.
        WHERE NOT (is_adopted AND (found.problem = 'table is missing' OR found.problem LIKE 'missing: %') OR adoption IS NOT NULL AND found.problem LIKE '% is missing')
        ORDER BY found.object COLLATE "C", found.problem COLLATE "C";
    RETURN QUERY SELECT * FROM _passage.shard_problems(store);
    is_unreadable := EXISTS (SELECT FROM _passage.unreadable_relations(store));
    IF adoption IS NOT NULL THEN
        IF _passage.is_trusted_store(store) OR (_passage.adopted_source_problem(store)).problem IS NOT NULL THEN
            RETURN QUERY SELECT * FROM _passage.adoption_problems(store);
            -- Another table could run code of its owner, and no view can be read.
            IF (_passage.adopted_source_problem(store)).problem IS NOT NULL THEN
                RETURN;
            END IF;
            -- The expressions of the adoption run with the rights of the caller.
            IF data AND (SELECT relowner FROM pg_class WHERE oid = _passage.adopted_side(check_store.store)) = current_user::regrole THEN
                RETURN QUERY SELECT * FROM _passage.adopted_data_problems(store);
            ELSIF data THEN
                RETURN QUERY SELECT format('%I', store), 'rows were not compared with the adopted table', 'Check the store as its owner.';
            END IF;
        ELSE
            RETURN QUERY SELECT format('%I', store), 'adoption was not checked: another role owns the store', 'Check the store as its owner.';
            RETURN;
        END IF;
    ELSIF is_adopted THEN
        RETURN QUERY SELECT * FROM _passage.view_problems(store);
    END IF;
    IF is_adopted AND to_regclass(format('%I.chunks', store)) IS NOT NULL THEN
        IF NOT is_unreadable THEN
            RETURN QUERY SELECT * FROM _passage.index_problems(store);
        END IF;
    END IF;
    IF is_unreadable AND (is_adopted OR data) THEN
        RETURN QUERY SELECT relation.object, 'not read: ' || reason, 'Connect as a role that may run that code, and check the store again.'
            FROM _passage.unreadable_relations(store) AS relation;
    ELSIF data THEN
        RETURN QUERY SELECT format('%I.%I', store, relname), format('not read: row-level security filters rows for "%s"', current_user),
                'Check the rows as the owner of the store or as a role with BYPASSRLS.'
            FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = store AND relname IN ('documents', 'chunks', 'embeddings') AND row_security_active(pg_class.oid)
            ORDER BY relname;
        IF FOUND THEN
            RETURN;
        END IF;
        BEGIN
            IF _passage.is_trusted_store(store) THEN
                RETURN QUERY SELECT * FROM _passage.data_problems(store);
            ELSE
                RETURN QUERY SELECT * FROM _passage.restricted_data_problems(store);
            END IF;
        EXCEPTION WHEN insufficient_privilege THEN
            RETURN QUERY SELECT format('%I', store), 'rows were not checked: ' || SQLERRM, 'Check the store as a role that may read all rows.';
        END;
    END IF;
END
$$;

COMMENT ON FUNCTION passage.check_store(name, boolean) IS 'returns what is wrong with a store or out of date, with a remedy for each problem
store: schema of the store; NULL takes the setting passage.store (rag)
data: whether to read all rows as well, false by default';
