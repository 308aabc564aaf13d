-- The statements of the triggers for one row that follows all others of its document.
--
-- Frameworks insert row by row. Such a row changes no other row, so it needs no window over its document: three small
-- statements take half the time of the one that places any rows. The result must be the same.
--
-- The first statement reads the row. The others have its columns as parameters. The second one locks the document, so
-- that the third one reads what another writer of the document has committed.

CREATE FUNCTION _passage.adopted_append(store name, adoption jsonb, part jsonb) RETURNS TABLE (name text, statement text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 3
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    given CONSTANT jsonb := adoption -> 'expressions';
    by_section CONSTANT boolean := coalesce((adoption ->> 'by_section')::boolean, false);
    -- The columns of row_columns, in their order.
    columns CONSTANT text[] := string_to_array(concat_ws(', ', part ->> 'all_keys',
        'document_id, collection, version, uri, title, media_type, content, place, previous, source_id, start_char, start_byte, section') || (part ->> 'copied'), ', ');
    rows CONSTANT text := (SELECT string_agg(format('$%s AS %s', place, col), ', ' ORDER BY place) FROM unnest(columns) WITH ORDINALITY AS listed (col, place));
BEGIN
    IF given ? 'previous' THEN
        RETURN;
    END IF;
    RETURN QUERY VALUES
        ('append_read', format('SELECT %s FROM (SELECT %s FROM (SELECT source.* FROM ONLY %s AS source WHERE %s) AS source%s) AS rows',
            array_to_string(columns, ', '), part ->> 'row_columns', adoption ->> 'source', part ->> 'same_first', part ->> 'row_from_parallel')),
        ('append_lock', format($sql$INSERT INTO %I.adopted_documents AS known (id, collection, version, uri, title, media_type)
            SELECT document_id, collection, version, uri, title, media_type FROM (SELECT %s) AS rows
            ON CONFLICT (id) DO UPDATE SET ingested_at = now()$sql$,
            store, rows)),
        ('append', format($sql$INSERT INTO %1$I.adopted_chunks (%2$s, tsv)
            SELECT %3$s, passage.chunk_tsv(%4$L::regconfig, rows.title, rows.section, rows.content)
            FROM (SELECT %5$s) AS rows
            LEFT JOIN LATERAL (
                SELECT %6$s, ordinal, place, start_char, start_byte, content%7$s
                FROM %1$I.adopted_chunks WHERE document_id = rows.document_id ORDER BY ordinal DESC LIMIT 1) AS last ON true
            %8$sCROSS JOIN LATERAL (SELECT _passage.chunk_advance(last.content, %9$s, rows.content, rows.start_char) AS step OFFSET 0) AS stepped
            CROSS JOIN LATERAL (SELECT (%10$s)::bigint AS first OFFSET 0) AS begun
            -- The first known distance gives spans to all chunks of a document.
            WHERE %11$s AND (last.id IS NULL OR %12$s)
            ON CONFLICT DO NOTHING$sql$,
            store, part ->> 'written',
            (SELECT string_agg(CASE col
                WHEN 'ordinal' THEN 'coalesce(last.ordinal + 1, 0)'
                WHEN 'bytes' THEN 'octet_length(rows.content)'
                WHEN 'after_id' THEN 'last.id'
                WHEN 'advance' THEN 'step'
                WHEN 'section_run' THEN 'run'
                WHEN 'start_byte' THEN 'CASE WHEN first >= 0 AND first + octet_length(rows.content) <= 2147483647 THEN first::integer END'
                WHEN 'end_byte' THEN 'CASE WHEN first >= 0 AND first + octet_length(rows.content) <= 2147483647 THEN (first + octet_length(rows.content))::integer END'
                ELSE 'rows.' || col END, ', ' ORDER BY place)
            FROM unnest(string_to_array(part ->> 'written', ', ')) WITH ORDINALITY AS listed (col, place)),
            adoption ->> 'language', rows, part ->> 'all_keys', CASE WHEN by_section THEN ', section_run' ELSE '' END,
            -- If offsets begin again in each section, the row can begin a section, or follow in the last one.
            CASE WHEN by_section THEN format($part$CROSS JOIN LATERAL (SELECT CASE
                WHEN last.section_run > 0 THEN (
                    SELECT CASE WHEN NOT %3$s THEN NULL
                        WHEN known.section_run IS NULL AND (rows.place[1] >= last.place[1] OR rows.place[1] IS NULL) THEN last.section_run + 1
                        WHEN known.section_run = last.section_run AND rows.place[1] IS NOT DISTINCT FROM last.place[1] AND rows.place[2] IS NULL
                            AND last.place[2] IS NULL AND rows.place[3] > last.place[3] THEN known.section_run END
                    FROM (SELECT (
                        SELECT section_run FROM %1$I.adopted_chunks
                        WHERE document_id = rows.document_id AND section_key = passage.section_key(rows.section) ORDER BY ordinal LIMIT 1)
                    ) AS known (section_run))
                WHEN last.id IS NULL OR %2$s THEN 0 END AS run OFFSET 0) AS running
            $part$, store, part ->> 'follows', part ->> 'is_after') ELSE '' END,
            CASE WHEN by_section THEN 'CASE WHEN run = last.section_run THEN last.start_char END' ELSE 'last.start_char' END,
            CASE WHEN given ? 'start_byte' THEN 'rows.start_byte'
                ELSE 'CASE WHEN last.id IS NOT NULL THEN last.start_byte + abs(step::bigint) WHEN step >= 0 THEN step END' END,
            CASE WHEN by_section THEN 'run IS NOT NULL' ELSE format('(last.id IS NULL OR (%s))', part ->> 'follows') END,
            CASE WHEN given ? 'start_byte' THEN 'true' ELSE '(last.start_byte IS NOT NULL OR step < 0)' END));
END
$function$;

COMMENT ON FUNCTION _passage.adopted_append(name, jsonb, jsonb) IS 'statements that insert one row at the end of its document';
