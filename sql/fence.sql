-- Functions that read tables of other roles refuse whatever became a view or a foreign table meanwhile.
--
-- PostgreSQL has the setting from 15.8, 16.4 and 17 on. An earlier one relies on the look into the
-- catalogs that comes before the read.

DO $$
DECLARE
    fenced pg_catalog.text;
BEGIN
    IF pg_catalog.current_setting('restrict_nonsystem_relation_kind', true) IS NULL THEN
        RETURN;
    END IF;
    FOREACH fenced IN ARRAY ARRAY['store_settings', 'fenced_data_problems', 'fenced_store_counts'] LOOP
        EXECUTE pg_catalog.format(
            'ALTER FUNCTION passage.%I(pg_catalog.name) SET restrict_nonsystem_relation_kind = ''view, foreign-table''', fenced);
    END LOOP;
END
$$;
