\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE;
RESET client_min_messages;

-- create_store makes partitions of chunks, and records how many
SELECT create_store FROM passage.create_store('regress_parts', partitions => 2, dry_run => true)
WHERE create_store ~ 'documents \(|chunks|placement' AND create_store !~ '^(ALTER|COMMENT)';
SELECT count(*) > 0 FROM passage.create_store('regress_parts', partitions => 2);
SELECT relname, relkind, relispartition FROM pg_class
WHERE relnamespace = 'regress_parts'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname COLLATE "C";
SELECT value FROM regress_parts.settings WHERE key = 'placement';

-- an existing store keeps them
SELECT passage.create_store('regress_parts');
SELECT passage.create_store('regress_parts', partitions => 2);
SELECT passage.create_store('regress_parts', partitions => 4);
SELECT passage.upgrade_store('regress_parts');
SELECT * FROM passage.check_store('regress_parts', true);
SELECT count(*) > 0 FROM passage.create_store('regress_whole');
SELECT count(*) FROM regress_whole.settings WHERE key = 'placement';
SELECT passage.create_store('regress_whole', partitions => 2);

-- missing objects are reported and created again
DROP TABLE regress_parts.chunks_1 CASCADE;
DROP INDEX regress_parts.chunks_id_idx;
SELECT * FROM passage.check_store('regress_parts');
SELECT passage.upgrade_store('regress_parts');
SELECT * FROM passage.check_store('regress_parts', true);

-- the id of a chunk begins with that of its document
INSERT INTO regress_parts.documents (uri) VALUES ('own.md');
INSERT INTO regress_parts.chunks (id, document_id, ordinal, content)
SELECT overlay(gen_random_uuid()::text PLACING left(id::text, 18) FROM 1)::uuid, id, 0, 'Own text.' FROM regress_parts.documents;
SELECT content FROM regress_parts.chunks;
\set VERBOSITY terse
INSERT INTO regress_parts.documents (id, uri) VALUES ('00000000-0000-0000-8000-000000000000', 'fixed.md');
INSERT INTO regress_parts.chunks (id, document_id, ordinal, content)
VALUES ('00000000-0000-0000-0001-000000000000', '00000000-0000-0000-8000-000000000000', 0, 'Right.');
INSERT INTO regress_parts.chunks (id, document_id, ordinal, content)
VALUES ('00000000-0000-0001-0001-000000000000', '00000000-0000-0000-8000-000000000000', 1, 'Wrong.');
\set VERBOSITY default

-- errors
SELECT passage.create_store('x', partitions => 1);
SELECT passage.create_store('x', partitions => 1025);
SELECT passage.create_store('x', partitions => 8, distributed => 'document');
SELECT passage.create_store('x', distributed => 'row');
SELECT passage.create_store('x', distributed => 'schema');

-- a name with quotes and line breaks
SELECT count(*) FROM passage.create_store(E'The "Parts"\r''s;\n--', partitions => 2, dry_run => true) AS made, regexp_split_to_table(made, E'[\n\r]') AS line
WHERE made LIKE '-- Row-level security%' AND line NOT LIKE '--%';
SET passage.store = E'The "Parts"\r''s;\n--';
SELECT count(*) > 0 FROM passage.create_store(partitions => 2);
SELECT passage.create_store(dry_run => NULL, partitions => NULL, distributed => NULL);
SELECT added FROM passage.ingest('quoted.md', E'# Title\n\nQuoted words.\n\n## Part\n\nMore words.', splitting => passage.splitting(max_size => 20));
SELECT count(*) FROM passage.search_hits('words');
SELECT context.content FROM passage.search_hits('quoted') AS hit, passage.expand_context(hit.chunk_id, 'document') AS context;
SELECT scope, documents, chunks FROM passage.store_stats() WHERE scope = 'total';
SELECT * FROM passage.check_store(data => true);
SELECT remove FROM passage.remove('quoted.md');
DROP TABLE U&"The ""Parts""\000D's;\000A--".chunks_0, U&"The ""Parts""\000D's;\000A--".chunks_1 CASCADE;
SELECT count(*) FROM passage.check_store();
SELECT count(*) FROM passage.upgrade_store();
SELECT count(*) FROM passage.check_store(data => true);
RESET passage.store;

-- the catalogs show the partitions
DELETE FROM regress_parts.settings WHERE key = 'placement';
SELECT * FROM passage.check_store('regress_parts');
SELECT passage.upgrade_store('regress_parts');
ALTER TABLE regress_parts.chunks DETACH PARTITION regress_parts.chunks_1;
CREATE TABLE regress_parts.half PARTITION OF regress_parts.chunks FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE regress_parts.quarter PARTITION OF regress_parts.chunks FOR VALUES WITH (MODULUS 4, REMAINDER 3);
DROP TABLE regress_parts.chunks_1 CASCADE;
SELECT * FROM passage.check_store('regress_parts');

-- an invalid setting is reported and has no effect
INSERT INTO regress_whole.settings VALUES ('placement', '{"partitions": 4}');
SELECT _passage.store_placement('regress_whole');
SELECT * FROM passage.check_store('regress_whole');
UPDATE regress_whole.settings SET value = '{"partitions": 99999999999}' WHERE key = 'placement';
SELECT _passage.store_placement('regress_whole');
UPDATE regress_whole.settings SET value = '["partitions"]' WHERE key = 'placement';
SELECT _passage.store_placement('regress_whole');
SELECT passage.upgrade_store('regress_whole');

-- nor has a distribution without Citus
UPDATE regress_whole.settings SET value = '{"distributed": "document"}' WHERE key = 'placement';
SELECT passage.upgrade_store('regress_whole');
SELECT passage.create_store('regress_whole', dry_run => true);
SELECT content FROM passage.search_hits('any', store => 'regress_whole');
DELETE FROM regress_whole.settings WHERE key = 'placement';
SELECT passage.upgrade_store('regress_whole');

-- a CHECK with the name that PostgreSQL chooses says nothing about documents
ALTER TABLE regress_whole.chunks ADD CHECK (id <> '00000000-0000-0000-0000-000000000000');
SELECT conname FROM pg_constraint WHERE conrelid = 'regress_whole.chunks'::regclass AND contype = 'c';
INSERT INTO regress_whole.documents (id, uri) VALUES ('11111111-1111-1111-1111-111111111111', 'own.md');
INSERT INTO regress_whole.chunks (id, document_id, ordinal, section, content)
VALUES ('22222222-2222-2222-2222-222222222222', '11111111-1111-1111-1111-111111111111', 0, '{Own}', 'An id of its own.');
SELECT content FROM passage.expand_context('22222222-2222-2222-2222-222222222222', 'none', store => 'regress_whole');

SET client_min_messages = error;
DROP SCHEMA regress_parts, regress_whole, U&"The ""Parts""\000D's;\000A--" CASCADE;
