-- The statements that a trigger of keep_in_step runs for a row, or why it cannot run.
--
-- A document must hold the text of its row as of the end of the statement. So the trigger takes only key
-- and uri from OLD and NEW, and reads the row from the table. It then sees what other triggers, other
-- partitions or later parts of the statement wrote. This requires a unique key among the columns of the
-- uri.

-- The trigger of a partition can be a copy of the trigger of the partitioned table.

CREATE FUNCTION _passage.step_source_table(relation oid, trigger name) RETURNS oid
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    parent oid;
BEGIN
    SELECT tgparentid INTO parent FROM pg_trigger WHERE tgrelid = relation AND tgname = trigger;
    WHILE parent <> 0 LOOP
        SELECT tgrelid, tgparentid INTO relation, parent FROM pg_trigger WHERE pg_trigger.oid = parent;
    END LOOP;
    RETURN relation;
END
$$;

COMMENT ON FUNCTION _passage.step_source_table(oid, name) IS 'table on which a trigger of keep_in_step was defined';

-- pg_trigger stores the arguments of a trigger with a zero byte after each.

CREATE FUNCTION _passage.step_arguments(tgargs bytea) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT array_agg(convert_from(decode(replace(argument, ' ', ''), 'hex'), getdatabaseencoding()) ORDER BY place)
    FROM regexp_split_to_table(left(regexp_replace(encode(tgargs, 'hex'), '(..)', '\1 ', 'g'), -3), '00 ')
        WITH ORDINALITY AS split (argument, place)
$$;

COMMENT ON FUNCTION _passage.step_arguments(bytea) IS 'arguments of a trigger as an array';

-- One trigger, or several with the same arguments, must fire for every change of every row.

