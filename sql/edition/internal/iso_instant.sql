-- twin: iso_instant_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    part CONSTANT text[] := regexp_match(value COLLATE "C", '^([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
        '(?:[Tt ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]|60)(?:\.([0-9]{1,18}))?)?(?:[Zz]|([+-])([01][0-9]|2[0-3]):?([0-5][0-9])?)?)?$');
    year CONSTANT integer := part[1];
    first date;
    day date;
    minutes bigint;
BEGIN
    IF part IS NULL OR year = 0 OR year = 9999 THEN
        RETURN NULL;
    END IF;
    first := make_date(year, part[2]::integer, 1);
    day := first + part[3]::integer - 1;
    -- The month has fewer days.
    IF date_part('month', day) <> date_part('month', first) THEN
        RETURN NULL;
    END IF;
    minutes := coalesce(part[4]::bigint * 60 + part[5]::bigint, 0)
        - coalesce((part[8] || '1')::bigint * (part[9]::bigint * 60 + coalesce(part[10]::bigint, 0)), 0);
    RETURN ((day - date '1970-01-01')::bigint * 1440 + minutes) * 60000000 + coalesce(part[6]::bigint, 0) * 1000000
        + coalesce(rpad(left(part[7], 6), 6, '0')::bigint, 0);
END
$$;
