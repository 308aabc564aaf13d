-- The schema of pg_passage: functions and views, and not one table.
--
-- Made here and not by the control file, so that DROP EXTENSION takes it along. Tables are the
-- user's own: passage.create_store makes them.

\echo Use "CREATE EXTENSION pg_passage" to load this file. \quit

CREATE SCHEMA passage;

COMMENT ON SCHEMA passage IS 'passages of documents: the context that search hits belong to';

GRANT USAGE ON SCHEMA passage TO PUBLIC;
