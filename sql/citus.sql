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
            'WHERE logicalrelid = $1' INTO bytes USING relation;
    END IF;
    RETURN bytes;
END
$$;

COMMENT ON FUNCTION _passage.distributed_size(oid) IS 'bytes of a table that Citus distributes, of all its shards together; NULL for another table';

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
