-- needs: vector
-- similar: chunks like a chunk, and documents like a document.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS vector;
SET passage.store = 'alike';
SELECT count(*) > 0 AS made FROM passage.create_store(dimensions => 3);
\pset null -
\set SHOW_CONTEXT never

INSERT INTO alike.documents (id, collection, uri, title, media_type) VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000', 'guide', 'backup.md', 'Backup', 'text/markdown'),
    ('bbbbbbbb-0000-0000-8000-000000000000', 'guide', 'copy-of-backup.md', 'Copy of backup', 'text/markdown'),
    ('cccccccc-0000-0000-8000-000000000000', 'notes', 'cooking.md', 'Cooking', 'text/markdown'),
    ('dddddddd-0000-0000-8000-000000000000', 'notes', 'snapshots.md', 'Snapshots', 'text/markdown');
INSERT INTO alike.chunks (id, document_id, ordinal, section, content) VALUES
    ('aaaaaaaa-0000-0000-0000-000000000001', 'aaaaaaaa-0000-0000-8000-000000000000', 0, '{Backup}', E'A backup of the database is taken each night.\n'),
    ('aaaaaaaa-0000-0000-0000-000000000002', 'aaaaaaaa-0000-0000-8000-000000000000', 1, '{Backup,Restore}', E'Restore the "database" from a dump -quickly.\n'),
    ('bbbbbbbb-0000-0000-0000-000000000001', 'bbbbbbbb-0000-0000-8000-000000000000', 0, '{Backup}', E'A backup of the database is taken every night.\n'),
    ('bbbbbbbb-0000-0000-0000-000000000002', 'bbbbbbbb-0000-0000-8000-000000000000', 1, '{Backup,Restore}', E'Restore the database from its dump.\n'),
    ('cccccccc-0000-0000-0000-000000000001', 'cccccccc-0000-0000-8000-000000000000', 0, '{Cooking}', E'Boil the potatoes for a quarter of an hour.\n'),
    ('dddddddd-0000-0000-0000-000000000001', 'dddddddd-0000-0000-8000-000000000000', 0, '{Snapshots}', E'Freeze the state of all files, and keep it elsewhere.\n'),
    ('dddddddd-0000-0000-0000-000000000002', 'dddddddd-0000-0000-8000-000000000000', 1, '{Snapshots}', '');
INSERT INTO alike.embeddings (chunk_id, document_id, embedding) VALUES
    ('aaaaaaaa-0000-0000-0000-000000000001', 'aaaaaaaa-0000-0000-8000-000000000000', '[1, 0, 0]'),
    ('aaaaaaaa-0000-0000-0000-000000000002', 'aaaaaaaa-0000-0000-8000-000000000000', '[0.8, 0.6, 0]'),
    ('bbbbbbbb-0000-0000-0000-000000000001', 'bbbbbbbb-0000-0000-8000-000000000000', '[0.99, 0.1, 0]'),
    ('bbbbbbbb-0000-0000-0000-000000000002', 'bbbbbbbb-0000-0000-8000-000000000000', '[0.8, 0.59, 0]'),
    ('cccccccc-0000-0000-0000-000000000001', 'cccccccc-0000-0000-8000-000000000000', '[0, 0, 1]'),
    ('dddddddd-0000-0000-0000-000000000001', 'dddddddd-0000-0000-8000-000000000000', '[0.95, 0, 0.3]');

-- what others are compared with: quotes and hyphens of a text have no meaning
SELECT _passage.words_as_query(words) AS query, embedding, cardinality(chunk_ids) AS chunks FROM _passage.likeness('aaaaaaaa-0000-0000-0000-000000000002', NULL, NULL);
SELECT embedding, cardinality(chunk_ids) AS chunks FROM _passage.likeness(NULL, 'aaaaaaaa-0000-0000-8000-000000000000', NULL);

-- chunks like a chunk: by words and by embedding, or by one of them; a chunk is not like itself
SELECT rank, uri, section, vector_rank, text_rank FROM passage.similar('aaaaaaaa-0000-0000-0000-000000000001');
SELECT rank, uri, round(score::numeric, 3) AS score FROM passage.similar('aaaaaaaa-0000-0000-0000-000000000001', ranking => passage.ranking(mode => 'vector'), max_hits => 2);
SELECT rank, uri FROM passage.similar('aaaaaaaa-0000-0000-0000-000000000001', ranking => '{"mode": "text"}');

