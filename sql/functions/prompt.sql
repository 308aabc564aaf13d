-- prompt: writes passages as one text for a language model, with a number for each source.
--
--     [1] handbook/logging.md:25-30 (Logging > Rotation > By hand)
--     ```
--     To rotate a file immediately, send the signal `USR1` to the collector.
--     ```
--
-- A document may contain anything, also fences and lines that look like the first one. So all sources have one fence, which
-- is longer than each run of backticks in them: no text ends its fence, and a source that a text imitates has another one.

CREATE FUNCTION _passage.single_line(text text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- Control characters, separators of lines, and characters that change the direction of text.
    SELECT regexp_replace(text, E'[\u0001-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]', ' ', 'g')
$$;

COMMENT ON FUNCTION _passage.single_line(text) IS 'text without characters that begin a new line or change its direction';

CREATE FUNCTION _passage.source_label(passage jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- Lines of the Markdown of a converted document are not in its source, so its place is a page, a slide or a sheet.
    SELECT _passage.single_line(coalesce(left(passage ->> 'uri', 200), '(no uri)')
        || coalesce(', ' || (
            SELECT key || CASE WHEN places[1] = places[cardinality(places)] THEN ' ' || places[1]
                ELSE 's ' || places[1] || CASE key WHEN 'sheet' THEN ' to ' ELSE '-' END || places[cardinality(places)] END
            FROM (
                SELECT key, array_agg(left(value, 200) ORDER BY chunk.n, place.n) AS places
                FROM jsonb_path_query(passage, '$.citations[*]') WITH ORDINALITY AS chunk (citation, n),
                    unnest('{page,slide,sheet}'::text[]) AS key,
                    unnest(ARRAY[citation ->> key, citation ->> ('last_' || key)]) WITH ORDINALITY AS place (value, n)
                WHERE citation ? key AND value IS NOT NULL
                GROUP BY key
            ) AS placed ORDER BY key LIMIT 1),
            ':' || (passage ->> 'first_line') || '-' || (passage ->> 'last_line'), ''))
$$;

COMMENT ON FUNCTION _passage.source_label(jsonb) IS 'name of a passage as a citation, such as handbook/logging.md:25-30 or report.pdf, page 12';

CREATE FUNCTION passage.prompt(
    passages jsonb,
    best_at text DEFAULT 'start',
    first_number integer DEFAULT 1
) RETURNS TABLE (
    prompt text,
    sources jsonb
) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    wrong record;
    fence text;
BEGIN
    passages := coalesce(passages, '[]');
    best_at := coalesce(best_at, 'start');
    first_number := coalesce(first_number, 1);
    IF best_at NOT IN ('start', 'both_ends') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('unrecognized value for "best_at": "%s"', left(best_at, 100)),
            HINT = 'Valid values are "start" and "both_ends".';
    ELSIF first_number NOT BETWEEN 1 AND 1000000 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('"first_number" is out of range: %s', first_number),
            HINT = 'Use a number from 1 to 1000000.';
    ELSIF jsonb_typeof(passages) <> 'array' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = '"passages" must be a JSON array',
            HINT = 'Pass (SELECT jsonb_agg(p ORDER BY rank) FROM passage.search(...) AS p).';
    END IF;
    SELECT n, key, type INTO wrong
    FROM jsonb_array_elements(passages) WITH ORDINALITY AS listed (passage, n),
        (VALUES ('content', 'string'), ('section', 'array'), ('citations', 'array')) AS expected (key, type)
    -- Only the content is required.
    WHERE coalesce(nullif(jsonb_typeof(passage -> key), 'null'), CASE key WHEN 'content' THEN 'missing' ELSE type END) <> type
    ORDER BY n LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('"%s" of element %s of "passages" must be %s', wrong.key, wrong.n,
                CASE wrong.type WHEN 'string' THEN 'a string' ELSE 'an array' END),
            HINT = 'Pass whole rows, as in (SELECT jsonb_agg(p ORDER BY rank) FROM passage.search(...) AS p).';
    END IF;

    -- The names in the line of a source count, too.
    SELECT repeat('`', greatest(3, 1 + max(length(run[1])))) INTO fence FROM regexp_matches(passages::text, '`{3,}', 'g') AS run;

    RETURN QUERY
    WITH source AS (
        SELECT n, first_number + n::integer - 1 AS number, passage, _passage.source_label(passage) AS label,
            nullif(concat_ws(' ', nullif(left(passage ->> 'collection', 200), ''), nullif(left(passage ->> 'version', 200), '')), '') AS version,
            nullif(coalesce((SELECT string_agg(left(title, 200), ' > ' ORDER BY level)
                FROM jsonb_array_elements_text(CASE jsonb_typeof(passage -> 'section') WHEN 'array' THEN passage -> 'section' ELSE '[]' END)
                    WITH ORDINALITY AS titles (title, level)), left(passage ->> 'title', 200)), '') AS titles
        FROM jsonb_array_elements(passages) WITH ORDINALITY AS listed (passage, n)
    )
    SELECT coalesce(string_agg(concat_ws(E'\n',
                '[' || number || '] ' || label || _passage.single_line(concat(', ' || version, ' (' || titles || ')')),
                fence, rtrim(passage ->> 'content', E'\r\n'), fence), E'\n\n'
            -- At both ends: 1, 3, 5, 6, 4, 2.
            ORDER BY CASE WHEN best_at = 'start' OR n % 2 = 1 THEN n ELSE 2 * jsonb_array_length(passages) - n END), ''),
        coalesce(jsonb_agg(jsonb_build_object('number', number, 'label', label) || coalesce((
                SELECT jsonb_object_agg(key, value) FROM jsonb_each(passage)
                WHERE value <> 'null' AND key IN ('document_id', 'collection', 'version', 'uri', 'title', 'section', 'first_line', 'last_line', 'chunk_ids', 'source_ids')), '{}')
            ORDER BY n), '[]')
    FROM source;
END
$$;

COMMENT ON FUNCTION passage.prompt(jsonb, text, integer) IS 'returns passages as one text with numbered sources for a language model, and the list of the sources
passages: array of rows of search, reassemble or fragments, best first, as jsonb_agg makes it; NULL counts as an empty array
best_at: place of the best sources in the text: start, or both_ends with the worst ones in the middle
first_number: number of the first source, 1 by default; a later call of a conversation continues the numbers';
