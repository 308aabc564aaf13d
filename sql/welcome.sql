-- The last word of CREATE EXTENSION: where the tables come from.
--
-- A script runs with client_min_messages at warning. The session's own level is given back for
-- this one message, and with the script it ends.

DO $$
BEGIN
    PERFORM pg_catalog.set_config('client_min_messages', reset_val, true)
    FROM pg_catalog.pg_settings WHERE name = 'client_min_messages';
    RAISE NOTICE 'pg_passage brings functions and no tables'
        USING HINT = 'SELECT passage.create_store(); makes the tables of a store, which are yours.';
END
$$;
