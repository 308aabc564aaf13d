-- Citus: which tables of a store it distributes.
--
-- Its catalogs are read only where it is installed, so other databases need nothing of it.

CREATE FUNCTION _passage.has_citus() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'citus');

COMMENT ON FUNCTION _passage.has_citus() IS 'whether the database has Citus';

CREATE FUNCTION _passage.distributed_relations(store name) RETURNS SETOF name
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 5
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF _passage.has_citus() THEN
        RETURN QUERY EXECUTE 'SELECT relname FROM pg_catalog.pg_dist_partition '
            'JOIN pg_class ON pg_class.oid = logicalrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace '
            'WHERE nspname = $1' USING store;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.distributed_relations(name) IS 'tables of a schema that Citus distributes or copies to all nodes';

-- The size of a table on its own node is that of an empty one. citus_shard_sizes would measure the tables of all stores,
-- and return none of a node where the caller lacks the right to use the schema of one of them.

CREATE FUNCTION _passage.distributed_size(relation oid) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bytes bigint;
BEGIN
    IF _passage.has_citus() THEN
        EXECUTE 'SELECT pg_catalog.citus_total_relation_size(logicalrelid, false) FROM pg_catalog.pg_dist_partition '
            'WHERE logicalrelid = $1 AND _passage.may_read($1)' INTO bytes USING relation;
    END IF;
    RETURN bytes;
END
$$;

COMMENT ON FUNCTION _passage.distributed_size(oid) IS 'bytes of a table that Citus distributes, of all its shards together; NULL for another table, and if the caller may not read it';

-- Citus would distribute what a function creates, in part: a schema without its tables, and functions.

CREATE FUNCTION _passage.set_citus_setting(name text, value text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    former CONSTANT text := current_setting(name, true);
BEGIN
    IF value <> former THEN
        PERFORM set_config(name, value, true);
    END IF;
    RETURN former;
END
$$;

COMMENT ON FUNCTION _passage.set_citus_setting(text, text) IS 'sets a setting of Citus in the transaction, if Citus is loaded, and returns the former value';

CREATE FUNCTION _passage.is_stranded_schema(store name) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_stranded boolean := false;
BEGIN
    IF _passage.has_citus() AND NOT EXISTS (SELECT FROM _passage.distributed_relations(store)) THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_schema JOIN pg_namespace ON pg_namespace.oid = schemaid WHERE nspname = $1)'
            INTO is_stranded USING store;
    END IF;
    RETURN is_stranded;
END
$$;

COMMENT ON FUNCTION _passage.is_stranded_schema(name) IS 'whether Citus distributes a schema that has no distributed table, so no table of a function can become one';

-- A table on its own node has no rows, statistics or valid index of its shards. Each node with shards of a store returns
-- theirs, in one query, with the rights of the caller. The catalogs show them to every role that may connect to the node.

CREATE FUNCTION _passage.node_shards(store name) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    former text;
    shards jsonb;
BEGIN
    IF _passage.has_citus() THEN
        -- Citus hides shards from queries on the catalogs.
        former := _passage.set_citus_setting('citus.override_table_visibility', 'off');
        EXECUTE $query$
            SELECT jsonb_agg(jsonb_build_object('relation', rel.relname, 'estimate', shard.reltuples,
                'live', pg_stat_get_live_tuples(shard.oid), 'dead', pg_stat_get_dead_tuples(shard.oid),
                'bytes', pg_total_relation_size(shard.oid),
                'is_analyzed', shard.reltuples >= 0 OR pg_relation_size(shard.oid) = 0,
                'indexes', (
                    SELECT jsonb_agg(jsonb_build_object('name', regexp_replace(idx.relname, format('_%s$', shardid), ''),
                        'bytes', pg_relation_size(idx.oid), 'is_valid', indisvalid AND indisready))
                    FROM pg_index JOIN pg_class AS idx ON idx.oid = indexrelid
                    WHERE indrelid = shard.oid)))
            FROM pg_catalog.pg_dist_shard JOIN pg_catalog.pg_dist_placement USING (shardid)
            JOIN pg_catalog.pg_dist_local_group USING (groupid)
            JOIN pg_class AS rel ON rel.oid = logicalrelid JOIN pg_namespace ON pg_namespace.oid = rel.relnamespace
            JOIN pg_class AS shard ON shard.relnamespace = rel.relnamespace AND shard.relname = format('%s_%s', rel.relname, shardid)
            WHERE nspname = $1 AND rel.relname IN ('documents', 'chunks', 'embeddings')
            $query$ INTO shards USING store;
        PERFORM _passage.set_citus_setting('citus.override_table_visibility', former);
    END IF;
    RETURN coalesce(shards, '[]');
END
$$;

COMMENT ON FUNCTION _passage.node_shards(name) IS 'shards of a store on this node, with their rows, sizes and indexes';