-- documents like a document, each once with its most similar chunk
SELECT rank, uri, chunk_id FROM passage.similar(document_id => 'aaaaaaaa-0000-0000-8000-000000000000');
SELECT rank, uri FROM passage.similar(document_id => 'aaaaaaaa-0000-0000-8000-000000000000', max_hits => 1);

-- filters are those of a search; min_similarity finds near duplicates
SELECT uri FROM passage.similar('aaaaaaaa-0000-0000-0000-000000000001', collection => 'notes') ORDER BY rank;
SELECT uri, section FROM passage.similar('aaaaaaaa-0000-0000-0000-000000000001', filter => '{"min_similarity": 0.99}', ranking => '{"mode": "vector"}');

-- a chunk without text and embedding, and one that is missing
SET client_min_messages = notice;
SELECT uri FROM passage.similar('dddddddd-0000-0000-0000-000000000002');
SELECT uri FROM passage.similar('dddddddd-0000-0000-0000-000000000009');
SELECT uri FROM passage.similar(document_id => 'dddddddd-0000-0000-0000-000000000009');

-- errors
SELECT passage.similar();
SELECT passage.similar('aaaaaaaa-0000-0000-0000-000000000001', 'aaaaaaaa-0000-0000-8000-000000000000');
SELECT passage.similar(document_id => 'aaaaaaaa-0000-0000-8000-000000000000', max_hits => 1000001);
SELECT passage.similar('aaaaaaaa-0000-0000-0000-000000000001', ranking => '{"score_by": "max"}');
SELECT passage.similar('aaaaaaaa-0000-0000-0000-000000000001', store => 'missing');

-- by links: a link between two documents, and targets that both link to; rare targets count more
SET client_min_messages = warning;
SELECT count(*) > 0 AS made FROM passage.create_store('web');
SET passage.store = 'web';
SELECT count(*) FROM (VALUES
    ('a.md', E'# A\n\nSee [b](b.md), [the list](list.html) and [rare](rare.html).\n'),
    ('b.md', E'# B\n\nNothing.\n'),
    ('c.md', E'# C\n\nSee [a](a.md) and [the list](list.html).\n\n## More\n\nAgain [the list](list.html).\n'),
    ('d.md', E'# D\n\nA [rare](rare.html) thing.\n'),
    ('e.md', E'# E\n\nOnly [the list](list.html).\n'),
    ('f.md', E'# F\n\nNo links.\n')
) AS listed (uri, text), passage.ingest(uri, text, splitting => passage.splitting(max_size => 90, min_size => 1), kind => 'prose', collection => 'x');
SELECT count(*) FROM passage.ingest('a.md', E'# A\n\nSee [b](b.md), and [rare](rare.html).\n', collection => 'y');
SELECT s.rank, d.collection || '/' || s.uri AS uri, s.section, round(s.score::numeric, 3) AS score FROM passage.similar(document_id => (SELECT id FROM web.documents WHERE uri = 'a.md' AND collection = 'x'), by => 'links') AS s
    JOIN web.documents AS d ON d.id = s.document_id ORDER BY s.rank;
SELECT s.uri, s.section FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links', max_hits => 2) AS s WHERE d.uri = 'd.md' ORDER BY s.rank;
SELECT s.uri, round(s.score::numeric, 3) AS score FROM web.documents AS d JOIN web.chunks AS c ON c.document_id = d.id CROSS JOIN LATERAL passage.similar(c.id, by => 'links') AS s
    WHERE d.uri = 'e.md' ORDER BY s.rank;
