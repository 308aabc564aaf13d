-- Source: what a store recorded of the table that it adopted, and whether that table is still the same.
--
-- A program may drop its table and create it again, so no object of the store depends on the table. The views read it
-- through the function adopted_source of the store, whose body names the table. The planner inlines that body, so
-- indexes and policies of the table apply.

-- The comment of a side table records how a store was adopted. Only its owner can change it.

CREATE FUNCTION _passage.adoption_of(side oid) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    comment CONSTANT text := obj_description(side, 'pg_class');
BEGIN
    RETURN CASE WHEN comment LIKE 'adopted by pg\_passage: {%' THEN substr(comment, strpos(comment, '{'))::jsonb END;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.adoption_of(oid) IS 'what adopt recorded in the comment of a table of chunks, NULL for another table';

-- If the table has left its place, the view of chunks still depends on it.

CREATE FUNCTION _passage.adopted_side(store name) RETURNS oid
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce((
            SELECT oid FROM pg_class
            WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = store) AND relname = 'adopted_chunks' AND relkind = 'r'),
        (
            SELECT refobjid FROM pg_class
            JOIN pg_rewrite ON ev_class = pg_class.oid JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = pg_rewrite.oid
            WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = store) AND relname = 'chunks' AND refclassid = 'pg_class'::regclass AND _passage.adoption_of(refobjid) IS NOT NULL
            LIMIT 1))
$$;

COMMENT ON FUNCTION _passage.adopted_side(name) IS 'table of chunks of an adopted store, NULL for another store';

CREATE FUNCTION _passage.adoption(store name) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT _passage.adoption_of(_passage.adopted_side(store))
$$;

COMMENT ON FUNCTION _passage.adoption(name) IS 'what adopt recorded of an adopted store, NULL for another store';

-- Unlike to_regclass, this needs no right on the schema, so a missing right is reported by the statement that reads.
-- A quoted name with its schema has at most 257 bytes, and parse_ident reads a long text without a check for interrupts.

CREATE FUNCTION _passage.named_table(source text) RETURNS oid
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    names CONSTANT text[] := parse_ident(left(source, 257));
BEGIN
    RETURN (
        SELECT pg_class.oid FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = names[1]::name AND relname = names[2]::name);
END
$$;

COMMENT ON FUNCTION _passage.named_table(text) IS 'oid of a relation by schema and name, NULL if it does not exist';

-- The expressions that decide which rows of a table the policies show to a role: each largest part of a policy that
-- depends on the row alone. Rows with equal values are visible to the same readers. "*" stands for the key of a row.

CREATE FUNCTION _passage.visibility_expressions(relation oid) RETURNS text[]
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'visibility_expressions_wrapper';

COMMENT ON FUNCTION _passage.visibility_expressions(oid) IS 'expressions over a row on which its visibility under the policies of its table depends';

-- Returns the oid of the table that a store adopted, and locks it if the caller may read it; NULL if it is missing,
-- another table or changed. Another table or view of its name could run code of its owner with the rights of a reader.
-- So the table must belong to the owner of the store, have a trigger of the store and the columns that the views read. A
-- caller whom policies hide rows from reads only a store whose documents and policies follow these policies.
--
-- The planner evaluates an IMMUTABLE function before it opens the table behind the body of adopted_source. The plan
-- depends on the oid, so PostgreSQL plans again after each change of the table.

CREATE FUNCTION _passage.adopted_table(schema name, relation name, side oid, visibility text[]) RETURNS oid
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'adopted_table_wrapper';

COMMENT ON FUNCTION _passage.adopted_table(name, name, oid, text[]) IS 'oid of the table that a store adopted, NULL if it is missing, another table or changed';

-- For documents, which are read without the table: once for each execution of a statement.

CREATE FUNCTION _passage.adopted_is_readable(schema name, relation name, side oid, visibility text[]) RETURNS boolean
LANGUAGE c STABLE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'adopted_is_readable_wrapper';

COMMENT ON FUNCTION _passage.adopted_is_readable(name, name, oid, text[]) IS 'true; raises an error if the table that a store adopted is missing, another table, or changed';

-- The same with an error instead of NULL.

CREATE FUNCTION _passage.adopted_source(source text, side regclass, visibility text[]) RETURNS oid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    home CONSTANT oid := (SELECT relnamespace FROM pg_class WHERE pg_class.oid = side);
    store CONSTANT name := (SELECT nspname FROM pg_namespace WHERE pg_namespace.oid = home);
    repair CONSTANT text := format('SELECT passage.upgrade_store(%L);', store);
    present oid := _passage.named_table(source);
    other text;
    problem text;
    detail text;
    remedy text;
