-- Conditions on the metadata of documents d and chunks c, as in core/passages/src/metadata_filter.rs, which explains them.
--
-- A condition is true, false or unknown. It is unknown if the key is missing, or if a value of another type is ordered.

CREATE FUNCTION _passage.has_operators(value jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE objects (object) AS (
        SELECT value WHERE jsonb_typeof(value) = 'object'
        UNION ALL
        SELECT field.value FROM objects CROSS JOIN LATERAL jsonb_each(object) AS field WHERE jsonb_typeof(field.value) = 'object'
    )
    SELECT EXISTS (SELECT FROM objects WHERE object ?| _passage.metadata_operators())
$$;

COMMENT ON FUNCTION _passage.has_operators(jsonb) IS 'whether an object has operators, also in its objects';

CREATE FUNCTION _passage.metadata_operators() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{$eq,$ne,$lt,$lte,$gt,$gte,$in,$nin,$between,$exists,$like,$ilike,$and,$or,$not}'::pg_catalog.text[];

COMMENT ON FUNCTION _passage.metadata_operators() IS 'operators in the filter metadata';

CREATE FUNCTION _passage.refuse_condition(operator text, path text[], expected text) RETURNS void
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT _passage.refuse_argument(format('"%s" for key "%s" in "metadata" must be %s', left(operator, 100), left(array_to_string(path, '.'), 100), expected),
        'The guide to search lists the operators with their values.')
$$;

COMMENT ON FUNCTION _passage.refuse_condition(text, text[], text) IS 'raises an error for the value of an operator';

-- Whether values order: numbers, texts that are dates, and other texts.

CREATE FUNCTION _passage.ordered_kind(value jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT CASE jsonb_typeof(value) WHEN 'number' THEN 'number' WHEN 'string' THEN CASE WHEN _passage.iso_instant(value #>> '{}') IS NULL THEN 'text' ELSE 'date' END END $$;

COMMENT ON FUNCTION _passage.ordered_kind(jsonb) IS 'kind of a value that can be ordered';

-- A condition on one value: an operator with its operand.

CREATE FUNCTION _passage.metadata_test(operator text, operand jsonb, path text[]) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    value text := format('coalesce(c.metadata -> %1$L, d.metadata -> %1$L)', path[1]);
    values jsonb := operand;
    instants bigint[];
    test text;
BEGIN
    FOR i IN 2 .. cardinality(path) LOOP
        value := format('(%s -> %L)', value, path[i]);
    END LOOP;
    IF operator IN ('$eq', '$ne') THEN
        values := jsonb_build_array(operand);
    ELSIF operator IN ('$in', '$nin', '$between') AND jsonb_typeof(operand) <> 'array' THEN
        PERFORM _passage.refuse_condition(operator, path, 'a list of values');
    END IF;
    IF jsonb_typeof(values) = 'array' AND jsonb_array_length(values) > 1000 THEN
        PERFORM _passage.refuse_argument('"metadata" must have at most 1000 values in a list', 'Use "$in" for a list of values, and fewer levels.');
    END IF;
    CASE
        WHEN operator IN ('$eq', '$ne', '$in', '$nin') THEN
            instants := ARRAY(SELECT instant FROM jsonb_array_elements(values) AS one CROSS JOIN LATERAL (
                SELECT CASE jsonb_typeof(one) WHEN 'string' THEN _passage.iso_instant(one #>> '{}') END) AS dated (instant) WHERE instant IS NOT NULL);
            test := format('%s = ANY (%L::jsonb[])', value, ARRAY(SELECT one FROM jsonb_array_elements(values) AS one));
            IF cardinality(instants) > 0 THEN
                test := format('(%s OR coalesce(_passage.iso_instant(%s #>> ''{}'') = ANY (%L::bigint[]), false))', test, value, instants);
            END IF;
            test := format('CASE WHEN %s IS NOT NULL THEN %s END', value, test);
            RETURN CASE WHEN operator IN ('$ne', '$nin') THEN format('(NOT %s)', test) ELSE test END;
        WHEN operator = '$exists' THEN
            IF jsonb_typeof(operand) <> 'boolean' THEN
                PERFORM _passage.refuse_condition(operator, path, 'true or false');
            END IF;
            RETURN format('(%s IS %s NULL)', value, CASE operand WHEN 'true' THEN 'NOT' ELSE '' END);
        WHEN operator IN ('$like', '$ilike') THEN
            IF jsonb_typeof(operand) <> 'string' THEN
                PERFORM _passage.refuse_condition(operator, path, 'a text');
            ELSIF length(substring(operand #>> '{}' FROM '\\*$')) % 2 = 1 THEN
                PERFORM _passage.refuse_condition(operator, path, 'a pattern that does not end with an escape');
            END IF;
            RETURN format('CASE WHEN jsonb_typeof(%1$s) = ''string'' THEN (%1$s #>> ''{}'') %2$s %3$L END', value, upper(substr(operator, 2)), operand #>> '{}');
        WHEN operator = '$between' THEN
            IF jsonb_array_length(operand) <> 2 THEN
                PERFORM _passage.refuse_condition(operator, path, 'a list of two values');
            ELSIF _passage.ordered_kind(operand -> 0) IS DISTINCT FROM _passage.ordered_kind(operand -> 1) OR _passage.ordered_kind(operand -> 0) IS NULL THEN
                PERFORM _passage.refuse_condition(operator, path, 'a list of two numbers, two dates or two texts');
            END IF;
            RETURN format('(%s AND %s)', _passage.metadata_test('$gte', operand -> 0, path), _passage.metadata_test('$lte', operand -> 1, path));
        WHEN operator IN ('$lt', '$lte', '$gt', '$gte') THEN
            test := CASE operator WHEN '$lt' THEN '<' WHEN '$lte' THEN '<=' WHEN '$gt' THEN '>' ELSE '>=' END;
            CASE _passage.ordered_kind(operand)
                WHEN 'number' THEN RETURN format('CASE WHEN jsonb_typeof(%1$s) = ''number'' THEN %1$s %2$s %3$L::jsonb END', value, test, operand);
                WHEN 'text' THEN RETURN format('CASE WHEN jsonb_typeof(%1$s) = ''string'' THEN %1$s %2$s %3$L::jsonb END', value, test, operand);
                WHEN 'date' THEN RETURN format('CASE WHEN jsonb_typeof(%1$s) = ''string'' THEN _passage.iso_instant(%1$s #>> ''{}'') %2$s %3$s END', value, test, _passage.iso_instant(operand #>> '{}'));
                ELSE PERFORM _passage.refuse_condition(operator, path, 'a number, a date or a text');
            END CASE;
        ELSE
            PERFORM _passage.refuse_argument(format('unrecognized operator "%s" for key "%s" in "metadata"', left(operator, 100), array_to_string(path, '.')),
                format('Valid operators are %s.', _passage.quoted_list(_passage.metadata_operators())));
    END CASE;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.metadata_test(text, jsonb, text[]) IS 'condition on one value of the metadata';

-- An object of keys with values or conditions, or behind a key, of operators.

CREATE FUNCTION _passage.metadata_condition(filter jsonb, path text[], are_tests boolean, level integer) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    conditions text[] := '{}';
    parts text[];
    key text;
    value jsonb;
    part jsonb;
    below text[];
    object text;
BEGIN
    IF cardinality(path) + level > 16 THEN
        PERFORM _passage.refuse_argument('"metadata" must have at most 16 levels of conditions', 'Use "$in" for a list of values, and fewer levels.');
    END IF;
    FOR key, value IN SELECT * FROM jsonb_each(filter) LOOP
        IF key IN ('$and', '$or', '$not') THEN
            IF jsonb_typeof(value) <> 'array' THEN
                IF key <> '$not' THEN
                    PERFORM _passage.refuse_condition(key, path, 'a list of objects');
                END IF;
                value := jsonb_build_array(value);
            END IF;
            parts := '{}';
            FOR part IN SELECT * FROM jsonb_array_elements(value) LOOP
                IF jsonb_typeof(part) <> 'object' OR part = '{}' THEN
                    parts := NULL;
                    EXIT;
                END IF;
                parts := parts || format(CASE key WHEN '$not' THEN '(NOT (%s))' ELSE '(%s)' END, _passage.metadata_condition(part, path, are_tests, level + 1));
            END LOOP;
            IF coalesce(cardinality(parts), 0) = 0 THEN
                PERFORM _passage.refuse_condition(key, path, CASE key WHEN '$not' THEN 'an object, or a list of objects' ELSE 'a list of at least one object' END);
            END IF;
            conditions := conditions || format('(%s)', array_to_string(parts, CASE key WHEN '$or' THEN ' OR ' ELSE ' AND ' END));
        ELSIF are_tests THEN
            conditions := conditions || _passage.metadata_test(key, value, path);
        ELSIF key = ANY (_passage.metadata_operators()) THEN
            PERFORM _passage.refuse_condition(key, path, 'below a key, as in {"year": {...}}');
        ELSE
            below := path || key;
            IF jsonb_typeof(value) = 'object' AND _passage.has_operators(value) THEN
                conditions := conditions || format('(%s)', _passage.metadata_condition(value, below, value ?| _passage.metadata_operators(), level));
            ELSE
                object := 'coalesce(d.metadata, ''{}'') || coalesce(c.metadata, ''{}'')';
                IF cardinality(path) > 0 THEN
                    object := format('coalesce(c.metadata -> %1$L, d.metadata -> %1$L)', path[1]);
                    FOR i IN 2 .. cardinality(path) LOOP
                        object := format('(%s -> %L)', object, path[i]);
                    END LOOP;
                END IF;
                conditions := conditions || format('CASE WHEN (%1$s) -> %2$L IS NOT NULL THEN (%1$s) @> %3$L::jsonb END', object, key, jsonb_build_object(key, value));
            END IF;
        END IF;
    END LOOP;
    RETURN coalesce(nullif(array_to_string(conditions, ' AND '), ''), 'true');
END
$$;

COMMENT ON FUNCTION _passage.metadata_condition(jsonb, text[], boolean, integer) IS 'condition on metadata';
