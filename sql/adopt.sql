-- adopt: makes a store of a table that another program writes, and keeps both in step.
--
-- The source gets triggers and is otherwise unchanged. The triggers run with the rights of the owner of the source, so
-- programs that write the source need no rights on the store. Its owner adopts it, and so owns the store.

-- The statements for what an adopted store lacks. A store that exists is refreshed at the end: rows can have changed
-- while a trigger was missing.

CREATE FUNCTION _passage.adoption_statements(store name, adoption jsonb) RETURNS SETOF text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 40
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    home CONSTANT oid := (SELECT oid FROM pg_namespace WHERE nspname = store);
    source CONSTANT oid := _passage.named_table(adoption ->> 'source');
    side CONSTANT oid := (SELECT oid FROM pg_class WHERE relnamespace = home AND relname = 'adopted_chunks');
    guarded CONSTANT boolean := (SELECT relrowsecurity FROM pg_class WHERE oid = source);
    was_guarded CONSTANT boolean := coalesce((SELECT relrowsecurity FROM pg_class WHERE oid = side), guarded);
    vectors CONSTANT jsonb := nullif(adoption -> 'vectors', 'null');
    known CONSTANT text := _passage.attribute_list((SELECT oid FROM pg_class WHERE relnamespace = home AND relname = 'adopted_row' AND relkind = 'c'), NULL);
    -- A column that the views read has another type than before.
    is_changed CONSTANT boolean := known <> _passage.attribute_list(source, _passage.adopted_columns(adoption));
    existing CONSTANT jsonb := _passage.adoption(store);
    is_renamed CONSTANT boolean := existing ->> 'source' <> adoption ->> 'source';
    -- Policies separate other rows than before, which are then in other documents.
    is_separated CONSTANT boolean := existing -> 'visibility' <> adoption -> 'visibility';
BEGIN
    IF side IS NULL THEN
        -- The rows get the texts that the triggers write.
        RETURN QUERY SELECT format('SET LOCAL %s = %s;', name, value) FROM _passage.text_settings();
    END IF;
    IF is_changed THEN
        RETURN QUERY SELECT format('DROP VIEW %I.%I;', store, relname)
            FROM unnest('{chunks_embedded,embeddings,chunks}'::name[]) WITH ORDINALITY AS made (made, place)
            JOIN pg_class ON relname = made
            WHERE relnamespace = home AND relkind = 'v'
            ORDER BY place;
    END IF;
    IF is_changed OR is_renamed OR is_separated THEN
        RETURN QUERY SELECT format('DROP POLICY %I ON %I.adopted_chunks;', polname, store) FROM pg_policy WHERE polrelid = side AND polname = 'follow_source';
    END IF;
    IF is_changed THEN
        RETURN QUERY SELECT format('DROP FUNCTION %s;', pg_proc.oid::regprocedure) FROM pg_proc WHERE pronamespace = home AND proname = 'adopted_source';
        RETURN QUERY VALUES (format('DROP TYPE %I.adopted_row;', store));
    END IF;
    RETURN QUERY SELECT layout.ddl
        FROM _passage.adoption_layout(store, adoption || jsonb_build_object('row_security', guarded))
            WITH ORDINALITY AS layout (kind, relation, name, ddl, place)
        LEFT JOIN pg_class AS rel ON rel.relnamespace = home AND rel.relname = layout.name
        LEFT JOIN pg_proc ON pronamespace = home AND proname = layout.relation AND layout.kind IN ('function', 'grant')
        WHERE CASE layout.kind
            WHEN 'schema' THEN home IS NULL
            WHEN 'lock' THEN side IS NULL
            WHEN 'fill' THEN side IS NULL
            WHEN 'comment' THEN existing IS DISTINCT FROM adoption
            WHEN 'derived' THEN NOT EXISTS (
                SELECT FROM pg_attribute WHERE attrelid = side AND attname = 'section_key' AND NOT attisdropped)
            WHEN 'type' THEN rel.oid IS NULL OR is_changed
            WHEN 'function' THEN pg_proc.oid IS NULL OR is_changed OR is_renamed
            WHEN 'grant' THEN pg_proc.oid IS NULL OR is_changed
            WHEN 'trigger' THEN NOT EXISTS (
                SELECT FROM _passage.adopted_triggers(side) JOIN pg_trigger ON pg_trigger.oid = trigger
                WHERE adopted = source AND tgtype::text = layout.relation)
            WHEN 'view' THEN rel.oid IS NULL OR is_changed OR is_renamed OR is_separated
            WHEN 'row security' THEN NOT was_guarded OR side IS NULL
            WHEN 'policy' THEN (is_changed OR is_renamed OR is_separated) AND layout.relation = 'adopted_chunks' OR NOT EXISTS (
                SELECT FROM pg_policy JOIN pg_class AS guard ON guard.oid = polrelid
                WHERE guard.relnamespace = home AND guard.relname = layout.relation AND polname = layout.name)
            ELSE rel.oid IS NULL END
        ORDER BY layout.place;
    RETURN QUERY SELECT ddl
        FROM _passage.store_missing(store, (vectors ->> 'dimensions')::integer, coalesce(vectors ->> 'distance', 'cosine'),
            coalesce(vectors ->> 'type', 'vector'), (adoption ->> 'language')::regconfig, '{}')
        WHERE relation IN ('strategies', 'settings') AND kind <> 'view'
        ORDER BY place;
    RETURN QUERY SELECT _passage.adoption_grants(store, source, coalesce(is_changed, false));
    RETURN QUERY SELECT format('SELECT _passage.refresh_adopted(%L);', store) WHERE side IS NOT NULL;
    RETURN QUERY SELECT format('ANALYZE %1$I.adopted_documents, %1$I.adopted_chunks;', store);
