-- Roles without superuser: an owner of a database, a reader of a store, a tenant of a shared store.
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
CREATE ROLE regress_owner;
CREATE ROLE regress_reader;
CREATE ROLE regress_writer;
DROP DATABASE IF EXISTS regress_owned;
CREATE DATABASE regress_owned OWNER regress_owner;
\connect regress_owned

-- ltree and pgvector are outside of the search_path; pgvector is used if the server has it
SET client_min_messages = error;
CREATE SCHEMA extensions;
GRANT USAGE ON SCHEMA extensions TO PUBLIC;
CREATE EXTENSION ltree SCHEMA extensions;
\set ECHO none
SELECT 'CREATE EXTENSION vector SCHEMA extensions' FROM pg_available_extensions WHERE name = 'vector' \gexec
SELECT coalesce((SELECT '3' FROM pg_extension WHERE extname = 'vector'), 'NULL') AS dimensions \gset
\set ECHO all

-- the owner of a database installs the extension and creates a store, with an empty search_path
SET SESSION AUTHORIZATION regress_owner;
CREATE EXTENSION pg_passage;
SET search_path = '';
SELECT pg_catalog.count(*) > 0 FROM passage.create_store('shared', :dimensions);
SELECT passage.create_store('shared', :dimensions);
SELECT attname, pg_catalog.format_type(atttypid, NULL) FROM pg_catalog.pg_attribute
WHERE attrelid = 'shared.chunks'::pg_catalog.regclass AND attname = 'path';
SELECT * FROM passage.check_store('shared');

-- the store survives DROP EXTENSION
DROP EXTENSION pg_passage CASCADE;
RESET search_path;
CREATE EXTENSION pg_passage;
SET search_path = '';
SELECT pg_catalog.count(*) > 0 FROM passage.upgrade_store('shared');
SELECT * FROM passage.check_store('shared');

-- the policies of a dry run are valid, and hide context as well as hits
\set ECHO none
SELECT pg_catalog.regexp_replace(pg_catalog.replace(statement, 'app, reader;', 'app;'), '\mapp([;]| USING)', 'regress_writer\1')
FROM passage.create_store('shared', dry_run => true) AS template,
    pg_catalog.regexp_split_to_table(template, E'\n') AS line,
    pg_catalog.substr(line, 4) AS statement
WHERE template LIKE '--%' AND statement ~ '^(ALTER|CREATE|GRANT)' \gexec
\set ECHO all
SELECT polrelid::pg_catalog.regclass, polname FROM pg_catalog.pg_policy
WHERE polrelid::pg_catalog.regclass::text !~ 'embeddings' ORDER BY 1, 2;
SELECT * FROM passage.check_store('shared');
INSERT INTO shared.documents (id, collection, uri, chunk_count)
VALUES ('00000000-0000-0000-0000-00000000000a', 'mine', 'a.md', 1), ('00000000-0000-0000-0000-00000000000b', 'theirs', 'b.md', 1);
INSERT INTO shared.chunks (id, document_id, ordinal, content)
VALUES ('00000000-0000-0000-000a-000000000000', '00000000-0000-0000-0000-00000000000a', 0, 'mine'),
    ('00000000-0000-0000-000b-000000000000', '00000000-0000-0000-0000-00000000000b', 0, 'theirs');

-- a reader calls every function and sees what the rights on the store allow
SET SESSION AUTHORIZATION regress_reader;
SELECT store FROM passage.stores();
SELECT passage.create_store('another');
SET SESSION AUTHORIZATION regress_owner;
GRANT USAGE ON SCHEMA shared TO regress_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA shared TO regress_reader;
SET SESSION AUTHORIZATION regress_reader;
SELECT store FROM passage.stores();
SELECT content FROM shared.chunks;
SET app.tenant = 'mine';
SELECT content FROM shared.chunks;
SELECT passage.upgrade_store('shared');
\set VERBOSITY terse
SELECT passage.ingest('c.md', 'a tenant without rights', collection => 'mine', store => 'shared');
\set VERBOSITY default
SELECT object, problem, remedy FROM passage.check_store('shared', true) WHERE object !~ 'embedding';

-- a writer of the template writes for all tenants
SET SESSION AUTHORIZATION regress_writer;
SELECT outcome FROM passage.ingest('c.md', 'mine too', collection => 'mine', store => 'shared');
SELECT outcome FROM passage.ingest('c.md', 'theirs too', collection => 'theirs', store => 'shared');
SELECT documents FROM passage.remove('b.md', store => 'shared');
SELECT operation, is_allowed FROM _passage.role_rights('regress_writer', 'shared') WHERE operation !~ 'load|embed';
SET SESSION AUTHORIZATION regress_reader;
SELECT content FROM shared.chunks ORDER BY content;
SELECT operation, is_allowed FROM _passage.role_rights('regress_reader', 'shared') WHERE operation !~ 'load|embed';

RESET SESSION AUTHORIZATION;
\connect postgres
DROP DATABASE regress_owned;
DROP ROLE regress_owner, regress_reader, regress_writer;
