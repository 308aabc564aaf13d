-- shard_rows reads a shard of a store that Citus distributes. Citus calls it on the node that has the shard, with
-- the rights of the caller. Its shards of the tables have numbers, which are relative to the shard of shard_keys if that is given: so
-- one call fits all shards of a query, and its size does not grow with them.

CREATE FUNCTION _passage.shard_rows(
    key uuid, shard oid, store name, relations text[], numbers bigint[], statement text, access text, visited bigint,
    types oid[], arguments text[], owners uuid[]
)
RETURNS bytea
LANGUAGE c STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'shard_rows_wrapper';

COMMENT ON FUNCTION _passage.shard_rows(uuid, oid, name, text[], bigint[], text, text, bigint, oid[], text[], uuid[]) IS 'rows of a reading statement on the shard with a key, for a store that Citus distributes';