CREATE FUNCTION _passage.shards(store name) RETURNS TABLE (node integer, shard jsonb)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    answer record;
BEGIN
    IF NOT EXISTS (SELECT FROM _passage.distributed_relations(store)) THEN
        RETURN;
    END IF;
    FOR answer IN EXECUTE $query$
        WITH node AS (
            SELECT groupid, nodename, nodeport FROM pg_catalog.pg_dist_node
            WHERE noderole = 'primary' AND groupid NOT IN (SELECT groupid FROM pg_catalog.pg_dist_local_group) AND groupid IN (
                SELECT groupid FROM pg_catalog.pg_dist_placement JOIN pg_catalog.pg_dist_shard USING (shardid)
                JOIN pg_class ON pg_class.oid = logicalrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE nspname = $1 AND relname IN ('documents', 'chunks', 'embeddings'))
        )
        SELECT (SELECT groupid FROM pg_catalog.pg_dist_local_group) AS groupid, NULL AS node_name, true AS success, _passage.node_shards($1)::text AS result
        UNION ALL
        SELECT groupid, node_name, success, result
        FROM (
            SELECT array_agg(nodename) AS names, array_agg(nodeport) AS ports, array_agg($2) AS commands FROM node HAVING count(*) > 0
        ) AS asked
        CROSS JOIN LATERAL pg_catalog.master_run_on_worker(names, ports, commands, true) AS of_worker
        JOIN node ON nodename = node_name AND nodeport = node_port
        $query$ USING store, format('SELECT _passage.node_shards(%L)', store)
    LOOP
        IF NOT answer.success THEN
            RAISE EXCEPTION USING ERRCODE = 'connection_exception',
                MESSAGE = format('could not read the shards of store "%s" on node "%s"', store, answer.node_name),
                DETAIL = answer.result,
                HINT = 'Try again when all nodes with its shards run.';
        END IF;
        RETURN QUERY SELECT answer.groupid, of_node FROM jsonb_array_elements(answer.result::jsonb) AS of_node;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.shards(name) IS 'shards of a store that Citus distributes, from all nodes, as node_shards returns them';

CREATE FUNCTION _passage.shard_tables(store name)
RETURNS TABLE (relation name, estimate double precision, live bigint, dead bigint, bytes bigint, is_analyzed boolean)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 3
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT of.relation, sum(greatest(of.estimate, 0)), sum(of.live)::bigint, sum(of.dead)::bigint, sum(of.bytes)::bigint, bool_and(of.is_analyzed)
    FROM _passage.shards(store)
    CROSS JOIN LATERAL jsonb_to_record(shard) AS of (relation name, estimate double precision, live bigint, dead bigint, bytes bigint, is_analyzed boolean)
    GROUP BY of.relation
    ORDER BY of.relation
$$;

COMMENT ON FUNCTION _passage.shard_tables(name) IS 'tables of a store that Citus distributes: rows, dead rows and bytes of their shards together, and whether all shards with rows were analyzed; nothing for other stores';

CREATE FUNCTION _passage.shard_indexes(store name)
RETURNS TABLE (relation name, index name, invalid bigint, bytes bigint, bytes_of_node bigint)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 12
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT of_node.relation, of_node.name, sum(of_node.invalid)::bigint, sum(of_node.bytes)::bigint, max(of_node.bytes)::bigint
    FROM (
        SELECT of.relation, idx.name, count(*) FILTER (WHERE NOT idx.is_valid) AS invalid, sum(idx.bytes) AS bytes
        FROM _passage.shards(store)
        CROSS JOIN LATERAL jsonb_to_record(shard) AS of (relation name, indexes jsonb)
        CROSS JOIN LATERAL jsonb_to_recordset(of.indexes) AS idx (name name, bytes bigint, is_valid boolean)
        GROUP BY node, of.relation, idx.name
    ) AS of_node
    GROUP BY of_node.relation, of_node.name
    ORDER BY of_node.relation, of_node.name
$$;

COMMENT ON FUNCTION _passage.shard_indexes(name) IS 'indexes of a store that Citus distributes: the number of invalid ones, the bytes of all, and the maximum on one node; nothing for other stores';

CREATE FUNCTION _passage.shard_problems(store name)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    cause text;
BEGIN
    IF _passage.is_stranded_schema(store) THEN
        RETURN QUERY SELECT format('%I', store), 'schema is distributed by Citus, but its tables are not',
            format('Load the documents into another store, then run DROP SCHEMA %I CASCADE;', store);
    END IF;
    RETURN QUERY
        SELECT format('%I.%I', store, index), format('index is invalid on %s %s', invalid, CASE invalid WHEN 1 THEN 'shard' ELSE 'shards' END),
            format(CASE WHEN index ~ '_cc(new|old)[0-9]*$' THEN 'DROP INDEX CONCURRENTLY %I.%I;' ELSE 'REINDEX INDEX CONCURRENTLY %I.%I;' END, store, index)
        FROM _passage.shard_indexes(store)
        WHERE invalid > 0;
EXCEPTION WHEN connection_exception THEN
    GET STACKED DIAGNOSTICS cause = PG_EXCEPTION_DETAIL;
    RETURN QUERY SELECT format('%I', store), 'shards were not checked: ' || cause, 'Check the store again when all nodes run.';
END
$$;

COMMENT ON FUNCTION _passage.shard_problems(name) IS 'problems of the shards of a store, and of a schema that Citus distributes without its tables';
