-- Stores that cannot be read: they lack a relation or a column of their layout, or a column has another type.

-- The type behind domains, of an array that of its elements.

CREATE FUNCTION _passage.inner_type(type oid) RETURNS oid
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    next oid;
BEGIN
    LOOP
        SELECT CASE WHEN typtype = 'd' THEN typbasetype WHEN typcategory = 'A' THEN typelem ELSE 0 END INTO next FROM pg_type WHERE oid = inner_type.type;
        EXIT WHEN next = 0 OR next IS NULL;
        type := next;
    END LOOP;
    RETURN type;
END
$$;

COMMENT ON FUNCTION _passage.inner_type(oid) IS 'type without domains and arrays';

CREATE FUNCTION _passage.refuse_column(store name, relation name, column_name name, expected text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'datatype_mismatch',
        MESSAGE = format('column "%s" of relation "%s.%s" cannot be read as %s', column_name, store, relation, expected),
        HINT = format('Run SELECT * FROM passage.check_store(%L); to see what the store lacks.', store);
END
$$;

COMMENT ON FUNCTION _passage.refuse_column(name, name, name, text) IS 'raises an error for a column of another type';

-- A statement that compares a column of a user's type with a text, or casts it, calls the user's function. Only superusers
-- create base types, so their casts are those of PostgreSQL and of extensions. PostgreSQL ignores casts of domains.

CREATE FUNCTION _passage.types_must_be_safe(store name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    odd record;
    inner_type oid;
    expected text;
BEGIN
    FOR odd IN
        SELECT relname, attname, atttypid FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE attrelid = ANY (ARRAY[to_regclass(format('%I.chunks', store)), to_regclass(format('%I.documents', store)),
                to_regclass(format('%I.embeddings', store)), to_regclass(format('%I.strategies', store))]::oid[])
            AND attnum > 0 AND atttypid >= 16384 AND NOT EXISTS (SELECT FROM pg_type WHERE pg_type.oid = atttypid AND typtype = 'b' AND typelem = 0)
    LOOP
        inner_type := _passage.inner_type(odd.atttypid);
        CONTINUE WHEN inner_type < 16384 OR EXISTS (SELECT FROM pg_type WHERE oid = inner_type AND typtype = 'b');
        -- The user may have added a column, which nothing reads.
        expected := CASE WHEN odd.relname <> 'embeddings' THEN (
                SELECT needed.type FROM _passage.store_columns(store, NULL, 'vector', 'simple', NULL) AS needed WHERE needed.relation = odd.relname AND needed.name = odd.attname)
            WHEN odd.attname = 'embedding' THEN 'vector' WHEN odd.attname IN ('chunk_id', 'document_id') THEN 'uuid' END;
        IF expected IS NOT NULL THEN
            PERFORM _passage.refuse_column(store, odd.relname, odd.attname, expected);
        END IF;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.types_must_be_safe(name) IS 'raises an error for a store whose types could call functions of a user';

CREATE FUNCTION _passage.store_must_be_readable(store name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM _passage.store_must_exist(store);
    PERFORM _passage.types_must_be_safe(store);
END
$$;

COMMENT ON FUNCTION _passage.store_must_be_readable(name) IS 'raises an error for a store that does not exist, or whose types could call functions of a user';

-- The functions read all columns. After an error of a statement, this one names the column that is missing or has a type that
-- PostgreSQL would parse, whose error shows the text.

CREATE FUNCTION _passage.refuse_incomplete_store(store name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    needed record;
BEGIN
    PERFORM _passage.store_must_exist(store);
    FOR needed IN
        SELECT listed.relation, listed.name, listed.type, _passage.inner_type(to_regtype(listed.type)) AS type_id, _passage.inner_type(found.type_id) AS found_id
        FROM _passage.store_columns(store, NULL, 'vector', 'simple', NULL) AS listed LEFT JOIN (
            SELECT relname, attname, atttypid AS type_id
            FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = store
        ) AS found ON found.relname = listed.relation AND found.attname = listed.name
        ORDER BY found.type_id IS NOT NULL, listed.place
    LOOP
        IF needed.found_id IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'undefined_column',
                MESSAGE = format('relation "%s.%s" of the store has no column "%s"', store, needed.relation, needed.name),
                DETAIL = 'The SQL edition of pg_passage reads stores with all columns.',
                HINT = format('Run SELECT * FROM passage.check_store(%L); to see what the store lacks.', store);
        ELSIF NOT EXISTS (
            SELECT FROM pg_type WHERE oid = needed.found_id AND (oid = needed.type_id OR typcategory = 'S' AND needed.type LIKE 'text%'
                OR EXISTS (SELECT FROM pg_cast WHERE castsource = oid AND casttarget = needed.type_id AND castcontext <> 'e'))
        ) THEN
            PERFORM _passage.refuse_column(store, needed.relation, needed.name, needed.type);
        END IF;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.refuse_incomplete_store(name) IS 'raises an error for a store that does not exist, lacks a column or has one of another type';
