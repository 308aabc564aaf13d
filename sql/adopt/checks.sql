-- Whether a table and expressions over its rows can be adopted.

-- Returns the columns of a table that an expression over its rows reads. Raises an error if the expression would run
-- code of a role that the caller does not trust, before anything is planned.

CREATE FUNCTION _passage.expression_columns(relation oid, expression text) RETURNS text[]
LANGUAGE c STABLE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'expression_columns_wrapper';

COMMENT ON FUNCTION _passage.expression_columns(oid, text) IS 'columns of a table that an expression over its rows reads';

-- Returns the type of an expression and the columns that it reads. A statement with each of two kinds of brackets around
-- it parses only if it is one expression.

CREATE FUNCTION _passage.check_adopted_expression(source regclass, argument text, expression text, OUT type text, OUT reads text[])
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    checked integer[];
    plan json;
    state text;
    message text;
    columns text;
BEGIN
    reads := _passage.expression_columns(source, expression);
    -- A loop opens a cursor, which raises an error for several statements before it executes the first one.
    FOR checked IN EXECUTE format(E'SELECT ARRAY[0, ((%s\n) IS NULL)::integer] FROM ONLY %s AS source LIMIT 0', expression, source) LOOP
    END LOOP;
    FOR type IN EXECUTE format(E'SELECT pg_typeof((SELECT (%s\n) FROM ONLY %s AS source LIMIT 0))', expression, source) LOOP
    END LOOP;
    -- PostgreSQL does not merge a subquery with a volatile expression into the query around it.
    EXECUTE format(E'EXPLAIN (COSTS OFF, FORMAT JSON) SELECT 0, inner_query.x FROM (SELECT (%s\n) AS x FROM ONLY %s AS source) AS inner_query', expression, source) INTO plan;
    IF plan #>> '{0,Plan,Node Type}' = 'Subquery Scan' OR plan #>> '{0,Plan,Node Type}' LIKE '%Aggregate%' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('argument "%s": the expression is volatile, or no expression over one row', argument),
            HINT = 'Use functions that are IMMUTABLE or STABLE, without aggregates, window functions and sets.';
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, state = PG_EXCEPTION_HINT;
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('argument "%s": %s', argument, message), HINT = state;
WHEN syntax_error_or_access_rule_violation OR feature_not_supported THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns FROM pg_attribute
    WHERE attrelid = source AND attnum > 0 AND NOT attisdropped;
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = format('argument "%s": %s', argument, message),
        DETAIL = format('Columns of %s are %s.', source, columns),
        HINT = 'Pass an SQL expression over a row of the table, and name the schema of each function and type that is not built in.';
END
$$;

COMMENT ON FUNCTION _passage.check_adopted_expression(regclass, text, text) IS 'type of an expression over the rows of a table, and the columns that it reads; raises an error if it cannot be used';

-- The source must be a plain table of the caller, since its triggers run with the rights of its owner.

CREATE FUNCTION _passage.check_adopted_source(source oid) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    adopted record;
    other record;
BEGIN
    SELECT format('%I.%I', nspname, relname) AS name, relname, nspname, relkind, relpersistence, relispartition, relowner, relrowsecurity, relforcerowsecurity,
        EXISTS (SELECT FROM pg_inherits WHERE inhparent = source OR inhrelid = source) AS inherits
    INTO adopted
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = source;
    -- A member of the owner is not enough: the store would belong to another role than the table.
    IF adopted.relowner <> (SELECT oid FROM pg_roles WHERE rolname = current_user) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('table %s is owned by role "%s"', adopted.name, pg_get_userbyid(adopted.relowner)),
            DETAIL = 'The triggers of an adopted table run with the rights of its owner, who must own the store.',
            HINT = format('Run SET ROLE %I; and adopt the table as its owner.', pg_get_userbyid(adopted.relowner));
    ELSIF adopted.relkind <> 'r' OR adopted.relispartition OR adopted.inherits THEN
        RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
            MESSAGE = format('%s must be a table without partitions and inheritance', adopted.name),
            HINT = 'Define a store of views, as docs/recipes/existing-tables.md describes.';
    ELSIF adopted.relpersistence <> 'p' THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = format('table %s must be permanent', adopted.name),
            DETAIL = 'A temporary or unlogged table can lose rows without firing a trigger.',
            HINT = 'Use an ordinary table, or run ALTER TABLE ... SET LOGGED.';
    ELSIF adopted.relname IN (SELECT _passage.distributed_relations(adopted.nspname)) THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = format('table %s is distributed by Citus', adopted.name),
            DETAIL = 'The triggers of a store are on one node alone.',
            HINT = 'Load the documents into a store of passage.create_store(distributed => ''document'').';
    ELSIF adopted.relrowsecurity AND adopted.relforcerowsecurity AND row_security_active(source) THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = format('row-level security of table %s filters rows for its owner', adopted.name),
            HINT = format('Run ALTER TABLE %s NO FORCE ROW LEVEL SECURITY;', adopted.name);
    END IF;
    SELECT * INTO other FROM _passage.foreign_columns(source, adopted.relowner) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('column "%s" of table %s uses %s of role "%s"', other.name, adopted.name, other.object, other.owner),
            DETAIL = format('Its owner could run code with the rights of "%s".', current_user),
            HINT = format('Drop the column, or run %s as a superuser.', other.repair);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.check_adopted_source(oid) IS 'raises an error if a table cannot be adopted';

