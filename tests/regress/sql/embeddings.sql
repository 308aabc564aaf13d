-- needs: vector
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
DROP EXTENSION IF EXISTS vector CASCADE;
CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE;
RESET client_min_messages;

-- without pgvector, dimensions raise an error
SELECT passage.create_store('regress_vectors', 3);
SELECT count(*) > 0 FROM passage.create_store('regress_vectors');

-- with pgvector in any schema, the missing parts are added
CREATE SCHEMA regress_extensions;
CREATE EXTENSION vector SCHEMA regress_extensions;
SET search_path = '';
SELECT passage.create_store('regress_vectors', 3);
SELECT passage.create_store('regress_vectors', 3);
SELECT passage.create_store('regress_vectors');
SELECT * FROM passage.check_store('regress_vectors');

-- the view chunks_embedded joins chunks and embeddings
INSERT INTO regress_vectors.documents (id, uri) VALUES ('00000000-0000-0000-0000-000000000001', 'guide.md');
INSERT INTO regress_vectors.chunks (id, document_id, ordinal, content)
VALUES ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', 0, 'with'),
    ('00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000001', 1, 'without');
INSERT INTO regress_vectors.embeddings VALUES ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', '[1,2,3]');
SELECT ordinal, content, embedding FROM regress_vectors.chunks_embedded;
SELECT reloptions FROM pg_catalog.pg_class WHERE oid = 'regress_vectors.chunks_embedded'::pg_catalog.regclass;
SELECT * FROM passage.check_store('regress_vectors', true);

-- an embedding names the document of its chunk; types and distance are those of the settings
BEGIN;
INSERT INTO regress_vectors.embeddings VALUES ('00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000002', '[1,2,3]');
UPDATE regress_vectors.settings SET value = '"l2"' WHERE key = 'distance';
UPDATE regress_vectors.settings SET value = '"halfvec"' WHERE key = 'embedding_type';
SELECT * FROM passage.check_store('regress_vectors', true);
ROLLBACK;

-- embeddings are deleted with their chunk
DELETE FROM regress_vectors.chunks WHERE ordinal = 0;
SELECT pg_catalog.count(*) FROM regress_vectors.embeddings;

-- halfvec takes half the memory; each distance has its operator class
SELECT * FROM passage.create_store('regress_half', 4000, 'inner_product', 'halfvec') AS made WHERE made ~ 'hnsw|halfvec|distance';
SELECT * FROM passage.create_store('regress_l2', 2000, 'l2') AS made WHERE made ~ 'hnsw|distance';
SELECT store, dimensions, embedding_type, distance, language FROM passage.stores() WHERE store ~ '^regress';

-- the settings record dimensions, type and distance
SELECT passage.create_store('regress_half', 4000);
DELETE FROM regress_half.settings WHERE key IN ('distance', 'dimensions');
DROP INDEX regress_l2.embeddings_embedding_idx;
SELECT * FROM passage.check_store('regress_half');
SELECT passage.upgrade_store('regress_half');
SELECT passage.upgrade_store('regress_l2');
UPDATE regress_l2.settings SET value = '5' WHERE key = 'dimensions';
SELECT * FROM passage.check_store('regress_l2');

-- another model requires another store
SELECT passage.create_store('regress_vectors', 4);
SELECT passage.create_store('regress_vectors', 3, 'l2');
SELECT passage.create_store('regress_vectors', 3, embedding_type => 'halfvec');

RESET search_path;
SET client_min_messages = error;
DROP SCHEMA regress_vectors, regress_half, regress_l2 CASCADE;
DROP EXTENSION vector;
DROP SCHEMA regress_extensions;
