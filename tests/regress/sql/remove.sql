-- remove: deletes documents, which the arguments must name.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET passage.store = 'removed';
SELECT count(*) > 0 AS made FROM passage.create_store();
CREATE VIEW left_over AS SELECT collection, version, uri, (SELECT count(*) FROM removed.chunks WHERE document_id = documents.id) AS chunks
    FROM removed.documents ORDER BY collection, version, uri;

SELECT collection, version, uri, outcome FROM (VALUES
    ('', '', 'a.md'), ('', '', 'b.md'), ('books', '1', 'a.md'), ('books', '2', 'a.md'), ('books', '2', 'c.md'), ('films', '', 'd.md')
) AS listed (collection, version, uri), passage.ingest(uri, E'# One\n\ntext\n\n# Two\n\ntext\n', collection => collection, version => version, splitting => passage.splitting(max_size => 15))
ORDER BY collection, version, uri;

-- by a unique uri; by id; by an unknown uri
SELECT * FROM passage.remove('b.md');
SELECT * FROM passage.remove('b.md');
SELECT * FROM passage.remove(document_id => (SELECT id FROM removed.documents WHERE uri = 'd.md'));
SELECT * FROM passage.remove('a.md', 'books', '1');
SELECT * FROM left_over;

-- a uri of several documents, no argument, and a version alone raise errors
SELECT * FROM passage.remove('a.md');
SELECT * FROM passage.remove();
SELECT * FROM passage.remove(version => '2');
SELECT * FROM left_over;

-- a collection, or one version of it; the empty name is a collection too
SELECT * FROM passage.remove(collection => 'books', version => '3');
SELECT * FROM passage.remove(collection => 'books');
BEGIN;
SELECT * FROM passage.remove(collection => '');
ROLLBACK;
SELECT * FROM left_over;

-- errors
SELECT * FROM passage.remove('a.md', store => 'nowhere');
SET default_transaction_read_only = on;
SELECT * FROM passage.remove('a.md');
RESET default_transaction_read_only;
CREATE SCHEMA removed_views;
CREATE VIEW removed_views.chunks AS SELECT * FROM removed.chunks;
SELECT * FROM passage.remove('a.md', store => 'removed_views');
CREATE VIEW removed_views.documents AS SELECT * FROM removed.documents;
SELECT * FROM passage.remove('a.md', store => 'removed_views');

-- remove runs with the rights and policies of the caller
CREATE ROLE regress_removes;
GRANT USAGE ON SCHEMA removed TO regress_removes;
GRANT SELECT ON ALL TABLES IN SCHEMA removed TO regress_removes;
SET ROLE regress_removes;
SELECT * FROM passage.remove('a.md');
RESET ROLE;
GRANT UPDATE, DELETE ON ALL TABLES IN SCHEMA removed TO regress_removes;
ALTER TABLE removed.documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON removed.documents FOR SELECT USING (true);
CREATE POLICY updaters ON removed.documents FOR UPDATE USING (true);
SET ROLE regress_removes;
SELECT * FROM passage.remove('a.md');
RESET ROLE;
SELECT * FROM left_over;

DROP VIEW left_over;
DROP SCHEMA removed_views CASCADE;
DROP SCHEMA removed CASCADE;
DROP ROLE regress_removes;