BEGIN
    IF NOT EXISTS (SELECT FROM _passage.adopted_triggers(side) WHERE adopted = present) THEN
        SELECT format('%I.%I', nspname, relname) INTO other
        FROM _passage.adopted_triggers(side) JOIN pg_class ON pg_class.oid = adopted JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE is_own LIMIT 1;
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = CASE WHEN other IS NOT NULL THEN format('table %s, which store "%s" adopted, is now %s', source, store, other)
                WHEN present IS NULL THEN format('table %s, which store "%s" adopted, does not exist', source, store)
                ELSE format('table %s has no trigger of store "%s", which adopted a table of that name', source, store) END,
            HINT = CASE WHEN other IS NOT NULL THEN format('Run SELECT passage.adopt(%L, %L); as its owner.', other, store)
                WHEN present IS NULL THEN format('Create the table and run %s or run SELECT passage.unadopt(%L);', repair, store)
                ELSE format('If a program created the table again, run %s as its owner.', repair) END;
    END IF;
    SELECT * INTO problem, detail, remedy FROM _passage.adopted_owner_problem(present, side);
    IF problem IS NULL THEN
        SELECT format('column "%s" of table %s has changed since store "%s" adopted it', known.attname, source, store),
            CASE WHEN actual.attname IS NULL THEN 'The column does not exist.'
                ELSE format('The column has type %s, and the store read %s.', format_type(actual.atttypid, actual.atttypmod), format_type(known.atttypid, known.atttypmod)) END,
            repair INTO problem, detail, remedy
        FROM pg_class JOIN pg_attribute AS known ON known.attrelid = pg_class.oid
        LEFT JOIN pg_attribute AS actual ON actual.attrelid = present AND actual.attname = known.attname AND NOT actual.attisdropped
        WHERE relnamespace = home AND relname = 'adopted_row' AND relkind = 'c'
            AND (actual.atttypid, actual.atttypmod, actual.attcollation) IS DISTINCT FROM (known.atttypid, known.atttypmod, known.attcollation)
        LIMIT 1;
    END IF;
    IF problem IS NULL AND row_security_active(present) AND (
        _passage.visibility_expressions(present) <> visibility OR NOT (SELECT relrowsecurity FROM pg_class WHERE pg_class.oid = side))
    THEN
        problem := format('row-level security of table %s has changed since store "%s" adopted it', source, store);
        detail := 'The store could show traces of rows that policies hide.';
        remedy := repair;
    END IF;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = problem, DETAIL = detail, HINT = _passage.adoption_hint(remedy);
    END IF;
    present := _passage.adopted_table((parse_ident(source))[1]::name, (parse_ident(source))[2]::name, side, visibility);
    IF present IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('table %s was changed at the same time', source),
            HINT = 'Repeat the statement.';
    END IF;
    RETURN present;
END
$$;

COMMENT ON FUNCTION _passage.adopted_source(text, regclass, text[]) IS 'oid of the table that a store adopted; raises an error if it is missing, another table, or changed';

-- Returns why the table of an adopted store cannot be read or its triggers must not write, NULL for neither.

CREATE FUNCTION _passage.adopted_source_problem(store name, OUT problem text, OUT detail text, OUT remedy text)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    side CONSTANT oid := _passage.adopted_side(store);
    adoption CONSTANT jsonb := _passage.adoption_of(side);
    argument text;
    expression text;
BEGIN
    SELECT written.* INTO problem, detail, remedy
    FROM (
        SELECT DISTINCT adopted FROM _passage.adopted_triggers(side) WHERE is_own OR adopted = _passage.named_table(adoption ->> 'source')
    ) AS listed
    CROSS JOIN LATERAL _passage.adopted_write_problem(adopted, side) AS written
    WHERE written.problem IS NOT NULL LIMIT 1;
    IF problem IS NULL AND NOT has_any_column_privilege(_passage.named_table(adoption ->> 'source'), 'SELECT') THEN
        problem := format('role "%s" may not read table %s', current_user, adoption ->> 'source');
        remedy := format('GRANT SELECT ON %s TO %I;', adoption ->> 'source', current_user);
        RETURN;
    END IF;
    IF problem IS NULL THEN
        PERFORM _passage.adopted_source(adoption ->> 'source', side, ARRAY(SELECT jsonb_array_elements_text(adoption -> 'visibility')));
    END IF;
    -- Only the owner executes the expressions.
    IF problem IS NULL AND EXISTS (
        SELECT FROM pg_class JOIN pg_roles ON pg_roles.oid = relowner WHERE pg_class.oid = _passage.named_table(adoption ->> 'source') AND rolname = current_user)
    THEN
        FOR argument, expression IN SELECT * FROM jsonb_each_text((adoption -> 'expressions') - 'described') ORDER BY 1 LOOP
            BEGIN
                PERFORM _passage.expression_columns(_passage.named_table(adoption ->> 'source'), expression);
            EXCEPTION WHEN syntax_error_or_access_rule_violation THEN
                problem := format('argument "%s": %s', argument, SQLERRM);
                remedy := format('SELECT passage.unadopt(%L);', store);
                RETURN;
            END;
        END LOOP;
    END IF;
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, remedy = PG_EXCEPTION_HINT, detail = PG_EXCEPTION_DETAIL;
    remedy := substring(remedy FROM '(?:SELECT|ALTER) .*?;');
END
$$;

COMMENT ON FUNCTION _passage.adopted_source_problem(name) IS 'why the table of an adopted store cannot be read or written, and the remedy; NULL if it can';
