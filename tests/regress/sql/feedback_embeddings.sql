-- needs: vector
-- Ratings with embeddings of their questions.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE EXTENSION IF NOT EXISTS vector;
\pset null -
SELECT count(*) > 0 AS made FROM passage.create_store('rated', dimensions => 3);
SET passage.store = 'rated';
SELECT count(*) AS ingested FROM (VALUES ('a.md', 'First words.'), ('b.md', 'Second words.'), ('c.md', 'Third words.'), ('d.md', 'Others.')) AS texts (uri, text), passage.ingest(uri, text);
INSERT INTO rated.embeddings (chunk_id, document_id, embedding)
SELECT c.id, c.document_id, (CASE d.uri WHEN 'a.md' THEN '[1,0,0]' WHEN 'b.md' THEN '[0.9,0.3,0]' WHEN 'c.md' THEN '[0.8,0.5,0]' ELSE '[0,0,1]' END)::vector
FROM rated.chunks AS c JOIN rated.documents AS d ON d.id = c.document_id;
CREATE FUNCTION chunk(uri text) RETURNS uuid LANGUAGE sql AS $$ SELECT c.id FROM rated.chunks AS c JOIN rated.documents AS d ON d.id = c.document_id WHERE d.uri = $1 $$;
CREATE FUNCTION public.found(query text, embedding real[], ranking jsonb DEFAULT NULL, filter jsonb DEFAULT NULL, max_hits integer DEFAULT 10) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(split_part(uri, '.', 1), ' ' ORDER BY rank) FROM passage.search_hits(query, embedding, max_hits => max_hits, filter => filter, ranking => ranking)
$$;

-- questions with other words are alike by their embeddings
SELECT passage.rate('unrelated question', chunk('c.md'), 1, '{1,0,0}');
SELECT embedding, lexemes FROM rated.ratings;
SELECT near, round(vote::numeric, 3) AS vote
FROM (VALUES ('{1,0,0}'::real[]), ('{2,0,0}'), ('{0.9,0.2,0}'), ('{0.7,0.5,0}'), ('{0.6,0.8,0}'), ('{0,0,0}')) AS asked (near) LEFT JOIN LATERAL _passage.rated_chunks('rated', 'zzz', near) ON true;
SELECT found(NULL, '{1,0,0}'), found(NULL, '{1,0,0}', '{"feedback": 1}'), found(NULL, '{0.6,0.8,0}', '{"feedback": 1}') = found(NULL, '{0.6,0.8,0}') AS is_same;
SELECT found('first words', '{1,0,0}', '{"feedback": 1}'), found('first words', '{1,0,0}', '{"feedback": 1, "rrf_k": 60}'), found('first', '{1,0,0}', '{"feedback": 1, "mode": "text"}');
-- a chunk that no leg found must be similar enough for the filter
SELECT passage.rate('others', chunk('d.md'), 1, '{1,0,0}');
SELECT found('first', '{1,0,0}', '{"feedback": 1, "candidates": 1}'), found('first', '{1,0,0}', '{"feedback": 1, "candidates": 1}', '{"min_similarity": 0.5}'), found(NULL, '{1,0,0}', '{"feedback": 1}', '{"min_similarity": 0.5}');
-- without an embedding, a second rating keeps that of the first
SELECT passage.rate('others', chunk('d.md'), -1);
SELECT rating, embedding FROM rated.ratings WHERE query = 'others';
-- a query without words needs its embedding
SELECT passage.rate('the of', chunk('a.md'), 1, '{1,0,0}');
-- errors
SELECT passage.rate('others', chunk('d.md'), 1, '{1,0}');
SELECT passage.rate('others', chunk('d.md'), 1, '{1,0,NaN}');
SELECT passage.rate('others', chunk('d.md'), 1, '{{1,0,1}}');
-- a column of other dimensions is not compared
ALTER TABLE rated.ratings ALTER COLUMN embedding TYPE vector(2) USING NULL;
SELECT found(NULL, '{1,0,0}', '{"feedback": 1}') = found(NULL, '{1,0,0}') AS is_same;
ALTER TABLE rated.ratings DROP COLUMN embedding;
SELECT passage.rate('others', chunk('d.md'), 1, '{1,0,0}');
SELECT passage.rate('first', chunk('d.md'), 1);
SELECT object, problem FROM passage.check_store();
SELECT * FROM passage.upgrade_store();
SELECT passage.rate('first', chunk('d.md'), 1, '{0,1,0}');
DROP SCHEMA rated CASCADE;
-- half precision, and a store whose index has only the signs
SELECT count(*) > 0 AS made FROM passage.create_store('rated', dimensions => 3, embedding_type => 'halfvec');
SELECT count(*) > 0 AS made FROM passage.create_store('bits', dimensions => 3, embedding_type => 'binary');
SELECT count(*) AS ingested FROM unnest('{rated,bits}'::name[]) AS store, passage.ingest('a.md', 'First words.', store => store);
SELECT passage.rate('first', id, 1, '{1,0,0}', store => 'bits') FROM bits.chunks;
SELECT passage.rate('first', id, 1, '{1,0,0}') FROM rated.chunks;
SELECT store, round(vote::numeric, 3) AS vote FROM unnest('{rated,bits}'::name[]) AS store, _passage.rated_chunks(store, NULL, '{0.95,0.2,0}');
-- a copy for the store that replaces it
SELECT _passage.ratings_copy('rated', 'bits', true), _passage.ratings_copy('rated', 'bits', false), _passage.ratings_copy('rated', 'public', true);
DROP SCHEMA rated, bits CASCADE;
DROP FUNCTION chunk, found;
