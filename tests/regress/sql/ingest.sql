-- ingest: splits a document and replaces the stored version in one call.
SET client_min_messages = warning;
SET passage.store = 'ingested';
SELECT count(*) > 0 AS made FROM passage.create_store();
SET client_min_messages = notice;

-- a new document, the same again, and a changed one: unchanged chunks keep their rows
SELECT outcome, chunks, kept, moved, added, removed
FROM passage.ingest('guide.md', E'# Guide\n\nBegin here.\n\n## Setup\n\nInstall it.\n\n## Use\n\nRun it.\n', splitting => passage.splitting(max_size => 30));
CREATE TEMP TABLE before AS SELECT id, ordinal, section, xmin::text AS written FROM ingested.chunks;
SELECT outcome, chunks, kept, moved, added, removed
FROM passage.ingest('guide.md', E'# Guide\n\nBegin here.\n\n## Setup\n\nInstall it.\n\n## Use\n\nRun it.\n', splitting => passage.splitting(max_size => 30));
SELECT outcome, chunks, kept, moved, added, removed
FROM passage.ingest('guide.md', E'# Guide\n\nBegin here.\n\n## Setup\n\nInstall all.\n\n## Use\n\nRun it.\n', splitting => passage.splitting(max_size => 30));
SELECT chunks.ordinal, chunks.section, before.id IS NOT NULL AS same_id, before.written = chunks.xmin::text AS same_row
FROM ingested.chunks LEFT JOIN before USING (id) ORDER BY chunks.ordinal;

-- the row records what the chunks were made from, and ids are derived
SELECT id, collection, version, uri, title, media_type, source_media_type, octet_length(content_hash) AS hashed, chunk_count, orphaned_at, metadata
FROM ingested.documents;
SELECT bool_and(left(chunks.id::text, 18) = left(documents.id::text, 18)) AS derived
FROM ingested.chunks JOIN ingested.documents ON documents.id = document_id;

