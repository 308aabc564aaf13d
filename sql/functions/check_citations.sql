-- check_citations: compares the numbers that an answer cites with the list of its sources.

CREATE FUNCTION _passage.cited_text(answer text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    lines text[] := '{}';
    line text;
    fence text;
    found text[];
BEGIN
    FOREACH line IN ARRAY regexp_split_to_array(coalesce(answer, ''), E'\r\n|\n|\r') LOOP
        -- Also in a list or a quotation. An open fence that nothing closes encloses the rest, as in Markdown.
        found := regexp_match(line, E'^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$');
        IF fence IS NULL AND (starts_with(found[1], '~') OR strpos(found[2], '`') = 0) THEN
            fence := found[1];
        ELSIF fence IS NULL THEN
            lines := lines || line;
        ELSIF starts_with(found[1], fence) AND btrim(found[2], E' \t') = '' THEN
            fence := NULL;
        END IF;
    END LOOP;
    -- Spans of code and the ends of links become signs that no citation contains.
    RETURN regexp_replace(regexp_replace(array_to_string(lines, E'\n'),
        E'```(?:[^`\n]|`[^`\n]|``[^`\n])+```|``(?:[^`\n]|`[^`\n])+``|`[^`\n]+`', '`', 'g'),
        E'\\]+\\([^\\s()]*(?:\\([^\\s()]*\\)[^\\s()]*)?(?:\\)|\\s+["''])', '`', 'g');
END
$$;

COMMENT ON FUNCTION _passage.cited_text(text) IS 'answer without its code and the brackets of its links';

CREATE FUNCTION passage.check_citations(
    answer text,
    sources jsonb
) RETURNS TABLE (
    number integer,
    outcome text,
    mentions integer,
    source jsonb
) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    wrong bigint;
BEGIN
    sources := coalesce(sources, '[]');
    IF jsonb_typeof(sources) <> 'array' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = '"sources" must be a JSON array',
            HINT = 'Pass the column sources of passage.prompt.';
    END IF;
    SELECT n INTO wrong FROM jsonb_array_elements(sources) WITH ORDINALITY AS element (source, n)
    WHERE NOT coalesce(jsonb_path_match(source, 'strict $.number >= 0 && $.number <= 999999999 && $.number % 1 == 0', silent => true), false)
    ORDER BY n LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('"number" of element %s of "sources" must be an integer', wrong),
            HINT = 'Pass the column sources of passage.prompt.';
    END IF;
    SELECT (source -> 'number')::integer AS number INTO wrong FROM jsonb_array_elements(sources) AS source
    GROUP BY number HAVING count(*) > 1 ORDER BY number LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('number %s occurs twice in "sources"', wrong),
            HINT = 'Pass first_number to later calls of passage.prompt, so that their numbers continue.';
    END IF;

    RETURN QUERY
    WITH listed AS (
        SELECT (source -> 'number')::integer AS number, source FROM jsonb_array_elements(sources) AS source
    ),
    range AS (
        SELECT least(ends[1]::integer, ends[2]::integer) AS first, greatest(ends[1]::integer, ends[2]::integer) AS last, count(*) AS mentions
        FROM regexp_matches(_passage.cited_text(answer),
                E'\\[([ \t\r\n]*[0-9]{1,9}(?:[ \t\r\n]*[-,;\u2013][ \t\r\n]*[0-9]{1,9})*[ \t\r\n]*)\\]', 'g') AS bracket,
            regexp_matches(bracket[1], E'([0-9]+)(?:[ \t\r\n]*[-\u2013][ \t\r\n]*([0-9]+))?', 'g') AS ends
        GROUP BY 1, 2
    ),
    -- A range cites the sources in it, and its ends.
    cited AS (
        SELECT number, sum(mentions)::integer AS mentions
        FROM (
            SELECT number, mentions FROM listed JOIN range ON number BETWEEN first AND last
            UNION ALL
            SELECT number, mentions FROM range, unnest(CASE WHEN first = last THEN ARRAY[first] ELSE ARRAY[first, last] END) AS number
            WHERE number NOT IN (SELECT number FROM listed)
        ) AS mentioned
        GROUP BY number
    )
    SELECT number, CASE WHEN source IS NULL THEN 'unknown' WHEN mentions IS NULL THEN 'uncited' ELSE 'cited' END,
        coalesce(mentions, 0), source
    FROM listed FULL JOIN cited USING (number)
    ORDER BY number;
END
$$;

COMMENT ON FUNCTION passage.check_citations(text, jsonb) IS 'returns the sources of an answer, each cited or uncited, and the unknown numbers that it cites, ordered by number
answer: Markdown with citations such as [2], [1, 3], [2][3] or [1-3]; those in code and links do not count
sources: list of the sources that passage.prompt returned, or several lists joined by ||; NULL counts as an empty list';
