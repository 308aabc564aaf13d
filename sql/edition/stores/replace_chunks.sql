-- twin: must_have_written_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    literal CONSTANT text := format('''%s''', replace(store, '''', ''''''));
BEGIN
    IF written = expected THEN
        RETURN;
    END IF;
    PERFORM _passage.store_must_exist(store);
    IF written < expected THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('row-level security of store "%s" hides rows that must be written', store),
            HINT = format('Policies for SELECT, UPDATE and DELETE on documents, chunks and embeddings must show the rows. '
                'SELECT passage.create_store(%s, dry_run => true); prints policies, and passage doctor --as %s those that the role lacks.',
                literal, current_user);
    ELSIF relation IN ('documents', 'chunks', 'embeddings') THEN
        RAISE EXCEPTION USING ERRCODE = 'cardinality_violation',
            MESSAGE = format('relation "%s.%s" has several rows with the same id', store, relation),
            HINT = format('Delete all but one of them, and add a primary key. '
                'Run SELECT * FROM passage.check_store(%s); to see what the store lacks.', literal);
    END IF;
END
$$;
