-- chunk_id: the id of a chunk of an adopted store.

CREATE FUNCTION passage.chunk_id(store name, source_id text) RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    keys text;
    types text[];
    stored boolean;
    found uuid;
BEGIN
    PERFORM _passage.store_must_exist(store);
    -- From the catalog: another role can own the store.
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attname LIKE 'key\_%'),
        array_agg(format_type(atttypid, -1) ORDER BY attnum) FILTER (WHERE attname LIKE 'key\_%'), bool_or(attname = 'source_id')
    INTO keys, types, stored
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = store AND relname = 'adopted_chunks' AND attnum > 0 AND NOT attisdropped;
    IF stored IS NULL THEN
        EXECUTE format('SELECT id FROM %I.chunks WHERE id = $1::uuid', store) INTO found USING source_id;
    ELSIF stored THEN
        EXECUTE format('SELECT id FROM %I.adopted_chunks WHERE source_id = $1 ORDER BY arrival LIMIT 1', store) INTO found USING source_id;
    ELSIF cardinality(types) > 1 THEN
        EXECUTE format('SELECT id FROM %I.adopted_chunks WHERE (%s) = (SELECT %s FROM (SELECT $1::jsonb) AS given (value))', store, keys, (
                SELECT string_agg(format('(value ->> %s)::%s', n - 1, listed.type), ', ' ORDER BY n)
                FROM unnest(types) WITH ORDINALITY AS listed (type, n)))
            INTO found USING source_id;
    ELSE
        EXECUTE format('SELECT id FROM %I.adopted_chunks WHERE %s = $1::%s', store, coalesce(keys, 'id'), coalesce(types[1], 'uuid'))
            INTO found USING source_id;
    END IF;
    RETURN found;
EXCEPTION WHEN invalid_text_representation OR numeric_value_out_of_range OR datetime_field_overflow OR invalid_datetime_format THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
        MESSAGE = format('source_id must be %s', CASE WHEN cardinality(types) > 1 THEN 'a JSON array with the columns of the key'
            ELSE 'of type ' || coalesce(types[1], 'uuid') END),
        HINT = format('Pass an id as the column source_id of %I.chunks shows it.', store);
END
$$;

COMMENT ON FUNCTION passage.chunk_id(name, text) IS 'returns the id that a chunk has in an adopted store, NULL if it has none
store: schema of the store
source_id: id of the chunk in its own table, as text';
