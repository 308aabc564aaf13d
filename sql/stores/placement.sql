-- The placement of a store: in which tables its chunks are.
--
-- A placement is a JSON object: {} for one table, {"partitions": 8}, {"distributed": "schema"} or
-- {"distributed": "document"}. create_store records it as a setting. A store without this setting has one
-- table, or tables that somebody made by hand.

CREATE FUNCTION _passage.partition_moduli(store name) RETURNS SETOF integer
LANGUAGE sql STABLE PARALLEL SAFE ROWS 8
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT substring(part.relpartbound::text FROM ':modulus ([1-9][0-9]*)')::integer
    FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid
    JOIN pg_class ON pg_class.oid = inhparent JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
    WHERE nspname = store AND pg_class.relname = 'chunks' AND part.relispartition
$$;

COMMENT ON FUNCTION _passage.partition_moduli(name) IS 'modulus of each hash partition of the chunks of a store';

-- Another role may have written the setting, so an invalid value counts as none. The catalogs show the
-- partitions of a table, also if the setting is missing. They count as those of create_store if the CHECK exists
-- that makes the id of a chunk name its document. The functions that print a partition key or bound would lock the tables.

CREATE FUNCTION _passage.store_placement(store name) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN chunks.oid IS NULL THEN coalesce(recorded.partitions, recorded.distributed, '{}')
        WHEN EXISTS (
                SELECT FROM pg_partitioned_table JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
                JOIN pg_opclass ON pg_opclass.oid = partclass[0]
                WHERE partrelid = chunks.oid AND partstrat = 'h' AND partnatts = 1 AND attname = 'document_id' AND opcdefault)
            AND EXISTS (
                SELECT FROM pg_constraint WHERE conrelid = chunks.oid AND contype = 'c' AND conname = 'chunks_id_names_document')
            THEN coalesce(recorded.partitions, (
                SELECT jsonb_build_object('partitions', max(modulus)) FROM _passage.partition_moduli(store) AS modulus
                HAVING _passage.is_partition_count(max(modulus))), '{}')
        WHEN chunks.relkind = 'r' THEN coalesce(recorded.distributed, '{}')
        ELSE '{}' END
    FROM (SELECT _passage.store_settings(store) -> 'placement') AS setting (placement)
    CROSS JOIN LATERAL (
        SELECT
            CASE WHEN jsonb_typeof(placement -> 'partitions') = 'number' AND placement - 'partitions' = '{}' AND placement ->> 'partitions' ~ '^[0-9]{1,4}$'
                AND _passage.is_partition_count((placement ->> 'partitions')::integer) THEN placement END,
            CASE WHEN placement IN ('{"distributed": "schema"}', '{"distributed": "document"}') THEN placement END
    ) AS recorded (partitions, distributed)
    LEFT JOIN (pg_class AS chunks JOIN pg_namespace ON pg_namespace.oid = chunks.relnamespace)
        ON nspname = store AND chunks.relname = 'chunks'
$$;

COMMENT ON FUNCTION _passage.store_placement(name) IS 'placement of a store, {} for one table of chunks';

-- The placement of a call of create_store. An existing store keeps its own.

CREATE FUNCTION _passage.requested_placement(store name, partitions integer, distributed text) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    placement CONSTANT jsonb := _passage.store_placement(store);
    contradiction text;
BEGIN
    IF partitions IS NOT NULL AND distributed IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'a store cannot be both partitioned and distributed',
            HINT = 'Pass partitions or distributed, not both.';
    ELSIF NOT _passage.is_partition_count(partitions) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('chunks cannot have %s partitions', partitions),
            HINT = 'Pass 2 to 1024 partitions, or NULL for one table.';
    ELSIF distributed NOT IN ('schema', 'document') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('unrecognized distribution "%s"', left(distributed, 100)),
            HINT = 'Valid distributions are schema and document.';
    ELSIF coalesce(distributed, placement ->> 'distributed') IS NOT NULL AND NOT _passage.has_citus() THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
            MESSAGE = 'a distributed store requires Citus',
            HINT = 'Install Citus and run CREATE EXTENSION citus; or '
                || CASE WHEN placement ? 'distributed' THEN format('run DELETE FROM %I.settings WHERE key = ''placement'';', store) ELSE 'omit distributed' END
                || ' for a store on one server.';
    ELSIF _passage.is_stranded_schema(store) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('schema "%s" is distributed by Citus, but its tables are not', store),
            DETAIL = 'A function that creates a table in such a schema creates it on one node alone.',
            HINT = format('Run DROP SCHEMA %I CASCADE; if it has nothing of value, then SELECT passage.create_store(%L, distributed => ''schema'');', store, store);
    END IF;

    IF NOT EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks'
    ) AND placement = '{}' THEN
        RETURN jsonb_strip_nulls(jsonb_build_object('partitions', partitions, 'distributed', distributed));
    END IF;
    SELECT format('store "%s" ', store) || CASE WHEN actual IS NULL THEN otherwise ELSE format(contrary, actual, requested) END INTO contradiction
    FROM (VALUES
        (placement ->> 'partitions', partitions::text, 'has no partitions', 'has %s partitions, not %s'),
        (placement ->> 'distributed', distributed, 'is not distributed', 'is distributed by %s, not by %s')
    ) AS property (actual, requested, otherwise, contrary)
    WHERE requested <> coalesce(actual, '');
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = contradiction,
            HINT = 'Create another store, fill it, and rename the schemas.';
    END IF;
    RETURN placement;
END
$$;

COMMENT ON FUNCTION _passage.requested_placement(name, integer, text) IS 'placement of a store, or the requested one for a new store; raises an error if they differ';
