-- twin: must_allow_write_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    needed CONSTANT name := CASE relation WHEN 'documents' THEN 'documents' ELSE 'chunks' END;
    kind "char";
BEGIN
    PERFORM _passage.must_be_allowed(operation, '{}', store);
    IF relation NOT IN ('documents', 'chunks', 'embeddings') OR command NOT IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE') THEN
        RETURN;
    END IF;
    SELECT relkind INTO kind FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = store AND relname = needed;
    IF kind IS NULL OR command <> 'SELECT' AND kind NOT IN ('r', 'p') THEN
        RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
            MESSAGE = CASE WHEN kind IS NULL THEN format('store "%s" has no table "%s"', store, needed)
                ELSE format('relation "%s" of store "%s" is a view', needed, store) END,
            HINT = 'Write to the tables behind the views, or name a store of tables, as passage.create_store creates it.';
    END IF;
    IF command <> 'INSERT' AND NOT _passage.may_have_right(store, relation, 'SELECT') OR NOT _passage.may_have_right(store, relation, command) THEN
        PERFORM _passage.refuse(operation, store);
    END IF;
END
$$;
