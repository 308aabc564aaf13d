\set SHOW_CONTEXT never
\pset format unaligned
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE;
SET passage.store = 'regress_check';
SELECT count(*) > 0 AS made FROM passage.create_store();
RESET client_min_messages;

-- a new store has no problems
SELECT * FROM passage.check_store();
INSERT INTO regress_check.documents (id, uri, chunk_count) VALUES ('00000000-0000-0000-0000-00000000000a', 'good.md', 3);
INSERT INTO regress_check.chunks (document_id, ordinal, section, kind, content, start_byte, end_byte)
VALUES ('00000000-0000-0000-0000-00000000000a', 0, '{Guide,Set up}', 'prose', 'abc', 0, 3),
    ('00000000-0000-0000-0000-00000000000a', 1, '{Guide}', 'prose', 'äö', 3, 7),
    ('00000000-0000-0000-0000-00000000000a', 2, '{Guide,Use}', 'prose', 'abc', NULL, NULL);
SELECT * FROM passage.check_store(data => true);

-- sections may have no chunk of their own, or a later one
SELECT bool_and(chunks > 10) AS many
FROM (VALUES ('list.yaml', E'- name: item %1$s\n  note: a note of item %1$s\n'), ('lines.jsonl', E'{"id": %1$s, "text": "the text of line %1$s"}\n'),
    ('tables.toml', E'[a.b%1$s.c]\nname = "table %1$s"\n\n[[d]]\nid = %1$s\n')) AS list (uri, line),
    LATERAL (SELECT string_agg(format(line, n), '' ORDER BY n) FROM generate_series(1, 60) AS n) AS document (text),
    LATERAL passage.ingest(uri, document.text, splitting => passage.splitting(max_size => 150));
SELECT * FROM passage.check_store(data => true);
DELETE FROM regress_check.documents WHERE uri IN ('list.yaml', 'lines.jsonl', 'tables.toml');

-- rows: gaps, spans, parents, counts
INSERT INTO regress_check.documents (id, uri, chunk_count)
VALUES ('00000000-0000-0000-0000-00000000000b', 'bad.ts', 3), ('00000000-0000-0000-0000-00000000000c', 'none.md', 1);
INSERT INTO regress_check.chunks (document_id, ordinal, section, kind, unit, content, start_byte, end_byte)
VALUES ('00000000-0000-0000-0000-00000000000b', 1, '{Class,run}', 'code', 'member', 'abc', 0, 3),
    ('00000000-0000-0000-0000-00000000000b', 3, '{Class}', 'code', 'container', 'abc', 4, 9);
SELECT * FROM passage.check_store(data => true);
SELECT * FROM passage.check_store();

-- in code the first chunk of a container is its head; in other documents, and without a unit, the order is free
BEGIN;
DELETE FROM regress_check.documents;
INSERT INTO regress_check.documents (id, uri)
SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, uri FROM (VALUES (1, 'late.ts'), (2, 'head.ts'), (3, 'none.go'), (4, 'data.toml')) AS listed (n, uri);
INSERT INTO regress_check.documents (id, uri, media_type) VALUES ('00000000-0000-0000-0000-000000000005', 'apart.cc', 'text/x-c++');
INSERT INTO regress_check.chunks (document_id, ordinal, section, kind, unit, content)
SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, ordinal, section::text[], kind, unit, 'x'
FROM (VALUES (1, 0, '{A}', 'code', 'member'), (1, 1, '{A,B,C}', 'code', 'member'), (1, 2, '{A,B}', 'code', 'container'), (1, 3, '{A,B,D}', 'code', 'member'),
    (2, 0, '{A}', 'code', 'container'), (2, 1, '{A,B}', 'code', 'member'), (2, 2, '{A}', 'code', 'container'),
    (5, 0, '{A,B}', 'code', 'member'), (5, 1, '{A}', 'code', 'container'),
    (3, 0, '{A,B}', 'code', 'member'), (3, 1, '{A,C}', 'code', 'member'), (3, 2, '{D}', 'code', 'member'),
    (4, 0, '{A,B}', 'data', 'container'), (4, 1, '{A}', 'data', 'container')) AS listed (n, ordinal, section, kind, unit);
SELECT * FROM passage.check_store(data => true);
ROLLBACK;

-- chunks of a missing document, ordinals that begin late, and a layout of a later version
BEGIN;
ALTER TABLE regress_check.chunks DROP CONSTRAINT chunks_document_id_fkey;
DELETE FROM regress_check.documents;
DELETE FROM regress_check.chunks WHERE document_id = '00000000-0000-0000-0000-00000000000b' OR ordinal = 0;
UPDATE regress_check.settings SET value = '2' WHERE key = 'layout_version';
SELECT * FROM passage.check_store(data => true);
ROLLBACK;

-- a column tsv of another version, and its remedy
BEGIN;
UPDATE regress_check.settings SET value = '0' WHERE key = 'tsv_version';
SELECT * FROM passage.check_store('regress_check') WHERE problem LIKE '%chunk_tsv%';
SELECT passage.upgrade_store('regress_check', dry_run => true);
SELECT passage.upgrade_store('regress_check');
SELECT * FROM passage.check_store('regress_check');
-- a column that is computed anyway only needs the record
UPDATE regress_check.settings SET value = '0' WHERE key = 'tsv_version';
ALTER TABLE regress_check.chunks DROP COLUMN tsv;
SELECT passage.upgrade_store('regress_check');
SELECT * FROM passage.check_store('regress_check');
ROLLBACK;

