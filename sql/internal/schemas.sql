-- The schemas of pg_passage: "passage" for users, "_passage" for what these functions call.
--
-- The script creates them, not the control file, so that DROP EXTENSION drops them. It fails where a
-- schema of that name exists: functions in it could be somebody else's. pg_passage has no tables:
-- passage.create_store creates those of a store, and users own them.

DO $$
BEGIN
    IF pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.<>) 'UTF8' THEN
        RAISE feature_not_supported USING
            MESSAGE = 'pg_passage requires a database with encoding UTF8',
            DETAIL = pg_catalog.format('The encoding of this database is %s.', pg_catalog.getdatabaseencoding()),
            HINT = 'Create a database with CREATE DATABASE ... TEMPLATE template0 ENCODING ''UTF8''.';
    END IF;
END
$$;

CREATE SCHEMA passage;

COMMENT ON SCHEMA passage IS 'pg_passage: search in documents and expansion of hits to readable passages';

GRANT USAGE ON SCHEMA passage TO PUBLIC;

CREATE SCHEMA _passage;

COMMENT ON SCHEMA _passage IS 'internal functions of pg_passage, which can change in any release';

GRANT USAGE ON SCHEMA _passage TO PUBLIC;
