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

-- it has the document's uri, title, collection and version, and leaves out orphaned documents
SELECT uri, title, collection, version FROM regress_vectors.chunks_embedded;
BEGIN;
UPDATE regress_vectors.documents SET orphaned_at = now();
SELECT count(*) FROM regress_vectors.chunks_embedded;
ROLLBACK;

-- the nearest rows of the view come from the vector index; policies of each table apply
CREATE FUNCTION pg_temp.plan(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || statement INTO plan;
    RETURN concat_ws(' ', CASE WHEN plan::text ~ 'embeddings_embedding_idx' THEN 'index' ELSE 'no index' END,
        CASE WHEN plan::text ~ 'Sort' THEN 'and sort' END);
END $$;
BEGIN;
SELECT count(*) FROM passage.create_store('regress_nearest', 3);
INSERT INTO regress_nearest.documents (id, uri, collection, orphaned_at)
SELECT md5(n::text)::uuid, 'page ' || n, CASE WHEN n % 2 = 0 THEN 'even' ELSE 'odd' END, CASE WHEN n % 5 = 0 THEN now() END
FROM generate_series(1, 2000) AS n;
INSERT INTO regress_nearest.chunks (id, document_id, ordinal, content) SELECT id, id, 0, uri FROM regress_nearest.documents;
INSERT INTO regress_nearest.embeddings SELECT id, id, ARRAY[n, 2000 - n, 100]::regress_extensions.vector
FROM regress_nearest.documents, CAST(substr(uri, 6) AS integer) AS n;
ANALYZE regress_nearest.documents, regress_nearest.chunks, regress_nearest.embeddings;
SELECT pg_temp.plan($$SELECT * FROM regress_nearest.chunks_embedded ORDER BY embedding OPERATOR(regress_extensions.<=>) '[1000.3,999.7,100]' LIMIT 5$$);
SELECT uri FROM regress_nearest.chunks_embedded ORDER BY embedding OPERATOR(regress_extensions.<=>) '[1000.3,999.7,100]' LIMIT 4;
CREATE ROLE regress_nearest_reader;
GRANT USAGE ON SCHEMA regress_nearest, regress_extensions TO regress_nearest_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA regress_nearest TO regress_nearest_reader;
ALTER TABLE regress_nearest.documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON regress_nearest.documents FOR SELECT USING (collection = 'odd');
SET LOCAL ROLE regress_nearest_reader;
SELECT pg_temp.plan($$SELECT * FROM regress_nearest.chunks_embedded ORDER BY embedding OPERATOR(regress_extensions.<=>) '[1000.3,999.7,100]' LIMIT 5$$);
SELECT uri FROM regress_nearest.chunks_embedded ORDER BY embedding OPERATOR(regress_extensions.<=>) '[1000.3,999.7,100]' LIMIT 4;
SELECT collection, count(*) FROM regress_nearest.chunks_embedded GROUP BY collection;
RESET ROLE;
ALTER TABLE regress_nearest.embeddings ENABLE ROW LEVEL SECURITY;
SET LOCAL ROLE regress_nearest_reader;
SELECT count(*) FROM regress_nearest.chunks_embedded;
ROLLBACK;

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
SELECT * FROM passage.create_store('regress_l2', 2000, 'l2', 'vector') AS made WHERE made ~ 'hnsw|distance';
SELECT store, dimensions, embedding_type, distance, language FROM passage.stores() WHERE store ~ '^regress';

-- half precision is the default from 1000 dimensions on
SELECT regexp_substr(made, '[a-z]*vec[a-z]*_[a-z]*_ops|"halfvec|"vector') FROM passage.create_store('regress_999', 999, dry_run => true) AS made WHERE made ~ 'hnsw|embedding_type';
SELECT regexp_substr(made, '[a-z]*vec[a-z]*_[a-z]*_ops|"halfvec|"vector') FROM passage.create_store('regress_1000', 1000, dry_run => true) AS made WHERE made ~ 'hnsw|embedding_type';
SELECT count(*) > 0 FROM passage.create_store('regress_3072', 3072);
SELECT embedding_type FROM passage.stores() WHERE store = 'regress_3072';
SELECT passage.create_store('regress_3072', 3072, embedding_type => 'vector');
SELECT * FROM passage.check_store('regress_3072');


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
DROP SCHEMA regress_vectors, regress_half, regress_l2, regress_3072 CASCADE;
DROP EXTENSION vector;
DROP SCHEMA regress_extensions;
