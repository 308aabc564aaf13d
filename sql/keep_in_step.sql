-- keep_in_step: a trigger that keeps a store in step with the texts of a table.
--
-- Its arguments are NAME=VALUE as ingest names them; in a value {column} stands for the column of the
-- row, so a uri is made of a key and a text of several columns. A row whose text or uri is NULL has no
-- document. What cannot be done is an error of the statement that wrote the row, which is then undone.

-- A value with the columns of a row in it, NULL if one of them is NULL; {{ and }} stand for braces.

CREATE FUNCTION passage.filled(template text, columns jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN bool_and(piece IS NOT NULL) OR count(*) = 0 THEN coalesce(string_agg(piece, '' ORDER BY place), '') END
    FROM (
        SELECT place, CASE
            WHEN parts[1] IN ('{{', '}}') THEN left(parts[1], 1)
            WHEN parts[1] LIKE '{%' THEN columns ->> substr(parts[1], 2, length(parts[1]) - 2)
            ELSE parts[1] END AS piece
        FROM regexp_matches(template, '(\{\{|\}\}|\{[^{}]*\}|[^{}]+|.)', 'g') WITH ORDINALITY AS matched (parts, place)
    ) AS pieces
$$;

COMMENT ON FUNCTION passage.filled(text, jsonb) IS 'a template with columns of a row in it';

CREATE FUNCTION passage.keep_in_step() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    known CONSTANT text[] := '{text,uri,title,collection,version,media_type,metadata,kind,base_url,store}';
    told jsonb := '{}';
    argument text;
    wrong text;
    row_was CONSTANT jsonb := CASE WHEN TG_OP IN ('UPDATE', 'DELETE') THEN to_jsonb(OLD) END;
    row_is CONSTANT jsonb := CASE WHEN TG_OP IN ('INSERT', 'UPDATE') THEN to_jsonb(NEW) END;
    was jsonb;
    now_is jsonb;
    pattern text;
    meant name;
    taken boolean := false;
BEGIN
    IF TG_WHEN <> 'AFTER' OR (TG_LEVEL = 'STATEMENT' AND TG_OP <> 'TRUNCATE') THEN
        RAISE EXCEPTION USING ERRCODE = 'trigger_protocol_violated',
            MESSAGE = 'passage.keep_in_step is a trigger AFTER INSERT OR UPDATE OR DELETE ... FOR EACH ROW',
            HINT = 'For TRUNCATE make another one, AFTER TRUNCATE ... FOR EACH STATEMENT, with the same arguments.';
    END IF;
    FOR place IN 0 .. TG_NARGS - 1 LOOP
        argument := split_part(TG_ARGV[place], '=', 1);
        IF NOT argument = ANY (known) OR TG_ARGV[place] NOT LIKE '%=%' OR told ? argument THEN
            RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
                MESSAGE = format('trigger "%s": unrecognized argument "%s"', TG_NAME, left(TG_ARGV[place], 100)),
                HINT = format('Arguments are NAME=VALUE, each name once: %s.', array_to_string(known, ', '));
        END IF;
        told := told || jsonb_build_object(argument, substr(TG_ARGV[place], length(argument) + 2));
    END LOOP;
    IF NOT told ?& '{text,uri}' OR told ->> 'uri' !~ '\{[^{}]+\}' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('trigger "%s" needs the arguments text and uri, and a column in uri', TG_NAME),
            HINT = 'Write them as ''text={body}'' and ''uri=articles/{id}'', with columns of the table in braces.';
    END IF;
    SELECT matched.parts[1] INTO wrong
    FROM jsonb_each_text(told) AS argument (name, value),
        regexp_matches(replace(replace(value, '{{', ''), '}}', ''), '\{([^{}]*)\}', 'g') AS matched (parts)
    WHERE NOT EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = TG_RELID AND attname = matched.parts[1] AND attnum > 0 AND NOT attisdropped)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_column',
            MESSAGE = format('trigger "%s": table %I.%I has no column "%s"', TG_NAME, TG_TABLE_SCHEMA, TG_TABLE_NAME, wrong),
            HINT = 'A brace that is no column is written twice.';
    END IF;
    meant := passage.store_name(told ->> 'store');

    IF TG_OP = 'TRUNCATE' THEN
        -- The rows are gone, so their documents are known by what all of their uris begin with.
        pattern := passage.filled(substring(told ->> 'uri' FROM '^((?:[^{}]|\{\{|\}\})*)'), '{}');
        IF pattern = '' OR concat(told ->> 'collection', told ->> 'version') ~ '[{]' THEN
            RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
                MESSAGE = format('trigger "%s" cannot tell which documents come from %I.%I', TG_NAME, TG_TABLE_SCHEMA, TG_TABLE_NAME),
                HINT = 'Delete the rows instead, or let uri begin with a text of its own, as in ''uri=articles/{id}'', and collection and version be without columns.';
        END IF;
        PERFORM passage.store_must_be_tables(meant);
        EXECUTE format('SELECT count(removed) FROM (SELECT id FROM %I.documents '
            'WHERE starts_with(uri, $1) AND collection = $2 AND version = $3 ORDER BY id) AS there, '
            'LATERAL passage.remove(document_id => there.id, store => $4) AS removed', meant)
            USING pattern, coalesce(told ->> 'collection', ''), coalesce(told ->> 'version', ''), meant;
        RETURN NULL;
    END IF;

    -- Each argument as the row before and after has it.
    SELECT jsonb_object_agg(name, passage.filled(value, row_was)) INTO was
    FROM jsonb_each_text(told) AS argument (name, value) WHERE row_was IS NOT NULL;
    SELECT jsonb_object_agg(name, passage.filled(value, row_is)) INTO now_is
    FROM jsonb_each_text(told) AS argument (name, value) WHERE row_is IS NOT NULL;
    IF was ->> 'uri' IS NOT NULL AND (now_is IS NULL
        OR (was ->> 'uri', coalesce(was ->> 'collection', ''), coalesce(was ->> 'version', ''))
            IS DISTINCT FROM (now_is ->> 'uri', coalesce(now_is ->> 'collection', ''), coalesce(now_is ->> 'version', '')))
    THEN
        -- A statement may give the key of one row to another one, as where two are swapped.
        IF TG_OP = 'UPDATE' THEN
            SELECT string_agg(DISTINCT format('row_of.%1$I IS NOT DISTINCT FROM ($1).%1$I', matched.parts[1])
                || CASE name WHEN 'uri' THEN format(' AND row_of.%1$I = ($1).%1$I', matched.parts[1]) ELSE '' END, ' AND ') INTO pattern
            FROM jsonb_each_text(told) AS argument (name, value),
                regexp_matches(replace(replace(value, '{{', ''), '}}', ''), '\{([^{}]*)\}', 'g') AS matched (parts)
            WHERE name IN ('uri', 'collection', 'version');
            EXECUTE format('SELECT EXISTS (SELECT FROM %I.%I AS row_of WHERE %s)', TG_TABLE_SCHEMA, TG_TABLE_NAME, pattern)
                INTO taken USING OLD;
        END IF;
        IF NOT taken THEN
            PERFORM passage.remove(was ->> 'uri', coalesce(was ->> 'collection', ''), coalesce(was ->> 'version', ''), store => meant);
        END IF;
    END IF;
    IF now_is ->> 'text' IS NOT NULL AND now_is ->> 'uri' IS NOT NULL THEN
        PERFORM passage.ingest(now_is ->> 'uri', now_is ->> 'text', now_is ->> 'media_type', now_is ->> 'title',
            now_is ->> 'collection', now_is ->> 'version', coalesce((now_is ->> 'metadata')::jsonb, '{}'),
            now_is ->> 'kind', now_is ->> 'base_url', store => meant);
    ELSIF now_is ->> 'uri' IS NOT NULL THEN
        PERFORM passage.remove(now_is ->> 'uri', coalesce(now_is ->> 'collection', ''), coalesce(now_is ->> 'version', ''), store => meant);
    END IF;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION passage.keep_in_step() IS 'trigger that keeps a store in step with the texts of a table';
