-- Arguments of calls: the groups `filter`, `limits`, `ranking` and `output`, and the errors for their values.
--
-- The constructor of a group, such as passage.limits(), has its keys as arguments with their types. So the catalog
-- is the list of keys. The rules are those of core/passages/src/arguments/json_group.rs.

-- The database has no extension pg_passage. Clients read the version in the comment, which runs no code.

CREATE FUNCTION _passage.sql_edition() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '@VERSION@';

COMMENT ON FUNCTION _passage.sql_edition() IS 'version of the SQL edition: @VERSION@';

REVOKE EXECUTE ON FUNCTION _passage.sql_edition() FROM PUBLIC;

CREATE FUNCTION _passage.refuse_function(name text, hint text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = format('%s() needs the native extension', name),
        DETAIL = 'The SQL edition of pg_passage is installed in this database.', HINT = hint;
END
$$;

COMMENT ON FUNCTION _passage.refuse_function(text, text) IS 'raises an error for a function that the SQL edition lacks';

CREATE FUNCTION _passage.refuse_argument(message text, hint text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = message, HINT = hint;
END
$$;

COMMENT ON FUNCTION _passage.refuse_argument(text, text) IS 'raises an error for an argument';

CREATE FUNCTION _passage.check_limit(argument text, value numeric) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF value < 0 OR value > 1000000 THEN
        PERFORM _passage.refuse_argument(format('"%s" is out of range: %s', argument, greatest(-2147483648, least(2147483647, trunc(value)))), 'Use a number from 0 to 1000000.');
    END IF;
    RETURN value;
END
$$;

COMMENT ON FUNCTION _passage.check_limit(text, numeric) IS 'limit of a call, or an error';

CREATE FUNCTION _passage.quoted_list(names text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT concat_ws(' and ', nullif(string_agg(format('"%s"', name), ', ' ORDER BY place) FILTER (WHERE place < cardinality(names)), ''),
        max(format('"%s"', name)) FILTER (WHERE place = cardinality(names)))
    FROM unnest(names) WITH ORDINALITY AS listed (name, place)
$$;

COMMENT ON FUNCTION _passage.quoted_list(text[]) IS 'names as a HINT lists them';

-- A NULL counts as a key that is not given.

CREATE FUNCTION _passage.read_group(argument text, given jsonb, unused text[] DEFAULT '{}') RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    keys text[];
    types regtype[];
    key text;
    value jsonb;
    number numeric;
    expected text;
    range numeric[];
    words text[];
BEGIN
    IF given IS NULL THEN
        RETURN '{}';
    ELSIF jsonb_typeof(given) <> 'object' THEN
        PERFORM _passage.refuse_argument(format('"%s" must be a JSON object', argument), 'Pass an object of names and values.');
    ELSIF given = '{}' THEN
        RETURN given;
    END IF;
    SELECT array_agg(name ORDER BY place), array_agg(type ORDER BY place) INTO keys, types
    FROM pg_proc CROSS JOIN unnest(proargnames, proargtypes::oid[]) WITH ORDINALITY AS listed (name, type, place)
    WHERE pronamespace = 'passage'::regnamespace AND proname = argument AND name <> ALL (unused);
    FOR key, value IN SELECT * FROM jsonb_each(given) LOOP
        IF key <> ALL (keys) THEN
            PERFORM _passage.refuse_argument(format('unrecognized key "%s" in "%s"', left(key, 100), argument),
                format('Valid keys are %s.', _passage.quoted_list(keys)));
        ELSIF value = 'null' THEN
            given := given - key;
            CONTINUE;
        END IF;
        expected := CASE types[array_position(keys, key)]
            WHEN 'integer'::regtype THEN CASE WHEN key = 'max_distance' AND value = '"document"' THEN NULL
                WHEN jsonb_typeof(value) <> 'number' OR value::numeric % 1 <> 0 THEN 'an integer' END
            WHEN 'double precision'::regtype THEN CASE WHEN jsonb_typeof(value) <> 'number' THEN 'a number' END
            WHEN 'boolean'::regtype THEN CASE WHEN jsonb_typeof(value) <> 'boolean' THEN 'true or false' END
            WHEN 'integer[]'::regtype THEN CASE WHEN jsonb_typeof(value) <> 'array' OR EXISTS (
                SELECT FROM jsonb_array_elements(value) AS one WHERE CASE WHEN jsonb_typeof(one) = 'number' THEN one::numeric % 1 <> 0 ELSE true END) THEN 'a list of integers' END
            WHEN 'text[]'::regtype THEN CASE WHEN jsonb_typeof(value) <> 'array' OR NOT jsonb_path_match(value, '$.size() == 2 && !exists($[*] ? (@.type() != "string"))') THEN 'a list of two strings' END
            WHEN 'text'::regtype THEN CASE
                WHEN jsonb_typeof(value) = 'string' THEN NULL
                WHEN key <> ALL ('{collection,version,uri,media_type,kind}') THEN 'a string'
                WHEN jsonb_typeof(value) <> 'array' OR jsonb_path_exists(value, '$[*] ? (@.type() != "string")') THEN 'a string or a list of strings' END
            END;
        IF expected IS NOT NULL THEN
            PERFORM _passage.refuse_argument(format('"%s" in "%s" must be %s', key, argument, expected), format('Pass %s, or omit the key.', expected));
        END IF;
        number := CASE WHEN jsonb_typeof(value) = 'number' THEN value::numeric END;
        range := CASE WHEN key = 'min_similarity' THEN '{-1,1}' WHEN key = ANY ('{threshold,context_share,min_score,feedback}') THEN '{0,1}' ELSE '{0,1000000}' END;
        IF number < range[1] OR number > range[2] THEN
            PERFORM _passage.refuse_argument(format('"%s" is out of range: %s', key, number), format('Use a number from %s to %s.', range[1], range[2]));
        END IF;
        IF number % 1 = 0 THEN
            given := given || jsonb_build_object(key, number::bigint);
        END IF;
        words := CASE key WHEN 'siblings' THEN '{parent,section}' WHEN 'within' THEN '{document,parent,section}' WHEN 'count_by' THEN '{chunks,tokens}'
            WHEN 'gaps' THEN '{comment,none}' WHEN 'order_by' THEN '{score,document}' WHEN 'mode' THEN '{vector,text,hybrid}'
            WHEN 'score_by' THEN '{max,mean,sum,rank}' END::text[];
        IF value #>> '{}' <> ALL (words) THEN
            PERFORM _passage.refuse_argument(format('unrecognized value for "%s": "%s"', key, left(value #>> '{}', 100)),
                format('Valid values are %s.', _passage.quoted_list(words)));
        END IF;
    END LOOP;
    RETURN given;
END
$$;

COMMENT ON FUNCTION _passage.read_group(text, jsonb, text[]) IS 'keys and values of a group of arguments without NULL, or an error';

-- An argument that a call gives alone is a key of the group too.

CREATE FUNCTION _passage.read_limits(max_tokens integer, max_chunks integer, limits jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    given CONSTANT jsonb := _passage.read_group('limits', limits);
BEGIN
    IF max_chunks IS NOT NULL AND given ? 'max_chunks' THEN
        PERFORM _passage.refuse_argument('"max_chunks" is given twice, as an argument and in "limits"', 'Pass it once.');
    END IF;
    RETURN given || jsonb_strip_nulls(jsonb_build_object('max_tokens', _passage.check_limit('max_tokens', max_tokens),
        'max_chunks', coalesce((given ->> 'max_chunks')::integer, _passage.check_limit('max_chunks', max_chunks))));
END
$$;

COMMENT ON FUNCTION _passage.read_limits(integer, integer, jsonb) IS 'limits of a call, or an error';

-- The values of settings, which nothing checks when they are set.

CREATE FUNCTION _passage.text_setting(name text, otherwise text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN pg_catalog.current_setting(pg_catalog.concat('passage.', name), true) OPERATOR(pg_catalog.<>) ''
    THEN pg_catalog.current_setting(pg_catalog.concat('passage.', name), true) ELSE otherwise END;

COMMENT ON FUNCTION _passage.text_setting(text, text) IS 'setting of the extension';

CREATE FUNCTION _passage.number_setting(name text, otherwise integer) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    given CONSTANT text := nullif(current_setting('passage.' || name, true), '');
    number numeric;
BEGIN
    IF given IS NULL THEN
        RETURN otherwise;
    ELSIF given !~ '^[0-9]{1,7}$' THEN
        BEGIN
            number := round(CASE WHEN given ~ '^\s*[-+]?0[xX]' THEN given::integer ELSE given::numeric END);
        EXCEPTION WHEN data_exception THEN
            NULL;
        END;
        IF (number BETWEEN -2147483648 AND 2147483647) IS NOT TRUE THEN
            RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('invalid value for parameter "passage.%s": "%s"', name, given);
        END IF;
    END IF;
    number := coalesce(number, given::integer);
    IF number < 0 OR number > 1000000 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('%s is outside the valid range for parameter "passage.%s" (0 .. 1000000)', number, name);
    END IF;
    RETURN number;
END
$$;

COMMENT ON FUNCTION _passage.number_setting(text, integer) IS 'setting of the extension that is a number, or an error';

-- The hits of a call. Equal scores have one rank, and each hit without a score its own behind them; `first` is the first place
-- of an id. The statements that call this function include its query.

CREATE FUNCTION _passage.rank_hits(ids uuid[], scores double precision[], skip uuid[])
RETURNS TABLE (id uuid, score double precision, score_rank integer, first bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    SELECT best.id, best.score, pg_catalog.dense_rank() OVER (ORDER BY best.score DESC NULLS LAST, CASE WHEN best.score IS NULL THEN best.first END)::pg_catalog.int4 OPERATOR(pg_catalog.-) 1, best.first
    FROM (
        SELECT listed.id, pg_catalog.max(CASE WHEN listed.score OPERATOR(pg_catalog.<>) 'NaN'::pg_catalog.float8 THEN listed.score END) AS score, pg_catalog.min(listed.place) AS first
        FROM ROWS FROM (pg_catalog.unnest(ids), pg_catalog.unnest(scores)) WITH ORDINALITY AS listed (id, score, place)
        WHERE listed.id IS NOT NULL AND (listed.id OPERATOR(pg_catalog.=) ANY (skip)) IS NOT TRUE
        GROUP BY listed.id
    ) AS best;
END;

COMMENT ON FUNCTION _passage.rank_hits(uuid[], double precision[], uuid[]) IS 'hits of a call with their ranks';
