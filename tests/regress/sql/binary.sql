-- needs: vector
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
DROP EXTENSION IF EXISTS vector CASCADE;
CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE;
RESET client_min_messages;

-- an owner without privileges, pgvector and a store in schemas with quotes
CREATE SCHEMA "regress ""ext""";
CREATE EXTENSION vector SCHEMA "regress ""ext""";
GRANT USAGE ON SCHEMA "regress ""ext""" TO PUBLIC;
CREATE ROLE regress_binary_owner;
CREATE ROLE regress_binary_reader;
GRANT CREATE ON DATABASE :"DBNAME" TO regress_binary_owner;
SET ROLE regress_binary_owner;
SET search_path = '';

-- the column has the numbers, the index their signs
SELECT made FROM passage.create_store('The "Bits"', 32, embedding_type => 'binary', dry_run => true) AS made WHERE made ~ 'hnsw|halfvec|INSERT INTO';
SELECT pg_catalog.count(*) > 0 FROM passage.create_store('The "Bits"', 32, embedding_type => 'binary');
SELECT * FROM passage.create_store('The "Bits"');
SELECT * FROM passage.create_store('The "Bits"', 32, 'cosine', 'binary');
SELECT * FROM passage.check_store('The "Bits"', true);
SELECT dimensions, embedding_type, distance FROM passage.stores() WHERE store = 'The "Bits"';

-- 300 chunks in three documents, with vectors of hashes
CREATE FUNCTION pg_temp.vector(seed text) RETURNS real[] LANGUAGE sql AS $$
    SELECT array_agg(('x' || substr(md5(seed || n), 1, 7))::bit(28)::integer::real / 134217728 - 1 ORDER BY n) FROM generate_series(1, 32) AS n
$$;
ALTER FUNCTION pg_temp.vector(text) SET search_path = pg_catalog;
INSERT INTO "The ""Bits""".documents (id, uri, collection)
SELECT pg_catalog.format('%saaaaaaa-0000-0000-8000-000000000000', n)::uuid, n, CASE WHEN n = 3 THEN 'few' ELSE 'many' END FROM pg_catalog.generate_series(1, 3) AS n;
INSERT INTO "The ""Bits""".chunks (document_id, ordinal, content)
SELECT id, n, 'chunk ' || uri || ' ' || n FROM "The ""Bits""".documents, pg_catalog.generate_series(0, 99) AS n;
INSERT INTO "The ""Bits""".embeddings SELECT id, document_id, pg_temp.vector(content)::"regress ""ext""".halfvec FROM "The ""Bits""".chunks;
ANALYZE "The ""Bits""".chunks, "The ""Bits""".embeddings;
SELECT passage.search_hits(store => 'The "Bits"', embedding => '{1,0}');