CREATE FUNCTION _passage.check_step_events(scope oid, trigger name, source text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    coverage record;
BEGIN
    source := left(source, 257);
    SELECT bit_or(other.tgtype::integer) FILTER (
            WHERE other.tgargs = own.tgargs AND other.tgattr::text = '' AND other.tgqual IS NULL AND other.tgenabled <> 'D')
            & 28 = 28 AS is_complete,
        min(other.tgname) FILTER (WHERE other.tgargs <> own.tgargs AND ARRAY(
            SELECT argument FROM unnest(_passage.step_arguments(other.tgargs)) AS argument
            WHERE argument ~ '^(uri|collection|version|store)=' ORDER BY argument
        ) = ARRAY(
            SELECT argument FROM unnest(_passage.step_arguments(own.tgargs)) AS argument
            WHERE argument ~ '^(uri|collection|version|store)=' ORDER BY argument
        )) AS rival
    INTO coverage
    -- Only triggers AFTER and FOR EACH ROW, not BEFORE or INSTEAD OF.
    FROM pg_trigger AS own JOIN pg_trigger AS other USING (tgrelid, tgfoid)
    WHERE tgrelid = scope AND own.tgname = trigger AND other.tgtype & 67 = 1;
    IF coverage.rival IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_object',
            MESSAGE = format('triggers "%s" and "%s" of %s write the same documents', trigger, coverage.rival, source),
            HINT = 'Drop one of them, or give it another uri, collection or store.';
    ELSIF coverage.is_complete IS NOT true THEN
        RAISE EXCEPTION USING ERRCODE = 'trigger_protocol_violated',
            MESSAGE = format('trigger "%s" does not fire for every change of %s', trigger, source),
            HINT = format('Create it AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW, without WHEN and without a list of columns. A row whose text is NULL has no document.', source);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.check_step_events(oid, name, text) IS 'raises an error if a trigger of keep_in_step misses changes or duplicates another';

-- The elements of the plan: 1 store, 2 table, 3 oid of the table, 4 whether the trigger names the store,
-- 5 columns of the key, 6 patterns of uri, collection and version, 7 statement for all rows, 8 statement
-- for one row, 9 condition that a recorded key exists. The other results are the owners of the store's tables, and the objects that the plan
-- depends on.

CREATE FUNCTION _passage.build_step_plan(
    relation oid, trigger name, level text, arguments text[],
    OUT plan text[], OUT owners oid[], OUT relations oid[], OUT functions oid[], OUT types oid[]
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    scope CONSTANT oid := _passage.step_source_table(relation, trigger);
    templates CONSTANT record := _passage.step_templates(scope, trigger, arguments);
    store CONSTANT name := coalesce(templates.store, 'rag');
    source text;
    record_type text;
    key_columns text[];
    base record;
    same_key text;
    key_pairs text;
    key_image text;
    uri text;
    collection text;
    version text;
    identity text;
    texts text;
    image text;
    current_row text;
BEGIN
    SELECT format('%I.%I', nspname, relname) AS name, CASE relkind WHEN 'p' THEN '' ELSE 'ONLY ' END AS only, relpersistence
        INTO base
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = scope;
    source := base.name;
    IF base.relpersistence <> 'p' THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = format('trigger "%s": table %s must be permanent', trigger, source),
            DETAIL = 'A temporary or unlogged table can lose rows without firing a trigger.',
            HINT = 'Use an ordinary table, or run ALTER TABLE ... SET LOGGED.';
    END IF;

    SELECT format_type(atttypid, NULL) INTO record_type FROM pg_namespace
    JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = 'documents' AND relkind IN ('r', 'p')
    JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'source_row' AND NOT attisdropped
    WHERE nspname = store;
    IF NOT FOUND THEN
        PERFORM _passage.store_must_be_tables(store);
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('table "documents" of store "%s" has no column "source_row"', store),
            HINT = format('Run SELECT passage.upgrade_store(%L); to add it, then SELECT passage.bring_in_step(%L); to record the row of each document.', store, source);
    END IF;
    IF record_type <> 'jsonb' THEN
        RAISE EXCEPTION USING ERRCODE = 'datatype_mismatch',
            MESSAGE = format('column "source_row" of relation "%s.documents" must be of type jsonb, not %s', store, record_type),
            HINT = format('Run SELECT * FROM passage.check_store(%L); to see what the store lacks.', store);
    END IF;
    IF level = 'ROW' THEN
        PERFORM _passage.check_step_events(scope, trigger, source);
    END IF;

    SELECT string_agg(format('t.%I%s OPERATOR(%I.%s) i.k%s%s', attname, type, nspname, oprname, place, type), ' AND ' ORDER BY place),
        string_agg(format('t.%I AS k%s', attname, place), ', ' ORDER BY place),
        array_agg(attname ORDER BY place), string_agg(format('%L, t.%I', attname, attname), ', ' ORDER BY place)
    INTO same_key, key_image, key_columns, key_pairs
    FROM (
        SELECT indkey, indclass, indnkeyatts FROM pg_index
        WHERE indrelid = scope AND indisunique AND indisvalid AND indpred IS NULL AND indexprs IS NULL AND NOT EXISTS (
            SELECT FROM generate_series(0, indnkeyatts - 1) AS at (n)
            JOIN pg_attribute ON attrelid = scope AND attnum = indkey[n]
            WHERE NOT attnum = ANY (templates.identity) OR indcollation[n] <> attcollation)
        ORDER BY indisprimary DESC, indnkeyatts, indexrelid
        LIMIT 1
    ) AS chosen
    CROSS JOIN LATERAL generate_series(0, indnkeyatts - 1) AS at (place)
    JOIN pg_attribute ON attrelid = scope AND attnum = indkey[place]
    JOIN pg_opclass ON pg_opclass.oid = indclass[place] AND opcmethod = 403
    JOIN pg_amop ON amopfamily = opcfamily AND amoplefttype = opcintype AND amoprighttype = opcintype AND amopstrategy = 3
    JOIN pg_operator ON pg_operator.oid = amopopr
    JOIN pg_namespace ON pg_namespace.oid = oprnamespace
    JOIN pg_type ON pg_type.oid = opcintype
    CROSS JOIN LATERAL (SELECT CASE typtype WHEN 'p' THEN '' ELSE '::' || format_type(opcintype, NULL) END) AS compared (type);
    IF key_columns IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_foreign_key',
            MESSAGE = format('trigger "%s": no unique key of %s is part of uri', trigger, source),
            DETAIL = 'Two rows could have the same document.',
            HINT = format('Put all columns of the primary key in uri; collection and version count for columns that are NOT NULL. To add a key, run ALTER TABLE %s ADD UNIQUE (...).', source);
    END IF;

    -- Expressions for uri, collection, version and texts of a row; the image of a row is OLD or NEW.
    uri := templates.expressions ->> 'uri';
    collection := format('coalesce(%s, %L)', coalesce(templates.expressions ->> 'collection', 'NULL'), '');
    version := format('coalesce(%s, %L)', coalesce(templates.expressions ->> 'version', 'NULL'), '');
    identity := format('%s AS uri, %s AS collection, %s AS version', uri, collection, version);
    SELECT string_agg(format('%s AS %s', coalesce(templates.expressions ->> name, 'NULL::text'), name), ', ') INTO texts
    FROM unnest('{text,title,media_type,metadata,kind,base_url}'::text[]) AS name;
    image := format('SELECT %s, jsonb_build_object(%s) AS key, %s FROM (SELECT ($1).*) AS t', identity, key_pairs, key_image);
    -- An older snapshot can have a row that another session deleted beside a newer one with its key.
    current_row := format('SELECT true AS found, %s AS uri_now, %s AS collection_now, %s AS version_now, %s FROM %s%s AS t WHERE %s ORDER BY age(t.xmin) LIMIT 1',
        uri, collection, version, texts, base.only, source, same_key);
    SELECT trust.owners, ARRAY[relation, scope] || trust.relations, trust.functions, trust.types INTO owners, relations, functions, types
    FROM _passage.check_step_trust(scope, trigger, templates.columns, store, templates.owner) AS trust;
    plan := ARRAY[store::text, source, scope::text, (templates.store IS NOT NULL)::text, key_columns::text, templates.patterns::text,
        format('SELECT %s, jsonb_build_object(%s) AS key, %s FROM %s%s AS t', identity, key_pairs, texts, base.only, source),
        format('SELECT i.uri, i.collection, i.version, i.key, was.had_text, '
            '(i.uri, i.collection, i.version) IS DISTINCT FROM (was.uri, was.collection, was.version) AS moved, '
            'there.found, (there.uri_now, there.collection_now, there.version_now) = (i.uri, i.collection, i.version) AS is_same, '
            'there.text, there.title, there.media_type, there.metadata, there.kind, there.base_url '
            'FROM (%s) AS i CROSS JOIN (SELECT %s, (%s) IS NOT NULL AS had_text FROM (SELECT ($2).*) AS t) AS was '
            'LEFT JOIN LATERAL (%s) AS there ON true',
            image, identity, templates.expressions ->> 'text', current_row),
        format('EXISTS (SELECT FROM %s%s AS t, LATERAL (SELECT %s FROM jsonb_populate_record(NULL::%s, recorded.key) AS t) AS i WHERE %s)',
            base.only, source, key_image, source, same_key)];
END
$$;

COMMENT ON FUNCTION _passage.build_step_plan(oid, name, text, text[]) IS 'plan of a trigger of keep_in_step: its statements, and the objects that it depends on';

CREATE FUNCTION _passage.step_plan(relation oid, trigger name, level text, arguments text[]) RETURNS text[]
LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100
AS 'MODULE_PATHNAME', 'step_plan_wrapper';

COMMENT ON FUNCTION _passage.step_plan(oid, name, text, text[]) IS 'plan of build_step_plan, cached between rows';

-- Executes statement 8 of the plan. PostgreSQL's plan for it is kept.

CREATE FUNCTION _passage.step_row(relation oid, trigger name, arguments text[], named record, was record)
RETURNS TABLE (
    uri text, collection text, version text, key jsonb, had_text boolean, moved boolean, found boolean, is_same boolean,
    text text, title text, media_type text, metadata text, kind text, base_url text
)
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE ROWS 1 COST 100
AS 'MODULE_PATHNAME', 'step_row_wrapper';

COMMENT ON FUNCTION _passage.step_row(oid, name, text[], record, record) IS 'uri and key of a row that a trigger of keep_in_step received, and the texts of the row as it is now';
