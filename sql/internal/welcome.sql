-- The notice of CREATE EXTENSION: how to create tables.
--
-- A script runs with client_min_messages of at least warning. This message needs the level that the
-- session started with, so the level is restored until the script ends.

DO $$
BEGIN
    PERFORM pg_catalog.set_config(name, reset_val, true)
    FROM pg_catalog.pg_settings
    WHERE name OPERATOR(pg_catalog.=) 'client_min_messages' AND setting OPERATOR(pg_catalog.=) 'warning';
    RAISE NOTICE 'pg_passage installs functions but no tables'
        USING HINT = 'Run SELECT passage.create_store(); to create the tables of a store. You own them.';
END
$$;