-- in a small store the result is that of exact comparison, by the index
CREATE FUNCTION pg_temp.exact(condition text, row_limit integer) RETURNS SETOF text LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RETURN QUERY EXECUTE pg_catalog.format('SELECT c.content FROM "The ""Bits""".embeddings AS e JOIN "The ""Bits""".chunks AS c ON c.id = e.chunk_id
        JOIN "The ""Bits""".documents AS d ON d.id = c.document_id WHERE %s
        ORDER BY e.embedding OPERATOR("regress ""ext""".<=>) pg_temp.vector(''query'')::"regress ""ext""".halfvec LIMIT %s', condition, row_limit);
END $$;
CREATE TEMPORARY TABLE before AS SELECT idx_scan FROM pg_catalog.pg_stat_user_indexes WHERE indexrelname = 'embeddings_embedding_idx' AND schemaname = 'The "Bits"';
SELECT content, pg_catalog.round(score::numeric, 3) FROM passage.search_hits(embedding => pg_temp.vector('query'), max_hits => 4, store => 'The "Bits"');
SELECT ARRAY(SELECT content FROM passage.search_hits(embedding => pg_temp.vector('query'), max_hits => 40, store => 'The "Bits"')) = ARRAY(SELECT pg_temp.exact('true', 40));
SELECT count(*), count(DISTINCT chunk_id) FROM passage.search_hits(embedding => pg_temp.vector('query'), max_hits => 1000, store => 'The "Bits"');
SELECT pg_catalog.pg_stat_force_next_flush();
SELECT stat.idx_scan > before.idx_scan AS walked FROM before, pg_catalog.pg_stat_user_indexes AS stat WHERE indexrelname = 'embeddings_embedding_idx' AND schemaname = 'The "Bits"';

-- so it is with filters
SELECT ARRAY(SELECT content FROM passage.search_hits(embedding => pg_temp.vector('query'), max_hits => 40, collection => 'few', store => 'The "Bits"')) = ARRAY(SELECT pg_temp.exact('d.collection = ''few''', 40));
SELECT content FROM passage.search_hits(embedding => pg_temp.vector('query'), filter => passage.filter(uri_pattern => '1'), max_hits => 3, store => 'The "Bits"');
SELECT content FROM passage.search_hits(embedding => pg_temp.vector('query'), filter => passage.filter(min_similarity => 0.4), store => 'The "Bits"');
SELECT count(*) FROM passage.search(embedding => pg_temp.vector('query'), query => 'chunk 2 7', store => 'The "Bits"') AS count;
SELECT count(*) > 0 FROM passage.fragments(embedding => pg_temp.vector('query'), query => 'chunk', store => 'The "Bits"');

-- a policy hides documents from a reader, not from the owner
GRANT USAGE ON SCHEMA "The ""Bits""" TO regress_binary_reader;
GRANT SELECT ON "The ""Bits""".documents, "The ""Bits""".chunks, "The ""Bits""".embeddings TO regress_binary_reader;
BEGIN;
ALTER TABLE "The ""Bits""".documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE "The ""Bits""".chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE "The ""Bits""".embeddings ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON "The ""Bits""".documents FOR SELECT USING (collection = 'few');
CREATE POLICY readers ON "The ""Bits""".chunks FOR SELECT USING (EXISTS (SELECT FROM "The ""Bits""".documents WHERE documents.id = chunks.document_id));
CREATE POLICY readers ON "The ""Bits""".embeddings FOR SELECT USING (EXISTS (SELECT FROM "The ""Bits""".documents WHERE documents.id = embeddings.document_id));
CREATE TEMPORARY TABLE expected AS SELECT pg_catalog.array_agg(content) AS content FROM pg_temp.exact('d.collection = ''few''', 40) AS content;
GRANT SELECT ON expected TO regress_binary_reader;
RESET ROLE;
SET LOCAL ROLE regress_binary_reader;
SELECT ARRAY(SELECT content FROM passage.search_hits(embedding => pg_temp.vector('query'), max_hits => 40, store => 'The "Bits"')) = content FROM expected;
-- who may not read the settings gets the same
SELECT pg_catalog.has_table_privilege('"The ""Bits""".settings', 'SELECT');
ROLLBACK;
SET ROLE regress_binary_owner;

-- without the index the store stays one of this type: it is reported, and made again
DROP INDEX "The ""Bits""".embeddings_embedding_idx;
SELECT ARRAY(SELECT content FROM passage.search_hits(embedding => pg_temp.vector('query'), max_hits => 40, store => 'The "Bits"')) = ARRAY(SELECT pg_temp.exact('true', 40));
SELECT * FROM passage.check_store('The "Bits"');
SELECT passage.create_store('The "Bits"', 32, embedding_type => 'halfvec');
SELECT passage.upgrade_store('The "Bits"', dry_run => true);
SELECT passage.upgrade_store('The "Bits"');
SELECT * FROM passage.check_store('The "Bits"');

-- an index of another kind is reported
BEGIN;
DROP INDEX "The ""Bits""".embeddings_embedding_idx;
CREATE INDEX embeddings_embedding_idx ON "The ""Bits""".embeddings USING hnsw (embedding "regress ""ext""".halfvec_cosine_ops);
SELECT * FROM passage.check_store('The "Bits"');
SELECT ARRAY(SELECT content FROM passage.search_hits(embedding => pg_temp.vector('query'), max_hits => 4, store => 'The "Bits"')) = ARRAY(SELECT pg_temp.exact('true', 4));
ROLLBACK;
-- an index of the signs of other vectors is not one of the store
BEGIN;
DROP INDEX "The ""Bits""".embeddings_embedding_idx;
CREATE INDEX other ON "The ""Bits""".embeddings USING hnsw ((("regress ""ext""".binary_quantize("regress ""ext""".l2_normalize(embedding)))::bit(32)) "regress ""ext""".bit_hamming_ops);
SELECT object, problem FROM passage.check_store('The "Bits"');
SELECT ARRAY(SELECT content FROM passage.search_hits(embedding => pg_temp.vector('query'), max_hits => 4, store => 'The "Bits"')) = ARRAY(SELECT pg_temp.exact('true', 4));
ROLLBACK;

-- a table with an index of signs can be adopted; embeddings are compared one by one
RESET ROLE;
CREATE SCHEMA regress_parts;
CREATE TABLE regress_parts.parts (id bigint PRIMARY KEY, page text NOT NULL, place integer NOT NULL, body text NOT NULL, embedding "regress ""ext""".halfvec(32));
CREATE INDEX ON regress_parts.parts USING hnsw ((("regress ""ext""".binary_quantize(embedding))::bit(32)) "regress ""ext""".bit_hamming_ops);
INSERT INTO regress_parts.parts SELECT n, 'a', n, 'part ' || n, pg_temp.vector('part ' || n)::"regress ""ext""".halfvec FROM pg_catalog.generate_series(1, 50) AS n;
SELECT pg_catalog.count(*) > 0 FROM passage.adopt('regress_parts.parts', 'regress_adopted', content => 'body', document => 'page', ordinal => 'place', embedding => 'embedding');
SELECT content FROM passage.search_hits(embedding => pg_temp.vector('part 7'), max_hits => 1, store => 'regress_adopted');
SELECT embedding_type FROM passage.stores() WHERE store = 'regress_adopted';
SELECT * FROM passage.check_store('regress_adopted');
SET ROLE regress_binary_owner;

-- errors
SELECT passage.create_store('regress_bits', 32, 'l2', 'binary');
SELECT passage.create_store('regress_bits', 32, 'inner_product', 'binary');
SELECT passage.create_store('regress_bits', 16001, embedding_type => 'binary');
SELECT passage.create_store('regress_bits', 4001);
SELECT passage.create_store('The "Bits"', 32, embedding_type => 'halfvec');
SELECT passage.create_store('The "Bits"', 64);
-- more dimensions than an index of numbers takes
SELECT pg_catalog.count(*) > 0 FROM passage.create_store('regress_bits', 16000, embedding_type => 'binary');
SELECT * FROM passage.check_store('regress_bits');

RESET search_path;
RESET ROLE;
SET client_min_messages = error;
DROP SCHEMA regress_adopted CASCADE;
DROP SCHEMA "The ""Bits""", regress_bits, regress_parts CASCADE;
DROP OWNED BY regress_binary_owner, regress_binary_reader;
DROP ROLE regress_binary_owner, regress_binary_reader;
DROP EXTENSION vector;
DROP SCHEMA "regress ""ext""";
