-- twin: is_encoded_data_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF content COLLATE "C" !~ '[A-Za-z0-9+/=]{60}' THEN
        RETURN false;
    END IF;
    RETURN (
        -- Data with at most two other words, each with at most 64 bytes around its data.
        SELECT bool_or(encoded > 0 AND octet_length(word) - encoded <= 64)
            AND count(*) FILTER (WHERE (encoded > 0 AND octet_length(word) - encoded <= 64) IS NOT TRUE) <= 2
        FROM regexp_matches(content COLLATE "C", '[^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', 'g') AS listed (matched)
        CROSS JOIN LATERAL (SELECT matched[1] COLLATE "C") AS split (word)
        CROSS JOIN LATERAL (
            SELECT sum(length(run[1]))
            FROM regexp_matches(word, '[A-Za-z0-9+/=]{60,}', 'g') AS run
            WHERE run[1] COLLATE "C" ~ '[0-9]' AND run[1] COLLATE "C" ~ '[a-z]' AND run[1] COLLATE "C" ~ '[A-Z]'
        ) AS summed (encoded));
END
$$;
