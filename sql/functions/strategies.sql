-- strategies: lists the presets and the strategies of a store.

CREATE FUNCTION _passage.preset_strategies() RETURNS TABLE (
    name text,
    description text,
    parents integer,
    preceding integer,
    following integer,
    children integer,
    before integer,
    after integer,
    windows jsonb,
    siblings text,
    within text,
    threshold double precision,
    count_by text,
    max_tokens integer,
    max_chunks integer
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 10
AS 'MODULE_PATHNAME', 'preset_strategies_wrapper';

COMMENT ON FUNCTION _passage.preset_strategies() IS 'strategies that every store has, with their limits for prose';

CREATE FUNCTION passage.strategies(store name DEFAULT NULL) RETURNS TABLE (
    name text,
    base text,
    default_for text[],
    parents integer,
    preceding integer,
    following integer,
    children integer,
    before integer,
    after integer,
    windows jsonb,
    siblings text,
    within text,
    threshold double precision,
    count_by text,
    max_tokens integer,
    max_chunks integer,
    description text
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 20
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema name := coalesce(store, nullif(current_setting('passage.store', true), ''), 'rag');
BEGIN
    -- Without an argument, a missing store does not raise an error: the presets exist in any case.
    IF store IS NOT NULL THEN
        PERFORM _passage.store_must_exist(store);
    END IF;
    RETURN QUERY
        SELECT p.name, NULL::text, NULL::text[], p.parents, p.preceding, p.following, p.children,
            p.before, p.after, p.windows, p.siblings, p.within, p.threshold, p.count_by,
            p.max_tokens, p.max_chunks, p.description
        FROM _passage.preset_strategies() AS p;
    -- A store of views can lack the table and then has the presets alone.
    IF to_regclass(format('%I.strategies', schema)) IS NOT NULL THEN
        RETURN QUERY EXECUTE format($query$
            SELECT s.name, s.base, s.default_for,
                coalesce(s.parents, p.parents), coalesce(s.preceding, p.preceding),
                coalesce(s.following, p.following), coalesce(s.children, p.children),
                coalesce(s.before, p.before), coalesce(s.after, p.after),
                coalesce(s.windows, p.windows), coalesce(s.siblings, p.siblings),
                coalesce(s.within, p.within), coalesce(s.threshold, p.threshold),
                coalesce(s.count_by, p.count_by),
                coalesce(s.max_tokens, p.max_tokens), coalesce(s.max_chunks, p.max_chunks),
                s.description
            FROM %I.strategies AS s LEFT JOIN _passage.preset_strategies() AS p ON p.name = s.base
            ORDER BY s.name
            $query$, schema);
    END IF;
END
$$;

COMMENT ON FUNCTION passage.strategies(name) IS 'returns the strategies that a call can name: the presets, then those of the store, with their limits
store: schema of the store; NULL takes the setting passage.store (rag)';
