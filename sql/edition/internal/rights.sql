-- Whether the current role may have a right on a table or on some of its columns; true for a table that does not exist.

CREATE FUNCTION _passage.may_have_right(store name, relation name, command text) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN coalesce((
        SELECT has_schema_privilege(relnamespace, 'USAGE')
            AND (has_table_privilege(pg_class.oid, command) OR command <> 'DELETE' AND has_any_column_privilege(pg_class.oid, command))
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = store AND relname = relation), true);
END
$$;

COMMENT ON FUNCTION _passage.may_have_right(name, name, text) IS 'whether the current role may execute a command on a table of a store';

-- twin: must_be_allowed_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema CONSTANT name := _passage.store_name(must_be_allowed.store);
BEGIN
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = schema AND NOT has_schema_privilege(oid, 'USAGE')) THEN
        PERFORM _passage.refuse(operation, schema);
    END IF;
    PERFORM _passage.store_must_exist(schema);
    IF EXISTS (
        SELECT FROM _passage.needed_rights() AS needed CROSS JOIN unnest(needed.commands) AS command
        WHERE needed.operation = must_be_allowed.operation AND needed.relation IN ('documents', 'chunks', 'embeddings')
            AND command = ANY (coalesce(must_be_allowed.commands, needed.commands))
            AND NOT _passage.may_have_right(schema, needed.relation, command)
    ) THEN
        PERFORM _passage.refuse(operation, schema);
    END IF;
END
$$;