SELECT s.uri FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links', collection => 'y') AS s WHERE d.uri = 'd.md';
SELECT s.uri FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links', filter => '{"uri_pattern": "c%"}') AS s WHERE d.uri = 'a.md' AND d.collection = 'x';
SET client_min_messages = notice;
SELECT s.uri FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links') AS s WHERE d.uri = 'f.md';
SELECT s.uri FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links', collection => 'z') AS s WHERE d.uri = 'd.md';
SELECT s.uri FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'words') AS s WHERE d.uri = 'd.md';
SELECT s.uri FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links', ranking => '{}') AS s WHERE d.uri = 'd.md';
SELECT s.uri FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links', filter => '{"min_similarity": 0.5}') AS s WHERE d.uri = 'd.md';
SELECT s.uri FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links', max_hits => -1) AS s WHERE d.uri = 'd.md';
-- a label is not a link: those of Go files in one folder have one target
SET client_min_messages = warning;
INSERT INTO web.links (document_id, position, from_chunk, to_uri, kind, to_name) SELECT document_id, 9, id, 'pkg', 'label', 'pkg' FROM web.chunks WHERE content ~ '^# [BF]';
SET client_min_messages = notice;
SELECT s.uri FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links') AS s WHERE d.uri = 'f.md';
-- a target of more than a thousand links does not count
SET client_min_messages = warning;
INSERT INTO web.links (document_id, position, from_chunk, to_uri, kind, to_name)
    SELECT c.document_id, 100 + n, c.id, 'menu.html', 'link', 'menu' FROM web.chunks AS c JOIN web.documents AS d ON d.id = c.document_id
    CROSS JOIN generate_series(1, CASE WHEN d.uri = 'd.md' THEN 1000 ELSE 1 END) AS n WHERE d.uri IN ('b.md', 'd.md', 'f.md');
SELECT s.uri FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links') AS s WHERE d.uri = 'f.md';
DELETE FROM web.links WHERE to_uri = 'menu.html' AND position > 1097;
SELECT s.uri, round(s.score::numeric, 3) AS score FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links') AS s WHERE d.uri = 'f.md' ORDER BY s.rank;
INSERT INTO web.links (document_id, position, from_chunk, to_uri, kind, to_name)
    SELECT c.document_id, 2000 + n, c.id, 'menu.html', 'link', 'menu' FROM web.chunks AS c JOIN web.documents AS d ON d.id = c.document_id CROSS JOIN generate_series(1, 10) AS n WHERE d.uri = 'd.md';
-- links of hidden chunks, and of documents without their source, do not count
CREATE ROLE web_reader;
GRANT USAGE ON SCHEMA web TO web_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA web TO web_reader;
ALTER TABLE web.chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON web.chunks USING (content !~ '^# D');
UPDATE web.documents SET orphaned_at = now() WHERE uri = 'e.md';
SET ROLE web_reader;
SELECT s.uri, round(s.score::numeric, 3) AS score FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links') AS s WHERE d.uri = 'a.md' AND d.collection = 'x' ORDER BY s.rank;
SELECT s.uri, round(s.score::numeric, 3) AS score FROM web.documents AS d CROSS JOIN LATERAL passage.similar(document_id => d.id, by => 'links') AS s WHERE d.uri = 'f.md' ORDER BY s.rank;
RESET ROLE;
DROP OWNED BY web_reader;
DROP ROLE web_reader;
DROP SCHEMA web CASCADE;
SET passage.store = 'alike';

-- policies hide chunks from both sides
SET client_min_messages = warning;
CREATE ROLE alike_reader;
GRANT USAGE ON SCHEMA alike TO alike_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA alike TO alike_reader;
ALTER TABLE alike.chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON alike.chunks USING (document_id <> 'bbbbbbbb-0000-0000-8000-000000000000');
ALTER TABLE alike.embeddings ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON alike.embeddings USING (document_id <> 'bbbbbbbb-0000-0000-8000-000000000000');
SET ROLE alike_reader;
SET client_min_messages = notice;
SELECT uri FROM passage.similar('aaaaaaaa-0000-0000-0000-000000000001', max_hits => 2) ORDER BY rank;
SELECT uri FROM passage.similar('bbbbbbbb-0000-0000-0000-000000000001');
SELECT uri FROM passage.similar(document_id => 'bbbbbbbb-0000-0000-8000-000000000000');
RESET ROLE;

-- without embeddings the words remain
SET client_min_messages = warning;
DROP TABLE alike.embeddings CASCADE;
SELECT rank, uri, vector_rank FROM passage.similar('aaaaaaaa-0000-0000-0000-000000000001');
DROP OWNED BY alike_reader;
DROP ROLE alike_reader;
DROP SCHEMA alike CASCADE;
