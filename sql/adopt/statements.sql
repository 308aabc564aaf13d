-- The statements that make an adopted store, and the grants of its readers.
--
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
    is_stale CONSTANT boolean := _passage.has_stale_tsv(store);
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
            WHEN 'fill' THEN side IS NULL OR is_stale AND layout.relation = 'adopted_words'
            WHEN 'lexemes' THEN is_stale
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
