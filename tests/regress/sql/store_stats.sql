-- store_stats: exact counts of a store.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET passage.store = 'counted';
SELECT count(*) > 0 AS made FROM passage.create_store();

-- an empty store has the row of the whole store alone
SELECT scope, collection, version, documents, orphaned, chunks, tokens, embedded, missing, last_ingested, size IS NOT NULL AS has_size, settings
FROM passage.store_stats();

-- the whole store first, then each collection and version
SELECT count(*) FROM (VALUES
    ('', '', 'a.md'), ('books', '1', 'a.md'), ('books', '2', 'a.md'), ('books', '2', 'c.md')
) AS listed (collection, version, uri), passage.ingest(uri, E'# One\n\ntext\n\n# Two\n\ntext\n', collection => collection, version => version, splitting => passage.splitting(max_size => 15));
SELECT outcome FROM passage.ingest('empty.md', '', collection => 'empty');
UPDATE counted.documents SET orphaned_at = now() WHERE uri = 'c.md';
UPDATE counted.chunks SET tokens = NULL WHERE document_id = (SELECT id FROM counted.documents WHERE uri = 'c.md');
SELECT scope, collection, version, documents, orphaned, chunks, tokens, embedded, missing, last_ingested <= now() AS then, size IS NOT NULL AS has_size, settings IS NOT NULL AS has_settings
FROM passage.store_stats();

-- counts cover what the caller may see
CREATE ROLE regress_counts;
GRANT USAGE ON SCHEMA counted TO regress_counts;
GRANT SELECT ON counted.documents, counted.chunks TO regress_counts;
ALTER TABLE counted.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE counted.chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON counted.documents USING (collection = 'books');
CREATE POLICY readers ON counted.chunks USING (EXISTS (SELECT FROM counted.documents WHERE documents.id = document_id));
SET ROLE regress_counts;
SELECT collection, version, documents, chunks, settings FROM passage.store_stats();
RESET ROLE;

-- columns that a store of views lacks count as NULL
CREATE SCHEMA counted_views;
CREATE VIEW counted_views.chunks AS SELECT id, document_id, ordinal, content FROM counted.chunks;
SELECT collection, version, documents, orphaned, chunks, tokens, embedded, missing, last_ingested, size, settings FROM passage.store_stats('counted_views');
CREATE VIEW counted_views.documents AS SELECT id, collection FROM counted.documents;
SELECT scope, collection, version, documents, orphaned, chunks, tokens FROM passage.store_stats('counted_views');

-- errors
SELECT * FROM passage.store_stats('nowhere');

-- a misspelled name is answered with the nearest store that the caller may use
SELECT * FROM passage.store_stats('cuonted');
SELECT * FROM passage.search('text', store => 'Counted');
SET passage.store = 'conted_views';
SELECT * FROM passage.reassemble('{}');
SET passage.store = 'counted';
SELECT passage.ingest('a.md', 'text', store => 'c');
CREATE SCHEMA nocounted;
CREATE TABLE nocounted.chunks (id uuid, content text);
CREATE SCHEMA hidcounted;
CREATE VIEW hidcounted.chunks AS SELECT id, document_id, ordinal, content FROM counted.chunks;
SET ROLE regress_counts;
SELECT * FROM passage.store_stats('hidcounte');
SELECT * FROM passage.store_stats('nocounte');
RESET ROLE;
SELECT * FROM passage.store_stats('hidcounte');
SELECT * FROM passage.store_stats('nocounte');
DROP SCHEMA nocounted, hidcounted CASCADE;

REVOKE SELECT ON counted.chunks FROM regress_counts;
SET ROLE regress_counts;
SELECT * FROM passage.store_stats();
RESET ROLE;

DROP SCHEMA counted_views CASCADE;
DROP SCHEMA counted CASCADE;
DROP ROLE regress_counts;
