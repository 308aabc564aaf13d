-- Ownership: which roles own the objects of a store, and whose code they run.
--
-- Administration runs with the caller's rights, often those of a superuser, on schemas that any role can
-- have created. A trigger, a view or a default in such a schema is code of its owner. SET ROLE does not
-- protect the session, since that code can RESET ROLE. So the role that logged in must trust it as well.
--
-- The client has its own walk (the module "ownership" of its store) and does not call foreign_objects. It also
-- checks databases without the extension, and it checks who owns the functions of the schemas passage and
-- _passage before administration calls them.

CREATE FUNCTION _passage.is_own(owner oid, caller oid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- A superuser has the rights of every role, but the code of other roles is not harmless for it.
    SELECT CASE WHEN role.rolsuper THEN (
            SELECT rolsuper FROM pg_roles WHERE pg_roles.oid = CASE owner
                WHEN 'pg_database_owner'::regrole THEN (SELECT datdba FROM pg_database WHERE datname = current_database())
                ELSE owner END)
        ELSE pg_has_role(caller, owner, 'USAGE') END
    FROM pg_roles AS role WHERE role.oid = caller
$$;

COMMENT ON FUNCTION _passage.is_own(oid, oid) IS 'whether a role has the rights of an owner; a superuser only those of superusers';

CREATE FUNCTION _passage.is_trusted(owner oid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT bool_and(_passage.is_own(owner, caller.oid)) OR (SELECT rolsuper FROM pg_roles WHERE pg_roles.oid = owner)
    FROM pg_roles AS caller
    WHERE rolname IN (current_user, session_user)
        -- SET SESSION AUTHORIZATION changes session_user, and code can reset it.
        OR caller.oid = (SELECT usesysid FROM pg_stat_get_activity(pg_backend_pid()))
$$;

COMMENT ON FUNCTION _passage.is_trusted(oid) IS 'whether code of an owner may run with the rights of this session';

CREATE FUNCTION _passage.may_read(relation oid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT has_schema_privilege(relnamespace, 'USAGE') AND has_any_column_privilege(pg_class.oid, 'SELECT')
    FROM pg_class WHERE pg_class.oid = relation
$$;

COMMENT ON FUNCTION _passage.may_read(oid) IS 'whether the caller may read a column of a relation, NULL if it does not exist';

-- A relation with its partitions, and those that inherit from it. They can be in any schema.

CREATE FUNCTION _passage.relation_tree(relation oid) RETURNS SETOF oid
LANGUAGE sql STABLE PARALLEL SAFE ROWS 8
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE tree (part) AS (
        SELECT relation
        UNION
        SELECT inhrelid FROM tree JOIN pg_inherits ON inhparent = part
    )
    SELECT part FROM tree
$$;

COMMENT ON FUNCTION _passage.relation_tree(oid) IS 'a relation and all its partitions';

-- PostgreSQL locks what it measures, so the caller must have the right to read it.

CREATE FUNCTION _passage.relation_size(relation oid) RETURNS numeric
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN _passage.may_read(relation) THEN (
        SELECT sum(pg_total_relation_size(part)) FROM _passage.relation_tree(relation) AS part) END
$$;

COMMENT ON FUNCTION _passage.relation_size(oid) IS 'bytes of a relation with its indexes and partitions; NULL if the caller may not read it';

-- Objects whose owners can run code when a store is read: views with everything that they use, and policies. With
-- "written" also triggers, rules, defaults, checks and indexes of the tables. A table itself is not listed, since
-- reading it runs no code. The policies are those that apply to the current role, or those of every role.

CREATE FUNCTION _passage.store_code(store name, written boolean, every_policy boolean)
RETURNS TABLE (classid oid, objid oid, owner oid)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 50
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE reached (classid, objid, written) AS (
        SELECT 'pg_class'::regclass::oid, pg_class.oid, store_code.written
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND (relname IN ('documents', 'chunks', 'embeddings', 'links', 'ratings', 'shard_keys', 'adopted_documents', 'adopted_chunks')
            OR store_code.written AND relname IN ('strategies', 'settings'))
        UNION
        -- The views of an adopted store read the table whose triggers name its chunks.
        SELECT 'pg_class'::regclass, tgrelid, false
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = pg_class.oid AND pg_depend.classid = 'pg_trigger'::regclass
        JOIN pg_trigger ON pg_trigger.oid = pg_depend.objid
        WHERE nspname = store AND relname = 'adopted_chunks' AND tgrelid <> pg_class.oid
        UNION
        SELECT next.* FROM reached CROSS JOIN LATERAL (
            -- Objects that run with a relation.
            SELECT 'pg_rewrite'::regclass::oid, oid, false FROM pg_rewrite
            WHERE classid = 'pg_class'::regclass AND ev_class = objid AND (ev_type = '1' OR reached.written)
            UNION ALL
            SELECT 'pg_policy'::regclass, pg_policy.oid, false FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid
            WHERE classid = 'pg_class'::regclass AND polrelid = objid
                AND CASE WHEN every_policy THEN relrowsecurity ELSE row_security_active(polrelid) END
            UNION ALL
            SELECT 'pg_trigger'::regclass, oid, false FROM pg_trigger
            WHERE classid = 'pg_class'::regclass AND tgrelid = objid AND NOT tgisinternal AND reached.written
            UNION ALL
            SELECT 'pg_attrdef'::regclass, oid, false FROM pg_attrdef
            WHERE classid = 'pg_class'::regclass AND adrelid = objid AND reached.written
            UNION ALL
            SELECT 'pg_constraint'::regclass, oid, false FROM pg_constraint
            WHERE classid = 'pg_class'::regclass AND conrelid = objid AND reached.written
            UNION ALL
            SELECT 'pg_class'::regclass, indexrelid, true FROM pg_index
            WHERE classid = 'pg_class'::regclass AND indrelid = objid AND reached.written
            UNION ALL
            SELECT 'pg_class'::regclass, inhrelid, reached.written FROM pg_inherits
            WHERE classid = 'pg_class'::regclass AND inhparent = objid
            UNION ALL
            -- Objects that run with a type or an operator.
            SELECT 'pg_constraint'::regclass, oid, false FROM pg_constraint
            WHERE classid = 'pg_type'::regclass AND contypid = objid
            UNION ALL
            SELECT 'pg_proc'::regclass, oprcode, false FROM pg_operator
            WHERE classid = 'pg_operator'::regclass AND oid = objid
            UNION ALL
            -- Objects that these use. The walk ends at a function: its owner answers for what it calls.
            SELECT refclassid, refobjid, false FROM pg_depend
            WHERE pg_depend.classid = reached.classid AND pg_depend.objid = reached.objid
                AND refclassid IN ('pg_class'::regclass, 'pg_type'::regclass, 'pg_proc'::regclass, 'pg_operator'::regclass)
                AND CASE reached.classid WHEN 'pg_class'::regclass THEN reached.written
                    ELSE reached.classid <> 'pg_proc'::regclass END
        ) AS next (classid, objid, written)
    ),
    owned (classid, objid, owner) AS (
        SELECT 'pg_class'::regclass::oid, oid, relowner FROM pg_class WHERE relkind IN ('v', 'f')
        UNION ALL
        -- Functions of this installation are exempt: who calls this one runs code of their owner anyway.
        SELECT 'pg_proc'::regclass, oid, proowner FROM pg_proc
        WHERE NOT (pronamespace IN ('passage'::regnamespace, '_passage'::regnamespace)
            AND proowner = (SELECT proowner FROM pg_proc WHERE oid = '_passage.store_code(name, boolean, boolean)'::regprocedure))
        UNION ALL
        -- A type has casts and checks. Base types are exempt, since superusers alone create them.
        SELECT 'pg_type'::regclass, oid, typowner FROM pg_type WHERE typtype <> 'b'
    )
    SELECT DISTINCT classid, objid, owned.owner FROM reached JOIN owned USING (classid, objid)
$$;

COMMENT ON FUNCTION _passage.store_code(name, boolean, boolean) IS 'objects with code that runs when a store is read or written, with their owners';

CREATE FUNCTION _passage.foreign_objects(store name, written boolean)
RETURNS TABLE (object text, owner name)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 5
SET search_path = pg_catalog, pg_temp
AS $$
    WITH used AS MATERIALIZED (SELECT * FROM _passage.store_code(store, written, false)),
    owners AS MATERIALIZED (SELECT DISTINCT used.owner FROM used)
    SELECT concat_ws(' ', identified.type, identified.identity), pg_get_userbyid(owners.owner)
    FROM owners JOIN used USING (owner)
    CROSS JOIN LATERAL pg_identify_object(classid, objid, 0) AS identified
    WHERE NOT _passage.is_trusted(owners.owner)
    ORDER BY 1
$$;

COMMENT ON FUNCTION _passage.foreign_objects(name, boolean) IS 'objects of untrusted roles that run when a store is read or written';

CREATE FUNCTION _passage.store_must_be_own(store name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    other record;
BEGIN
    IF store = '' OR store LIKE 'pg\_%' OR store IN ('passage', '_passage', 'information_schema') THEN
        RAISE EXCEPTION USING ERRCODE = 'reserved_name',
            MESSAGE = format('schema "%s" cannot be a store', store),
            HINT = 'Choose the name of your own schema or of a new one.';
    END IF;

    SELECT thing, owner INTO other
    FROM (
        SELECT 0 AS place, format('schema "%s"', store) AS thing, nspowner AS owner FROM pg_namespace WHERE nspname = store
        UNION ALL
        SELECT 1, format('%s "%s" of store "%s"', identified.type, part.relname, store), part.relowner
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        CROSS JOIN LATERAL _passage.relation_tree(pg_class.oid) AS tree
        JOIN pg_class AS part ON part.oid = tree
        CROSS JOIN LATERAL pg_identify_object('pg_class'::regclass, part.oid, 0) AS identified
        WHERE nspname = store
            AND pg_class.relname IN ('documents', 'chunks', 'embeddings', 'links', 'ratings', 'strategies', 'settings', 'shard_keys', 'chunks_embedded', 'adopted_documents', 'adopted_chunks')
    ) AS existing
    WHERE NOT _passage.is_own(owner, (SELECT oid FROM pg_roles WHERE rolname = current_user))
    ORDER BY place, thing
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('%s is owned by role "%s"', other.thing, pg_get_userbyid(other.owner)),
            DETAIL = format('The owner could run code with the rights of "%s".', current_user),
            HINT = format('Run SET ROLE %I; if that role is to own the store, or choose another name for the store.',
                pg_get_userbyid(other.owner));
    END IF;

    SELECT object, owner INTO other FROM _passage.foreign_objects(store, true) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('a table of store "%s" runs code of role "%s"', store, other.owner),
            DETAIL = format('The store uses %s.', other.object),
            HINT = format('Connect as a role that may run that code, or choose another name for the store. '
                'After SET ROLE the code could still take the rights of "%s".', session_user);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.store_must_be_own(name) IS 'raises an error if another role owns a store or runs code in it';

-- Relations that administration does not read, since that would run code of another role. Another role can
-- replace its view at any time, so no view of another role is read.

CREATE FUNCTION _passage.unreadable_relations(store name)
RETURNS TABLE (object text, reason text, owner name)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('%I.%I', store, relname), format('%s belongs to role "%s"', found.object, found.owner), pg_get_userbyid(relowner)
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    CROSS JOIN (SELECT * FROM _passage.foreign_objects(store, false) LIMIT 1) AS found
    WHERE nspname = store AND relname IN ('documents', 'chunks', 'embeddings', 'links', 'ratings')
        AND (row_security_active(pg_class.oid) OR EXISTS (
            SELECT FROM _passage.relation_tree(pg_class.oid) AS tree JOIN pg_class AS part ON part.oid = tree
            WHERE part.relkind NOT IN ('r', 'p', 'm')))
    ORDER BY 1
$$;

COMMENT ON FUNCTION _passage.unreadable_relations(name) IS 'relations of a store that cannot be read without running code of another role';

CREATE FUNCTION _passage.is_trusted_store(store name) RETURNS boolean
LANGUAGE sql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT bool_and(_passage.is_trusted(owner))
    FROM (
        SELECT nspowner FROM pg_namespace WHERE nspname = store
        UNION
        SELECT part.relowner FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        CROSS JOIN LATERAL _passage.relation_tree(pg_class.oid) AS tree JOIN pg_class AS part ON part.oid = tree
        WHERE nspname = store AND pg_class.relname IN ('documents', 'chunks', 'embeddings', 'links', 'ratings', 'strategies', 'settings', 'shard_keys', 'adopted_documents', 'adopted_chunks')
    ) AS owners (owner)
$$;

COMMENT ON FUNCTION _passage.is_trusted_store(name) IS 'whether trusted roles alone own the schema and the relations of a store, and so can replace them';

-- Functions compute only with columns of the expected types. Any other type can have casts, which are
-- functions of its owner and run in any expression.

CREATE FUNCTION _passage.matching_columns(store name) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT array_agg(relation || '.' || attname)
    FROM _passage.store_columns(store, 1, 'vector', 'simple', '{}') AS col
    JOIN pg_namespace ON nspname = store
    JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = relation
    JOIN pg_attribute ON attrelid = pg_class.oid AND attname = col.name AND NOT attisdropped
    -- Types of extensions are left out: the caller can lack USAGE on their schema.
    CROSS JOIN LATERAL (SELECT CASE WHEN type NOT LIKE '%.%' THEN to_regtype(type) END) AS wanted (wanted)
    WHERE atttypid = wanted OR EXISTS (
        -- oid has this cast to integer, but not its operators.
        SELECT FROM pg_cast WHERE castsource = atttypid AND casttarget = wanted AND castmethod = 'b' AND wanted NOT IN ('integer'::regtype, 'bigint'::regtype))
$$;

COMMENT ON FUNCTION _passage.matching_columns(name) IS 'columns of a store that have the built-in type of the layout, as relation.column';
