-- rights: what a role may do in a store, and the statements that give it what it lacks.
--
-- An operation needs USAGE on the schema, privileges on tables, and, where row-level security applies to the role, a
-- policy for each of these commands. The extension has the list. refuse names the missing ones in an error; the
-- command doctor of the client shows them for any role.

CREATE FUNCTION _passage.needed_rights()
RETURNS TABLE (place integer, operation text, relation text, commands text[])
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 20
AS 'MODULE_PATHNAME', 'needed_rights_wrapper';

COMMENT ON FUNCTION _passage.needed_rights() IS 'commands on tables of a store that each operation needs';

CREATE FUNCTION _passage.must_be_allowed(operation text, commands text[], store name) RETURNS void
LANGUAGE c STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'must_be_allowed_wrapper';

COMMENT ON FUNCTION _passage.must_be_allowed(text, text[], name) IS 'raises the error of refuse if the role lacks what an operation, or some commands of it, need';

CREATE FUNCTION _passage.policy_applies(roles oid[], role name) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- 0 is PUBLIC.
    SELECT bool_or(CASE member WHEN 0 THEN true ELSE pg_has_role(role, member, 'USAGE') END) FROM unnest(roles) AS member
$$;

COMMENT ON FUNCTION _passage.policy_applies(oid[], name) IS 'whether a policy for some roles applies to a role';

-- The policy that a role needs for some commands on a table. It admits the rows that existing policies of the table
-- admit, or those of the role's tenant, as the template of create_store does.

CREATE FUNCTION _passage.missing_policy(store name, relation name, role name, commands text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT string_agg(format('CREATE POLICY %I ON %I.%I%s TO %I %s;', concat(left(role, 40), '_', suffix, nullif(taken, 0)), store, relation,
        ' FOR ' || nullif(command, 'ALL'), role,
        format(CASE command WHEN 'INSERT' THEN 'WITH CHECK (%s)' ELSE 'USING (%s)' END, condition)), ' ' ORDER BY number)
    FROM (
        SELECT coalesce(
            (
                SELECT string_agg(DISTINCT format('(%s)', coalesce(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))), ' OR ')
                FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE nspname = store AND relname = relation AND polpermissive AND _passage.policy_applies(polroles, role)
            ),
            CASE
                WHEN relation IN ('chunks', 'embeddings', 'links', 'ratings') THEN format('EXISTS (SELECT FROM %1$I.documents WHERE documents.id = %2$I.document_id)', store, relation)
                WHEN relation = 'documents' THEN _passage.tenant_condition()
                ELSE 'true' END) AS condition
    ) AS admitted
    CROSS JOIN unnest(CASE cardinality(commands) WHEN 4 THEN '{ALL}' ELSE commands END) WITH ORDINALITY AS listed (command, number)
    CROSS JOIN LATERAL (SELECT lower(CASE command WHEN 'ALL' THEN 'rows' ELSE command END)) AS named (suffix)
    CROSS JOIN LATERAL (
        SELECT count(*) FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = relation AND polname LIKE concat(left(role, 40), '_', suffix, '%')
    ) AS existing (taken)
$$;

COMMENT ON FUNCTION _passage.missing_policy(name, name, name, text[]) IS 'statements that create policies for commands of a role';

