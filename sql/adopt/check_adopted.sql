-- check_adopted: what is wrong with an adopted store, and what its source does not tell.

CREATE FUNCTION _passage.adoption_problems(store name)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 5
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    adoption CONSTANT jsonb := _passage.adoption(store);
    name CONSTANT text := adoption ->> 'source';
    source CONSTANT oid := _passage.named_table(name);
    given CONSTANT jsonb := (adoption -> 'expressions') - 'described';
    side CONSTANT oid := _passage.adopted_side(store);
    repair CONSTANT text := format('SELECT passage.upgrade_store(%L);', store);
    missing bigint;
    change record;
BEGIN
    IF source IS NULL AND NOT EXISTS (SELECT FROM _passage.adopted_triggers(side) WHERE is_own) THEN
        RETURN QUERY SELECT name, 'adopted table does not exist', format('Create it and run %s Or run SELECT passage.unadopt(%L);', repair, store);
        RETURN;
    END IF;
    SELECT * INTO change FROM _passage.adopted_source_problem(store);
    IF change.problem IS NOT NULL THEN
        RETURN QUERY SELECT name, concat_ws(': ', change.problem, nullif(change.detail, '')), change.remedy;
        RETURN;
    END IF;
    RETURN QUERY
        SELECT format('%I on %s', tgname, name), 'trigger is disabled: changes are not seen',
            format('ALTER TABLE %s ENABLE TRIGGER %I; %s', name, tgname, repair)
        FROM _passage.adopted_triggers(side) JOIN pg_trigger ON pg_trigger.oid = trigger
        WHERE tgenabled IN ('D', 'R')
        ORDER BY tgname;
    RETURN QUERY
        SELECT format('%I.adopted_chunks', store),
            format('row-level security is off, and on for %s: readers of the table see texts and sections of all rows', name), repair
        FROM pg_class WHERE oid = source AND relrowsecurity AND NOT (
            SELECT side.relrowsecurity FROM pg_class AS side WHERE side.oid = to_regclass(format('%I.adopted_chunks', store)));
    RETURN QUERY
        SELECT format('%I', store), 'readers of the adopted table cannot read the store', needed
        FROM _passage.adoption_grants(store, source) AS needed;
    RETURN QUERY
        SELECT format('%I.%I', store, relname), format('%s may read it, but not %s', reader, name),
            format('REVOKE SELECT ON ALL TABLES IN SCHEMA %I FROM %s;', store, reader)
        FROM (
            SELECT relname, grantee, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS reader
            FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace CROSS JOIN LATERAL aclexplode(relacl) AS acl
            WHERE nspname = store AND relname = 'adopted_chunks' AND privilege_type = 'SELECT' AND grantee <> relowner
        ) AS readers
        WHERE NOT CASE grantee WHEN 0 THEN EXISTS (
                SELECT FROM pg_class CROSS JOIN LATERAL aclexplode(relacl) AS acl
                WHERE pg_class.oid = source AND acl.grantee = 0 AND privilege_type = 'SELECT')
            ELSE has_any_column_privilege(grantee, source, 'SELECT') END
        ORDER BY 2;
    SELECT count(*) INTO missing FROM _passage.adoption_statements(store, adoption) AS statement
    WHERE CASE WHEN statement LIKE 'CREATE OR REPLACE VIEW %'
            THEN to_regclass(substring(statement FROM '^CREATE OR REPLACE VIEW (.*?) WITH \(security')) IS NULL
        -- The last ones are those for stale lexemes, which check_store reports.
        ELSE statement !~ '^(GRANT|ANALYZE|SELECT|COMMENT ON COLUMN) |ENABLE ROW LEVEL SECURITY|^CREATE POLICY|^UPDATE |^[^\n]* TABLE [^\n]*adopted_words' END;
    RETURN QUERY SELECT format('%I', store), format('triggers, views or other parts are missing: %s', missing), repair WHERE missing > 0;
    IF given ? 'embedding' THEN
        RETURN QUERY
            SELECT name, 'no vector index: a search by embedding reads all rows',
                CASE WHEN facts.dimensions IS NULL THEN 'Give the embeddings a number of dimensions, as in ALTER TABLE ... ALTER COLUMN embedding TYPE vector(384), and create an index of pgvector.'
                ELSE format('CREATE INDEX ON %s USING hnsw (%s %I.%s_cosine_ops);', name, column_name, (
                    SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'), facts.embedding_type) END
            FROM _passage.store_facts(store) AS facts
            CROSS JOIN LATERAL (
                SELECT coalesce((
                    SELECT quote_ident(attname) FROM pg_attribute
                    WHERE attrelid = source AND attnum > 0 AND NOT attisdropped AND given ->> 'embedding' IN (quote_ident(attname), 'source.' || quote_ident(attname))
                ), format('(%s)', given ->> 'embedding'))
            ) AS indexed (column_name)
            WHERE facts.embedding_type IS NOT NULL AND NOT EXISTS (
                SELECT FROM pg_index JOIN pg_class AS index ON index.oid = indexrelid JOIN pg_am ON pg_am.oid = index.relam
                JOIN pg_opclass ON pg_opclass.oid = indclass[0]
                -- Only a store of type binary uses an index of bits.
                WHERE indrelid = source AND amname IN ('hnsw', 'ivfflat') AND opcname NOT LIKE 'bit\_%');
    END IF;
    RETURN QUERY
        SELECT format('%I.chunks', store), lost.problem,
            format('If the table has it, run SELECT passage.unadopt(%L); and adopt the table again with %s.', store, argument)
        FROM (VALUES
            (NOT given ? 'embedding', 'embeddings are unknown: no search by embedding', 'embedding'),
            (NOT given ? 'section', 'sections are unknown: adjacent chunks are the only context', 'section'),
            (NOT given ?| '{ordinal,previous}', CASE WHEN adoption #>> '{key,0,type}' IN ('bigint', 'integer', 'smallint') AND jsonb_array_length(adoption -> 'key') = 1
                THEN 'the order in a document is unknown: that of the key is used' ELSE 'the order in a document is unknown: that of arrival is used' END, 'ordinal'),
            (NOT given ?| '{start_char,start_byte}', 'offsets are unknown: overlaps are found by comparing neighbors, and spans count in the joined text', 'start_char')
        ) AS lost (is_lost, problem, argument)
        WHERE is_lost;
END
$$;

COMMENT ON FUNCTION _passage.adoption_problems(name) IS 'problems of an adopted store';

-- With data => true: rows that the triggers did not see, and order and sections that the rows lack.

CREATE FUNCTION _passage.adopted_data_problems(store name)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 2
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    adoption CONSTANT jsonb := _passage.adoption(store);
    source CONSTANT text := adoption ->> 'source';
    given CONSTANT jsonb := (adoption -> 'expressions') - 'described';
    side CONSTANT text := format('%I.adopted_chunks', store);
    same text;
BEGIN
    IF to_regclass(source) IS NULL THEN
        RETURN;
    END IF;
    SELECT string_agg(format('source.%I = adopted.%s', key ->> 'name',
        CASE WHEN (key ->> 'is_uuid')::boolean THEN 'id' ELSE 'key_' || (key ->> 'place') END), ' AND ')
    INTO same FROM jsonb_array_elements(adoption -> 'key') AS key;
    RETURN QUERY EXECUTE format($query$
        SELECT %1$L, format('rows that the store lacks: %%s', count(*)), $1
        FROM ONLY %1$s AS source
        WHERE %2$s IS NOT NULL AND %3$s AND NOT EXISTS (SELECT FROM %4$s AS adopted WHERE %5$s)
        HAVING count(*) > 0
        UNION ALL
        SELECT %4$L, format('chunks without their row: %%s', count(*)), $1
        FROM %4$s AS adopted WHERE NOT EXISTS (SELECT FROM ONLY %1$s AS source WHERE %5$s)
        HAVING count(*) > 0
        UNION ALL
        SELECT %4$L, format('chunks whose text has changed: %%s', count(*)), $1
        -- An expression can name a column that the side table also has, so it is evaluated over the source alone.
        FROM %4$s AS adopted CROSS JOIN LATERAL (SELECT %2$s AS content FROM ONLY %1$s AS source WHERE %5$s) AS origin
        WHERE origin.content IS DISTINCT FROM adopted.content
        HAVING count(*) > 0
        $query$, source, _passage.adopted_expression(given, 'content', 'text'),
        CASE WHEN given ? 'condition' THEN _passage.adopted_expression(given, 'condition', 'boolean') ELSE 'true' END,
        side, same) USING format('SELECT passage.upgrade_store(%L);', store);
    IF given ? 'ordinal' AND NOT given ? 'previous' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT %1$L, format('chunks whose place in the document is unknown: %%s of %%s', count(*) FILTER (WHERE is_unknown), count(*)),
                'They follow the others in the order of arrival. Let the splitter record the place, then update the rows.'
            FROM (SELECT %2$s AS is_unknown FROM %3$s) AS chunks
            HAVING count(*) FILTER (WHERE is_unknown) > 0
            $query$, format('%I.chunks', store),
            CASE WHEN adoption #>> '{types,ordinal}' LIKE '%[]' THEN 'place IS NULL OR array_remove(place, NULL) = ''{}''' ELSE 'place IS NULL' END, side);
    END IF;
    IF given ? 'section' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT %1$L, 'no chunk has a section: adjacent chunks are the only useful context',
                'Let the splitter record headings, or adopt the table again with section.'
            FROM %2$s HAVING count(*) > 0 AND bool_and(section = '{}')
            $query$, format('%I.chunks', store), side);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.adopted_data_problems(name) IS 'differences between the rows of an adopted store and those of its source';