-- a pattern divides the text, and another one divides it again
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n', splitting => passage.splitting(split_at => '^=== '));
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n', splitting => passage.splitting(split_at => '^=== '));
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n', splitting => passage.splitting(split_at => '^== '));
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n');
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n', splitting => passage.splitting(split_at => '['));

-- so do offsets, whose order does not count
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n', splitting => passage.splitting(split_offsets => '{5, 11}'));
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n', splitting => passage.splitting(split_offsets => '{11, 5, 5}'));
SELECT content, start_byte FROM ingested.chunks WHERE document_id = (SELECT id FROM ingested.documents WHERE uri = 'parts.md') ORDER BY ordinal;
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n', splitting => passage.splitting(split_offsets => '{5}'));
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n', splitting => passage.splitting(split_offsets => '{5, 99}'));
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n', splitting => passage.splitting(split_offsets => '{}'));
SELECT outcome, chunks FROM passage.ingest('parts.md', E'One.\n=== 2\nTwo.\n');
DELETE FROM ingested.documents WHERE uri = 'parts.md';

-- a text without a name is recognized by its content, if that is certain
SELECT count(*) FROM passage.ingest('unnamed/1', E'# Guide\n\nBegin here.\n\n## Setup\n\nInstall it.\n') AS a,
    passage.ingest('unnamed/2', E'import os\n\n# note\ndef run(path):\n    return os.stat(path)\n') AS b,
    passage.ingest('unnamed/3', E'Words, and more of them.\n\n- milk\n- bread\n') AS c;
SELECT DISTINCT uri, media_type, kind FROM ingested.documents JOIN ingested.chunks ON document_id = documents.id WHERE uri LIKE 'unnamed/%' ORDER BY uri;
DELETE FROM ingested.documents WHERE uri LIKE 'unnamed/%';

-- each argument that the chunks depend on makes a document changed
SELECT place, outcome FROM (VALUES (1, 'A'), (2, 'A'), (3, 'B')) AS told (place, title),
    passage.ingest('told.md', 'Some text.', 'text/markdown', told.title, 'books', '1.0', '{"b": 1, "aa": [1.10, {"y": null, "x": true}]}') ORDER BY place;
SELECT collection, version, title, metadata FROM ingested.documents WHERE uri = 'told.md';
SELECT outcome FROM passage.ingest('told.md', 'Some text.', 'text/markdown', 'B', 'books', '1.0', '{"aa": [1.10, {"x": true, "y": null}], "b": 1}');
SELECT outcome FROM passage.ingest('told.md', 'Some text.', 'text/markdown', 'B', 'books', '1.0', '{"b": 2}');
SELECT outcome FROM passage.ingest('told.md', 'Some text.', 'text/markdown', 'B', 'books', '2.0');
SELECT outcome, count(*) FROM passage.ingest('told.md', 'Some text.', kind => 'data', collection => NULL, version => NULL, metadata => NULL) GROUP BY outcome;

-- HTML is stored as Markdown, data is split by its keys; syntax errors name the line
SELECT uri, outcome FROM (VALUES
    ('a.html', '<title>T</title><main><h1>One</h1><p>Two</main>'),
    ('a.json', '{"a": {"b": 1}}'), ('b.json', E'{"a":\n  oops}'), ('a.csv', E'x,y\n1,2\n')
) AS listed (uri, text), passage.ingest(uri, text) ORDER BY uri;
SELECT uri, title, media_type, source_media_type, documents.metadata, section, kind, unit, content
FROM ingested.documents JOIN ingested.chunks ON document_id = documents.id
WHERE uri ~ '^[ab]\.' ORDER BY uri, ordinal;

-- equal chunks have different ids, and swapped chunks keep theirs
SELECT outcome, chunks, added FROM passage.ingest('twice.txt', E'The same.\n\nThe same.\n\nOther.\n\n', splitting => passage.splitting(max_size => 12));
SELECT outcome, kept, moved, added, removed FROM passage.ingest('twice.txt', E'Other.\n\nThe same.\n\nThe same.\n\n', splitting => passage.splitting(max_size => 12));
SELECT ordinal, content, count(*) OVER () = count(id) OVER () AS ids FROM ingested.chunks
WHERE document_id = (SELECT id FROM ingested.documents WHERE uri = 'twice.txt') ORDER BY ordinal;

-- an empty text is a document without chunks; ingest clears orphaned_at
SELECT outcome, chunks, removed FROM passage.ingest('twice.txt', '', splitting => passage.splitting(max_size => 12));
UPDATE ingested.documents SET orphaned_at = now() WHERE uri = 'guide.md';
SELECT outcome, kept, moved, added, removed
FROM passage.ingest('guide.md', E'# Guide\n\nBegin here.\n\n## Setup\n\nInstall all.\n\n## Use\n\nRun it.\n', splitting => passage.splitting(max_size => 30));
SELECT orphaned_at FROM ingested.documents WHERE uri = 'guide.md';

-- titles can hold any characters
SELECT outcome FROM passage.ingest('odd.md', E'# "a\\b" {c,d} \'e\' NULL\n\ntext\n');
SELECT section, content FROM ingested.chunks WHERE document_id = (SELECT id FROM ingested.documents WHERE uri = 'odd.md');

-- chunks that other programs wrote are replaced
INSERT INTO ingested.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'mine.txt');
INSERT INTO ingested.chunks (document_id, ordinal, content) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 0, 'by hand');
SELECT document_id, outcome, kept, added, removed FROM passage.ingest('mine.txt', 'By call.');

-- ROLLBACK undoes all of it
BEGIN;
SELECT outcome FROM passage.ingest('guide.md', 'Other.');
SELECT outcome FROM passage.ingest('never.md', 'Never.');
ROLLBACK;
SELECT uri, chunk_count FROM ingested.documents WHERE uri IN ('guide.md', 'never.md');

-- several calls in one statement see each other's documents
SELECT outcome, (SELECT outcome FROM passage.ingest('series.md', 'One ' || n || '.')) AS again
FROM generate_series(1, 2) AS n, passage.ingest('series.md', 'One ' || n || '.');
SELECT content FROM passage.search('install all');

-- a long document is written in batches
SELECT outcome, chunks > 8000 AS many FROM passage.ingest('long.md', (SELECT string_agg(format(E'## Part %s\n\nText of part %s.\n\n', n, n), '') FROM generate_series(1, 9000) AS n), splitting => passage.splitting(max_size => 40));
SELECT outcome, chunks - kept AS others, moved > 0 AS some_moved, added, removed
FROM passage.ingest('long.md', (SELECT string_agg(format(E'## Part %s\n\nText of part %s.\n\n', n, CASE n WHEN 4500 THEN 'edited' ELSE n::text END), '') FROM generate_series(1, 9000) AS n), splitting => passage.splitting(max_size => 40));
SELECT outcome, chunks > 100 AS many FROM passage.ingest('large.txt', repeat('Some words of text. ', 524288), splitting => passage.splitting(max_size => 100000));
SELECT sum(octet_length(content)) FROM ingested.chunks WHERE document_id = (SELECT id FROM ingested.documents WHERE uri = 'large.txt');
SELECT * FROM passage.check_store(data => true);

