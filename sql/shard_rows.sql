-- shard_rows reads the shards of a store that Citus distributes. Citus calls it on the node that has them, with
-- the rights of the caller.

CREATE FUNCTION _passage.shard_rows(
    store name, relations text[], shards bigint[], statement text, access text, visited bigint, types oid[], arguments text[], owners integer[]
)
RETURNS SETOF record
LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 100
AS 'MODULE_PATHNAME', 'shard_rows_wrapper';

COMMENT ON FUNCTION _passage.shard_rows(name, text[], bigint[], text, text, bigint, oid[], text[], integer[]) IS 'rows of a reading statement on the shards of a node, for a store that Citus distributes';
