-- The edits between two names, where a swap of neighbors is one, as in core/passages/src/misspelling.rs; NULL if they do not
-- resemble each other.

CREATE FUNCTION _passage.edits(misspelt text, name text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one CONSTANT text[] COLLATE "C" := regexp_split_to_array(misspelt, '');
    other CONSTANT text[] COLLATE "C" := regexp_split_to_array(name, '');
    width CONSTANT integer := length(name) + 1;
    before integer[];
    last integer[];
    row integer[] := ARRAY(SELECT generate_series(0, length(name)));
    cost integer;
    best integer := 0;
    best_before integer;
BEGIN
    IF abs(length(misspelt) - length(name)) > 3 THEN
        RETURN NULL;
    END IF;
    FOR i IN 1 .. length(misspelt) LOOP
        before := last;
        last := row;
        row := array_fill(4, ARRAY[width]);
        row[1] := least(i, 4);
        best_before := best;
        best := row[1];
        -- Characters that are further apart need more edits.
        FOR j IN greatest(1, i - 3) .. least(width - 1, i + 3) LOOP
            cost := least(row[j] + 1, last[j + 1] + 1, last[j] + (one[i] <> other[j])::integer);
            IF i > 1 AND j > 1 AND one[i] = other[j - 1] AND one[i - 1] = other[j] THEN
                cost := least(cost, before[j - 1] + 1);
            END IF;
            row[j + 1] := cost;
            best := least(best, cost);
        END LOOP;
        IF best > 3 AND best_before > 2 THEN
            RETURN NULL;
        END IF;
    END LOOP;
    cost := row[width];
    RETURN CASE WHEN cost <= 3 AND 2 * cost <= length(misspelt) THEN cost END;
END
$$;

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
