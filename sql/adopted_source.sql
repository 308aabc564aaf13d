-- adopted_source: what a store recorded of the table that it adopted, and whether that table is still the same.
--
-- A program may drop its table and create it again, so no object of the store depends on the table. The views read it
-- through the function adopted_source of the store, whose body names the table. The planner inlines that body, so
-- indexes and policies of the table apply.

-- The comment of a side table records how a store was adopted. Only its owner can change it.

CREATE FUNCTION _passage.adoption(store name) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    comment text;
BEGIN
    SELECT obj_description(pg_class.oid, 'pg_class') INTO comment
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = store AND relname = 'adopted_chunks' AND relkind = 'r';
    RETURN substr(comment, strpos(comment, '{'))::jsonb;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.adoption(name) IS 'what adopt recorded of an adopted store, NULL for another store';

-- Unlike to_regclass, this needs no right on the schema, so a missing right is reported by the statement that reads.

CREATE FUNCTION _passage.named_table(source text) RETURNS oid
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    names CONSTANT text[] := parse_ident(source);
BEGIN
    RETURN (
        SELECT pg_class.oid FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = names[1]::name AND relname = names[2]::name);
END
$$;

COMMENT ON FUNCTION _passage.named_table(text) IS 'oid of a relation by schema and name, NULL if it does not exist';

-- Returns the oid of the table that a store adopted, and locks it; NULL if it is missing, another table or changed.
-- Another table or view of its name could run code of its owner with the rights of a reader. So the table must have a
-- trigger of the store, which only the owner of the store can create, and the columns that the views read.
--
-- The planner evaluates an IMMUTABLE function before it opens the table behind the body of adopted_source. The plan
-- depends on the oid, so PostgreSQL plans again after each change of the table.

CREATE FUNCTION _passage.adopted_table(schema name, relation name, side oid) RETURNS oid
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'adopted_table_wrapper';

COMMENT ON FUNCTION _passage.adopted_table(name, name, oid) IS 'oid of the table that a store adopted, NULL if it is missing, another table or changed';

-- The same with an error instead of NULL.

CREATE FUNCTION _passage.adopted_source(source text, side regclass) RETURNS oid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    home CONSTANT oid := (SELECT relnamespace FROM pg_class WHERE pg_class.oid = side);
    store CONSTANT name := (SELECT nspname FROM pg_namespace WHERE pg_namespace.oid = home);
    repair CONSTANT text := format('SELECT passage.upgrade_store(%L);', store);
    present oid := _passage.named_table(source);
    changed record;
BEGIN
    IF present IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('table %s, which store "%s" adopted, does not exist', source, store),
            HINT = format('Create the table and run %s or run SELECT passage.unadopt(%L);', repair, store);
    ELSIF NOT EXISTS (
        SELECT FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
        WHERE tgrelid = present AND pronamespace = home AND proname = 'keep_adopted')
    THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('table %s has no trigger of store "%s", which adopted a table of that name', source, store),
            HINT = format('If a program created the table again, run %s as its owner.', repair);
    END IF;
    SELECT known.attname AS name, format_type(known.atttypid, known.atttypmod) AS old, format_type(actual.atttypid, actual.atttypmod) AS new INTO changed
    FROM pg_class JOIN pg_attribute AS known ON known.attrelid = pg_class.oid
    LEFT JOIN pg_attribute AS actual ON actual.attrelid = present AND actual.attname = known.attname AND NOT actual.attisdropped
    WHERE relnamespace = home AND relname = 'adopted_row' AND relkind = 'c'
        AND (actual.atttypid, actual.atttypmod, actual.attcollation) IS DISTINCT FROM (known.atttypid, known.atttypmod, known.attcollation)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('column "%s" of table %s has changed since store "%s" adopted it', changed.name, source, store),
            DETAIL = CASE WHEN changed.new IS NULL THEN 'The column does not exist.'
                ELSE format('The column has type %s, and the store read %s.', changed.new, changed.old) END,
            HINT = format('Run %s', repair);
    END IF;
    present := _passage.adopted_table((parse_ident(source))[1]::name, (parse_ident(source))[2]::name, side);
    IF present IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('table %s was changed at the same time', source),
            HINT = 'Repeat the statement.';
    END IF;
    RETURN present;
END
$$;

COMMENT ON FUNCTION _passage.adopted_source(text, regclass) IS 'oid of the table that a store adopted; raises an error if it is missing, another table, or changed';

-- Returns why the table of an adopted store cannot be read, NULL if it can.

CREATE FUNCTION _passage.adopted_source_problem(store name, OUT problem text, OUT remedy text)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    detail text;
BEGIN
    PERFORM _passage.adopted_source(_passage.adoption(store) ->> 'source', to_regclass(format('%I.adopted_chunks', store)));
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, remedy = PG_EXCEPTION_HINT, detail = PG_EXCEPTION_DETAIL;
    problem := concat_ws(': ', problem, nullif(detail, ''));
END
$$;

COMMENT ON FUNCTION _passage.adopted_source_problem(name) IS 'why the table of an adopted store cannot be read, and the remedy; NULL if it can';
