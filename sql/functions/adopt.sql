-- adopt: makes a store of a table that another program writes, and keeps both in step.
--
-- The source gets triggers and is otherwise unchanged. The triggers run with the rights of the owner of the source, so
-- programs that write the source need no rights on the store. Its owner adopts it, and so owns the store.

CREATE FUNCTION passage.adopt(
    source regclass,
    store name,
    framework text DEFAULT NULL,
    id text DEFAULT NULL,
    document text DEFAULT NULL,
    ordinal text DEFAULT NULL,
    previous text DEFAULT NULL,
    section text DEFAULT NULL,
    content text DEFAULT NULL,
    embedding text DEFAULT NULL,
    uri text DEFAULT NULL,
    title text DEFAULT NULL,
    media_type text DEFAULT NULL,
    metadata text DEFAULT NULL,
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    tokens text DEFAULT NULL,
    start_char text DEFAULT NULL,
    start_byte text DEFAULT NULL,
    first_line text DEFAULT NULL,
    last_line text DEFAULT NULL,
    condition text DEFAULT NULL,
    language regconfig DEFAULT NULL,
    dry_run boolean DEFAULT false
)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 40
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    former_propagation text;
    arguments CONSTANT jsonb := jsonb_strip_nulls(jsonb_build_object(
        'id', id, 'document', document, 'ordinal', ordinal, 'previous', previous, 'section', section, 'content', content,
        'embedding', embedding, 'uri', uri, 'title', title, 'media_type', media_type, 'metadata', metadata, 'collection', collection,
        'version', version, 'tokens', tokens, 'start_char', start_char, 'start_byte', start_byte, 'first_line', first_line,
        'last_line', last_line, 'condition', condition));
    existing jsonb;
    adoption jsonb;
    statement text;
BEGIN
    IF source IS NULL OR store IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'passage.adopt requires source and store',
            HINT = 'Pass the table and the name of the new store, as in passage.adopt(''documents'', ''docs'').';
    END IF;
    PERFORM _passage.store_must_be_own(store);
    PERFORM _passage.check_adopted_source(source);
    existing := _passage.adoption(store);
    IF existing IS NULL AND EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname IN ('documents', 'chunks', 'embeddings', 'adopted_chunks', 'adopted_documents', 'adopted_row'))
    THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_table',
            MESSAGE = format('schema "%s" already has a store', store),
            HINT = 'Choose another name for the store.';
    END IF;
    -- The triggers of the other table would refuse each of its rows.
    IF _passage.named_table(existing ->> 'source') <> source THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_table',
            MESSAGE = format('store "%s" already shows table %s', store, existing ->> 'source'),
            HINT = format('Choose another name for the store, or run SELECT passage.unadopt(%L); first.', store);
    END IF;
    BEGIN
        adoption := _passage.new_adoption(source, coalesce(framework, existing ->> 'framework'),
            CASE WHEN arguments = '{}' THEN coalesce(existing -> 'expressions', '{}') ELSE arguments END,
            coalesce(language, (existing ->> 'language')::regconfig));
    EXCEPTION WHEN OTHERS THEN
        IF existing IS NULL OR arguments <> '{}' THEN
            RAISE;
        END IF;
        GET STACKED DIAGNOSTICS statement = RETURNED_SQLSTATE;
        RAISE EXCEPTION USING ERRCODE = statement, MESSAGE = format('store "%s" cannot be repaired: %s', store, SQLERRM),
            HINT = format('Run SELECT passage.unadopt(%L); and adopt the table again.', store);
    END;
    adoption := adoption || jsonb_build_object('seed', coalesce(existing ->> 'seed', adoption ->> 'seed'));
    -- The types of the other expressions change no column of the store.
    IF existing - '{vectors,source,columns,reads,visibility,types}'::text[] <> adoption - '{vectors,source,columns,reads,visibility,types}'::text[]
        OR (SELECT bool_or(existing #> ARRAY['types', argument] <> adoption #> ARRAY['types', argument]) FROM unnest('{document,embedding,ordinal,section}'::text[]) AS argument)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = CASE WHEN existing -> 'expressions' = adoption -> 'expressions' AND existing -> 'framework' = adoption -> 'framework'
                    AND existing -> 'language' = adoption -> 'language'
                THEN format('columns of table %s have other types than when store "%s" adopted it', adoption ->> 'source', store)
                ELSE format('store "%s" adopted %s with other arguments', store, existing ->> 'source') END,
            HINT = format('Run SELECT passage.unadopt(%L); and adopt the table again. Ids stay the same.', store);
    END IF;

    IF dry_run THEN
        RETURN QUERY SELECT * FROM _passage.adoption_statements(store, adoption);
        RETURN;
    END IF;
    PERFORM _passage.transaction_must_write('adopt');
    -- An older snapshot lacks rows that others commit before the table is locked.
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = format('passage.adopt cannot run in isolation level "%s"', current_setting('transaction_isolation')),
            HINT = 'Run it in a READ COMMITTED transaction.';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('passage.create_store ' || store, 0));
    -- No writer may come between the rows that are read and the triggers.
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE', adoption ->> 'source');
    PERFORM _passage.check_adopted_source(source);
    PERFORM set_config('synchronize_seqscans', 'off', true);
    former_propagation := _passage.set_citus_setting('citus.enable_ddl_propagation', 'off');
    FOR statement IN SELECT * FROM _passage.adoption_statements(store, adoption) LOOP
        EXECUTE statement;
        RETURN NEXT statement;
    END LOOP;
    PERFORM _passage.set_citus_setting('citus.enable_ddl_propagation', former_propagation);
END
$$;

COMMENT ON FUNCTION passage.adopt(regclass, name, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, regconfig, boolean) IS 'makes a store of a table that another program writes, keeps it in step by triggers, and returns the statements
source: table with a row for each chunk, owned by the caller
store: schema of the store; an adopted store is repaired
framework: langchain, langchain_pgvector, llamaindex, haystack, pgai, pgedge, spring_ai or supabase; NULL recognizes it by the columns
id: expression for the id that results return as source_id; NULL takes the primary key
document: expression for what the chunks of a document have in common
ordinal: expression that orders the chunks of a document; NULL orders by an integer key, else by arrival
previous: expression for the id of the previous chunk
section: expression for the titles from the root down, text[] or text
content: expression for the text
embedding: expression for the vector
uri, title, media_type, collection, version: expressions for the columns of documents
metadata, tokens, first_line, last_line: expressions for the columns of chunks
start_char, start_byte: expressions for the offset of the text in the document, in characters or bytes
condition: boolean expression for the rows to adopt; NULL adopts all
language: text search configuration; NULL takes english
dry_run: whether to return the statements without executing them, false by default';