-- Returns what adopt records: source, key, expressions with their types, and the properties of the embeddings.

CREATE FUNCTION _passage.new_adoption(source oid, framework text, arguments jsonb, language regconfig) RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    name text;
    expressions jsonb;
    types jsonb := '{}';
    reads jsonb := '{}';
    keys jsonb;
    refused record;
    argument text;
    type text;
    checked record;
    vectors jsonb;
    columns text;
    visibility CONSTANT text[] := _passage.visibility_expressions(source);
BEGIN
    SELECT format('%I.%I', nspname, relname) INTO name
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = source;
    framework := coalesce(framework, _passage.adopted_framework(source));
    expressions := _passage.framework_expressions(source, framework) || arguments;
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns FROM pg_attribute
    WHERE attrelid = source AND attnum > 0 AND NOT attisdropped;
    SELECT jsonb_agg(jsonb_build_object('place', place, 'name', key.name, 'type', key.type, 'collation', collation_clause, 'is_uuid', is_uuid, 'as_text', as_text) ORDER BY place)
    INTO keys FROM _passage.adopted_key(source) AS key;
    IF keys IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_foreign_key',
            MESSAGE = format('table %s has no primary key', name),
            HINT = format('Run ALTER TABLE %s ADD PRIMARY KEY (...); or add a column as key: ALTER TABLE %s ADD COLUMN key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY;', name, name);
    END IF;
    SELECT * INTO refused FROM _passage.adopted_key(source) AS key WHERE problem IS NOT NULL LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'datatype_mismatch',
            MESSAGE = format('column "%s" of the key of table %s %s', refused.name, name, refused.problem),
            DETAIL = 'Ids are made of the text of the key, so equal keys must have equal texts.',
            HINT = format('A key can have the types %s, and domains over them. Add a column as key: ALTER TABLE %s ADD COLUMN key bigint GENERATED ALWAYS AS IDENTITY UNIQUE;', (
                SELECT string_agg(format_type(known.type, -1), ', ' ORDER BY 1) FROM _passage.key_types() AS known), name);
    ELSIF NOT expressions ?& '{content,document}' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('the layout of table %s is not recognized', name),
            DETAIL = format('Unknown: %s. Columns of %s are %s.', array_to_string(ARRAY(
                SELECT missing FROM unnest('{content,document}'::text[]) AS missing WHERE NOT expressions ? missing), ', '), name, columns),
            HINT = 'Pass content => the column with the text of a chunk, and document => what all chunks of a document have in common; '
                'also ordinal, section, uri, title and embedding, if the table has them.';
    END IF;

    FOR argument IN SELECT jsonb_object_keys(expressions - 'described') ORDER BY 1 LOOP
        checked := _passage.check_adopted_expression(source, argument, expressions ->> argument);
        type := checked.type;
        types := types || jsonb_build_object(argument, type);
        reads := reads || jsonb_build_object(argument, checked.reads);
        IF argument = 'section' AND type NOT IN ('text', 'text[]', 'character varying', 'character varying[]')
            OR argument = 'metadata' AND type NOT IN ('jsonb', 'json')
            OR argument = 'condition' AND type <> 'boolean'
            OR argument IN ('tokens', 'start_char', 'start_byte', 'first_line', 'last_line') AND type NOT IN ('bigint', 'integer', 'smallint')
            OR argument = 'embedding' AND type !~ '(^|[.])(vector|halfvec)$'
            OR argument IN ('content', 'uri', 'title', 'media_type', 'collection', 'version', 'previous') AND type NOT IN ('text', 'character varying', 'character', 'uuid', 'bigint', 'integer', 'name')
        THEN
            RAISE EXCEPTION USING ERRCODE = 'datatype_mismatch',
                MESSAGE = format('argument "%s": the expression has type %s', argument, type),
                HINT = CASE argument WHEN 'section' THEN 'It must be a text, or a text[] of the titles from the root down.'
                    WHEN 'metadata' THEN 'It must be jsonb, as in to_jsonb(source).'
                    WHEN 'condition' THEN 'It must be boolean.'
                    WHEN 'embedding' THEN 'It must be vector or halfvec, as in embedding::public.vector(384).'
                    WHEN 'content' THEN 'It must be text.'
                    ELSE 'Cast it, to integer for a number, else to text.' END;
        END IF;
    END LOOP;
    types := types || CASE WHEN types ->> 'section' LIKE '%[]' THEN '{"section": "text[]"}'::jsonb ELSE '{}' END;
    -- A column is stored with the type of the expression.
    IF types ->> 'ordinal' = 'unknown' THEN
        types := types || '{"ordinal": "text"}';
    END IF;
    IF expressions ? 'embedding' THEN
        SELECT jsonb_build_object('type', typname, 'dimensions', nullif(atttypmod, -1), 'distance', coalesce((
                SELECT CASE WHEN opcname LIKE '%\_l2\_ops' THEN 'l2' WHEN opcname LIKE '%\_ip\_ops' THEN 'inner_product' END
                FROM pg_index JOIN pg_opclass ON pg_opclass.oid = indclass[0]
                WHERE indrelid = source AND indkey[0] = attnum AND opcname ~ '_(cosine|l2|ip)_ops$'
                ORDER BY indisvalid DESC, indexrelid LIMIT 1), 'cosine'))
        INTO vectors
        FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
        WHERE attrelid = source AND NOT attisdropped AND attnum > 0
            AND expressions ->> 'embedding' IN (quote_ident(attname), 'source.' || quote_ident(attname));
        vectors := coalesce(vectors, jsonb_build_object('type', regexp_replace(types ->> 'embedding', '^.*\.', ''), 'dimensions', NULL, 'distance', 'cosine'));
    END IF;
    FOREACH argument IN ARRAY visibility LOOP
        CONTINUE WHEN argument = '*';
        PERFORM _passage.check_adopted_expression(source, 'visibility', argument);
    END LOOP;
    RETURN jsonb_build_object('source', name, 'seed', name, 'framework', framework, 'key', keys, 'expressions', expressions, 'types', types,
        'vectors', vectors, 'reads', reads, 'visibility', visibility,
        -- The columns that the triggers read, with their types.
        'columns', (
            SELECT jsonb_object_agg(listed.col, _passage.column_type(source, listed.col::name))
            FROM (
                SELECT key ->> 'name' FROM jsonb_array_elements(keys) AS key
                UNION
                SELECT jsonb_array_elements_text(value) FROM jsonb_each(reads - '{metadata,embedding}'::text[])
            ) AS listed (col)),
        -- The splitters of LangChain count start_index in the section that another splitter cut.
        'by_section', framework IN ('langchain', 'langchain_pgvector', 'spring_ai', 'supabase') AND expressions ? 'section'
            AND NOT expressions ? 'previous' AND expressions -> 'ordinal' = _passage.framework_expressions(source, framework) -> 'ordinal', 'language', (
            SELECT format('%I.%I', nspname, cfgname) FROM pg_ts_config JOIN pg_namespace ON pg_namespace.oid = cfgnamespace
            WHERE pg_ts_config.oid = coalesce(language, 'pg_catalog.english'::regconfig)));
END
$$;

COMMENT ON FUNCTION _passage.new_adoption(oid, text, jsonb, regconfig) IS 'what adopt records of a source; raises an error if it cannot be adopted';
