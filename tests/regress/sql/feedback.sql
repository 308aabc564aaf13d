-- Ratings of chunks, and the searches that count them.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
\pset format unaligned
\pset null -
SELECT count(*) > 0 AS made FROM passage.create_store('rated');
SET passage.store = 'rated';
SELECT count(*) AS ingested FROM (VALUES
    ('bundle.md', E'Files rotate each night.'), ('archive.md', E'Old files are kept in the archive. The collector rotates them.'), ('signal.md', E'A signal lets the collector rotate its files by hand. It has other uses too.'),
    ('names.md', E'The names of the files.'), ('keys.md', E'Rotate your keys.'), ('disk.md', E'Logs need space on the disk.'), ('secret.md', E'How to open the door.')
) AS texts (uri, text), passage.ingest(uri, text);
\pset tuples_only on
CREATE FUNCTION chunk(uri text) RETURNS uuid LANGUAGE sql AS $$ SELECT c.id FROM rated.chunks AS c JOIN rated.documents AS d ON d.id = c.document_id WHERE d.uri = $1 $$;
CREATE FUNCTION public.found(query text, ranking jsonb DEFAULT NULL, max_hits integer DEFAULT 10, filter jsonb DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(split_part(uri, '.', 1), ' ' ORDER BY rank) FROM passage.search_hits(query, max_hits => max_hits, filter => filter, ranking => ranking)
$$;
-- without ratings
SELECT found('collector rotates files'), found('collector rotates files', '{"feedback": 1}') = found('collector rotates files') AS is_same;

-- a rating moves a chunk for the same question, for a similar one less, and for others not at all
SELECT passage.rate('collector rotates files', chunk('names.md'), 1);
SELECT found('collector rotates files', passage.ranking(feedback => 0.1)), found('Rotate files by collector?', passage.ranking(feedback => 1)), found('rotates files', '{"feedback": 1}'), found('keys', '{"feedback": 1}'), found('rotates files');
SELECT passage.rate('collector rotates files', chunk('bundle.md'), -1);
SELECT found('collector rotates files', '{"feedback": 1}');
-- the scores stay those of the places, and ranks and scores of the legs those of the hits
SELECT rank, uri, score = (SELECT h.score FROM passage.search_hits('collector rotates files') AS h WHERE h.rank = rated.rank) AS same_score, text_rank
FROM passage.search_hits('collector rotates files', ranking => '{"feedback": 1}') AS rated ORDER BY rank;
SELECT string_agg(uri, ' ' ORDER BY rank) FROM passage.search('collector rotates files', ranking => '{"feedback": 1}');

-- no hit that lacks a word passes the first with all of them, and ratings choose which one that is
SELECT count(*) FROM generate_series(1, 20) AS n, passage.rate('collector rotates files', chunk('keys.md'), 1, rated_by => 'user ' || n) AS a, passage.rate('collector rotates files', chunk('archive.md'), -1, rated_by => 'user ' || n) AS b;
SELECT found('collector rotates files', '{"feedback": 1}');

-- chunks that no leg found, if they pass the filters
SELECT passage.rate('collector rotates files', chunk('disk.md'), 0.5);
SELECT found('collector rotates files', '{"feedback": 1}'), found('collector rotates files', '{"feedback": 1}', 2), found('collector rotates files', '{"feedback": 1}', 10, '{"uri_pattern": "%s.md"}'), found('collector rotates files -disk', '{"feedback": 1}');
UPDATE rated.documents SET orphaned_at = now() WHERE uri = 'disk.md';
SELECT found('collector rotates files', '{"feedback": 1}'), found('collector rotates files', '{"feedback": 1}', 10, '{"include_orphaned": true}');
UPDATE rated.documents SET orphaned_at = NULL;

-- a second rating replaces the first, and 0 withdraws it
SELECT count(*) FROM rated.ratings;
SELECT passage.rate('collector rotates files', chunk('disk.md'), -0.25);
SELECT count(*), sum(rating) FILTER (WHERE chunk_id = chunk('disk.md')) FROM rated.ratings;
SELECT passage.rate('collector rotates files', chunk('names.md'), 0);
DELETE FROM rated.ratings WHERE rated_by LIKE 'user%';
SELECT found('collector rotates files', '{"feedback": 1}');

-- one role has one vote for a chunk, whatever the number of its questions
DELETE FROM rated.ratings;
SELECT count(*) FROM generate_series(1, 100) AS n, passage.rate(concat('collector rotates files', repeat('!', n)), chunk('names.md'), 1);
SELECT count(*), max(lexemes::text) FROM rated.ratings;
SELECT chunk_id = chunk('names.md') AS is_chunk, vote FROM _passage.rated_chunks('rated', 'collector rotates files', NULL);
SELECT passage.rate('collector rotates files', chunk('names.md'), 1, rated_by => 'other');
SELECT round(vote::numeric, 3) FROM _passage.rated_chunks('rated', 'rotates files', NULL);
SELECT count(*) FROM _passage.rated_chunks('rated', 'files', NULL);

-- a name keeps its place in front
SELECT outcome FROM passage.ingest('named.md', E'# Log names\n\nSee the names.\n');
SELECT count(*) FROM generate_series(1, 30) AS n, passage.rate('log names', chunk('named.md'), -1, rated_by => n::text);
SELECT found('log names', '{"feedback": 1}');

-- odd rows that somebody writes
INSERT INTO rated.ratings (rated_by, rated_at, query, lexemes, document_id, chunk_id, rating)
SELECT n, time::timestamptz, 'odd', lexemes, gen_random_uuid(), chunk('keys.md'), 1
FROM (VALUES ('1', 'infinity', '{NULL}'::text[]), ('2', '-infinity', '{{file,file},{file,NULL}}'), ('3', 'now', array_fill('file'::text, '{100}')), ('4', 'now', '{}'), ('5', 'now', '{""}')) AS odd (n, time, lexemes);
INSERT INTO rated.ratings (query, lexemes, document_id, chunk_id, rating) VALUES ('file', '{file}', gen_random_uuid(), gen_random_uuid(), 1);
SELECT count(*) FILTER (WHERE chunk_id = chunk('keys.md')) AS of_odd_rows, count(*) FROM _passage.rated_chunks('rated', 'file', NULL);
SELECT found('file', '{"feedback": 1}') IS NOT NULL;
\set VERBOSITY terse
INSERT INTO rated.ratings (query, lexemes, document_id, chunk_id, rating) SELECT 'nan', '{file}', gen_random_uuid(), chunk('keys.md'), 'NaN';
\set VERBOSITY default
ALTER TABLE rated.ratings DROP CONSTRAINT ratings_rating_check;
INSERT INTO rated.ratings (query, lexemes, document_id, chunk_id, rating) SELECT value, '{disk}', gen_random_uuid(), chunk('keys.md'), value::real FROM unnest('{NaN,Infinity,-Infinity,1.5}'::text[]) AS value;
SELECT count(*) FROM _passage.rated_chunks('rated', 'disk', NULL);
DELETE FROM rated.ratings WHERE query = 'odd' OR query = 'file' OR lexemes = '{disk}';

-- ratings survive a change of their document, and have no effect once their chunk is removed
SELECT outcome FROM passage.ingest('door.md', E'# Door\n\nA key can open it.\n\n# Wall\n\nIt stays where it is.\n', splitting => passage.splitting(max_size => 60, preferred_size => 30, min_size => 10));
SELECT passage.rate('open wide', id, 1) FROM rated.chunks WHERE content ~ 'A key';
SELECT kept, added, removed FROM passage.ingest('door.md', E'# Door\n\nA key can open it.\n\n# Wall\n\nIt was removed.\n', splitting => passage.splitting(max_size => 60, preferred_size => 30, min_size => 10));
SELECT count(*) FROM _passage.rated_chunks('rated', 'open wide', NULL) JOIN rated.chunks ON id = chunk_id;
SELECT kept, added, removed FROM passage.ingest('door.md', E'# Door\n\nA code can open it.\n\n# Wall\n\nIt was removed.\n', splitting => passage.splitting(max_size => 60, preferred_size => 30, min_size => 10));
SELECT count(*) FROM _passage.rated_chunks('rated', 'open wide', NULL) JOIN rated.chunks ON id = chunk_id;
DELETE FROM rated.ratings WHERE query = 'open wide';
SELECT passage.rate('open door', chunk('secret.md'), 1);
SELECT found('open door', '{"feedback": 1}', 1), count(*) FROM rated.ratings WHERE query = 'open door';
SELECT documents FROM passage.remove(uri => 'secret.md');
SELECT outcome FROM passage.ingest('secret.md', E'How to open the door.');
SELECT vote FROM _passage.rated_chunks('rated', 'open door', NULL);
SELECT documents FROM passage.remove(uri => 'secret.md');
SELECT coalesce(found('open door', '{"feedback": 1}'), 'nothing');
SELECT object, problem, remedy FROM passage.check_store(data => true);
DELETE FROM rated.ratings WHERE NOT EXISTS (SELECT FROM rated.chunks WHERE chunks.id = ratings.chunk_id);
SELECT count(*) FROM passage.check_store(data => true);

-- rights and policies
CREATE ROLE regress_rater;
GRANT USAGE ON SCHEMA rated TO regress_rater;
GRANT SELECT ON rated.documents, rated.chunks, rated.strategies, rated.settings TO regress_rater;
SET ROLE regress_rater;
SELECT passage.rate('files', (SELECT id FROM rated.chunks LIMIT 1), 1);
SELECT * FROM passage.search_hits('files', ranking => '{"feedback": 0.5}');
SELECT count(*) FROM passage.search_hits('files', ranking => '{"feedback": 0}');
RESET ROLE;
GRANT SELECT, INSERT (query, lexemes, document_id, chunk_id, rating) ON rated.ratings TO regress_rater;
CREATE POLICY shown ON rated.documents USING (uri <> 'keys.md');
CREATE POLICY shown ON rated.chunks USING (EXISTS (SELECT FROM rated.documents WHERE documents.id = chunks.document_id));
ALTER TABLE rated.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE rated.chunks ENABLE ROW LEVEL SECURITY;
DELETE FROM rated.ratings;
SELECT chunk('keys.md') AS hidden, chunk('names.md') AS shown \gset
SELECT passage.rate('files', :'hidden', 1);
SET ROLE regress_rater;
SELECT found('files', '{"feedback": 1}');
SELECT passage.rate('files', :'shown', 1);
SELECT passage.rate('files', :'shown', 1);
SELECT passage.rate('files', :'shown', 1, rated_by => 'postgres');
\set VERBOSITY terse
SELECT passage.rate('files', :'hidden', 1);
\set VERBOSITY default
SELECT rated_by, query, rating FROM rated.ratings WHERE chunk_id = :'shown';
RESET ROLE;
GRANT UPDATE ON rated.ratings TO regress_rater;
CREATE POLICY own ON rated.ratings USING (rated_by = current_user);
ALTER TABLE rated.ratings ENABLE ROW LEVEL SECURITY;
SET ROLE regress_rater;
SELECT passage.rate('files', :'shown', -1);
SELECT count(*), sum(rating) FROM rated.ratings;
SELECT count(*) FROM _passage.rated_chunks('rated', 'files', NULL);
RESET ROLE;
SELECT count(*) FROM _passage.rated_chunks('rated', 'files', NULL);

-- errors
\pset tuples_only off
SELECT passage.rate(' ', :'shown', 1);
SELECT passage.rate(NULL, :'shown', 1);
SELECT passage.rate('the of', :'shown', 1);
SELECT passage.rate('files', :'shown', 'NaN');
SELECT passage.rate('files', :'shown', 1.01);
SELECT passage.rate('files', :'shown', NULL);
SELECT passage.rate('files', NULL, 1);
SELECT passage.rate('files', :'shown', 1, '{1,0,0}');
SELECT passage.rate('files', :'shown', 1, '{1,NULL,0}');
SELECT passage.rate('files', :'shown', 1, rated_by => '');
SELECT passage.rate('files', :'shown', 1, store => 'no_such_store');
BEGIN READ ONLY;
SELECT passage.rate('files', :'shown', 1);
ROLLBACK;
SELECT * FROM passage.search_hits('files', ranking => '{"feedback": 1.5}');
SELECT * FROM passage.search_hits('files', ranking => '{"feedback": "much"}');
SELECT * FROM passage.reassemble('{}', ranking => '{"feedback": 1}');
-- a store of an earlier layout, and a table of another program
DROP TABLE rated.ratings;
SELECT passage.rate('files', :'shown', 1);
SELECT * FROM passage.search_hits('files', ranking => '{"feedback": 1}');
SELECT object, problem FROM passage.check_store() ORDER BY object COLLATE "C";
CREATE TABLE rated.ratings (chunk_id text, rating integer);
SELECT passage.rate('files', :'shown', 1);
SELECT * FROM passage.upgrade_store();
DROP TABLE rated.ratings;
SELECT count(*) > 0 AS upgraded FROM passage.upgrade_store();
SELECT passage.rate('files', :'shown', 1);
CREATE SCHEMA shown;
CREATE VIEW shown.chunks AS SELECT * FROM rated.chunks;
SELECT passage.rate('files', :'shown', 1, store => 'shown');
DROP SCHEMA shown CASCADE;
DROP SCHEMA rated CASCADE;
DROP ROLE regress_rater;
DROP FUNCTION chunk, found;