-- errors
SELECT * FROM passage.ingest(NULL, 'text');
SELECT * FROM passage.ingest('a.md', NULL);
SELECT * FROM passage.ingest(repeat('a', 65537), 'text');
SELECT * FROM passage.ingest('a.md', 'text', collection => repeat('a', 65537));
SELECT * FROM passage.ingest('a.md', 'text', version => repeat('a', 65537));
SELECT * FROM passage.split('text', base_url => repeat('a', 65537));
SELECT * FROM passage.ingest('a.md', 'text', 'image/png');
SELECT * FROM passage.ingest('a.md', 'text', metadata => '[1]');
SELECT * FROM passage.ingest('a.md', 'text', metadata => '{"a": 1e999}');
SELECT * FROM passage.ingest('a.md', 'text', splitting => passage.splitting(max_size => 2000000));
SELECT * FROM passage.ingest('a.md', 'text', store => 'nowhere');
SELECT * FROM passage.ingest('a.ipynb', 'text');
SET default_transaction_read_only = on;
SELECT * FROM passage.ingest('a.md', 'text');
RESET default_transaction_read_only;

-- a store of views, and one that lacks a column
CREATE SCHEMA ingested_views;
CREATE VIEW ingested_views.chunks AS SELECT * FROM ingested.chunks;
SELECT * FROM passage.ingest('a.md', 'text', store => 'ingested_views');
CREATE VIEW ingested_views.documents AS SELECT * FROM ingested.documents;
SELECT * FROM passage.ingest('a.md', 'text', store => 'ingested_views');
ALTER TABLE ingested.documents RENAME COLUMN title TO heading;
SELECT * FROM passage.ingest('a.md', 'text');
ALTER TABLE ingested.documents RENAME COLUMN heading TO title;

-- ingest runs with the rights and policies of the caller
CREATE ROLE regress_ingests;
GRANT USAGE ON SCHEMA ingested TO regress_ingests;
GRANT SELECT ON ALL TABLES IN SCHEMA ingested TO regress_ingests;
SET ROLE regress_ingests;
SELECT outcome FROM passage.ingest('odd.md', E'# "a\\b" {c,d} \'e\' NULL\n\ntext\n');
SELECT * FROM passage.ingest('a.md', 'text');
SELECT * FROM passage.ingest('odd.md', 'text');
RESET ROLE;
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ingested TO regress_ingests;
ALTER TABLE ingested.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE ingested.chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY writers ON ingested.documents USING (collection = 'ours') WITH CHECK (collection = 'ours');
CREATE POLICY writers ON ingested.chunks USING (EXISTS (SELECT FROM ingested.documents WHERE documents.id = document_id));
CREATE POLICY readers ON ingested.documents FOR SELECT USING (uri = 'odd.md');
SET ROLE regress_ingests;
SELECT outcome, chunks FROM passage.ingest('a.md', 'text', collection => 'ours');
SELECT outcome, added, removed FROM passage.ingest('a.md', 'other text', collection => 'ours');
SELECT outcome FROM passage.ingest('b.md', 'text', collection => 'theirs');
-- a document that may be read but not changed, and one that may not be read
SELECT outcome FROM passage.ingest('odd.md', 'text');
SELECT outcome FROM passage.ingest('guide.md', 'text');
RESET ROLE;
-- policies that allow reading chunks but not moving them
DROP POLICY writers ON ingested.chunks;
CREATE POLICY readers ON ingested.chunks FOR SELECT USING (true);
CREATE POLICY makers ON ingested.chunks FOR INSERT WITH CHECK (true);
SET ROLE regress_ingests;
SELECT outcome FROM passage.ingest('a.md', 'third text', collection => 'ours');
SELECT outcome FROM passage.ingest('a.md', 'other text', title => 'Another', collection => 'ours');
RESET ROLE;
SELECT title, content FROM ingested.documents JOIN ingested.chunks ON document_id = documents.id WHERE collection = 'ours';

-- an invisible document with the same uri
DROP POLICY writers ON ingested.documents;
CREATE POLICY others ON ingested.documents FOR SELECT USING (uri <> 'a.md');
CREATE POLICY makers ON ingested.documents FOR INSERT WITH CHECK (true);
SET ROLE regress_ingests;
SELECT outcome FROM passage.ingest('a.md', 'my text', collection => 'ours');
RESET ROLE;
SELECT count(*) FROM ingested.documents WHERE uri = 'a.md';

SET client_min_messages = warning;
DROP SCHEMA ingested_views CASCADE;
DROP SCHEMA ingested CASCADE;
DROP ROLE regress_ingests;
