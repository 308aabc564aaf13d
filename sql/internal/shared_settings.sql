-- Settings that several functions share.
--
-- CREATE FUNCTION resets the settings of a function, so an update sets them again.

-- Functions that make documents of rows must produce the same text for a value in every session.

DO $$
DECLARE
    signature pg_catalog.text;
    setting pg_catalog.record;
BEGIN
    FOR signature IN
        SELECT pg_proc.oid::pg_catalog.regprocedure::pg_catalog.text
        FROM pg_catalog.pg_proc JOIN pg_catalog.pg_namespace ON pg_namespace.oid OPERATOR(pg_catalog.=) pronamespace
        WHERE pg_catalog.concat(nspname, '.', proname) OPERATOR(pg_catalog.=) ANY (ARRAY[
            'passage.keep_in_step', 'passage.bring_in_step', 'passage.adopt', '_passage.keep_adopted', '_passage.refresh_adopted'])
    LOOP
        FOR setting IN SELECT * FROM _passage.text_settings() LOOP
            EXECUTE pg_catalog.format('ALTER FUNCTION %s SET %s = %s', signature, setting.name, setting.value);
        END LOOP;
    END LOOP;
END
$$;

-- Functions that read tables of other roles raise an error where such a table has become a view or a
-- foreign table since the catalogs were read.
--
-- PostgreSQL has the setting from 15.8, 16.4 and 17 on. Earlier servers rely on the catalog check alone.

DO $$
DECLARE
    restricted pg_catalog.text;
BEGIN
    IF pg_catalog.current_setting('restrict_nonsystem_relation_kind', true) IS NULL THEN
        RETURN;
    END IF;
    FOREACH restricted IN ARRAY ARRAY['store_settings', 'restricted_data_problems', 'restricted_store_counts', 'restricted_row_counts'] LOOP
        EXECUTE pg_catalog.format(
            'ALTER FUNCTION _passage.%I(pg_catalog.name) SET restrict_nonsystem_relation_kind = ''view, foreign-table''', restricted);
    END LOOP;
END
$$;
