-- The number of added, omitted and changed letters and of swapped neighbors between two texts, NULL for more than the maximum.

CREATE FUNCTION _passage.edit_distance(one text, other text, maximum integer) RETURNS integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    letters CONSTANT text[] COLLATE "C" := regexp_split_to_array(one, '');
    others CONSTANT text[] COLLATE "C" := regexp_split_to_array(other, '');
    width CONSTANT integer := length(other) + 1;
    before integer[];
    last integer[];
    row integer[] := ARRAY(SELECT generate_series(0, length(other)));
    cost integer;
    best integer := 0;
    best_before integer;
BEGIN
    IF abs(length(one) - length(other)) > maximum THEN
        RETURN NULL;
    END IF;
    FOR i IN 1 .. length(one) LOOP
        before := last;
        last := row;
        row := array_fill(maximum + 1, ARRAY[width]);
        row[1] := least(i, maximum + 1);
        best_before := best;
        best := row[1];
        -- Letters that are further apart need more edits.
        FOR j IN greatest(1, i - maximum) .. least(width - 1, i + maximum) LOOP
            cost := least(row[j] + 1, last[j + 1] + 1, last[j] + (letters[i] <> others[j])::integer);
            IF i > 1 AND j > 1 AND letters[i] = others[j - 1] AND letters[i - 1] = others[j] THEN
                cost := least(cost, before[j - 1] + 1);
            END IF;
            row[j + 1] := cost;
            best := least(best, cost);
        END LOOP;
        IF best > maximum AND best_before >= maximum THEN
            RETURN NULL;
        END IF;
    END LOOP;
    RETURN CASE WHEN row[width] <= maximum THEN row[width] END;
END
$$;

COMMENT ON FUNCTION _passage.edit_distance(text, text, integer) IS 'edits between two texts';

-- The edits between names that resemble each other, as in core/passages/src/misspelling.rs; NULL for others.

CREATE FUNCTION _passage.edits(misspelt text, name text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT _passage.edit_distance(misspelt, name, least(3, length(misspelt) / 2)) $$;

COMMENT ON FUNCTION _passage.edits(text, text) IS 'edits between similar names';

-- twin: missing_store_hint_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    creation CONSTANT text := format('SELECT passage.create_store(''%s'');', replace(store, '''', ''''''));
    nearest name;
BEGIN
    SELECT nspname INTO nearest
    FROM pg_namespace CROSS JOIN LATERAL (SELECT _passage.edits(store::text, nspname::text)) AS compared (edits)
    WHERE edits IS NOT NULL AND has_schema_privilege(pg_namespace.oid, 'USAGE') AND 4 = (
        SELECT count(*) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE relnamespace = pg_namespace.oid AND relname = 'chunks' AND NOT attisdropped
            AND attname IN ('id', 'document_id', 'ordinal', 'content'))
    ORDER BY edits, nspname COLLATE "C" LIMIT 1;
    IF nearest IS NULL THEN
        RETURN format('Run %s to create it.', creation);
    END IF;
    RETURN format('Perhaps you mean store "%s". To create "%s", run %s', nearest, store, creation);
END
$$;
