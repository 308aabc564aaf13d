-- Settings that several functions share.
--
-- CREATE FUNCTION resets the settings of a function, so an update sets them again.

-- keep_in_step and bring_in_step must produce the same text for a value in every session.

DO $$
DECLARE
    signature pg_catalog.text;
BEGIN
    FOREACH signature IN ARRAY ARRAY['passage.keep_in_step()', 'passage.bring_in_step(pg_catalog.regclass)'] LOOP
        EXECUTE pg_catalog.format(
            'ALTER FUNCTION %s '
            'SET timezone = ''UTC'' SET datestyle = ''ISO, YMD'' SET intervalstyle = ''postgres'' SET extra_float_digits = 1 '
            'SET bytea_output = ''hex'' SET lc_monetary = ''C'' SET xmlbinary = ''base64'' SET quote_all_identifiers = off', signature);
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
