-- Stores that cannot be read: they lack a relation or a column of their layout, or a column has a type of a user.

-- A statement that compares a column of a user's type with a text, or casts it, calls the user's function. Only superusers
-- create base types, so their casts are those of PostgreSQL and of extensions. PostgreSQL ignores casts of domains.

CREATE FUNCTION _passage.store_must_be_readable(store name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    odd record;
    kind "char";
    inner_type oid;
    expected text;
BEGIN
    PERFORM _passage.store_must_exist(store);
    FOR odd IN
        SELECT relname, attname, atttypid AS type
        FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE nspname = store AND relname = ANY ('{documents,chunks,embeddings,strategies}') AND atttypid >= 16384 AND attnum > 0
    LOOP
        LOOP
            SELECT typtype, CASE WHEN typtype = 'd' THEN typbasetype ELSE typelem END INTO kind, inner_type FROM pg_type WHERE oid = odd.type;
            EXIT WHEN inner_type = 0;
            odd.type := inner_type;
        END LOOP;
        CONTINUE WHEN odd.type < 16384 OR kind = 'b';
        -- The user may have added a column, which nothing reads.
        expected := CASE WHEN odd.relname <> 'embeddings' THEN (
                SELECT needed.type FROM _passage.store_columns(store, NULL, 'vector', 'simple', NULL) AS needed WHERE needed.relation = odd.relname AND needed.name = odd.attname)
            WHEN odd.attname = 'embedding' THEN 'vector' WHEN odd.attname IN ('chunk_id', 'document_id') THEN 'uuid' END;
        IF expected IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'datatype_mismatch',
                MESSAGE = format('column "%s" of relation "%s.%s" cannot be read as %s', odd.attname, store, odd.relname, expected),
                HINT = format('Run SELECT * FROM passage.check_store(%L); to see what the store lacks.', store);
        END IF;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.store_must_be_readable(name) IS 'raises an error for a store that does not exist, or whose types could call functions of a user';

-- The functions read all columns, so the error names the missing one instead of a statement.

CREATE FUNCTION _passage.refuse_incomplete_store(store name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing record;
BEGIN
    PERFORM _passage.store_must_exist(store);
    SELECT needed.relation, needed.name INTO missing
    FROM _passage.store_columns(store, NULL, 'vector', 'simple', NULL) AS needed
    WHERE NOT EXISTS (
        SELECT FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = needed.relation AND attname = needed.name)
    ORDER BY needed.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_column',
            MESSAGE = format('relation "%s.%s" of the store has no column "%s"', store, missing.relation, missing.name),
            DETAIL = 'The SQL edition of pg_passage reads stores with all columns.',
            HINT = format('Run SELECT * FROM passage.check_store(%L); to see what the store lacks.', store);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.refuse_incomplete_store(name) IS 'raises an error for a store that does not exist or lacks a column';
