-- twin: assemble_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    schema CONSTANT name := _passage.store_name(store);
    contents text[];
    starts integer[];
    ends integer[];
    between text := separator;
    family text;
BEGIN
    PERFORM _passage.store_must_be_readable(schema);
    EXECUTE format($sql$
        SELECT array_agg(c.content ORDER BY c.ordinal, c.id), array_agg(c.start_byte ORDER BY c.ordinal, c.id), array_agg(c.end_byte ORDER BY c.ordinal, c.id),
            (_passage.known_media_type((SELECT d.media_type FROM %1$I.documents AS d WHERE d.id = $1))).family
        FROM (SELECT DISTINCT given FROM unnest($2) AS given) AS asked CROSS JOIN LATERAL (SELECT c.id, c.ordinal, c.content, c.start_byte, c.end_byte FROM %1$I.chunks AS c WHERE c.document_id = $1 AND c.id = given OFFSET 0) AS c$sql$, schema)
        INTO contents, starts, ends, family USING document_id, chunk_ids;
    IF contents IS NULL THEN
        RETURN NULL;
    ELSIF between IS NULL AND family <> 'prose' THEN
        between := '';
    END IF;
    RETURN convert_from((_passage.join_parts(contents, starts, ends, array_fill(between, ARRAY[cardinality(contents)]), NULL)).body, 'UTF8');
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(schema);
    RAISE;
END
$$;
