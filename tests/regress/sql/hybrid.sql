-- needs: vector
-- search by embedding, and by words and embedding.
SET client_min_messages = warning;
SET passage.store = 'hybrid';
CREATE EXTENSION IF NOT EXISTS vector;
SELECT count(*) > 0 AS made FROM passage.create_store(dimensions => 3);
\pset null -

INSERT INTO hybrid.documents (id, collection, uri) VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000', 'a', 'a'), ('bbbbbbbb-0000-0000-8000-000000000000', 'b', 'b');
INSERT INTO hybrid.chunks (id, document_id, ordinal, content)
SELECT overlay(document::text PLACING to_char(n, 'FM000') FROM 34)::uuid, document, n, format('number %s%s', n, CASE WHEN n % 5 = 0 THEN ' five' END)
FROM unnest('{aaaaaaaa-0000-0000-8000-000000000000,bbbbbbbb-0000-0000-8000-000000000000}'::uuid[]) AS document, generate_series(0, 19) AS n;
-- a greater number is farther from (1, 0, 0); b is on the other side
INSERT INTO hybrid.embeddings
SELECT id, document_id, ARRAY[cos(ordinal / 20.0), sin(ordinal / 20.0) * CASE WHEN document_id < 'b0000000-0000-0000-0000-000000000000' THEN 1 ELSE -1 END, 0.01]::real[]
FROM hybrid.chunks;
ANALYZE hybrid.chunks, hybrid.embeddings, hybrid.documents;

-- the nearest chunks, with the cosine as the score
SELECT rank, uri, content, round(score::numeric, 3) AS score, vector_rank, text_rank FROM passage.search_hits(embedding => '{1,0.02,0}', max_hits => 4);

-- both rankings fused: a chunk gets nothing from a ranking that lacks it
SELECT rank, uri, content, vector_rank, text_rank,
    round((score - coalesce(1.0 / (60 + vector_rank), 0) - coalesce(1.0 / (60 + text_rank), 0))::numeric, 12) AS rest
FROM passage.search_hits('five', '{1,0.02,0}', candidates => 6, max_hits => 8);
SELECT uri, content, vector_rank, text_rank FROM passage.search_hits('five', '{1,0.02,0}', candidates => 4, max_hits => 3, text_weight => 0);
SELECT uri, content, vector_rank, text_rank FROM passage.search_hits('five', '{1,0.02,0}', candidates => 4, max_hits => 3, vector_weight => 0);
SELECT count(DISTINCT score) AS by_rank FROM passage.search_hits('five', '{1,0.02,0}', rrf_k => 0, max_hits => 3);
SELECT count(*) FILTER (WHERE vector_rank IS NOT NULL) AS vector, count(*) FILTER (WHERE text_rank IS NOT NULL) AS text
FROM passage.search_hits('five', '{1,0.02,0}', mode => 'text', max_hits => 100);

-- a filter does not reduce the number of hits, although the index alone would find few of b
SELECT count(*), min(uri), max(vector_rank) FROM passage.search_hits(embedding => '{0.5,0.9,0}', collection => 'b', max_hits => 20);
SELECT count(*) AS all_of_them FROM passage.search_hits(embedding => '{1,0,0}', max_hits => 1000);

-- min_similarity applies to the hits of both rankings
SELECT count(*) AS near, min(vector_score) >= 0.9 AS all_near FROM passage.search_hits(embedding => '{1,0,0}', min_similarity => 0.9, max_hits => 100);
SELECT uri, content FROM passage.search_hits('five', '{1,0,0}', min_similarity => 0.99, max_hits => 100) WHERE text_rank IS NOT NULL ORDER BY uri;
SELECT count(*) FROM passage.search_hits('five', '{1,0,0}', mode => 'text', min_similarity => 0.9, max_hits => 100);

-- the call uses settings of pgvector and leaves the caller's settings unchanged
SET hnsw.ef_search = 5;
SELECT count(*) FROM passage.search_hits(embedding => '[1,0,0]'::vector, max_hits => 30);
SELECT count(*) FROM passage.search_hits(embedding => '[1,0,0]'::halfvec::vector, mode => 'vector');
SHOW hnsw.ef_search;
SHOW hnsw.iterative_scan;

-- passages
SELECT rank, uri, first_line, tokens, content FROM passage.search('five', '{1,0.02,0}', strategy => 'none', candidates => 2, max_distance => 1) ORDER BY rank;

-- the vector ranking uses the index
SET enable_seqscan = on;
CREATE TABLE hybrid.before AS SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'embeddings_embedding_idx' AND schemaname = 'hybrid';
SELECT count(*) FROM passage.search_hits(embedding => '{1,0,0}');
SELECT pg_stat_force_next_flush();
SELECT stat.idx_scan > before.idx_scan AS walked FROM hybrid.before, pg_stat_user_indexes AS stat WHERE indexrelname = 'embeddings_embedding_idx' AND schemaname = 'hybrid';

-- a zero vector has no direction; errors
SELECT count(*) FROM passage.search_hits(embedding => '{0,0,0}');
SELECT * FROM passage.search(embedding => '{1,0}');
SELECT * FROM passage.search(embedding => '{}');
SELECT * FROM passage.search(embedding => '{1,NULL,0}');
SELECT * FROM passage.search(embedding => '{1,NaN,0}');
SELECT * FROM passage.search(embedding => '{1,0,0}', mode => 'hybrid');
SELECT * FROM passage.search(embedding => '{1,0,0}', min_similarity => 2);

-- other distances
SELECT count(*) > 0 AS made FROM passage.create_store('hybrid_l2', 2, 'l2', 'halfvec');
INSERT INTO hybrid_l2.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'a');
INSERT INTO hybrid_l2.chunks (id, document_id, ordinal, content)
SELECT gen_random_uuid(), 'aaaaaaaa-0000-0000-8000-000000000000', n, n::text FROM generate_series(0, 3) AS n;
INSERT INTO hybrid_l2.embeddings SELECT id, document_id, ARRAY[ordinal, 1]::real[]::halfvec FROM hybrid_l2.chunks;
SELECT content, round(score::numeric, 3) AS score FROM passage.search_hits(embedding => '{2.1,1}', store => 'hybrid_l2');
SELECT content FROM passage.search_hits(embedding => '{3,1}', min_similarity => 0.98, store => 'hybrid_l2');
SELECT count(*) > 0 AS made FROM passage.create_store('hybrid_ip', 2, 'inner_product');
INSERT INTO hybrid_ip.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'a');
INSERT INTO hybrid_ip.chunks (id, document_id, ordinal, content)
SELECT gen_random_uuid(), 'aaaaaaaa-0000-0000-8000-000000000000', n, n::text FROM generate_series(0, 3) AS n;
INSERT INTO hybrid_ip.embeddings SELECT id, document_id, ARRAY[ordinal, 1]::real[] FROM hybrid_ip.chunks;
SELECT content, round(score::numeric, 3) AS score FROM passage.search_hits(embedding => '{2,1}', store => 'hybrid_ip');

DROP SCHEMA hybrid, hybrid_l2, hybrid_ip CASCADE;