-- shape: columns, types, indexes, policies, settings
BEGIN;
ALTER TABLE regress_check.chunks DROP COLUMN path, DROP COLUMN tokens, DROP CONSTRAINT chunks_document_id_ordinal_key;
ALTER TABLE regress_check.chunks ALTER level TYPE bigint, ALTER kind TYPE varchar(20);
ALTER TABLE regress_check.chunks ALTER section_key DROP EXPRESSION;
ALTER TABLE regress_check.documents DROP COLUMN uri;
DROP INDEX regress_check.chunks_tsv_idx;
DROP TABLE regress_check.strategies;
ALTER TABLE regress_check.documents ENABLE ROW LEVEL SECURITY;
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'regress_check.chunks_pkey'::regclass;
UPDATE regress_check.settings SET value = '"german"' WHERE key = 'language';
DELETE FROM regress_check.settings WHERE key = 'layout_version';
SELECT * FROM passage.check_store();
ROLLBACK;

-- a store of views, with the missing columns and their effects
CREATE SCHEMA regress_views;
CREATE TABLE regress_views.item (item_id uuid, page uuid, n integer, body text, words integer);
CREATE VIEW regress_views.chunks AS SELECT item_id AS id, page AS document_id, n AS ordinal, body AS content FROM regress_views.item;
SELECT * FROM passage.check_store('regress_views', true);
CREATE INDEX ON regress_views.item (item_id);
CREATE INDEX ON regress_views.item (page, n);
CREATE VIEW regress_views.documents AS SELECT DISTINCT page AS id, 'uri' || page AS uri, NULL::text AS title, 'text/plain' AS media_type FROM regress_views.item;
-- documents without a title and a media type
BEGIN;
DROP VIEW regress_views.documents;
CREATE VIEW regress_views.documents AS SELECT DISTINCT page AS id, 'uri' || page AS uri FROM regress_views.item;
SELECT object, problem FROM passage.check_store('regress_views') WHERE object ~ 'documents';
ROLLBACK;
-- a role that may not read the rows
CREATE ROLE regress_unprivileged;
GRANT USAGE ON SCHEMA regress_views TO regress_unprivileged;
SET ROLE regress_unprivileged;
SELECT object, problem FROM passage.check_store('regress_views') WHERE problem ~ 'not (read|checked)';
RESET ROLE;
REVOKE USAGE ON SCHEMA regress_views FROM regress_unprivileged;
DROP ROLE regress_unprivileged;
INSERT INTO regress_views.item VALUES (NULL, '00000000-0000-0000-0000-00000000000d', 1, 'abc');
SELECT * FROM passage.check_store('regress_views', true);
DROP VIEW regress_views.chunks;
CREATE VIEW regress_views.chunks AS SELECT item_id::text AS id, page AS document_id, n AS ordinal FROM regress_views.item;
SELECT * FROM passage.check_store('regress_views', true);

-- a type named vector of another extension is ignored, and so are settings with a NULL key
CREATE SCHEMA regress_named;
CREATE DOMAIN regress_named.vector AS text;
CREATE TABLE regress_named.embeddings (chunk_id uuid, embedding regress_named.vector);
CREATE TABLE regress_named.settings (key text, value jsonb);
INSERT INTO regress_named.settings VALUES (NULL, '1'), ('sizer', '"words"');
SELECT embedding_type FROM _passage.store_facts('regress_named');
SELECT _passage.store_settings('regress_named');
DROP SCHEMA regress_named CASCADE;

-- rows are checked only for roles that may read all of them
SELECT store, documents, chunks, embeddings, dimensions, language FROM passage.stores() WHERE store LIKE 'regress%';
ANALYZE regress_check.documents, regress_check.chunks;
SELECT store, documents, chunks, embeddings, dimensions, language FROM passage.stores() WHERE store LIKE 'regress%';

-- rows that the caller may not read are not counted, and neither are those of a view or behind a policy
CREATE SCHEMA regress_uncounted;
CREATE TABLE regress_uncounted.chunks (id uuid, document_id uuid, ordinal integer, content text, part integer) PARTITION BY LIST (part);
CREATE TABLE regress_uncounted.chunks_1 PARTITION OF regress_uncounted.chunks FOR VALUES IN (1);
CREATE TABLE regress_uncounted.documents (id uuid);
CREATE VIEW regress_uncounted.embeddings AS SELECT 1 AS one;
INSERT INTO regress_uncounted.chunks (part) VALUES (1), (1);
INSERT INTO regress_uncounted.documents DEFAULT VALUES;
SELECT documents, chunks, embeddings FROM passage.stores() WHERE store = 'regress_uncounted';
CREATE ROLE regress_reader;
GRANT USAGE ON SCHEMA regress_uncounted TO regress_reader;
GRANT SELECT (ordinal) ON regress_uncounted.chunks TO regress_reader;
SET ROLE regress_reader;
SELECT documents, chunks, embeddings FROM passage.stores() WHERE store = 'regress_uncounted';
-- their tables are not measured, and their indexes not compared
SELECT relname, _passage.relation_size(oid) > 0 AS is_measured FROM pg_catalog.pg_class
    WHERE relnamespace = 'regress_uncounted'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname;
SELECT * FROM passage.check_store('regress_uncounted') WHERE problem ~ 'not checked';
RESET ROLE;
ALTER TABLE regress_uncounted.chunks ENABLE ROW LEVEL SECURITY;
SET ROLE regress_reader;
SELECT documents, chunks, embeddings FROM passage.stores() WHERE store = 'regress_uncounted';
RESET ROLE;
DROP SCHEMA regress_uncounted CASCADE;
SET ROLE regress_reader;
SELECT store FROM passage.stores() WHERE store LIKE 'regress%';
SELECT * FROM passage.check_store(data => true);
RESET ROLE;
DROP ROLE regress_reader;

-- errors
SELECT * FROM passage.check_store('nowhere');

SET client_min_messages = error;
DROP SCHEMA regress_check, regress_views CASCADE;
