-- The changes of an adopted table or its store after which the triggers must not write.
--
-- The triggers run expressions over the rows with the rights of the owner of the table. So each of these functions decides
-- by identity: by the oids of the tables and the roles that own them, the types of the columns and who owns these types.

CREATE FUNCTION _passage.trusts(role oid, owner oid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT _passage.is_own(owner, role) OR (SELECT rolsuper FROM pg_roles WHERE pg_roles.oid = owner)
$$;

COMMENT ON FUNCTION _passage.trusts(oid, oid) IS 'whether code of an owner may run with the rights of a role';

-- Columns with a type or a collation of a role that another role does not trust. Its owner can create a cast, which then
-- runs in expressions over the column. Base types are exempt, since superusers alone create them.

CREATE FUNCTION _passage.foreign_columns(relation oid, role oid) RETURNS TABLE (name name, object text, owner name, repair text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE used (attnum, type) AS (
        SELECT attnum, atttypid FROM pg_attribute WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped
        UNION
        -- The elements of arrays, the types below domains and ranges, and the columns of composite types.
        SELECT used.attnum, part.type
        FROM used JOIN pg_type ON pg_type.oid = used.type
        CROSS JOIN LATERAL (
            SELECT typelem WHERE typelem <> 0
            UNION ALL
            SELECT typbasetype WHERE typbasetype <> 0
            UNION ALL
            SELECT rngsubtype FROM pg_range WHERE pg_type.oid IN (rngtypid, rngmultitypid)
            UNION ALL
            SELECT atttypid FROM pg_attribute WHERE attrelid = typrelid AND attnum > 0 AND NOT attisdropped
        ) AS part (type)
    )
    SELECT attname, found.object, pg_get_userbyid(found.owner), format('ALTER %s OWNER TO %I;', found.object, pg_get_userbyid(role))
    FROM (
        SELECT attnum, format('TYPE %s', format_type(used.type, NULL)) AS object, typowner AS owner
        FROM used JOIN pg_type ON pg_type.oid = used.type WHERE typtype <> 'b'
        UNION ALL
        SELECT attnum, format('COLLATION %s', attcollation::regcollation), collowner
        FROM pg_attribute JOIN pg_collation ON pg_collation.oid = attcollation
        WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped
    ) AS found JOIN pg_attribute ON attrelid = relation AND pg_attribute.attnum = found.attnum
    WHERE NOT _passage.trusts(role, found.owner)
    ORDER BY pg_attribute.attnum, 2
$$;

COMMENT ON FUNCTION _passage.foreign_columns(oid, oid) IS 'columns of a table with types or collations of roles that a role does not trust';

-- The type of a column as adopt records it.

CREATE FUNCTION _passage.column_type(relation oid, name name) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format_type(atttypid, atttypmod) || CASE WHEN attcollation <> typcollation THEN format(' COLLATE %s', attcollation::regcollation) ELSE '' END
    FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
    WHERE attrelid = relation AND attname = name AND attnum > 0 AND NOT attisdropped
$$;

COMMENT ON FUNCTION _passage.column_type(oid, name) IS 'type of a column with its collation, NULL if the column does not exist';

CREATE FUNCTION _passage.adoption_hint(remedy text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('Run %s as the owner of the store%s.', remedy, CASE WHEN remedy LIKE '%passage.unadopt(%' THEN ', and adopt the table again' ELSE '' END)
$$;

COMMENT ON FUNCTION _passage.adoption_hint(text) IS 'hint with the statement that repairs an adopted store';

CREATE FUNCTION _passage.adopted_owner_problem(source oid, side oid, OUT problem text, OUT detail text, OUT remedy text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('table %I.%I is owned by role "%s", and store "%s", which adopted it, by role "%s"', nspname, adopted.relname,
            pg_get_userbyid(adopted.relowner), store, pg_get_userbyid(kept.relowner)),
        'The triggers of the table write the store with the rights of the owner of both.',
        -- Not ALTER TABLE ... OWNER: the table can have triggers of the other role.
        format('SELECT passage.unadopt(%L);', store)
    FROM pg_class AS adopted JOIN pg_namespace ON pg_namespace.oid = adopted.relnamespace
    CROSS JOIN LATERAL (
        SELECT part.relowner, home.nspname AS store
        FROM pg_class AS chunks JOIN pg_namespace AS home ON home.oid = chunks.relnamespace
        JOIN pg_class AS part ON part.oid = side OR part.relnamespace = home.oid AND part.relname = 'adopted_documents'
        WHERE chunks.oid = side AND part.relowner <> adopted.relowner
        LIMIT 1
    ) AS kept
    WHERE adopted.oid = source
$$;

COMMENT ON FUNCTION _passage.adopted_owner_problem(oid, oid) IS 'that an adopted table and its store have different owners, NULL if they do not';

-- Returns the first reason why the triggers must not write, NULL if there is none. The remedy is SQL.

CREATE FUNCTION _passage.adopted_write_problem(source oid, side oid, OUT problem text, OUT detail text, OUT remedy text)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    adoption CONSTANT jsonb := _passage.adoption_of(side);
    adopted CONSTANT record := (SELECT found FROM (
        SELECT format('%I.%I', nspname, relname) AS name, relpersistence, relispartition, relowner, relrowsecurity AND relforcerowsecurity AS is_forced
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = source) AS found);
    kept CONSTANT record := (SELECT found FROM (
        SELECT format('%I.%I', nspname, relname) AS name, nspname, relname, relnamespace
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = side) AS found);
    -- The schema of the views, which depend on the table of chunks by its oid.
    home CONSTANT name := (
        SELECT nspname FROM pg_depend JOIN pg_rewrite ON pg_rewrite.oid = objid JOIN pg_class ON pg_class.oid = ev_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = side AND relname = 'chunks' LIMIT 1);
    unadopt CONSTANT text := format('SELECT passage.unadopt(%L);', kept.nspname);
    other text;
    changed record;
BEGIN
    IF adoption IS NULL THEN
        problem := format('table %s has no comment that records an adoption', kept.name);
        remedy := format('DROP SCHEMA %I CASCADE;', kept.nspname);
        RETURN;
    ELSIF kept.relname <> 'adopted_chunks' THEN
        problem := format('table %s was renamed', kept.name);
        remedy := format('ALTER TABLE %s RENAME TO adopted_chunks;', kept.name);
        RETURN;
    ELSIF NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = kept.relnamespace AND relname = 'adopted_documents' AND relkind = 'r') THEN
        problem := CASE WHEN home <> kept.nspname THEN format('table %s has left the schema of its store', kept.name)
            ELSE format('table %I.adopted_documents does not exist', kept.nspname) END;
        remedy := CASE WHEN home <> kept.nspname THEN format('ALTER TABLE %s SET SCHEMA %I;', kept.name, home)
            ELSE format('DROP SCHEMA %I CASCADE;', kept.nspname) END;
        RETURN;
    ELSIF NOT has_schema_privilege(adopted.relowner, kept.relnamespace, 'USAGE') THEN
        problem := format('role "%s", which owns table %s, may not use schema "%s" of its store', pg_get_userbyid(adopted.relowner), adopted.name, kept.nspname);
        remedy := format('GRANT USAGE ON SCHEMA %I TO %I;', kept.nspname, pg_get_userbyid(adopted.relowner));
        RETURN;
    END IF;

    SELECT * INTO problem, detail, remedy FROM _passage.adopted_owner_problem(source, side);
    IF problem IS NOT NULL THEN
        RETURN;
    ELSIF adopted.name <> adoption ->> 'source' THEN
        problem := format('table %s, which store "%s" adopted, is now %s', adoption ->> 'source', kept.nspname, adopted.name);
        remedy := format('SELECT passage.adopt(%L, %L);', adopted.name, kept.nspname);
        RETURN;
    ELSIF adopted.relpersistence <> 'p' THEN
        problem := format('table %s, which store "%s" adopted, is not permanent any more', adopted.name, kept.nspname);
        detail := 'A crash empties an unlogged table without a trigger.';
        remedy := format('ALTER TABLE %s SET LOGGED;', adopted.name);
        RETURN;
    ELSIF adopted.is_forced AND NOT (SELECT rolbypassrls OR rolsuper FROM pg_roles WHERE pg_roles.oid = adopted.relowner) THEN
        problem := format('row-level security filters rows for the owner of table %s', adopted.name);
        remedy := format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY;', adopted.name);
        RETURN;
    END IF;
    SELECT format('%I.%I', nspname, relname) INTO other
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE inhparent = source LIMIT 1;
    IF FOUND THEN
        problem := format('table %s, which store "%s" adopted, has a child %s', adopted.name, kept.nspname, other);
        detail := 'The store has no rows of children.';
        remedy := format('ALTER TABLE %s NO INHERIT %s;', other, adopted.name);
        RETURN;
    END IF;

    SELECT known.key AS name, known.value AS type, _passage.column_type(source, known.key::name) AS present INTO changed
    FROM jsonb_each_text(adoption -> 'columns') AS known
    WHERE _passage.column_type(source, known.key::name) IS DISTINCT FROM known.value ORDER BY 1 LIMIT 1;
    IF FOUND THEN
        problem := format('column "%s" of table %s has changed since store "%s" adopted it', changed.name, adopted.name, kept.nspname);
        detail := CASE WHEN changed.present IS NULL THEN 'The column does not exist.'
            ELSE format('The column has type %s, and had type %s.', changed.present, changed.type) END;
        -- Columns of the store have the types of the key, and of these arguments.
        remedy := CASE WHEN changed.present IS NULL OR EXISTS (
                SELECT FROM unnest('{ordinal,section,document}'::text[]) AS argument WHERE adoption -> 'reads' -> argument ? changed.name)
                OR adoption -> 'key' @> jsonb_build_array(jsonb_build_object('name', changed.name)) THEN unadopt
            ELSE format('SELECT passage.upgrade_store(%L);', kept.nspname) END;
        RETURN;
    END IF;
    IF NOT EXISTS (
        SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
        WHERE indrelid = source AND indisunique AND indisvalid AND indimmediate AND indpred IS NULL AND indexprs IS NULL AND amname = 'btree'
            AND ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = source AND attnotnull AND attnum = ANY (indkey[0:indnkeyatts - 1]) ORDER BY 1)
                = ARRAY(SELECT key ->> 'name' FROM jsonb_array_elements(adoption -> 'key') AS key ORDER BY 1))
    THEN
        other := (SELECT string_agg(quote_ident(key ->> 'name'), ', ') FROM jsonb_array_elements(adoption -> 'key') AS key);
        problem := format('table %s has no unique key on (%s) any more', adopted.name, other);
        remedy := CASE WHEN EXISTS (SELECT FROM pg_index WHERE indrelid = source AND indisprimary) THEN unadopt
            ELSE format('ALTER TABLE %s ADD PRIMARY KEY (%s);', adopted.name, other) END;
        RETURN;
    END IF;
    SELECT listed.col INTO other
    FROM unnest(string_to_array(_passage.adoption_parts(adoption) ->> 'written', ', ') || '{arrival,tsv}'::text[]) AS listed (col)
    WHERE _passage.column_type(side, listed.col::name) IS NULL LIMIT 1;
    IF FOUND THEN
        problem := format('table %s has no column "%s" any more', kept.name, other);
        remedy := unadopt;
        RETURN;
    END IF;
    SELECT * INTO changed FROM _passage.foreign_columns(source, adopted.relowner) LIMIT 1;
    IF FOUND THEN
        problem := format('column "%s" of table %s uses %s of role "%s"', changed.name, adopted.name, changed.object, changed.owner);
        detail := format('Its owner could run code with the rights of "%s".', pg_get_userbyid(adopted.relowner));
        remedy := unadopt;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.adopted_write_problem(oid, oid) IS 'the first reason why the triggers of an adopted table must not write, and the remedy; NULL if there is none';
