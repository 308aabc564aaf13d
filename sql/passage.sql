-- The schema of pg_passage: functions and views, and not one table.
--
-- Made here and not by the control file, so that DROP EXTENSION takes it along. Tables are the
-- user's own: passage.create_store makes them.

DO $$
BEGIN
    IF pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.<>) 'UTF8' THEN
        RAISE feature_not_supported USING
            MESSAGE = 'pg_passage needs a database with the encoding UTF8',
            DETAIL = pg_catalog.format('This database has the encoding %s.', pg_catalog.getdatabaseencoding()),
            HINT = 'CREATE DATABASE ... TEMPLATE template0 ENCODING ''UTF8'' makes one that fits.';
    END IF;
END
$$;

CREATE SCHEMA passage;

COMMENT ON SCHEMA passage IS 'passages of documents: the context that search hits belong to';

GRANT USAGE ON SCHEMA passage TO PUBLIC;
