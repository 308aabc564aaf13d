\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
DROP EXTENSION IF EXISTS pg_passage CASCADE;
CREATE EXTENSION IF NOT EXISTS ltree;
RESET client_min_messages;

-- the notice of CREATE EXTENSION says how to create tables
CREATE EXTENSION pg_passage;

SET passage.store = 'regress_upgrade';
SELECT count(*) > 0 FROM passage.create_store(language => 'german');
INSERT INTO regress_upgrade.documents (id, uri) VALUES ('00000000-0000-0000-0000-000000000001', 'guide.md');
INSERT INTO regress_upgrade.chunks (document_id, ordinal, section, content)
VALUES ('00000000-0000-0000-0000-000000000001', 0, '{Anleitung}', 'Die Häuser');
SELECT passage.upgrade_store();

-- the objects and rows of a store
CREATE VIEW regress_upgrade.shape AS
    SELECT 'column' AS kind, attrelid::regclass || '.' || row_number() OVER (PARTITION BY attrelid ORDER BY attnum) AS name,
        concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), col_description(attrelid, attnum)) AS definition
    FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'regress_upgrade'::regnamespace AND relkind = 'r') AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    FROM pg_index WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'regress_upgrade'::regnamespace)
    UNION ALL
    SELECT 'constraint', conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'regress_upgrade'::regnamespace;
CREATE TABLE public.regress_before AS SELECT * FROM regress_upgrade.shape;
CREATE TABLE public.regress_rows AS SELECT to_jsonb(chunks) FROM regress_upgrade.chunks;

-- DROP EXTENSION drops derived columns and nothing else
-- PostgreSQL qualifies names outside of the search_path; a role named passage has this schema on it
SET search_path = pg_catalog;
DROP EXTENSION pg_passage;
SET client_min_messages = error;
DROP EXTENSION pg_passage CASCADE;
RESET client_min_messages;
RESET search_path;
SELECT kind, split_part(definition, ' ', 1) FROM (TABLE public.regress_before EXCEPT TABLE regress_upgrade.shape) AS missing ORDER BY 1, 2;
SELECT ordinal, section, content FROM regress_upgrade.chunks;

-- upgrade_store adds the derived columns again
SET client_min_messages = error;
CREATE EXTENSION pg_passage;
RESET client_min_messages;
SELECT object, problem, remedy FROM passage.check_store();
SELECT passage.upgrade_store(dry_run => true);
SELECT count(*) FROM passage.upgrade_store();
SELECT passage.upgrade_store();
SELECT * FROM passage.check_store();
(TABLE public.regress_before EXCEPT TABLE regress_upgrade.shape) UNION ALL (TABLE regress_upgrade.shape EXCEPT TABLE public.regress_before);
SELECT to_jsonb(chunks) FROM regress_upgrade.chunks EXCEPT TABLE public.regress_rows;

-- errors
SELECT passage.upgrade_store('nowhere');

DROP TABLE public.regress_before, public.regress_rows;
SET client_min_messages = error;
DROP SCHEMA regress_upgrade CASCADE;
