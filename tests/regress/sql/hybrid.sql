-- needs: vector
-- search by embedding, and by words and embedding.
SET client_min_messages = warning;
SET passage.store = 'hybrid';
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
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

-- both rankings fused by their scores: a chunk gets nothing from a ranking that lacks it, and a quarter of the best for the word
SELECT rank, uri, content, vector_rank, text_rank, round(h.score::numeric, 6) AS score,
    round((h.score - coalesce(5.0 / (10 + vector_rank) + greatest(0, (vector_score - last.vector) / (best.vector - last.vector)), 0)
        - 1.5 * coalesce(5.0 / (10 + text_rank) + CASE WHEN best.text > last.text THEN (text_score - last.text) / (best.text - last.text) ELSE 1 END, 0)
        - 0.25 * best.score / 1.25 * (content LIKE '%five')::integer)::numeric, 12) AS rest
FROM passage.search_hits('five', '{1,0.02,0}', ranking => passage.ranking(candidates => 6), max_hits => 8) AS h,
    (SELECT max(vector_score), max(text_score), max(score) FROM passage.search_hits('five', '{1,0.02,0}', ranking => passage.ranking(candidates => 6), max_hits => 100)) AS best (vector, text, score),
    (SELECT min(vector_score), min(text_score) FROM passage.search_hits('five', '{1,0.02,0}', ranking => passage.ranking(candidates => 6), max_hits => 100)) AS last (vector, text)
ORDER BY rank;
-- the words weigh 1.5 m if the best chunk has the share m of the query; a complete ranking by words ends at 0. A neighbor
-- adds 0.45 (1 - m^8) of its score, and the share of the query that a chunk has a quarter of the best score
WITH query (query, words) AS (VALUES ('15 five', '{15,five}'::text[]), ('15 ten twenty', '{15,ten,twenty}'), ('15 five the ten', '{15,five,ten}')),
word AS (SELECT query, word, ln(1 + (40 - count(c.id) + 0.5) / (count(c.id) + 0.5)) AS idf
    FROM query, unnest(words) AS word LEFT JOIN hybrid.chunks AS c ON c.content ~ ('\m' || word || '\M') GROUP BY query, word),
hit AS (SELECT query.query, h.*, split_part(content, ' ', 2)::integer AS n,
        (SELECT sum(idf) FILTER (WHERE h.content ~ ('\m' || word || '\M')) / sum(idf) FROM word WHERE word.query = query.query) AS share
    FROM query, passage.search_hits(query.query, '{1,0.02,0}', max_hits => 100) AS h),
base AS (SELECT *, coalesce(max(share) OVER q, 0) AS m,
        coalesce(5.0 / (10 + vector_rank) + (vector_score - min(vector_score) OVER q) / (max(vector_score) OVER q - min(vector_score) OVER q), 0)
        + coalesce(1.5 * max(share) OVER q * (5.0 / (10 + text_rank) + text_score / max(text_score) OVER q), 0) AS base
    FROM hit WINDOW q AS (PARTITION BY query)),