END
$$;

COMMENT ON FUNCTION _passage.adoption_statements(name, jsonb) IS 'statements that create what an adopted store lacks';

-- Roles that may read the source may read the store.

CREATE FUNCTION _passage.adoption_grants(store name, source oid, is_made_again boolean DEFAULT false) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT grants.ddl
    FROM (
        SELECT DISTINCT grantee, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS reader
        FROM pg_class CROSS JOIN LATERAL aclexplode(relacl) AS acl
        WHERE pg_class.oid = source AND privilege_type = 'SELECT' AND grantee <> relowner
    ) AS readers
    CROSS JOIN LATERAL (VALUES
        (format('GRANT USAGE ON SCHEMA %I TO %s;', store, reader), NOT EXISTS (
            SELECT FROM pg_namespace CROSS JOIN LATERAL aclexplode(nspacl) AS acl
            WHERE nspname = store AND acl.grantee = readers.grantee AND privilege_type = 'USAGE')),
        (format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %s;', store, reader), is_made_again OR NOT EXISTS (
            SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace CROSS JOIN LATERAL aclexplode(relacl) AS acl
            WHERE nspname = store AND relname = 'adopted_chunks' AND acl.grantee = readers.grantee AND privilege_type = 'SELECT')
            OR EXISTS (
            SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = store AND relname IN ('chunks', 'documents', 'embeddings', 'settings', 'strategies') AND NOT EXISTS (
                SELECT FROM aclexplode(relacl) AS acl WHERE acl.grantee = readers.grantee AND privilege_type = 'SELECT')))
    ) AS grants (ddl, is_missing)
    WHERE is_missing
    ORDER BY reader, grants.ddl DESC
$$;

COMMENT ON FUNCTION _passage.adoption_grants(name, oid, boolean) IS 'grants that readers of a source lack on its adopted store';

