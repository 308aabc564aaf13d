-- Stores that lack a relation or a column of their layout. The functions read all columns, so the error names the missing one
-- instead of a statement.

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
