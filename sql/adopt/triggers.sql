-- The triggers that keep an adopted store in step, and the statements that they run.
--
-- One trigger function serves all stores (extension/src/functions/keep_adopted.rs). It runs the statements with the rights of
-- the owner of the table, who also owns the store, so programs that write the table need no rights on the store.

CREATE FUNCTION _passage.keep_adopted() RETURNS trigger
LANGUAGE c
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS 'MODULE_PATHNAME', 'keep_adopted_wrapper';

COMMENT ON FUNCTION _passage.keep_adopted() IS 'trigger function that updates an adopted store when its table changes';

CREATE FUNCTION _passage.refresh_adopted(store name) RETURNS void
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS 'MODULE_PATHNAME', 'refresh_adopted_wrapper';

COMMENT ON FUNCTION _passage.refresh_adopted(name) IS 'compares all rows of an adopted table with its store, and writes what differs';

-- The triggers of a store. A trigger names its store by the oid of the table of chunks, in its condition. A name could
-- later mean a table of another role. pg_dump writes the oid as the present name.
--
-- Any role can create such a trigger on a table of its own. It writes nothing, and no remedy names
-- that table.

CREATE FUNCTION _passage.adopted_triggers(side oid) RETURNS TABLE (trigger oid, adopted oid, is_own boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_trigger.oid, tgrelid, source.relowner = chunks.relowner
    FROM pg_class AS chunks JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = chunks.oid AND classid = 'pg_trigger'::regclass
    JOIN pg_trigger ON pg_trigger.oid = objid AND tgfoid = '_passage.keep_adopted()'::regprocedure
    JOIN pg_class AS source ON source.oid = tgrelid
    WHERE chunks.oid = side
$$;

COMMENT ON FUNCTION _passage.adopted_triggers(oid) IS 'triggers that name a table of chunks, and whether their table has its owner';

-- PostgreSQL does not attach a table that has a trigger FOR EACH ROW with a transition table to another one, whose rows
-- the other triggers would miss. So the last trigger never fires.

CREATE FUNCTION _passage.adoption_triggers(store name, adoption jsonb)
RETURNS TABLE (kind text, relation text, name text, ddl text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT 'trigger', type::text, trigger,
        format('CREATE TRIGGER %I AFTER %s ON %s %s WHEN (%L::regclass IS %s) EXECUTE FUNCTION _passage.keep_adopted();',
            trigger, event, adoption ->> 'source', rows, format('%I.adopted_chunks', store), condition)
    FROM (VALUES
        (4, 'insert', 'insert', 'REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT', 'NOT NULL'),
        (16, 'update', 'update', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT', 'NOT NULL'),
        (8, 'delete', 'delete', 'REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT', 'NOT NULL'),
        (32, 'truncate', 'truncate', 'FOR EACH STATEMENT', 'NOT NULL'),
        (9, 'alone', 'delete', 'REFERENCING OLD TABLE AS old_rows FOR EACH ROW', 'NULL')
    ) AS fired (type, suffix, event, rows, condition)
    -- A renamed store keeps its triggers, and another store may get its name.
    CROSS JOIN LATERAL (
        SELECT candidate FROM generate_series(1, 100) AS number
        CROSS JOIN LATERAL (SELECT concat_ws('_', 'adopted_by', CASE WHEN octet_length(store) <= 40 THEN store
            ELSE left(encode(sha256(convert_to(store, 'UTF8')), 'hex'), 16) END, suffix, nullif(number, 1))) AS tried (candidate)
        WHERE NOT EXISTS (
            SELECT FROM pg_trigger WHERE tgrelid = _passage.named_table(adoption ->> 'source') AND tgname = candidate::name)
        ORDER BY number LIMIT 1
    ) AS named (trigger)
$$;

COMMENT ON FUNCTION _passage.adoption_triggers(name, jsonb) IS 'triggers of an adopted store; relation is the type in pg_trigger';

-- The statements by name. Their parameters are an array of each column of the key, then the ids of the documents, then
-- those of the documents whose last chunk alone is read.

CREATE FUNCTION _passage.adopted_statements(source oid, side oid) RETURNS TABLE (name text, statement text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 14
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    store CONSTANT name := (SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = side);
    adoption CONSTANT jsonb := _passage.adoption(store);
    part CONSTANT jsonb := _passage.adoption_parts(adoption);
    given CONSTANT jsonb := adoption -> 'expressions';
    by_section CONSTANT boolean := coalesce((adoption ->> 'by_section')::boolean, false);
    prefix CONSTANT text := format('%I.', store);
    keys CONSTANT text := part ->> 'arrays';
    documents CONSTANT text := '$' || (part ->> 'count')::integer + 1;
    appended CONSTANT text := '$' || (part ->> 'count')::integer + 2;
    -- The planner could join large sets the other way round, when it knew the tables empty.
    row_of_key CONSTANT text := format('(SELECT source.* FROM ONLY %s AS source WHERE %s OFFSET 0) AS source', adoption ->> 'source', part ->> 'same_touched');
    rows_of_keys CONSTANT text := format('SELECT %s FROM unnest(%s) AS touched (%s) CROSS JOIN LATERAL %s%s',
        part ->> 'row_columns', keys, part ->> 'touched_columns', row_of_key, part ->> 'row_from');
    set_new text;
    changed text;
BEGIN
    RETURN QUERY VALUES
        ('inserted', format('SELECT %s FROM new_rows', part ->> 'aggregates')),
        ('deleted', format('SELECT %s FROM old_rows', part ->> 'aggregates')),
        ('updated', format('SELECT %s FROM (SELECT %2$s FROM new_rows UNION SELECT %2$s FROM old_rows) AS rows', part ->> 'aggregates', part ->> 'row_keys')),
        -- The keys of all rows and of all chunks, in the order in which the rows were written.
        ('all', format($sql$SELECT %s FROM (
            SELECT %s, %s AS written_at, source.ctid AS place FROM ONLY %s AS source
            UNION ALL
            SELECT %s, NULL, NULL FROM %sadopted_chunks AS adopted WHERE NOT EXISTS (SELECT FROM ONLY %4$s AS source WHERE %7$s)
            ORDER BY written_at, place
        ) AS rows (%8$s, written_at, place)$sql$,
            part ->> 'side_aggregates', part ->> 'own_keys', part ->> 'written_at', adoption ->> 'source', part ->> 'adopted_keys', prefix, part ->> 'same', part ->> 'side_keys'));

    -- The writer's documents are locked first: the previous and the present ones of the rows, in one order. A later
    -- statement reads what another writer of the same document has committed before.
    RETURN QUERY VALUES ('lock', format($sql$WITH locked AS (
            INSERT INTO %1$sadopted_documents AS known (id, collection, version, uri, title, media_type)
            SELECT DISTINCT ON (id) id, collection, version, uri, title, media_type
            FROM (
                SELECT document_id AS id, collection, version, uri, title, media_type FROM (%2$s) AS rows
                UNION ALL
                SELECT adopted.document_id, NULL, NULL, NULL, NULL, NULL
                FROM unnest(%3$s) AS touched (%4$s)
                CROSS JOIN LATERAL (SELECT adopted.document_id FROM %1$sadopted_chunks AS adopted WHERE %5$s OFFSET 0) AS adopted
            ) AS listed
            ORDER BY id, uri NULLS LAST
            ON CONFLICT (id) DO UPDATE SET ingested_at = now()
            RETURNING id
        )
        SELECT array_agg(id), max((SELECT ordinal FROM %1$sadopted_chunks WHERE document_id = locked.id ORDER BY ordinal DESC LIMIT 1)) FROM locked$sql$,
            prefix, rows_of_keys, keys, part ->> 'touched_columns', part ->> 'side_touched')),
        ('remove_chunks', format($sql$DELETE FROM %1$sadopted_chunks WHERE ctid = ANY (ARRAY(
            SELECT found.place FROM unnest(%2$s) AS touched (%3$s)
            CROSS JOIN LATERAL (SELECT adopted.ctid AS place FROM %1$sadopted_chunks AS adopted WHERE %4$s OFFSET 0) AS found
            WHERE (SELECT true FROM %5$s%6$s LIMIT 1) IS NULL))$sql$,
            prefix, keys, part ->> 'touched_columns', part ->> 'side_touched', row_of_key, part ->> 'row_from')),
        ('remove_documents', format($sql$DELETE FROM %1$sadopted_documents AS known
            WHERE id = ANY ($1) AND (SELECT true FROM %1$sadopted_chunks WHERE document_id = known.id LIMIT 1) IS NULL$sql$, prefix));

    -- Whether all rows follow the last chunk of their document. Only this chunk of a large document is then read.
    IF NOT given ? 'previous' THEN
        RETURN QUERY VALUES ('follow', format($sql$SELECT NOT EXISTS (
            SELECT FROM (%s OFFSET 0) AS rows
            CROSS JOIN LATERAL (SELECT * FROM %sadopted_chunks WHERE document_id = rows.document_id ORDER BY ordinal DESC LIMIT 1) AS last
            WHERE NOT %s)$sql$, rows_of_keys, prefix, part ->> 'follows'));
    END IF;

    SELECT string_agg(format(CASE WHEN col IN ('content', 'tokens', 'first_line', 'last_line', 'section', 'tsv') THEN '%1$s = CASE WHEN excluded.tsv IS NULL THEN adopted.%1$s ELSE excluded.%1$s END'
            ELSE '%1$s = excluded.%1$s' END, col), ', '),
        format('excluded.tsv IS NULL OR (%s) IS DISTINCT FROM (%s)', string_agg('adopted.' || col, ', '), string_agg('excluded.' || col, ', '))
    INTO set_new, changed
    FROM unnest(string_to_array(part ->> 'written', ', ') || 'tsv'::text) AS col
    WHERE col <> 'id' AND col NOT LIKE 'key\_%';
    RETURN QUERY VALUES ('write', format($sql$WITH merged AS (
            SELECT DISTINCT ON (id) %2$s, document_id, place, start_char, preamble, bytes, content, max(arrival) OVER (PARTITION BY id) AS arrival, arriving,
                is_new, old_ordinal, old_after, old_advance, base, old_start, old_end, start_at, source_id, previous, section%3$s
            FROM (
                %4$s, NULL::integer AS old_ordinal, NULL::integer AS old_end
                FROM (
                    SELECT %5$s, touched.touched_place AS arriving
                    FROM unnest(%6$s) WITH ORDINALITY AS touched (%7$s, touched_place) CROSS JOIN LATERAL %8$s%9$s
                ) AS rows
                UNION ALL
                SELECT %2$s, document_id, place, start_char, NULL, bytes, NULL, arrival, NULL, false, after_id, advance, start_byte, NULL, start_byte, %10$s, ordinal, end_byte
                FROM %1$sadopted_chunks WHERE document_id = ANY (%11$s) AND %12$s IS NULL
                UNION ALL
                SELECT %2$s, document_id, place, start_char, NULL, bytes, NULL, arrival, NULL, false, after_id, advance, start_byte, ordinal, start_byte, %10$s, ordinal, end_byte
                FROM unnest(%12$s) AS known (known_id) CROSS JOIN LATERAL (
                    SELECT * FROM %1$sadopted_chunks WHERE document_id = known_id ORDER BY ordinal DESC LIMIT 1) AS last
            ) AS united
            ORDER BY id, is_new DESC
        )%13$s%14$s
        -- A chunk that only moves has no lexemes here and keeps its own.
        INSERT INTO %1$sadopted_chunks AS adopted (%15$s, tsv)
        SELECT %16$s, CASE WHEN is_new THEN passage.chunk_tsv(%17$L::regconfig, preamble, section, content) END
        FROM spanned
        WHERE is_new OR (ordinal, after_id, advance, start_byte, end_byte%18$s) IS DISTINCT FROM (old_ordinal, old_after, old_advance, old_start, old_end%19$s)
        ORDER BY arriving
        ON CONFLICT (%20$s) DO UPDATE SET %21$s WHERE %22$s$sql$,
            prefix, part ->> 'all_keys', (part ->> 'copied') || CASE WHEN by_section THEN ', text_hash, old_run' ELSE '' END, part ->> 'merged',
            part ->> 'row_columns', keys, part ->> 'touched_columns', row_of_key, part ->> 'row_from',
            concat_ws(', ', CASE WHEN given ? 'id' THEN 'source_id' ELSE 'NULL' END, CASE WHEN given ? 'previous' THEN 'previous' ELSE 'NULL' END, CASE WHEN by_section THEN 'section' ELSE 'NULL' END)
                || (part ->> 'not_copied') || CASE WHEN by_section THEN ', hashtext(content), section_run' ELSE '' END,
            documents, appended, part ->> 'chain', part ->> 'spanned', part ->> 'written',
            replace(part ->> 'written', 'end_byte, section', 'end_byte, CASE WHEN is_new THEN section ELSE ''{}'' END'), adoption ->> 'language',
            CASE WHEN by_section THEN ', section_run' ELSE '' END, CASE WHEN by_section THEN ', old_run' ELSE '' END, part ->> 'side_keys', set_new, changed)),
        -- Whether the last chunk was enough. If the first overlap of a document is found at its end, all of its chunks
        -- get spans. If offsets begin again, all of its chunks are ordered by section.
        ('are_complete', format($sql$SELECT NOT EXISTS (
            SELECT FROM unnest($1) AS known (known_id)
            CROSS JOIN LATERAL (SELECT start_byte FROM %1$sadopted_chunks WHERE document_id = known_id ORDER BY ordinal LIMIT 1) AS first
            CROSS JOIN LATERAL (SELECT start_byte%2$s FROM %1$sadopted_chunks WHERE document_id = known_id ORDER BY ordinal DESC LIMIT 1) AS last
            WHERE (first.start_byte IS NULL) <> (last.start_byte IS NULL)%3$s)$sql$,
            prefix, CASE WHEN by_section THEN ', section_run' ELSE '' END, CASE WHEN by_section THEN ' OR last.section_run > 0' ELSE '' END));
    -- A document has the uri, title and media type of its first row.
    RETURN QUERY VALUES ('describe', format($sql$INSERT INTO %1$sadopted_documents AS known (id, uri, title, media_type)
        SELECT rows.document_id, rows.uri, rows.title, rows.media_type
        FROM (
            SELECT %2$s FROM unnest($1) AS listed (known_id)
            CROSS JOIN LATERAL (SELECT %3$s FROM %1$sadopted_chunks WHERE document_id = known_id ORDER BY ordinal LIMIT 1) AS touched (%4$s)
            CROSS JOIN LATERAL %5$s%6$s
        ) AS rows
        ON CONFLICT (id) DO UPDATE SET uri = excluded.uri, title = excluded.title, media_type = excluded.media_type
        WHERE (known.uri, known.title, known.media_type) IS DISTINCT FROM (excluded.uri, excluded.title, excluded.media_type)$sql$,
        prefix, part ->> 'row_columns', part ->> 'side_keys', part ->> 'touched_columns', row_of_key, part ->> 'row_from'));
    RETURN QUERY SELECT * FROM _passage.adopted_append(store, adoption, part);
END
$function$;

COMMENT ON FUNCTION _passage.adopted_statements(oid, oid) IS 'statements that keep_adopted runs for a table and its store';
