-- merge: a section replaces its parts when enough of them were hit.
SET client_min_messages = warning;
SET passage.store = 'merging';
SELECT count(*) > 0 AS made FROM passage.create_store();
INSERT INTO merging.documents (id, uri, media_type) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'book.md', 'text/markdown');
INSERT INTO merging.chunks (id, document_id, ordinal, section, content, tokens)
SELECT ('aaaaaaaa-0000-0000-0000-' || lpad(place::text, 12, '0'))::uuid, 'aaaaaaaa-0000-0000-8000-000000000000', place - 1,
    string_to_array(section, '/'), chr(96 + place::integer), tokens
FROM (VALUES (1, 'A', 10), (2, 'A/X', 10), (3, 'A/X', 10), (4, 'A/X', 50), (5, 'A/Y', 10), (6, 'A/Z', 10), (7, 'B', 10), (8, 'B', 10), (9, 'C', 10), (10, 'D', 10)) AS listed (place, section, tokens);
CREATE FUNCTION pg_temp.ids(VARIADIC contents text[]) RETURNS uuid[]
LANGUAGE sql STABLE AS $$SELECT array_agg(id ORDER BY place) FROM unnest(contents) WITH ORDINALITY AS listed (content, place) JOIN merging.chunks USING (content)$$;
CREATE FUNCTION pg_temp.merged(ids uuid[], threshold double precision DEFAULT NULL, count_by text DEFAULT NULL, max_chunks integer DEFAULT NULL) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT string_agg(CASE role WHEN 'hit' THEN upper(content) WHEN 'adjacent' THEN '(' || content || ')' ELSE content END, '' ORDER BY ordinal)
    FROM passage.expand_contexts(ids, NULL, 'merge', limits => passage.limits(threshold => threshold, count_by => count_by), max_chunks => max_chunks)
$$;

-- two of three: merged; one of three and one of two: not, since the threshold must be exceeded
SELECT pg_temp.merged(pg_temp.ids('b', 'c'));
SELECT pg_temp.merged(pg_temp.ids('b'));
SELECT pg_temp.merged(pg_temp.ids('g'));
SELECT pg_temp.merged(pg_temp.ids('g'), threshold => 0.4);
-- counted in tokens, the large chunk weighs more
SELECT pg_temp.merged(pg_temp.ids('b', 'c'), count_by => 'tokens');
SELECT pg_temp.merged(pg_temp.ids('d'), count_by => 'tokens');
-- one pass up the tree: X and Y are most of A, but A alone is not most of the book
SELECT pg_temp.merged(pg_temp.ids('b', 'c', 'e', 'f'));
SELECT pg_temp.merged(pg_temp.ids('b', 'c', 'e', 'f', 'g', 'h', 'i'));
-- a single missing chunk between two chunks is added
SELECT pg_temp.merged(pg_temp.ids('h', 'j'));
-- a section of more than max_chunks to one side is not merged
SELECT pg_temp.merged(pg_temp.ids('b', 'c'), max_chunks => 2);
-- a merged section is one passage, scored by its best hit, the mean, the sum or the rank
SELECT score_by, round(score::numeric, 4) AS score, content
FROM unnest('{max,mean,sum,rank}'::text[]) AS score_by, passage.reassemble(pg_temp.ids('b', 'e', 'f'), '{0.9,0.3,0.6}', 'merge', output => passage.output(max_distance => 0), ranking => passage.ranking(score_by => score_by), limits => passage.limits(threshold => 0.3));
-- a strategy of the store can lower the threshold
INSERT INTO merging.strategies (name, base, threshold, count_by, default_for) VALUES ('eager', 'merge', 0.1, 'tokens', '{text/*}');
SELECT string_agg(content, '' ORDER BY ordinal) FROM passage.expand_context((pg_temp.ids('g'))[1]);
SELECT pg_temp.merged(pg_temp.ids('g'), threshold => 1.5);
SELECT pg_temp.merged(pg_temp.ids('g'), count_by => 'words');
INSERT INTO merging.strategies (name, threshold) VALUES ('wrong', 2);
INSERT INTO merging.strategies (name, count_by) VALUES ('wrong', 'words');
INSERT INTO merging.strategies (name, default_for) VALUES ('wrong', '{text/html,NULL}');
INSERT INTO merging.strategies (name, default_for) VALUES ('wrong', '{{text/html}}');
-- additional columns of the table strategies have no effect
ALTER TABLE merging.strategies ADD COLUMN note jsonb DEFAULT '[1e400]';
UPDATE merging.strategies SET windows = '{"prose": 1.0}' WHERE name = 'eager';
SELECT count(*) FROM passage.expand_context((pg_temp.ids('g'))[1]);
INSERT INTO merging.strategies (name, windows) VALUES ('wrong', '{"data": 1}');
INSERT INTO merging.strategies (name, windows) VALUES ('wrong', '{"code": -1}');
INSERT INTO merging.strategies (name, windows) VALUES ('wrong', '{"code": 1.5}');

DROP SCHEMA merging CASCADE;
