-- The version of chunk_tsv that computed the column tsv of a store.
--
-- The words of a query match the lexemes of the same version only. A store records the version in its settings, check_store
-- reports another one, and upgrade_store computes the column again. create_store does not, because it would rewrite all chunks
-- and the client calls it before each ingest.

CREATE FUNCTION _passage.has_stale_tsv(store name) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(_passage.store_settings(store) -> 'tsv_version' <> to_jsonb(_passage.tsv_version()), false)
$$;

COMMENT ON FUNCTION _passage.has_stale_tsv(name) IS 'whether another version of chunk_tsv computed the lexemes of a store';

CREATE FUNCTION _passage.record_tsv_version(store name) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('UPDATE %I.settings SET value = %L WHERE key = %L;', store, _passage.tsv_version(), 'tsv_version')
$$;

COMMENT ON FUNCTION _passage.record_tsv_version(name) IS 'statement that records the version of chunk_tsv in the settings of a store';

-- DROP EXTENSION drops the column, and create_store adds it with the present version. Then only the record is stale.

CREATE FUNCTION _passage.tsv_statements(store name) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
SET search_path = pg_catalog, pg_temp
AS $$
    WITH layout AS (
        SELECT layout.*
        FROM _passage.recorded_facts(store) AS facts CROSS JOIN LATERAL _passage.store_layout(store, facts.dimensions,
            coalesce(facts.distance, 'cosine'), coalesce(facts.embedding_type, 'vector'), facts.language::regconfig,
            _passage.store_placement(store)) WITH ORDINALITY AS layout (kind, relation, name, ddl, place)
        -- The language is that of the column, so it is unknown without the column.
        WHERE facts.language IS NOT NULL AND relation = 'chunks' AND name IN ('tsv', 'chunks_tsv_idx')
    )
    SELECT listed.ddl
    FROM (
        SELECT 0, format('ALTER TABLE %I.chunks DROP COLUMN tsv;', store) WHERE EXISTS (SELECT FROM layout)
        UNION ALL
        SELECT place, ddl FROM layout
        UNION ALL
        SELECT 1000, _passage.record_tsv_version(store)
    ) AS listed (place, ddl)
    -- The column behind a view is not of the layout.
    WHERE _passage.has_stale_tsv(store) AND EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks' AND relkind IN ('r', 'p'))
    ORDER BY listed.place
$$;

COMMENT ON FUNCTION _passage.tsv_statements(name) IS 'statements that compute a stale column tsv of a store again';
