-- The last word of CREATE EXTENSION: where the tables come from.
--
-- A script runs with client_min_messages at warning where the session wants less. For this one
-- message the level that the session began with is given back; with the script that ends.

DO $$
BEGIN
    PERFORM pg_catalog.set_config(name, reset_val, true)
    FROM pg_catalog.pg_settings
    WHERE name OPERATOR(pg_catalog.=) 'client_min_messages' AND setting OPERATOR(pg_catalog.=) 'warning';
    RAISE NOTICE 'pg_passage brings functions and no tables'
        USING HINT = 'SELECT passage.create_store(); makes the tables of a store, which are yours.';
END
$$;
