-- adopt_triggers: the functions and triggers that keep an adopted store in step.
--
-- The trigger function runs with the rights of its owner, who also owns the source. So it sets its search_path, and
-- refuses to run for another table. Nobody else may attach it to a table or call the functions.

CREATE FUNCTION _passage.adoption_triggers(store name, adoption jsonb, part jsonb)
RETURNS TABLE (kind text, relation text, name text, ddl text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 12
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    source CONSTANT text := adoption ->> 'source';
    given CONSTANT jsonb := adoption -> 'expressions';
    by_section CONSTANT boolean := coalesce((adoption ->> 'by_section')::boolean, false);
    prefix CONSTANT text := format('%I.', store);
    set_new text;
    changed text;
BEGIN
    -- Brings the rows with some keys in step. The writer's documents are locked first, and a later statement reads
    -- what another writer of the same document has committed before.
    SELECT string_agg(format(CASE WHEN col IN ('content', 'tokens', 'first_line', 'last_line', 'section', 'tsv') THEN '%1$s = CASE WHEN excluded.tsv IS NULL THEN adopted.%1$s ELSE excluded.%1$s END'
            ELSE '%1$s = excluded.%1$s' END, col), ', '),
        format('excluded.tsv IS NULL OR (%s) IS DISTINCT FROM (%s)', string_agg('adopted.' || col, ', '), string_agg('excluded.' || col, ', '))
    INTO set_new, changed
    FROM unnest(string_to_array(part ->> 'written', ', ') || 'tsv'::text) AS col
    WHERE col <> 'id' AND col NOT LIKE 'key\_%';
    RETURN QUERY VALUES ('function', 'update_adopted', 'update_adopted', format($ddl$CREATE OR REPLACE FUNCTION %1$supdate_adopted(%2$s, may_lack boolean) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $body$
#variable_conflict use_column
DECLARE
    documents uuid[];
    appended uuid[];
    largest integer;
    rows record;
    last record;
    step integer;
    first bigint;
    run integer;
BEGIN
%25$s    -- Locks the previous and the present documents of the rows, in one order.
    WITH locked AS (
        INSERT INTO %1$sadopted_documents AS known (id, collection, version, uri, title, media_type)
        SELECT DISTINCT ON (id) id, collection, version, uri, title, media_type
        FROM (
            SELECT document_id AS id, collection, version, uri, title, media_type
            FROM (SELECT %3$s FROM unnest(%4$s) AS touched (%5$s) CROSS JOIN LATERAL (%6$s) AS source%8$s) AS rows
            UNION ALL
            SELECT adopted.document_id, NULL, NULL, NULL, NULL, NULL
            FROM unnest(%4$s) AS touched (%5$s)
            CROSS JOIN LATERAL (SELECT adopted.document_id FROM %1$sadopted_chunks AS adopted WHERE %9$s OFFSET 0) AS adopted
        ) AS listed
        ORDER BY id, uri NULLS LAST
        ON CONFLICT (id) DO UPDATE SET ingested_at = now(),
            uri = coalesce(excluded.uri, known.uri), title = CASE WHEN excluded.uri IS NULL THEN known.title ELSE excluded.title END,
            media_type = CASE WHEN excluded.uri IS NULL THEN known.media_type ELSE excluded.media_type END
        RETURNING id
    )
    SELECT array_agg(id), max((SELECT ordinal FROM %1$sadopted_chunks WHERE document_id = locked.id ORDER BY ordinal DESC LIMIT 1))
    INTO documents, largest FROM locked;

    IF may_lack THEN
        DELETE FROM %1$sadopted_chunks WHERE ctid = ANY (ARRAY(
            SELECT found.place FROM unnest(%4$s) AS touched (%5$s)
            CROSS JOIN LATERAL (SELECT adopted.ctid AS place FROM %1$sadopted_chunks AS adopted WHERE %9$s OFFSET 0) AS found
            WHERE (SELECT true FROM (%6$s) AS source%8$s LIMIT 1) IS NULL));
    END IF;

%20$s    LOOP
    WITH merged AS (
        SELECT DISTINCT ON (id) %10$s, document_id, place, start_char, preamble, bytes, content, max(arrival) OVER (PARTITION BY id) AS arrival, arriving,
            is_new, old_ordinal, old_after, old_advance, base, old_start, old_end, start_at, source_id, previous, section%24$s%21$s
        FROM (
            %11$s, NULL::integer AS old_ordinal, NULL::integer AS old_end
            FROM (
                SELECT %3$s, touched.touched_place AS arriving
                FROM unnest(%4$s) WITH ORDINALITY AS touched (%5$s, touched_place) CROSS JOIN LATERAL (%6$s) AS source%8$s
            ) AS rows
            UNION ALL
            SELECT %10$s, document_id, place, start_char, NULL, bytes, NULL, arrival, NULL, false, after_id, advance, start_byte, NULL, start_byte, %12$s, ordinal, end_byte
            FROM %1$sadopted_chunks WHERE document_id = ANY (documents) AND appended IS NULL
            UNION ALL
            SELECT %10$s, document_id, place, start_char, NULL, bytes, NULL, arrival, NULL, false, after_id, advance, start_byte, ordinal, start_byte, %12$s, ordinal, end_byte
            FROM unnest(appended) AS known (known_id) CROSS JOIN LATERAL (
                SELECT * FROM %1$sadopted_chunks WHERE document_id = known_id ORDER BY ordinal DESC LIMIT 1) AS last
        ) AS united
        ORDER BY id, is_new DESC
    )%13$s%14$s
    -- A chunk that only moves has no lexemes here and keeps its own.
    INSERT INTO %1$sadopted_chunks AS adopted (%15$s, tsv)
    SELECT %7$s, CASE WHEN is_new THEN passage.chunk_tsv(%16$L::regconfig, preamble, section, content) END
    FROM spanned
    WHERE is_new OR (ordinal, after_id, advance, start_byte, end_byte%22$s) IS DISTINCT FROM (old_ordinal, old_after, old_advance, old_start, old_end%21$s)
    ORDER BY arriving
    ON CONFLICT (%17$s) DO UPDATE SET %18$s WHERE %19$s;
    -- If the first overlap of a document is found at its end, all of its chunks get spans. If offsets begin again, all
    -- of its chunks are ordered by section.
    EXIT WHEN appended IS NULL OR NOT EXISTS (
        SELECT FROM unnest(appended) AS known (known_id)
        CROSS JOIN LATERAL (SELECT start_byte FROM %1$sadopted_chunks WHERE document_id = known_id ORDER BY ordinal LIMIT 1) AS first
        CROSS JOIN LATERAL (SELECT start_byte%22$s FROM %1$sadopted_chunks WHERE document_id = known_id ORDER BY ordinal DESC LIMIT 1) AS last
        WHERE (first.start_byte IS NULL) <> (last.start_byte IS NULL)%23$s);
    appended := NULL;
    END LOOP;

    IF may_lack THEN
        DELETE FROM %1$sadopted_documents AS known
        WHERE id = ANY (documents) AND (SELECT true FROM %1$sadopted_chunks WHERE document_id = known.id LIMIT 1) IS NULL;
    END IF;
END
$body$;$ddl$,
        prefix, part ->> 'arguments', part ->> 'row_columns', part ->> 'arrays', part ->> 'touched_columns',
        -- The planner could join large sets the other way round, when it knew the tables empty.
        format('SELECT source.* FROM ONLY %s AS source WHERE %s OFFSET 0', source, part ->> 'same_touched'),
        replace(part ->> 'written', 'end_byte, section', 'end_byte, CASE WHEN is_new THEN section ELSE ''{}'' END'), part ->> 'row_from', part ->> 'side_touched', part ->> 'all_keys', part ->> 'merged',
        concat_ws(', ', CASE WHEN given ? 'id' THEN 'source_id' ELSE 'NULL' END, CASE WHEN given ? 'previous' THEN 'previous' ELSE 'NULL' END, CASE WHEN by_section THEN 'section' ELSE 'NULL' END)
            || (part ->> 'not_copied') || CASE WHEN by_section THEN ', hashtext(content), section_run' ELSE '' END,
        part ->> 'chain', part ->> 'spanned', part ->> 'written', adoption ->> 'language', part ->> 'side_keys', set_new, changed,
        -- Only the last chunk of a large document is read if all new ones follow it.
        CASE WHEN given ? 'previous' THEN '' ELSE format($part$    IF largest >= 50 AND NOT may_lack THEN
        appended := documents;
        IF EXISTS (
            SELECT FROM (SELECT %1$s FROM unnest(%2$s) AS touched (%3$s) CROSS JOIN LATERAL (%4$s) AS source%5$s OFFSET 0) AS rows
            CROSS JOIN LATERAL (SELECT * FROM %6$sadopted_chunks WHERE document_id = rows.document_id ORDER BY ordinal DESC LIMIT 1) AS last
            WHERE NOT %7$s)
        THEN
            appended := NULL;
        END IF;
    END IF;

$part$,
            part ->> 'row_columns', part ->> 'arrays', part ->> 'touched_columns',
            format('SELECT source.* FROM ONLY %s AS source WHERE %s OFFSET 0', source, part ->> 'same_touched'), part ->> 'row_from', prefix,
            part ->> 'follows') END,
        CASE WHEN by_section THEN ', old_run' ELSE '' END, CASE WHEN by_section THEN ', section_run' ELSE '' END,
        CASE WHEN by_section THEN ' OR last.section_run > 0' ELSE '' END, (part ->> 'copied') || CASE WHEN by_section THEN ', text_hash' ELSE '' END,
        _passage.adopted_append(store, adoption, part)));

    RETURN QUERY VALUES ('function', 'keep_adopted', 'keep_adopted', format($ddl$CREATE OR REPLACE FUNCTION %1$skeep_adopted() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $body$
DECLARE
%2$sBEGIN
    -- Another table could bring its own types and operators.
    IF TG_RELID IS DISTINCT FROM to_regclass(%3$L) OR to_regclass(%8$L) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = %4$L, HINT = %9$L;
    ELSIF TG_OP = 'TRUNCATE' THEN
        TRUNCATE %1$sadopted_chunks, %1$sadopted_documents;
        RETURN NULL;
    ELSIF TG_OP = 'INSERT' THEN
        SELECT %5$s INTO %6$s FROM new_rows;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT %5$s INTO %6$s FROM old_rows;
    ELSE
        SELECT %5$s INTO %6$s FROM (SELECT %7$s FROM new_rows UNION SELECT %7$s FROM old_rows) AS rows;
    END IF;
    IF touched_1 IS NOT NULL THEN
        PERFORM %1$supdate_adopted(%6$s, TG_OP <> 'INSERT');
    END IF;
    RETURN NULL;
END
$body$;$ddl$,
        prefix, part ->> 'variables', source, format('store "%s" or its adopted table %s was renamed', store, source),
        part ->> 'aggregates', part ->> 'arrays', part ->> 'row_keys', prefix || 'adopted_chunks',
        'Run SELECT passage.adopt(''TABLE'', ''STORE''); with the present names.')),
        ('function', 'refresh_adopted', 'refresh_adopted', format($ddl$CREATE OR REPLACE FUNCTION %1$srefresh_adopted() RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $body$
DECLARE
%2$sBEGIN
    PERFORM _passage.adopted_source(%11$L, %12$L::regclass);
    LOCK TABLE ONLY %3$s IN SHARE ROW EXCLUSIVE MODE;
    SELECT %4$s INTO %5$s FROM (
        SELECT %6$s, %9$s AS written_at, source.ctid AS place FROM ONLY %3$s AS source
        UNION ALL
        SELECT %7$s, NULL, NULL FROM %1$sadopted_chunks AS adopted WHERE NOT EXISTS (SELECT FROM ONLY %3$s AS source WHERE %10$s)
        ORDER BY written_at, place
    ) AS rows (%8$s, written_at, place);
    IF touched_1 IS NOT NULL THEN
        PERFORM %1$supdate_adopted(%5$s, true);
    END IF;
END
$body$;$ddl$,
        prefix, part ->> 'variables', source, part ->> 'side_aggregates', part ->> 'arrays', part ->> 'own_keys', part ->> 'adopted_keys', part ->> 'side_keys', part ->> 'written_at', part ->> 'same', source, prefix || 'adopted_chunks'));

    RETURN QUERY SELECT 'grant', 'update_adopted', NULL,
        format('REVOKE EXECUTE ON FUNCTION %1$supdate_adopted(%2$s), %1$skeep_adopted(), %1$srefresh_adopted() FROM PUBLIC;', prefix, (part ->> 'argument_types') || ', boolean');
    RETURN QUERY SELECT 'extension', 'update_adopted', named,
        format('ALTER FUNCTION %s%s DEPENDS ON EXTENSION pg_passage;', prefix, named)
    FROM unnest(ARRAY[format('update_adopted(%s, boolean)', part ->> 'argument_types'), 'keep_adopted()', 'refresh_adopted()']) AS named;

    RETURN QUERY SELECT 'trigger', 'keep_adopted', trigger,
        format('CREATE TRIGGER %I AFTER %s ON %s %sFOR EACH STATEMENT EXECUTE FUNCTION %skeep_adopted();', trigger, event, source, transition, prefix)
    FROM (VALUES
        ('insert', 'REFERENCING NEW TABLE AS new_rows '), ('update', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '),
        ('delete', 'REFERENCING OLD TABLE AS old_rows '), ('truncate', '')
    ) AS fired (event, transition)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN octet_length(store) <= 40 THEN format('adopted_by_%s_%s', store, event)
            ELSE format('adopted_by_%s_%s', left(encode(sha256(convert_to(store, 'UTF8')), 'hex'), 16), event) END
    ) AS named (trigger);
END
$function$;

COMMENT ON FUNCTION _passage.adoption_triggers(name, jsonb, jsonb) IS 'functions and triggers of an adopted store';