CREATE FUNCTION _passage.tenant_condition() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'collection = nullif(current_setting(''app.tenant'', true), '''')';

COMMENT ON FUNCTION _passage.tenant_condition() IS 'condition of a policy: the collection is that of the setting app.tenant, which must not be empty';

-- An adopted store is written by its table, so nothing else writes it. Its views read the adopted table and the side
-- tables with the rights of the reader. Operations on links and ratings are left out for a store without them.
--
-- Reading the table settings can run code of its owner, as of an index. Without it, a recorded model and an adopted table are unknown.

CREATE FUNCTION _passage.role_rights(role name, store name, reads_settings boolean DEFAULT true)
RETURNS TABLE (place integer, operation text, is_allowed boolean, lacks text, remedy text)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    WITH relation AS (
        SELECT pg_class.oid, relname, relkind, relowner, nspname, pg_namespace.oid AS schema, relrowsecurity, relforcerowsecurity
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    ),
    adoption AS (SELECT CASE WHEN reads_settings THEN parse_ident(_passage.adoption(store) ->> 'source') END AS source),
    is_view AS (SELECT EXISTS (SELECT FROM relation WHERE nspname = store AND relname IN ('documents', 'chunks') AND relkind = 'v') AS is_view),
    missing AS (
        SELECT needed.operation FROM _passage.needed_rights() AS needed CROSS JOIN is_view
        WHERE needed.relation IN ('links', 'ratings') AND (is_view
            OR NOT EXISTS (SELECT FROM relation WHERE nspname = store AND relname = needed.relation AND relkind IN ('r', 'p')))
    ),
    need AS (
        SELECT needed.place, needed.operation, relation.*, command
        FROM _passage.needed_rights() AS needed CROSS JOIN is_view JOIN relation ON nspname = store AND relname = needed.relation
        CROSS JOIN unnest(commands) AS command
        WHERE NOT is_view OR needed.operation IN ('read', 'search')
        UNION ALL
        SELECT needed.place, needed.operation, relation.*, 'SELECT'
        FROM (SELECT DISTINCT all_needed.place, all_needed.operation FROM _passage.needed_rights() AS all_needed WHERE all_needed.operation IN ('read', 'search')) AS needed
        CROSS JOIN adoption JOIN relation ON nspname = store AND relname IN ('adopted_documents', 'adopted_chunks') OR nspname = source[1] AND relname = source[2]
        WHERE source IS NOT NULL
    ),
    lacking AS (
        SELECT need.place, need.operation, nspname, relname, command,
            NOT has_schema_privilege(role, schema, 'USAGE') AS lacks_usage,
            -- A role can have the right on each column instead. One that rates only for itself lacks the column with the user.
            NOT has_table_privilege(role, need.oid, command) AND CASE
                WHEN command = 'DELETE' THEN true
                WHEN relname = 'ratings' AND command <> 'SELECT' THEN NOT has_any_column_privilege(role, need.oid, command)
                ELSE EXISTS (
                    SELECT FROM pg_attribute WHERE attrelid = need.oid AND attnum > 0 AND NOT attisdropped
                        AND NOT has_column_privilege(role, need.oid, attnum, command)) END AS lacks_privilege,
            has_policies,
            has_policies AND NOT EXISTS (
                SELECT FROM pg_policy WHERE polrelid = need.oid AND polpermissive
                    AND polcmd IN ('*', CASE command WHEN 'SELECT' THEN 'r' WHEN 'INSERT' THEN 'a' WHEN 'UPDATE' THEN 'w' ELSE 'd' END)
                    AND _passage.policy_applies(polroles, role)) AS lacks_policy
        FROM need JOIN pg_roles ON rolname = role
        CROSS JOIN LATERAL (SELECT relrowsecurity AND NOT rolsuper AND NOT rolbypassrls
            AND (relforcerowsecurity OR NOT pg_has_role(role, relowner, 'USAGE'))) AS applied (has_policies)
    ),
    of_relation AS (
        SELECT lacking.place, lacking.operation, nspname, relname, bool_or(lacks_usage) AS lacks_usage,
            array_agg(command ORDER BY strpos('SELECT INSERT UPDATE DELETE', command)) FILTER (WHERE lacks_privilege) AS privileges,
            array_agg(command ORDER BY strpos('SELECT INSERT UPDATE DELETE', command)) FILTER (WHERE lacks_policy) AS policies
        FROM lacking GROUP BY lacking.place, lacking.operation, nspname, relname
    ),
    problem AS (
        SELECT of_relation.place, of_relation.operation, 1 AS kind, nspname AS sorted, format('USAGE on schema %I', nspname) AS lacks,
            format('GRANT USAGE ON SCHEMA %I TO %I;', nspname, role) AS remedy
        FROM of_relation WHERE lacks_usage GROUP BY of_relation.place, of_relation.operation, nspname
        UNION ALL
        SELECT of_relation.place, of_relation.operation, 2, min(relname), format('%s on %s', array_to_string(privileges, ', '), string_agg(format('%I.%I', nspname, relname), ', ' ORDER BY relname)),
            format('GRANT %s ON %s TO %I;', array_to_string(privileges, ', '), string_agg(format('%I.%I', nspname, relname), ', ' ORDER BY relname), role)
        FROM of_relation WHERE privileges IS NOT NULL GROUP BY of_relation.place, of_relation.operation, privileges
        UNION ALL
        SELECT of_relation.place, of_relation.operation, 3, relname, format('a policy for %s on %I.%I', array_to_string(policies, ', '), nspname, relname),
            CASE nspname WHEN store THEN _passage.missing_policy(store, relname, role, policies)
                ELSE format('Create a policy for %s on %I.%I that admits the rows of "%s".', array_to_string(policies, ', '), nspname, relname, role) END
        FROM of_relation WHERE policies IS NOT NULL
        UNION ALL
        -- Under policies the client cannot know whether hidden embeddings are of another model.
        SELECT DISTINCT lacking.place, lacking.operation, 4, ''::name, 'a recorded model, because policies can hide embeddings of another one',
            format('Run passage embed as the owner of the store, or record the model that made its embeddings: INSERT INTO %I.settings (key, value) VALUES (''model'', ''"NAME"'');', store)
        FROM lacking WHERE lacking.operation IN ('load', 'embed') AND relname = 'embeddings' AND has_policies
            AND CASE WHEN reads_settings THEN NOT _passage.store_settings(store) ? 'model' END
        UNION ALL
        SELECT DISTINCT needed.place, needed.operation, 5, ''::name, format('tables to write to: store "%s" shows those of another program', store),
            coalesce('Write to table ' || array_to_string(source, '.') || ', which the store follows.', 'Write to the tables behind the views.')
        FROM _passage.needed_rights() AS needed CROSS JOIN is_view CROSS JOIN adoption
        WHERE is_view AND needed.operation NOT IN ('read', 'search')
    )
    SELECT needed.place, needed.operation, problem.lacks IS NULL, problem.lacks, problem.remedy
    FROM (
        SELECT DISTINCT all_needed.place, all_needed.operation FROM _passage.needed_rights() AS all_needed
        WHERE all_needed.operation NOT IN (SELECT missing.operation FROM missing)
    ) AS needed
    LEFT JOIN (
        SELECT problem.place, string_agg(problem.lacks, '; ' ORDER BY kind, sorted) AS lacks, string_agg(problem.remedy, ' ' ORDER BY kind, sorted) AS remedy
        FROM problem GROUP BY problem.place
    ) AS problem USING (place)
    ORDER BY needed.place
$$;

COMMENT ON FUNCTION _passage.role_rights(name, name, boolean) IS 'what a role may do in a store, what it lacks, and the statements that give it';

CREATE FUNCTION _passage.refuse(operation text, store name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing record;
BEGIN
    SELECT rights.lacks, rights.remedy INTO missing FROM _passage.role_rights(current_user, store) AS rights
    WHERE rights.operation = refuse.operation AND NOT is_allowed;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('role "%s" may not %s store "%s"', current_user,
                CASE operation WHEN 'remove' THEN 'remove documents from' WHEN 'ingest' THEN 'ingest documents into' ELSE operation END, store),
            DETAIL = format('It lacks %s.', missing.lacks),
            HINT = format('As the owner of the store, run %s', missing.remedy);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.refuse(text, name) IS 'raises an error with the remedy if the current role lacks a right that an operation needs';
