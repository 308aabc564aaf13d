-- twin: is_encoded_data_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    encoded integer;
    other CONSTANT text COLLATE "C" := content;
BEGIN
    IF other !~ '[A-Za-z0-9+/=]{60}' THEN
        RETURN false;
    END IF;
    SELECT sum(length(run)) INTO encoded
    FROM regexp_matches(other, '[A-Za-z0-9+/=]{60,}', 'g') AS found
    CROSS JOIN LATERAL (SELECT found[1] COLLATE "C") AS listed (run)
    WHERE run ~ '[0-9]' AND run ~ '[a-z]' AND run ~ '[A-Z]';
    -- White space does not count.
    RETURN coalesce(encoded >= 4 * (octet_length(translate(other, E' \t\n\f\r', '')) - encoded), false);
END
$$;
