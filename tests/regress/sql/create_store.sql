\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE;
RESET client_min_messages;

-- a dry run returns the statements and creates nothing
SELECT passage.create_store('regress_store', dry_run => true);
SELECT count(*) FROM pg_namespace WHERE nspname = 'regress_store';

-- the tables are ordinary tables and not members of the extension
SELECT count(*) > 0 FROM passage.create_store('regress_store');
SELECT relname, relkind, pg_get_userbyid(relowner) = current_user AS own, deptype
FROM pg_class LEFT JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e'
WHERE relnamespace = 'regress_store'::regnamespace ORDER BY relname;
TABLE regress_store.settings ORDER BY key;

-- the second call returns no statements
SELECT passage.create_store('regress_store');
SELECT passage.create_store('regress_store', language => 'english');
SELECT passage.create_store('regress_store', NULL, NULL, NULL, NULL, NULL);

-- derived columns are computed from the section and the content
INSERT INTO regress_store.documents (id, uri) VALUES ('00000000-0000-0000-0000-000000000001', 'guide.md');
INSERT INTO regress_store.chunks (document_id, ordinal, section, preamble, content)
VALUES ('00000000-0000-0000-0000-000000000001', 0, '{}', NULL, 'Before all.'),
    ('00000000-0000-0000-0000-000000000001', 1, '{Guide}', 'The guide', 'Read this first.'),
    ('00000000-0000-0000-0000-000000000001', 2, '{Guide,Set up}', NULL, 'Run it.');
SELECT ordinal, path, section_key = passage.section_key(section), parent_key = passage.parent_key(section), tsv
FROM regress_store.chunks ORDER BY ordinal;

-- missing objects are created again, and no others
DROP INDEX regress_store.chunks_tsv_idx;
ALTER TABLE regress_store.chunks DROP COLUMN path, DROP COLUMN tokens;
DELETE FROM regress_store.settings WHERE key = 'language';
COMMENT ON COLUMN regress_store.chunks.unit IS 'my own words';
SELECT passage.create_store('regress_store', dry_run => true);
SELECT count(*) FROM passage.create_store('regress_store');
SELECT passage.create_store('regress_store');

-- an equal index counts under any name
ALTER INDEX regress_store.chunks_tsv_idx RENAME TO words;
SELECT passage.create_store('regress_store');

-- one statement can renumber ordinals
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
UPDATE regress_store.chunks SET ordinal = 2 - ordinal;
COMMIT;
SELECT ordinal, content FROM regress_store.chunks ORDER BY ordinal;

-- chunks are deleted with their document
DELETE FROM regress_store.documents;
SELECT count(*) FROM regress_store.chunks;

-- a store can have its own strategies
INSERT INTO regress_store.strategies (name, base, following, default_for) VALUES ('wide', 'broad', 9, '{text/plain}');
INSERT INTO regress_store.strategies (name) VALUES ('auto');
INSERT INTO regress_store.strategies (name, base) VALUES ('own', 'wide');
INSERT INTO regress_store.strategies (name, children) VALUES ('own', -1);
INSERT INTO regress_store.strategies (name, max_tokens) VALUES ('own', 1000001);
INSERT INTO regress_store.strategies (name, siblings) VALUES ('own', 'document');

-- the setting passage.store names the store, and names are quoted
SET passage.store = 'The "Store"';
SELECT count(*) > 0 FROM passage.create_store(language => 'german');
SELECT passage.create_store();
SELECT value FROM "The ""Store""".settings WHERE key = 'language';
RESET passage.store;

-- another language requires another store
SELECT passage.create_store('The "Store"', language => 'english');

-- an unrelated table of the same name stays unchanged
CREATE SCHEMA regress_foreign;
CREATE TABLE regress_foreign.documents (id bigint, body text);
SELECT passage.create_store('regress_foreign');
DROP TABLE regress_foreign.documents;
CREATE TABLE regress_foreign.settings (name text, value text);
SELECT passage.create_store('regress_foreign');

-- a newer layout raises an error
UPDATE regress_store.settings SET value = '2' WHERE key = 'layout_version';
SELECT passage.create_store('regress_store');

-- errors
SELECT passage.create_store('pg_store');
SELECT passage.create_store('passage');
SELECT passage.create_store('');
SELECT passage.create_store('x', 3, 'manhattan');
SELECT passage.create_store('x', 3, repeat('manhattan', 100));
SELECT passage.create_store('x', 3, embedding_type => 'bit');
SELECT passage.create_store('x', 0);
SELECT passage.create_store('x', 2001, embedding_type => 'vector');
SELECT passage.create_store('x', 4001);
SELECT passage.create_store('x', 4001, embedding_type => 'halfvec');
SELECT passage.create_store('x', language => 'klingon');
\set VERBOSITY terse
SELECT passage.create_store('x', 3);

SET client_min_messages = error;
DROP SCHEMA regress_store, "The ""Store""", regress_foreign CASCADE;