neighbor AS (SELECT *, max(base) OVER (PARTITION BY query) AS best,
        max(base) OVER (d RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS before, max(base) OVER (d RANGE BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS after
    FROM base WINDOW d AS (PARTITION BY query, uri ORDER BY n))
SELECT query, round(max(m)::numeric, 3) AS m, count(*) FILTER (WHERE before > 0 OR after > 0) AS with_neighbor,
    bool_and(abs(score - base - 0.45 * (1 - m ^ 8) * coalesce(greatest(before, after), 0) - 0.25 * best * coalesce(share, 0)) < 1e-9) AS as_documented,
    (array_agg(content ORDER BY rank))[1] AS first
FROM neighbor GROUP BY query ORDER BY query;
SELECT bool_and(a.score = b.score) AS default_is_null FROM passage.search_hits('five', '{1,0.02,0}') AS a
JOIN passage.search_hits('five', '{1,0.02,0}', ranking => passage.ranking(text_weight => 1)) AS b USING (chunk_id);

-- both fused by reciprocal rank
SELECT rank, uri, content, vector_rank, text_rank,
    round((score - coalesce(1.0 / (60 + vector_rank), 0) - coalesce(1.0 / (60 + text_rank), 0))::numeric, 12) AS rest
FROM passage.search_hits('five', '{1,0.02,0}', ranking => passage.ranking(candidates => 6, rrf_k => 60), max_hits => 8);
SELECT uri, content, vector_rank, text_rank FROM passage.search_hits('five', '{1,0.02,0}', ranking => passage.ranking(candidates => 4, text_weight => 0), max_hits => 3);
SELECT uri, content, vector_rank, text_rank FROM passage.search_hits('five', '{1,0.02,0}', ranking => passage.ranking(candidates => 4, vector_weight => 0), max_hits => 3);
SELECT count(DISTINCT score) AS by_rank FROM passage.search_hits('five', '{1,0.02,0}', ranking => passage.ranking(rrf_k => 0), max_hits => 3);
SELECT count(*) FILTER (WHERE vector_rank IS NOT NULL) AS vector, count(*) FILTER (WHERE text_rank IS NOT NULL) AS text
FROM passage.search_hits('five', '{1,0.02,0}', ranking => passage.ranking(mode => 'text'), max_hits => 100);

-- a filter does not reduce the number of hits, although the index alone would find few of b
SELECT count(*), min(uri), max(vector_rank) FROM passage.search_hits(embedding => '{0.5,0.9,0}', collection => 'b', max_hits => 20);
SELECT count(*) AS all_of_them FROM passage.search_hits(embedding => '{1,0,0}', max_hits => 1000);

-- min_similarity applies to the hits of both rankings
SELECT count(*) AS near, min(vector_score) >= 0.9 AS all_near FROM passage.search_hits(embedding => '{1,0,0}', filter => passage.filter(min_similarity => 0.9), max_hits => 100);
SELECT uri, content FROM passage.search_hits('five', '{1,0,0}', filter => passage.filter(min_similarity => 0.99), max_hits => 100) WHERE text_rank IS NOT NULL ORDER BY uri;
SELECT count(*) FROM passage.search_hits('five', '{1,0,0}', ranking => passage.ranking(mode => 'text'), filter => passage.filter(min_similarity => 0.9), max_hits => 100);

-- the call uses settings of pgvector and leaves the caller's settings unchanged
SET hnsw.ef_search = 5;
SELECT count(*) FROM passage.search_hits(embedding => '[1,0,0]'::vector, max_hits => 30);
SELECT count(*) FROM passage.search_hits(embedding => '[1,0,0]'::halfvec::vector, ranking => passage.ranking(mode => 'vector'));
SHOW hnsw.ef_search;
SHOW hnsw.iterative_scan;

-- passages
SELECT rank, uri, first_line, tokens, content FROM passage.search('five', '{1,0.02,0}', strategy => 'none', ranking => passage.ranking(candidates => 2), output => passage.output(max_distance => 1)) ORDER BY rank;

-- the vector ranking uses the index
SET enable_seqscan = on;
CREATE TABLE hybrid.before AS SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'embeddings_embedding_idx' AND schemaname = 'hybrid';
SELECT count(*) FROM passage.search_hits(embedding => '{1,0,0}');
SELECT pg_stat_force_next_flush();
SELECT stat.idx_scan > before.idx_scan AS walked FROM hybrid.before, pg_stat_user_indexes AS stat WHERE indexrelname = 'embeddings_embedding_idx' AND schemaname = 'hybrid';

-- The index scan ends early, and more chunks pass the filters than are compared one by one. The nearest chunks are the
-- last of the table, so only the index finds them.
SELECT count(*) > 0 AS made FROM passage.create_store('hybrid_wide', dimensions => 2);
DROP INDEX hybrid_wide.chunks_tsv_idx, hybrid_wide.chunks_path_idx, hybrid_wide.embeddings_embedding_idx;
INSERT INTO hybrid_wide.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'a');
INSERT INTO hybrid_wide.chunks (id, document_id, ordinal, content)
SELECT gen_random_uuid(), 'aaaaaaaa-0000-0000-8000-000000000000', n, 'x' FROM generate_series(0, 20199) AS n;
INSERT INTO hybrid_wide.embeddings
SELECT id, document_id, ARRAY[cos((20199 - ordinal) / 10000.0), sin((20199 - ordinal) / 10000.0)]::real[]::vector
FROM hybrid_wide.chunks ORDER BY ordinal;
CREATE INDEX ON hybrid_wide.embeddings USING hnsw (embedding vector_cosine_ops);
ANALYZE hybrid_wide.documents, hybrid_wide.chunks, hybrid_wide.embeddings;
SET hnsw.max_scan_tuples = 1;
SELECT count(*) AS hits, count(DISTINCT chunk_id) AS chunks, array_agg(ordinal ORDER BY rank) FILTER (WHERE rank <= 10) AS nearest
FROM passage.search_hits(embedding => '{0.8776,-0.4794}', max_hits => 17500, ranking => passage.ranking(candidates => 17500), store => 'hybrid_wide') JOIN hybrid_wide.chunks ON id = chunk_id;
RESET hnsw.max_scan_tuples;

-- a zero vector has no direction; errors
SELECT count(*) FROM passage.search_hits(embedding => '{0,0,0}');
SELECT * FROM passage.search(embedding => '{1,0}');
SELECT * FROM passage.search(embedding => '{}');
SELECT * FROM passage.search(embedding => '{1,NULL,0}');
SELECT * FROM passage.search(embedding => '{1,NaN,0}');
SELECT * FROM passage.search(embedding => '{1,0,0}', ranking => passage.ranking(mode => 'hybrid'));
SELECT * FROM passage.search(embedding => '{1,0,0}', filter => passage.filter(min_similarity => 2));

-- other distances
SELECT count(*) > 0 AS made FROM passage.create_store('hybrid_l2', 2, 'l2', 'halfvec');
INSERT INTO hybrid_l2.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'a');
INSERT INTO hybrid_l2.chunks (id, document_id, ordinal, content)
SELECT gen_random_uuid(), 'aaaaaaaa-0000-0000-8000-000000000000', n, n::text FROM generate_series(0, 3) AS n;
INSERT INTO hybrid_l2.embeddings SELECT id, document_id, ARRAY[ordinal, 1]::real[]::halfvec FROM hybrid_l2.chunks;
SELECT content, round(score::numeric, 3) AS score FROM passage.search_hits(embedding => '{2.1,1}', store => 'hybrid_l2');
SELECT content FROM passage.search_hits(embedding => '{3,1}', filter => passage.filter(min_similarity => 0.98), store => 'hybrid_l2');
SELECT count(*) > 0 AS made FROM passage.create_store('hybrid_ip', 2, 'inner_product');
INSERT INTO hybrid_ip.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'a');
INSERT INTO hybrid_ip.chunks (id, document_id, ordinal, content)
SELECT gen_random_uuid(), 'aaaaaaaa-0000-0000-8000-000000000000', n, n::text FROM generate_series(0, 3) AS n;
INSERT INTO hybrid_ip.embeddings SELECT id, document_id, ARRAY[ordinal, 1]::real[] FROM hybrid_ip.chunks;
SELECT content, round(score::numeric, 3) AS score FROM passage.search_hits(embedding => '{2,1}', store => 'hybrid_ip');

DROP SCHEMA hybrid, hybrid_l2, hybrid_ip, hybrid_wide CASCADE;
