-- Whether a trigger of keep_in_step may run code of a store and of its table.
--
-- The trigger runs with the rights of every role that writes its table, and finds the store by its name. So a role
-- that owned that name, or one with code in the store, could use the rights of all writers. Writers trust the owner
-- of their table. The trigger trusts the roles whose rights this owner has, superusers, and the role that its
-- argument "owner" names. It does not trust the writer: a superuser has the rights of every role.

CREATE FUNCTION _passage.is_trusted_by(owner oid, truster oid, named name) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT _passage.is_own(owner, truster) OR rolsuper OR rolname = named IS TRUE FROM pg_roles WHERE pg_roles.oid = owner
$$;

COMMENT ON FUNCTION _passage.is_trusted_by(oid, oid, name) IS 'whether code of an owner may run with the rights of roles that trust another one';

-- Types of the columns of a row, with those that they consist of. A cast of their owner can run when a value is
-- converted to text or JSON.

CREATE FUNCTION _passage.types_of_columns(relation oid, numbers smallint[]) RETURNS SETOF oid
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE reached (type) AS (
        SELECT atttypid FROM pg_attribute WHERE attrelid = relation AND attnum = ANY (numbers[:1600])
        UNION
        SELECT next.type FROM reached JOIN pg_type ON pg_type.oid = reached.type CROSS JOIN LATERAL (
            SELECT typbasetype UNION ALL SELECT typelem
            UNION ALL
            SELECT unnest(ARRAY[rngtypid, rngsubtype]) FROM pg_range WHERE reached.type IN (rngtypid, rngmultitypid)
            UNION ALL
            SELECT atttypid FROM pg_attribute WHERE attrelid = typrelid AND attnum > 0 AND NOT attisdropped
        ) AS next (type)
        WHERE next.type <> 0
    )
    SELECT type FROM reached
$$;

COMMENT ON FUNCTION _passage.types_of_columns(oid, smallint[]) IS 'types of columns, with those of their elements, ranges and attributes';

-- Returns the owners of the store's tables, and the objects whose changes can end the trust. Base types belong to
-- superusers.

CREATE FUNCTION _passage.check_step_trust(
    scope oid, trigger name, numbers smallint[], store name, named name,
    OUT owners oid[], OUT relations oid[], OUT functions oid[], OUT types oid[]
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    truster CONSTANT oid := (SELECT relowner FROM pg_class WHERE pg_class.oid = scope);
    source CONSTANT text := (SELECT format('%I.%I', nspname, relname) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = scope);
    checked record;
    table_owner record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = named) AND named IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_object',
            MESSAGE = format('trigger "%s": role "%s" does not exist', trigger, named),
            HINT = 'The argument owner names the role that owns the store.';
    END IF;
    WITH part AS MATERIALIZED (
        SELECT part.oid, part.relowner FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid
        CROSS JOIN LATERAL _passage.relation_tree(pg_class.oid) AS tree JOIN pg_class AS part ON part.oid = tree
        WHERE nspname = store AND pg_class.relname IN ('documents', 'chunks', 'embeddings', 'links', 'shard_keys')
    ),
    code AS MATERIALIZED (SELECT * FROM _passage.store_code(store, true, true)),
    type AS MATERIALIZED (
        SELECT pg_type.oid, typowner FROM _passage.types_of_columns(scope, numbers) AS used JOIN pg_type ON pg_type.oid = used WHERE typtype <> 'b'
    ),
    used AS (
        SELECT 1 AS place, 'pg_class'::regclass::oid AS classid, part.oid AS objid, relowner AS owner FROM part
        UNION ALL
        SELECT 2, * FROM code
        UNION ALL
        -- Before PostgreSQL 18 triggers of a cascade have the rights of the role that deletes, not those of the owner of their table.
        SELECT 2, 'pg_constraint'::regclass, pg_constraint.oid, pg_class.relowner
        FROM part JOIN pg_constraint ON confrelid = part.oid AND contype = 'f' AND confdeltype::text || confupdtype::text ~ '[cnd]'
        JOIN pg_class ON pg_class.oid = conrelid
        WHERE current_setting('server_version_num')::integer < 180000
        UNION ALL
        SELECT 3, 'pg_type'::regclass, type.oid, typowner FROM type
    )
    SELECT (SELECT array_agg(DISTINCT relowner) FROM part) AS owners, (SELECT array_agg(part.oid) FROM part) AS relations,
        (SELECT array_agg(objid) FROM code WHERE classid = 'pg_proc'::regclass) AS functions,
        (SELECT array_agg(objid) FROM (SELECT objid FROM code WHERE classid = 'pg_type'::regclass UNION SELECT type.oid FROM type) AS watched) AS types,
        stranger.*
    INTO checked
    FROM (SELECT) AS one LEFT JOIN (
        SELECT place, pg_get_userbyid(owner) AS owner, concat_ws(' ', identified.type, identified.identity) AS object
        FROM (
            SELECT * FROM used
            WHERE owner IN (SELECT other.owner FROM (SELECT DISTINCT used.owner FROM used) AS other WHERE _passage.is_trusted_by(other.owner, truster, named) IS NOT TRUE)
            ORDER BY place, classid, objid LIMIT 1
        ) AS first CROSS JOIN LATERAL pg_identify_object(classid, objid, 0) AS identified
    ) AS stranger ON true;
    IF checked.owner IS NOT NULL THEN
        SELECT rolname, rolsuper INTO table_owner FROM pg_roles WHERE pg_roles.oid = truster;
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format(CASE checked.place
                WHEN 1 THEN 'trigger "%1$s": %2$s of store "%3$s" belongs to role "%4$s"'
                WHEN 2 THEN 'trigger "%1$s": store "%3$s" runs code of role "%4$s", %2$s'
                ELSE 'trigger "%1$s": %2$s of a column of %5$s belongs to role "%4$s"' END,
                trigger, checked.object, store, checked.owner, source),
            DETAIL = format('Its code would run with the rights of every role that writes %s. ', source) || CASE
                WHEN table_owner.rolsuper THEN format('The owner of this table, "%s", is a superuser, and trusts only superusers.', table_owner.rolname)
                ELSE format('The owner of this table, "%s", does not have the rights of "%s".', table_owner.rolname, checked.owner) END,
            HINT = format('If the store is not the one that you mean, pass ''store=NAME''. If its code may run, create the trigger again with the argument ''owner=%s''', checked.owner)
                || CASE WHEN table_owner.rolsuper THEN '.' ELSE format(', or run GRANT %I TO %I;', checked.owner, table_owner.rolname) END;
    END IF;
    owners := checked.owners;
    relations := checked.relations;
    functions := checked.functions;
    types := checked.types;
END
$$;

COMMENT ON FUNCTION _passage.check_step_trust(oid, name, smallint[], name, name) IS 'raises an error if a trigger of keep_in_step would run code of a role that the owner of its table does not trust';
