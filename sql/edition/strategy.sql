-- Strategies: the limits of a call for a hit, as in core/passages/src/strategy.rs.
--
-- Widths of windows are those of prose, code and entries of an API reference.

CREATE TYPE _passage.strategy AS (
    scope text, parents integer, preceding integer, following integer, children integer, fallback integer[], siblings text,
    before integer[], after integer[], within text, threshold double precision, count_by text,
    max_tokens integer, max_passage_tokens integer, max_chunks integer, named text[], links integer
);

-- A function without arguments that is immutable is a constant to the planner, so a session computes it once for each plan.

CREATE FUNCTION _passage.preset_names() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT array_agg(name ORDER BY name COLLATE "C") FROM _passage.preset_strategies() $$;

COMMENT ON FUNCTION _passage.preset_names() IS 'names of presets, and auto';

CREATE FUNCTION _passage.presets() RETURNS _passage.strategy[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT array_agg((CASE listed.name WHEN 'hierarchical' THEN 'container' WHEN 'section' THEN listed.name WHEN 'merge' THEN listed.name WHEN 'document' THEN listed.name ELSE 'none' END,
            listed.parents, listed.preceding, listed.following, listed.children, ARRAY[broad.parents, broad.preceding, broad.following, broad.children], listed.siblings,
            ARRAY[listed.before, coalesce((listed.windows ->> 'code')::integer, listed.before), coalesce((listed.windows ->> 'api-reference')::integer, listed.before)],
            ARRAY[listed.after, coalesce((listed.windows ->> 'code')::integer, listed.after), coalesce((listed.windows ->> 'api-reference')::integer, listed.after)],
            listed.within, listed.threshold, listed.count_by, listed.max_tokens, NULL, listed.max_chunks, '{}', 0)::_passage.strategy ORDER BY listed.name COLLATE "C")
    FROM _passage.preset_strategies() AS listed JOIN _passage.preset_strategies() AS broad ON broad.name = 'broad'
$$;

COMMENT ON FUNCTION _passage.presets() IS 'limits of presets, in the order of their names';

CREATE FUNCTION _passage.preset(preset text) RETURNS _passage.strategy
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (_passage.presets())[pg_catalog.array_position(_passage.preset_names(), preset)];

COMMENT ON FUNCTION _passage.preset(text) IS 'limits of a preset, NULL for another name';

CREATE FUNCTION _passage.check_windows(given jsonb) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    kind text;
    width jsonb;
BEGIN
    IF jsonb_typeof(given) <> 'object' THEN
        given := '{"": 0}';
    END IF;
    FOR kind, width IN SELECT * FROM jsonb_each(given) LOOP
        IF kind <> ALL ('{prose,code,api-reference}') OR jsonb_typeof(width) <> 'number' OR width::numeric % 1 <> 0 THEN
            PERFORM _passage.refuse_argument('"windows" must be an object of kinds and numbers of chunks',
                'Valid kinds are "prose", "code" and "api-reference", as in {"code": 4}.');
        END IF;
        PERFORM _passage.check_limit('windows', width::numeric);
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.check_windows(jsonb) IS 'raises an error for widths of windows that are invalid';

-- Replaces limits by those of a call or of a row of the table "strategies".

CREATE FUNCTION _passage.with_limits(base _passage.strategy, given jsonb) RETURNS _passage.strategy
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    windows CONSTANT jsonb := given -> 'windows';
    width integer;
BEGIN
    IF given = '{}' THEN
        RETURN base;
    END IF;
    base.parents := coalesce(given ->> 'parents', base.parents::text);
    base.preceding := coalesce(given ->> 'preceding', base.preceding::text);
    base.following := coalesce(given ->> 'following', base.following::text);
    base.children := coalesce(given ->> 'children', base.children::text);
    base.fallback := ARRAY[coalesce((given ->> 'parents')::integer, base.fallback[1]), coalesce((given ->> 'preceding')::integer, base.fallback[2]),
        coalesce((given ->> 'following')::integer, base.fallback[3]), coalesce((given ->> 'children')::integer, base.fallback[4])];
    base.siblings := coalesce(given ->> 'siblings', base.siblings);
    IF given ? 'before' THEN
        base.before := array_fill((given ->> 'before')::integer, ARRAY[3]);
    END IF;
    IF given ? 'after' THEN
        base.after := array_fill((given ->> 'after')::integer, ARRAY[3]);
    END IF;
    base.named := base.named || ARRAY(SELECT name FROM unnest('{parents,preceding,following,children,before,after}'::text[]) AS name
        WHERE given ? name OR windows IS NOT NULL AND name = ANY ('{before,after}'));
    IF windows IS NOT NULL THEN
        PERFORM _passage.check_windows(windows);
        FOR place IN 1 .. 3 LOOP
            width := (windows ->> ('{prose,code,api-reference}'::text[])[place])::numeric;
            base.before[place] := coalesce(width, base.before[place]);
            base.after[place] := coalesce(width, base.after[place]);
        END LOOP;
    END IF;
    base.within := coalesce(given ->> 'within', base.within);
    base.threshold := coalesce(given ->> 'threshold', base.threshold::text);
    base.count_by := coalesce(given ->> 'count_by', base.count_by);
    base.max_tokens := coalesce(given ->> 'max_tokens', base.max_tokens::text);
    base.max_passage_tokens := coalesce(given ->> 'max_passage_tokens', base.max_passage_tokens::text);
    base.max_chunks := coalesce(given ->> 'max_chunks', base.max_chunks::text);
    base.links := coalesce(given ->> 'links', base.links::text);
    -- Numbers of chunks that are named count more than a default limit of tokens, and less than a named one.
    IF base.max_tokens IS NOT NULL OR base.max_passage_tokens IS NOT NULL THEN
        base.named := '{}';
    END IF;
    RETURN base;
END
$$;

COMMENT ON FUNCTION _passage.with_limits(_passage.strategy, jsonb) IS 'limits of a strategy, replaced by given ones';

-- The strategy of a hit that brings no context; budgets are those of all hits.

CREATE FUNCTION _passage.without_context(base _passage.strategy) RETURNS _passage.strategy
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    alone _passage.strategy := _passage.preset('none');
BEGIN
    alone.max_tokens := base.max_tokens;
    alone.max_passage_tokens := base.max_passage_tokens;
    alone.max_chunks := base.max_chunks;
    alone.named := base.named;
    RETURN alone;
END
$$;

COMMENT ON FUNCTION _passage.without_context(_passage.strategy) IS 'limits of a hit that brings no context';

-- The properties of a media type, as in core/split/src/media_type.rs. Unknown types are prose.

CREATE TYPE _passage.known_type AS (name text, aliases text[], structure text, family text, comment_prefix text, comment_suffix text, empty_body text);

CREATE FUNCTION _passage.bare_media_type(given text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.lower(pg_catalog.btrim(pg_catalog.split_part(coalesce(given, 'text/plain'), ';', 1), E' \t\n\f\r\x0b') COLLATE pg_catalog."C");

COMMENT ON FUNCTION _passage.bare_media_type(text) IS 'media type without parameters';

-- Names come before aliases, as the first place of a name counts.

CREATE FUNCTION _passage.media_type_names() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT array_agg(known ORDER BY place, listed.name COLLATE "C") FROM _passage.media_types() AS listed CROSS JOIN unnest(listed.name || listed.aliases) WITH ORDINALITY AS names (known, place) $$;

COMMENT ON FUNCTION _passage.media_type_names() IS 'names and aliases of media types';

CREATE FUNCTION _passage.known_types() RETURNS _passage.known_type[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT array_agg((listed.name, listed.aliases, listed.name, listed.family, listed.comment_prefix, listed.comment_suffix, listed.empty_body)::_passage.known_type ORDER BY place, listed.name COLLATE "C")
    FROM _passage.media_types() AS listed CROSS JOIN unnest(listed.name || listed.aliases) WITH ORDINALITY AS names (known, place)
$$;

COMMENT ON FUNCTION _passage.known_types() IS 'properties of media types, in the order of their names and aliases';

CREATE FUNCTION _passage.known_media_type(given text) RETURNS _passage.known_type
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bare CONSTANT text := _passage.bare_media_type(given);
    known _passage.known_type := (_passage.known_types())[array_position(_passage.media_type_names(), bare)];
BEGIN
    IF known.name IS NULL THEN
        known := (_passage.known_types())[array_position(_passage.media_type_names(), CASE WHEN bare LIKE '%+json' THEN 'application/json'
            WHEN bare LIKE '%+yaml' THEN 'text/x-yaml' WHEN bare LIKE '%+toml' THEN 'text/x-toml' WHEN bare LIKE '%+xml' THEN 'application/xml' END)];
        known := (bare, '{}', coalesce(known.structure, bare), coalesce(known.family, 'prose'), known.comment_prefix, known.comment_suffix, known.empty_body);
    END IF;
    RETURN known;
END
$$;

COMMENT ON FUNCTION _passage.known_media_type(text) IS 'properties of a media type';

-- The names of the statement are found as in _passage.window_claims.

CREATE FUNCTION _passage.has_defaults(store name) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN EXISTS (SELECT FROM strategies AS s WHERE s.default_for::text[] OPERATOR(pg_catalog.<>) '{}'::text[]);
EXCEPTION WHEN undefined_table OR undefined_column THEN
    RETURN false;
END
$$;

COMMENT ON FUNCTION _passage.has_defaults(name) IS 'whether a store has strategies for media types';

-- The rows of a store that may be the strategy of a call, as an array of objects; NULL for a preset. A strategy that is
-- neither a preset nor in the store is an error.

CREATE FUNCTION _passage.custom_strategies(store name, strategy text) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    fields text;
    listed jsonb;
BEGIN
    IF (CASE strategy WHEN 'auto' THEN NOT _passage.has_defaults(store) ELSE array_position(_passage.preset_names(), strategy) IS NOT NULL END) THEN
        RETURN NULL;
    END IF;
    -- A store may lack columns, and have those that a user added.
    SELECT string_agg(format('%L, listed.%I', attname, attname), ', ') INTO fields FROM pg_attribute
    WHERE attrelid = to_regclass(format('%I.strategies', store)) AND NOT attisdropped AND attname = ANY (
        '{name,base,default_for,parents,preceding,following,children,before,after,windows,siblings,within,threshold,count_by,max_tokens,max_chunks}');
    IF fields IS NOT NULL THEN
        EXECUTE format('SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(%s)) ORDER BY name COLLATE "C") FROM %I.strategies AS listed WHERE %s', fields, store,
            CASE strategy WHEN 'auto' THEN 'default_for <> ''{}''' ELSE 'name = $1' END) USING strategy INTO listed;
    END IF;
    IF listed IS NULL AND strategy <> 'auto' THEN
        PERFORM _passage.refuse_argument(format('unrecognized strategy "%s"', left(strategy, 100)), 'SELECT * FROM passage.strategies() lists the valid ones.');
    END IF;
    RETURN listed;
END
$$;

COMMENT ON FUNCTION _passage.custom_strategies(name, text) IS 'rows of a store that may be the strategy of a call';

CREATE FUNCTION _passage.strategy_of(strategy text, custom jsonb, given jsonb, known _passage.known_type) RETURNS _passage.strategy
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    row jsonb := custom -> 0;
BEGIN
    IF strategy = 'auto' AND custom IS NOT NULL THEN
        SELECT listed INTO row
        FROM jsonb_array_elements(custom) AS listed CROSS JOIN LATERAL jsonb_array_elements_text(listed -> 'default_for') AS pattern
        CROSS JOIN LATERAL (SELECT CASE WHEN pattern NOT LIKE '%*' THEN CASE WHEN _passage.bare_media_type(pattern) = ANY (known.name || known.aliases) THEN 1 END
            ELSE array_position(ARRAY[known.name, split_part(known.name, '/', 1) || '/*', '*/*'], pattern) END) AS compared (place)
        WHERE place IS NOT NULL ORDER BY place, listed ->> 'name' COLLATE "C" LIMIT 1;
    END IF;
    IF row IS NOT NULL THEN
        RETURN _passage.with_limits(_passage.with_limits(_passage.preset(coalesce(row ->> 'base', 'none')),
            row - '{name,base,default_for}'::text[]), given);
    END IF;
    RETURN _passage.with_limits(_passage.preset(CASE WHEN strategy <> 'auto' THEN strategy WHEN known.family = 'prose' THEN 'broad' ELSE 'hierarchical' END), given);
END
$$;

COMMENT ON FUNCTION _passage.strategy_of(text, jsonb, jsonb, _passage.known_type) IS 'limits of a strategy for documents of a media type';
