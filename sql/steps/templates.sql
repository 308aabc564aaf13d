-- The arguments of a trigger of keep_in_step as expressions on a row.
--
-- A column in the metadata becomes a JSON value, so no value of a row can end a string, add a key or make the
-- object invalid: a write never fails because of it.

CREATE FUNCTION _passage.template_parts(template text, names text[], is_json boolean)
RETURNS TABLE (place integer, role text, is_column boolean, content text)
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 5
AS 'MODULE_PATHNAME', 'template_parts_wrapper';

COMMENT ON FUNCTION _passage.template_parts(text, text[], boolean) IS 'literal texts and columns of an argument of keep_in_step; no row for a template of JSON that is not an object';

CREATE FUNCTION _passage.is_readable_json(value jsonb) RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'is_readable_json_wrapper';

COMMENT ON FUNCTION _passage.is_readable_json(jsonb) IS 'whether every reader of metadata can parse a value';

-- A value as to_jsonb converts it. A value that jsonb cannot hold, such as a json with an escaped NUL, and one that
-- readers cannot parse, such as 1e400, becomes the string of its text.

CREATE FUNCTION _passage.step_json(value anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    converted jsonb;
BEGIN
    converted := to_jsonb(value);
    RETURN CASE WHEN _passage.is_readable_json(converted) THEN converted ELSE to_jsonb(converted #>> '{}') END;
EXCEPTION WHEN untranslatable_character OR invalid_text_representation OR numeric_value_out_of_range OR program_limit_exceeded THEN
    RETURN to_jsonb(format('%s', value));
END
$$;

COMMENT ON FUNCTION _passage.step_json(anyelement) IS 'value of a column as jsonb, of any type and without errors';

-- The metadata of a column that holds the object itself, also as a text. Any other value is the member with the
-- name of the column.

CREATE FUNCTION _passage.step_object(name text, value jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    parsed jsonb := value;
BEGIN
    IF jsonb_typeof(value) = 'string' THEN
        BEGIN
            parsed := (value #>> '{}')::jsonb;
        EXCEPTION WHEN untranslatable_character OR invalid_text_representation OR numeric_value_out_of_range OR program_limit_exceeded
            OR statement_too_complex THEN
            NULL;
        END;
    END IF;
    RETURN CASE WHEN jsonb_typeof(parsed) = 'object' AND _passage.is_readable_json(parsed) THEN parsed ELSE jsonb_build_object(name, value) END;
END
$$;

COMMENT ON FUNCTION _passage.step_object(text, jsonb) IS 'metadata of a column that holds the object itself';

-- Converts the arguments of a trigger to expressions on a row with the alias t. Values of columns have the text
-- form of to_jsonb; {{ and }} are literal braces. In the metadata, NULL is the JSON null, also as a part of a string,
-- and the empty text in a key.

CREATE FUNCTION _passage.step_templates(
    scope oid, trigger name, arguments text[],
    OUT expressions jsonb, OUT patterns jsonb, OUT identity smallint[], OUT columns smallint[], OUT store name, OUT owner name
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    valid_names CONSTANT text[] := '{text,uri,title,collection,version,media_type,metadata,kind,base_url,store,owner}';
    column_names CONSTANT text[] := ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = scope AND attnum > 0 AND NOT attisdropped);
    wrong text;
    missing text;
    virtual text;
    keyed boolean;
BEGIN
    WITH argument AS (
        SELECT argument, position, name, substr(argument, length(name) + 2) AS template, count(*) OVER (PARTITION BY name) > 1 AS is_repeated
        FROM unnest(arguments) WITH ORDINALITY AS listed (argument, position), split_part(argument, '=', 1) AS name
    ),
    part AS (
        SELECT argument.position, name, template_parts.*, attname, attnum, attnotnull, attgenerated, atttypid,
            CASE
                WHEN NOT is_column THEN quote_literal(content)
                WHEN attname IS NULL THEN 'NULL'
                WHEN atttypid IN ('text'::regtype, 'varchar'::regtype) THEN format('t.%I::text', attname)
                ELSE format('(%s #>> %L)', as_json, '{}') END AS as_text,
            as_json
        FROM argument
        -- Names have no columns.
        CROSS JOIN LATERAL _passage.template_parts(template, column_names, name = 'metadata')
            WITH ORDINALITY AS template_parts (place, role, is_column, content, number)
        LEFT JOIN pg_attribute ON is_column AND attrelid = scope AND attname = content AND pg_attribute.attnum > 0 AND NOT attisdropped
        LEFT JOIN pg_type ON pg_type.oid = atttypid
        CROSS JOIN LATERAL (SELECT CASE
            WHEN attname IS NULL THEN 'NULL'
            WHEN typtype = 'b' AND typelem = 0 AND typnamespace = 'pg_catalog'::regnamespace
                AND atttypid NOT IN ('json'::regtype, 'jsonb'::regtype, 'numeric'::regtype) THEN format('to_jsonb(t.%I)', attname)
            ELSE format('_passage.step_json(t.%I)', attname) END) AS converted (as_json)
    ),
    element AS (
        SELECT position, place, role, min(content) AS content, CASE role
                WHEN 'value' THEN format('coalesce(%s::text, %L)', min(as_json), 'null')
                WHEN 'string' THEN format('coalesce(to_json(%s)::text, %L)', string_agg(as_text, ' || ' ORDER BY number), 'null')
                WHEN 'key' THEN format('to_json(%s)::text', string_agg(format('coalesce(%s, %L)', as_text, ''), ' || ' ORDER BY number))
                ELSE min(as_text) END AS expression,
            min(as_json) AS as_json,
            CASE
                WHEN bool_or(atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)) THEN '-?[0-9]+'
                WHEN bool_or(is_column) THEN '.*'
                ELSE regexp_replace(min(content), '([^[:alnum:]])', '\\\1', 'g') END AS pattern
        FROM part GROUP BY position, place, role
    ),
    filled AS (
        SELECT position, format('^%s$', string_agg(pattern, '' ORDER BY place)) AS pattern,
            -- A template that is one column has the object itself.
            CASE WHEN bool_and(role = 'value') THEN format('_passage.step_object(%L, %s)::text', min(content), min(as_json))
                ELSE string_agg(expression, ' || ' ORDER BY place) END AS expression
        FROM element GROUP BY position
    )
    SELECT filled.*, used.*, checked.* INTO expressions, patterns, identity, columns, missing, virtual, keyed, wrong, store, owner
    FROM (
        SELECT jsonb_object_agg(name, coalesce(expression, quote_literal(''))), jsonb_object_agg(name, coalesce(pattern, '^$'))
        FROM argument LEFT JOIN filled USING (position)
        WHERE name <> 'metadata' OR expression IS NOT NULL
    ) AS filled (expressions, patterns),
    (
        -- Collection and version do not distinguish NULL from the empty text, so a nullable column does not count.
        SELECT array_agg(DISTINCT attnum) FILTER (WHERE name = 'uri' OR name IN ('collection', 'version') AND attnotnull),
            array_agg(DISTINCT attnum) FILTER (WHERE attnum IS NOT NULL),
            min(content) FILTER (WHERE is_column AND attnum IS NULL),
            min(attname) FILTER (WHERE attgenerated = 'v' AND name IN ('uri', 'collection', 'version')),
            bool_or(name = 'uri' AND attnum IS NOT NULL)
        FROM part
    ) AS used (identity, columns, missing, virtual, keyed),
    (
        SELECT min(argument) FILTER (WHERE NOT name = ANY (valid_names) OR argument NOT LIKE '%=%' OR is_repeated),
            min(template) FILTER (WHERE name = 'store'), min(template) FILTER (WHERE name = 'owner')
        FROM argument
    ) AS checked (wrong, store, owner);

    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('trigger "%s": unrecognized argument "%s"', trigger, left(wrong, 100)),
            HINT = format('Arguments have the form NAME=VALUE, each name at most once: %s.', array_to_string(valid_names, ', '));
    ELSIF missing IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_column',
            MESSAGE = format('trigger "%s": table %s has no column "%s"', trigger, scope::regclass, missing),
            HINT = 'Name a column of the table, and write a literal brace twice.';
    ELSIF NOT coalesce(keyed AND expressions ? 'text', false) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('trigger "%s" requires the arguments text and uri, and a column in uri', trigger),
            HINT = 'Pass ''text={body}'' and ''uri=articles/{id}'', with columns of the table in braces.';
    ELSIF NOT expressions ? 'metadata' AND EXISTS (SELECT FROM unnest(arguments) AS argument WHERE argument LIKE 'metadata=%') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('trigger "%s": argument metadata is not a JSON object', trigger),
            HINT = 'Pass an object such as ''metadata={"author": "{author}", "stars": {stars}}'': a column in quotes is a text, any other a JSON value.';
    ELSIF virtual IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = format('trigger "%s": virtual generated column "%s" cannot be part of uri, collection or version', trigger, virtual),
            HINT = 'Use a stored generated column. Text, title and metadata can contain virtual ones.';
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.step_templates(oid, name, text[]) IS 'expressions and patterns of the arguments of a trigger of keep_in_step, and the columns that they use';
