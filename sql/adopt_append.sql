-- adopt_append: the part of the triggers for one row that follows all others of its document.
--
-- Frameworks insert row by row. Such a row changes no other row, so it needs no window over its document: four small
-- statements take half the time of the one that places any rows. The result must be the same.

-- Statements for the body of update_adopted. They return from it if they have inserted the row.

CREATE FUNCTION _passage.adopted_append(store name, adoption jsonb, part jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE WHEN adoption -> 'expressions' ? 'previous' THEN '' ELSE format($part$    IF NOT may_lack AND cardinality(touched_1) = 1 THEN
        SELECT %2$s INTO rows FROM (SELECT source.* FROM ONLY %3$s AS source WHERE %4$s) AS source%5$s;
        IF FOUND THEN
            INSERT INTO %1$I.adopted_documents AS known (id, collection, version, uri, title, media_type)
            VALUES (rows.document_id, rows.collection, rows.version, rows.uri, rows.title, rows.media_type)
            ON CONFLICT (id) DO UPDATE SET ingested_at = now(), uri = excluded.uri, title = excluded.title, media_type = excluded.media_type;
            SELECT %6$s, ordinal, place, start_char, start_byte, content%7$s INTO last
            FROM %1$I.adopted_chunks WHERE document_id = rows.document_id ORDER BY ordinal DESC LIMIT 1;
%14$s            step := _passage.chunk_advance(last.content, %15$s, rows.content, rows.start_char);
            first := %8$s;
            -- The first known distance gives spans to all chunks of a document.
            IF %9$s AND (last.id IS NULL OR %10$s) THEN
                INSERT INTO %1$I.adopted_chunks (%11$s, tsv)
                VALUES (%12$s, passage.chunk_tsv(%13$L::regconfig, rows.title, rows.section, rows.content))
                ON CONFLICT DO NOTHING;
                IF FOUND THEN
                    RETURN;
                END IF;
            END IF;
        END IF;
    END IF;

$part$,
        store, part ->> 'row_columns', adoption ->> 'source', part ->> 'same_first', part ->> 'row_from_parallel', part ->> 'all_keys',
        CASE WHEN (adoption ->> 'by_section')::boolean THEN ', section_run' ELSE '' END,
        CASE WHEN adoption -> 'expressions' ? 'start_byte' THEN 'rows.start_byte'
            ELSE 'CASE WHEN last.id IS NOT NULL THEN last.start_byte + abs(step::bigint) WHEN step >= 0 THEN step END' END,
        CASE WHEN (adoption ->> 'by_section')::boolean THEN 'run IS NOT NULL' ELSE format('(last.id IS NULL OR (%s))', part ->> 'follows') END,
        CASE WHEN adoption -> 'expressions' ? 'start_byte' THEN 'true' ELSE '(last.start_byte IS NOT NULL OR step < 0)' END,
        part ->> 'written',
        (SELECT string_agg(CASE col
            WHEN 'ordinal' THEN 'coalesce(last.ordinal + 1, 0)'
            WHEN 'bytes' THEN 'octet_length(rows.content)'
            WHEN 'after_id' THEN 'last.id'
            WHEN 'advance' THEN 'step'
            WHEN 'section_run' THEN 'run'
            WHEN 'start_byte' THEN 'CASE WHEN first >= 0 AND first + octet_length(rows.content) <= 2147483647 THEN first END'
            WHEN 'end_byte' THEN 'CASE WHEN first >= 0 AND first + octet_length(rows.content) <= 2147483647 THEN first + octet_length(rows.content) END'
            ELSE 'rows.' || col END, ', ' ORDER BY place)
        FROM unnest(string_to_array(part ->> 'written', ', ')) WITH ORDINALITY AS listed (col, place)),
        adoption ->> 'language',
        -- If offsets begin again in each section, the row can begin a section, or follow in the last one.
        CASE WHEN (adoption ->> 'by_section')::boolean THEN format($part$            IF last.section_run > 0 THEN
                SELECT section_run INTO run FROM %1$I.adopted_chunks
                WHERE document_id = rows.document_id AND section_key = passage.section_key(rows.section) ORDER BY ordinal LIMIT 1;
                run := CASE WHEN NOT %3$s THEN NULL
                    WHEN run IS NULL AND (rows.place[1] >= last.place[1] OR rows.place[1] IS NULL) THEN last.section_run + 1
                    WHEN run = last.section_run AND rows.place[1] IS NOT DISTINCT FROM last.place[1] AND rows.place[2] IS NULL AND last.place[2] IS NULL
                        AND rows.place[3] > last.place[3] THEN run END;
            ELSE
                run := CASE WHEN last.id IS NULL OR %2$s THEN 0 END;
            END IF;
$part$, store, part ->> 'follows', part ->> 'is_after') ELSE '' END,
        CASE WHEN (adoption ->> 'by_section')::boolean THEN 'CASE WHEN run = last.section_run THEN last.start_char END' ELSE 'last.start_char' END) END
$function$;

COMMENT ON FUNCTION _passage.adopted_append(name, jsonb, jsonb) IS 'statements that insert one row at the end of its document';
