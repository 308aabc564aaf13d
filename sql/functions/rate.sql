-- rate: says how well a chunk answers a question, for the searches with "feedback".
--
-- The rights of the caller decide, as for any INSERT. A role that may update its ratings replaces an earlier one; for another role a
-- second rating of the same question and chunk is an error of the key.

CREATE FUNCTION passage.rate(
    query text,
    chunk_id uuid,
    rating real,
    embedding real[] DEFAULT NULL,
    rated_by text DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    schema CONSTANT name := _passage.store_name(store);
    -- As much as a search reads.
    question CONSTANT text := left(query, 16384);
    lexemes text[];
    embeddings record;
    dimensions integer;
    document uuid;
    columns text := 'query, lexemes, document_id, chunk_id, rating';
    parameters text := '$1, $2, $3, $4, $5';
    changes text := 'rating = excluded.rating, rated_at = excluded.rated_at';
    may_update boolean;
BEGIN
    IF (question ~ '\S') IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = '"query" must not be empty', HINT = 'Pass the question that the chunk was found for.';
    ELSIF (rating >= -1 AND rating <= 1) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('"rating" is out of range: %s', coalesce(rating::text, 'NULL')), HINT = 'Use a number from -1 to 1.';
    ELSIF rated_by = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = '"rated_by" must not be empty', HINT = 'Pass the user whose rating it is, or NULL for the role.';
    ELSIF length(rated_by) > 200 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('"rated_by" must have at most 200 characters, not %s', length(rated_by)), HINT = 'Pass the id of the user.';
    ELSIF EXISTS (SELECT FROM unnest(embedding) AS value WHERE value IS NULL OR value IN ('NaN', 'Infinity', '-Infinity')) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'NULL, NaN and infinity are not allowed in an embedding', HINT = 'Use finite numbers only.';
    END IF;
    PERFORM _passage.must_be_allowed('read', NULL, schema), _passage.transaction_must_write('rate'), _passage.ratings_must_allow(schema, 'INSERT');
    lexemes := _passage.question_lexemes(schema, question);
    IF embedding IS NOT NULL THEN
        SELECT * INTO embeddings FROM _passage.rating_embeddings(schema, cardinality(embedding));
        IF embeddings IS NULL THEN
            dimensions := (SELECT facts.dimensions FROM _passage.store_facts(schema) AS facts);
            IF dimensions <> cardinality(embedding) THEN
                RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
                    MESSAGE = format('embedding must have %s dimensions as in store "%s", not %s', dimensions, schema, cardinality(embedding)),
                    HINT = 'Embed the query with the model that embedded the chunks.';
            END IF;
            RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('ratings of store "%s" have no embeddings', schema),
                HINT = format('Omit the embedding, or run SELECT passage.create_store(%L, dimensions => %s);', schema, cardinality(embedding));
        END IF;
        columns := columns || ', embedding';
        parameters := parameters || format(', $6::%I.%I', embeddings.schema, embeddings.type);
        changes := changes || ', embedding = excluded.embedding';
    ELSIF lexemes = '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = '"query" has no words that a search looks for', HINT = 'Pass the embedding of the query, too.';
    END IF;
    EXECUTE format('SELECT c.document_id FROM %I.chunks AS c WHERE c.id = $1', schema) INTO document USING chunk_id;
    IF document IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('chunk %s was not found', coalesce(chunk_id::text, 'NULL')),
            HINT = 'Pass the id of a chunk that the search returned. The document may have changed since.';
    END IF;
    IF rated_by IS NOT NULL THEN
        columns := columns || ', rated_by';
        parameters := parameters || ', $7';
    END IF;
    may_update := has_column_privilege(format('%I.ratings', schema), 'rating', 'UPDATE') AND has_table_privilege(format('%I.ratings', schema), 'SELECT');
    EXECUTE format('INSERT INTO %I.ratings AS r (%s) VALUES (%s)%s', schema, columns, parameters,
        CASE WHEN may_update THEN ' ON CONFLICT (chunk_id, rated_by, query_key) DO UPDATE SET ' || changes END)
        USING question, lexemes, document, chunk_id, rating, embedding, rated_by;
END
$$;

COMMENT ON FUNCTION passage.rate(text, uuid, real, real[], text, name) IS 'says how well a chunk answers a question; searches with the ranking feedback prefer or avoid the chunk for similar questions
query: question that the chunk was found for
chunk_id: chunk, for a passage its first hit
rating: from -1, it does not answer the question, to 1, it does; 0 withdraws an earlier rating
embedding: of the question, by the model that embedded the chunks; NULL compares questions by their words only
rated_by: user of an application whose rating it is; NULL takes the role
store: schema of the store; NULL takes the setting passage.store (rag)';
