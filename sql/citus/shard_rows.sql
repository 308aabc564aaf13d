-- shard_rows reads a shard of a store that Citus distributes. Citus calls it on the node that has the shard, with
-- the rights of the caller.

CREATE FUNCTION _passage.shard_rows(
    key uuid, keys uuid[], store name, relations text[], shards bigint[], statement text, access text, visited bigint,
    types oid[], arguments text[], owners integer[]
)
RETURNS bytea
LANGUAGE c STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'shard_rows_wrapper';

COMMENT ON FUNCTION _passage.shard_rows(uuid, uuid[], name, text[], bigint[], text, text, bigint, oid[], text[], integer[]) IS 'rows of a reading statement on the shard with a key, for a store that Citus distributes';
