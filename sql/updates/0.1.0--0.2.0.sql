-- From 0.1.0 to 0.2.0: the changes that CREATE OR REPLACE FUNCTION cannot make.
--
-- These are DROP FUNCTION for a function that was removed or takes other arguments, and ALTER FUNCTION for
-- one that moves or gets another name.

DROP FUNCTION passage.filled(text, jsonb);
DROP FUNCTION passage.policy_template(name, boolean);
DROP FUNCTION passage.store_columns(name, integer, text, regconfig);
DROP FUNCTION passage.store_layout(name, integer, text, text, regconfig);
DROP FUNCTION passage.store_missing(name, integer, text, text, regconfig);
DROP FUNCTION passage.store_statements(name, integer, text, text, regconfig);
DROP FUNCTION passage.table_problems(name, integer, text, text, regconfig);
DROP FUNCTION passage.scanned_relations(name, text);

COMMENT ON SCHEMA passage IS 'pg_passage: search in documents and expansion of hits to readable passages';

-- Release 0.1.0 had one schema. CREATE SCHEMA fails where somebody else has created "_passage": functions
-- in it could be theirs.

CREATE SCHEMA _passage;

COMMENT ON SCHEMA _passage IS 'internal functions of pg_passage, which can change in any release';

GRANT USAGE ON SCHEMA _passage TO PUBLIC;

ALTER FUNCTION passage.store_refusal(name, integer, text, text) RENAME TO check_store_arguments;

ALTER FUNCTION passage.encode_section(text[]) SET SCHEMA _passage;
ALTER FUNCTION passage.decode_section(text) SET SCHEMA _passage;
ALTER FUNCTION passage.text_head(text, integer) SET SCHEMA _passage;
ALTER FUNCTION passage.section_text(text[]) SET SCHEMA _passage;
ALTER FUNCTION passage.identifier_parts(text) SET SCHEMA _passage;
ALTER FUNCTION passage.store_name(name) SET SCHEMA _passage;
ALTER FUNCTION passage.store_must_exist(name) SET SCHEMA _passage;
ALTER FUNCTION passage.store_must_be_tables(name) SET SCHEMA _passage;
ALTER FUNCTION passage.store_facts(name) SET SCHEMA _passage;
ALTER FUNCTION passage.store_settings(name) SET SCHEMA _passage;
ALTER FUNCTION passage.check_store_arguments(name, integer, text, text) SET SCHEMA _passage;
ALTER FUNCTION passage.data_problems(name) SET SCHEMA _passage;
ALTER FUNCTION passage.view_problems(name) SET SCHEMA _passage;
ALTER FUNCTION passage.preset_strategies() SET SCHEMA _passage;

-- These functions take more arguments, after those of 0.1.0, or return other columns. Prepared statements of other sessions call the
-- former versions, and so may views and functions. So they move to "_passage" and call the new ones. The next update drops those
-- that nothing depends on.

DO $$
DECLARE
    signature pg_catalog.text;
    former pg_catalog.pg_proc;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'passage.expand_context(uuid, text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, name)',
        'passage.expand_contexts(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, name)',
        'passage.explain_context(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, name)',
        'passage.reassemble(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, integer, text, text, text, text, boolean, text, text, name)',
        'passage.search_hits(text, real[], text, integer, integer, text, text, text, text, text, text, jsonb, double precision, boolean, double precision, double precision, integer, name)',
        'passage.search(text, real[], text, integer, integer, text, text, text, text, text, text, jsonb, double precision, boolean, double precision, double precision, integer, text, integer, integer, integer, text, text, text, text, boolean, text, text, name)',
        'passage.fragments(text, real[], text, uuid, text, text, text, integer, integer, double precision, boolean, boolean, name)',
        'passage.outline(uuid, text, uuid[], name)',
        'passage.store_stats(name)',
        'passage.create_store(name, integer, text, text, regconfig, boolean)'
    ] LOOP
        SELECT * INTO STRICT former FROM pg_catalog.pg_proc WHERE oid OPERATOR(pg_catalog.=) signature::pg_catalog.regprocedure;
        EXECUTE pg_catalog.format('ALTER FUNCTION %s SET SCHEMA _passage', signature);
        EXECUTE pg_catalog.format(
            'CREATE OR REPLACE FUNCTION _passage.%I(%s) RETURNS %s LANGUAGE sql %s ROWS %s '
            'SET search_path = pg_catalog, pg_temp AS %L',
            former.proname, pg_catalog.pg_get_function_arguments(former.oid), pg_catalog.pg_get_function_result(former.oid),
            CASE WHEN former.provolatile OPERATOR(pg_catalog.=) 'v' THEN 'VOLATILE PARALLEL UNSAFE' ELSE 'STABLE PARALLEL RESTRICTED' END, former.prorows,
            -- The new version may return more columns.
            pg_catalog.format('SELECT %s FROM passage.%I(%s)', (
                SELECT coalesce(pg_catalog.string_agg(pg_catalog.quote_ident(name), ', ' ORDER BY place), '*')
                FROM pg_catalog.unnest(former.proargnames[former.pronargs OPERATOR(pg_catalog.+) 1:]) WITH ORDINALITY AS result (name, place)), former.proname, (
                SELECT pg_catalog.string_agg(pg_catalog.format('%I => $%s', name, place), ', ' ORDER BY place)
                FROM pg_catalog.unnest(former.proargnames[:former.pronargs]) WITH ORDINALITY AS argument (name, place))));
        -- pg_dump leaves out members of the extension, and a restored view needs the function.
        IF EXISTS (
            SELECT FROM pg_catalog.pg_depend
            WHERE refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
                AND refobjid OPERATOR(pg_catalog.=) former.oid
        ) THEN
            EXECUTE pg_catalog.format('ALTER EXTENSION pg_passage DROP FUNCTION %s', former.oid::pg_catalog.regprocedure);
        END IF;
    END LOOP;
END
$$;