CREATE FUNCTION passage.adopt(
    source regclass,
    store name,
    framework text DEFAULT NULL,
    id text DEFAULT NULL,
    document text DEFAULT NULL,
    ordinal text DEFAULT NULL,
    previous text DEFAULT NULL,
    section text DEFAULT NULL,
    content text DEFAULT NULL,
    embedding text DEFAULT NULL,
    uri text DEFAULT NULL,
    title text DEFAULT NULL,
    media_type text DEFAULT NULL,
    metadata text DEFAULT NULL,
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    tokens text DEFAULT NULL,
    start_char text DEFAULT NULL,
    start_byte text DEFAULT NULL,
    first_line text DEFAULT NULL,
    last_line text DEFAULT NULL,
    condition text DEFAULT NULL,
    language regconfig DEFAULT NULL,
    dry_run boolean DEFAULT false
)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 40
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    former_propagation text;
    arguments CONSTANT jsonb := jsonb_strip_nulls(jsonb_build_object(
        'id', id, 'document', document, 'ordinal', ordinal, 'previous', previous, 'section', section, 'content', content,
        'embedding', embedding, 'uri', uri, 'title', title, 'media_type', media_type, 'metadata', metadata, 'collection', collection,
        'version', version, 'tokens', tokens, 'start_char', start_char, 'start_byte', start_byte, 'first_line', first_line,
        'last_line', last_line, 'condition', condition));
    existing jsonb;
    adoption jsonb;
    statement text;
BEGIN
    IF source IS NULL OR store IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'passage.adopt requires source and store',
            HINT = 'Pass the table and the name of the new store, as in passage.adopt(''documents'', ''docs'').';
    END IF;
    PERFORM _passage.store_must_be_own(store);
    PERFORM _passage.check_adopted_source(source);
    existing := _passage.adoption(store);
    IF existing IS NULL AND EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname IN ('documents', 'chunks', 'embeddings', 'adopted_chunks', 'adopted_documents', 'adopted_row'))
    THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_table',
            MESSAGE = format('schema "%s" already has a store', store),
            HINT = 'Choose another name for the store.';
    END IF;
    BEGIN
        adoption := _passage.new_adoption(source, coalesce(framework, existing ->> 'framework'),
            CASE WHEN arguments = '{}' THEN coalesce(existing -> 'expressions', '{}') ELSE arguments END,
            coalesce(language, (existing ->> 'language')::regconfig));
    EXCEPTION WHEN OTHERS THEN
        IF existing IS NULL OR arguments <> '{}' THEN
            RAISE;
        END IF;
        GET STACKED DIAGNOSTICS statement = RETURNED_SQLSTATE;
        RAISE EXCEPTION USING ERRCODE = statement, MESSAGE = format('store "%s" cannot be repaired: %s', store, SQLERRM),
            HINT = format('Run SELECT passage.unadopt(%L); and adopt the table again.', store);
    END;
    adoption := adoption || jsonb_build_object('seed', coalesce(existing ->> 'seed', adoption ->> 'seed'));
    -- The types of the other expressions change no column of the store.
    IF existing - '{vectors,source,columns,reads,visibility,types}'::text[] <> adoption - '{vectors,source,columns,reads,visibility,types}'::text[]
        OR (SELECT bool_or(existing #> ARRAY['types', argument] <> adoption #> ARRAY['types', argument]) FROM unnest('{document,embedding,ordinal,section}'::text[]) AS argument)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = CASE WHEN existing -> 'expressions' = adoption -> 'expressions' AND existing -> 'framework' = adoption -> 'framework'
                    AND existing -> 'language' = adoption -> 'language'
                THEN format('columns of table %s have other types than when store "%s" adopted it', adoption ->> 'source', store)
                ELSE format('store "%s" adopted %s with other arguments', store, existing ->> 'source') END,
            HINT = format('Run SELECT passage.unadopt(%L); and adopt the table again. Ids stay the same.', store);
    END IF;

    IF dry_run THEN
        RETURN QUERY SELECT * FROM _passage.adoption_statements(store, adoption);
        RETURN;
    END IF;
    PERFORM _passage.transaction_must_write('adopt');
    -- An older snapshot lacks rows that others commit before the table is locked.
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = format('passage.adopt cannot run in isolation level "%s"', current_setting('transaction_isolation')),
            HINT = 'Run it in a READ COMMITTED transaction.';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('passage.create_store ' || store, 0));
    -- No writer may come between the rows that are read and the triggers.
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE', adoption ->> 'source');
    PERFORM _passage.check_adopted_source(source);
    PERFORM set_config('synchronize_seqscans', 'off', true);
    former_propagation := _passage.set_citus_setting('citus.enable_ddl_propagation', 'off');
    FOR statement IN SELECT * FROM _passage.adoption_statements(store, adoption) LOOP
        EXECUTE statement;
        RETURN NEXT statement;
    END LOOP;
    PERFORM _passage.set_citus_setting('citus.enable_ddl_propagation', former_propagation);
END
$$;

COMMENT ON FUNCTION passage.adopt(regclass, name, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, regconfig, boolean) IS 'makes a store of a table that another program writes, keeps it in step by triggers, and returns the statements
source: table with a row for each chunk, owned by the caller
store: schema of the store; an adopted store is repaired
framework: langchain, langchain_pgvector, llamaindex, haystack, pgai, pgedge, spring_ai or supabase; NULL recognizes it by the columns
id: expression for the id that results return as source_id; NULL takes the primary key
document: expression for what the chunks of a document have in common
ordinal: expression that orders the chunks of a document; NULL orders by an integer key, else by arrival
previous: expression for the id of the previous chunk
section: expression for the titles from the root down, text[] or text
content: expression for the text
embedding: expression for the vector
uri, title, media_type, collection, version: expressions for the columns of documents
metadata, tokens, first_line, last_line: expressions for the columns of chunks
start_char, start_byte: expressions for the offset of the text in the document, in characters or bytes
condition: boolean expression for the rows to adopt; NULL adopts all
language: text search configuration; NULL takes english
dry_run: whether to return the statements without executing them, false by default';

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

CREATE FUNCTION passage.chunk_id(store name, source_id text) RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    keys text;
    types text[];
    stored boolean;
    found uuid;
BEGIN
    PERFORM _passage.store_must_exist(store);
    -- From the catalog: another role can own the store.
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attname LIKE 'key\_%'),
        array_agg(format_type(atttypid, -1) ORDER BY attnum) FILTER (WHERE attname LIKE 'key\_%'), bool_or(attname = 'source_id')
    INTO keys, types, stored
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = store AND relname = 'adopted_chunks' AND attnum > 0 AND NOT attisdropped;
    IF stored IS NULL THEN
        EXECUTE format('SELECT id FROM %I.chunks WHERE id = $1::uuid', store) INTO found USING source_id;
    ELSIF stored THEN
        EXECUTE format('SELECT id FROM %I.adopted_chunks WHERE source_id = $1 ORDER BY arrival LIMIT 1', store) INTO found USING source_id;
    ELSIF cardinality(types) > 1 THEN
        EXECUTE format('SELECT id FROM %I.adopted_chunks WHERE (%s) = (SELECT %s FROM (SELECT $1::jsonb) AS given (value))', store, keys, (
                SELECT string_agg(format('(value ->> %s)::%s', n - 1, listed.type), ', ' ORDER BY n)
                FROM unnest(types) WITH ORDINALITY AS listed (type, n)))
            INTO found USING source_id;
    ELSE
        EXECUTE format('SELECT id FROM %I.adopted_chunks WHERE %s = $1::%s', store, coalesce(keys, 'id'), coalesce(types[1], 'uuid'))
            INTO found USING source_id;
    END IF;
    RETURN found;
EXCEPTION WHEN invalid_text_representation OR numeric_value_out_of_range OR datetime_field_overflow OR invalid_datetime_format THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
        MESSAGE = format('source_id must be %s', CASE WHEN cardinality(types) > 1 THEN 'a JSON array with the columns of the key'
            ELSE 'of type ' || coalesce(types[1], 'uuid') END),
        HINT = format('Pass an id as the column source_id of %I.chunks shows it.', store);
END
$$;

COMMENT ON FUNCTION passage.chunk_id(name, text) IS 'returns the id that a chunk has in an adopted store, NULL if it has none
store: schema of the store
source_id: id of the chunk in its own table, as text';
