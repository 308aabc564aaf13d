-- needs: vector
-- check_store: each remedy for an adopted store or for views, when executed, removes its problem.
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS vector;
\set superuser :USER
CREATE ROLE remedies_owner LOGIN;
GRANT CREATE ON DATABASE :"DBNAME" TO remedies_owner;
CREATE SCHEMA remedied AUTHORIZATION remedies_owner;
\connect - remedies_owner
SET client_min_messages = warning;
CREATE TABLE remedied.parts (number bigint PRIMARY KEY, page text, position integer, headings text[], body text, offset_at integer, embedding vector);
INSERT INTO remedied.parts VALUES (1, 'tea', NULL, '{}', 'Tea needs hot water.', 0, '[1,0,0]'), (2, 'tea', NULL, '{}', 'Green tea needs less.', 21, '[0,1,0]');

-- what the call of adopt left out
SELECT count(*) > 10 FROM passage.adopt('remedied.parts', 'remedied_shop', content => 'body', document => 'page');
SELECT problem, remedy FROM passage.check_store('remedied_shop');
SELECT count(*) > 5 FROM (SELECT passage.unadopt('remedied_shop')) AS statements;
SELECT count(*) > 10 FROM passage.adopt('remedied.parts', 'remedied_shop', content => 'body', document => 'page', ordinal => 'position', section => 'headings',
    start_char => 'offset_at', embedding => 'embedding');
SELECT problem, remedy FROM passage.check_store('remedied_shop', data => true);

-- a key that has no order
CREATE TABLE remedied.notes (id uuid PRIMARY KEY, page text, position integer, body text);
SELECT count(*) > 10 FROM passage.adopt('remedied.notes', 'remedied_notes', content => 'body', document => 'page');
SELECT problem, remedy FROM passage.check_store('remedied_notes') WHERE problem ~ 'order';
SELECT count(*) > 5 FROM (SELECT passage.unadopt('remedied_notes')) AS statements;
SELECT count(*) > 10 FROM passage.adopt('remedied.notes', 'remedied_notes', content => 'body', document => 'page', ordinal => 'position');
SELECT problem, remedy FROM passage.check_store('remedied_notes') WHERE problem ~ 'order';

-- dimensions and a vector index; views of the store depend on the column
SELECT count(*) > 5 FROM (SELECT passage.unadopt('remedied_shop')) AS statements;
ALTER TABLE remedied.parts ALTER COLUMN embedding TYPE vector(3);
SELECT count(*) > 10 FROM passage.adopt('remedied.parts', 'remedied_shop', content => 'body', document => 'page', ordinal => 'position', section => 'headings',
    start_char => 'offset_at', embedding => 'embedding');
SELECT remedy FROM passage.check_store('remedied_shop') WHERE problem ~ 'vector index' \gexec
SELECT problem FROM passage.check_store('remedied_shop') WHERE problem ~ 'vector';

-- the splitter records places and headings
UPDATE remedied.parts SET position = number, headings = ARRAY['Tea', page || number];
SELECT problem, remedy FROM passage.check_store('remedied_shop', data => true);

-- a disabled trigger
ALTER TABLE remedied.parts DISABLE TRIGGER adopted_by_remedied_shop_insert;
INSERT INTO remedied.parts VALUES (3, 'tea', 3, '{Tea}', 'Unseen tea.', 50, '[0,0,1]');
SELECT problem FROM passage.check_store('remedied_shop', data => true);
SELECT split_part(remedy, ';', n) FROM passage.check_store('remedied_shop') CROSS JOIN generate_series(1, 2) AS n WHERE problem ~ 'disabled' \gexec
SELECT problem FROM passage.check_store('remedied_shop', data => true);

-- rows that differ: lacking, without their row, and changed
ALTER TABLE remedied.parts DISABLE TRIGGER USER;
DELETE FROM remedied.parts WHERE number = 3;
INSERT INTO remedied.parts VALUES (4, 'tea', 4, '{Tea}', 'More tea.', 70, '[0,0,1]');
UPDATE remedied.parts SET body = replace(body, 'Green', 'Black') WHERE number = 2;
ALTER TABLE remedied.parts ENABLE TRIGGER USER;
SELECT object, problem FROM passage.check_store('remedied_shop', data => true);
SELECT DISTINCT remedy FROM passage.check_store('remedied_shop', data => true) WHERE object !~ '^document' \gexec
SELECT problem FROM passage.check_store('remedied_shop', data => true);
SELECT source_id, content FROM remedied_shop.chunks ORDER BY ordinal;

-- a row without an embedding, and a check by another role than the owner
UPDATE remedied.parts SET embedding = NULL WHERE number = 1;
\connect - :superuser
SET client_min_messages = warning;
SELECT object, problem, remedy FROM passage.check_store('remedied_shop', data => true);
\connect - remedies_owner
SET client_min_messages = warning;
SELECT problem, remedy FROM passage.check_store('remedied_shop', data => true);
UPDATE remedied.parts SET embedding = '[1,0,0]' WHERE number = 1;
SELECT problem, remedy FROM passage.check_store('remedied_shop', data => true);

-- row-level security
ALTER TABLE remedied.parts ENABLE ROW LEVEL SECURITY;
SELECT problem FROM passage.check_store('remedied_shop');
SELECT regexp_replace(remedy, '^SELECT (.*);', 'SELECT count(*) > 0 FROM \1;') FROM passage.check_store('remedied_shop') \gexec
SELECT problem FROM passage.check_store('remedied_shop');
ALTER TABLE remedied.parts FORCE ROW LEVEL SECURITY;
SELECT problem FROM passage.check_store('remedied_shop');
SELECT remedy FROM passage.check_store('remedied_shop') WHERE problem ~ 'filters rows for the owner' \gexec
SELECT problem FROM passage.check_store('remedied_shop');

-- grants
\connect - :superuser
SET client_min_messages = warning;
CREATE ROLE remedies_reader LOGIN;
GRANT SELECT ON remedied.parts TO remedies_reader;
\connect - remedies_owner
SET client_min_messages = warning;
SELECT problem FROM passage.check_store('remedied_shop');
SELECT regexp_replace(remedy, '^SELECT (.*);', 'SELECT count(*) > 0 FROM \1;') FROM passage.check_store('remedied_shop') \gexec
SELECT problem FROM passage.check_store('remedied_shop');
\connect - remedies_reader
SET client_min_messages = warning;
SELECT object, problem, remedy FROM passage.check_store('remedied_shop', data => true);
\connect - remedies_owner
SET client_min_messages = warning;
SELECT problem FROM passage.check_store('remedied_shop', data => true);
REVOKE SELECT ON remedied.parts FROM remedies_reader;
SELECT problem FROM passage.check_store('remedied_shop');
SELECT regexp_replace(remedy, '^SELECT (.*);', 'SELECT count(*) > 0 FROM \1;') FROM passage.check_store('remedied_shop') \gexec
SELECT problem FROM passage.check_store('remedied_shop');

-- parts and the table itself
DROP TRIGGER adopted_by_remedied_shop_update ON remedied.parts;
DROP INDEX remedied_shop.adopted_chunks_tsv_idx;
DROP VIEW remedied_shop.embeddings;
SELECT problem FROM passage.check_store('remedied_shop');
SELECT regexp_replace(remedy, '^SELECT (.*);', 'SELECT count(*) > 0 FROM \1;') FROM passage.check_store('remedied_shop') \gexec
SELECT problem FROM passage.check_store('remedied_shop');
DROP TABLE remedied.parts CASCADE;
SELECT problem, remedy FROM passage.check_store('remedied_shop');
SELECT substring(remedy FROM 'Or run SELECT (.*)$') AS call FROM passage.check_store('remedied_shop') \gset
SELECT count(*) > 5 FROM :call
SELECT to_regnamespace('remedied_shop');

-- views: each column that check_store names is added, and each index created
CREATE TABLE remedied.pieces (id uuid, page uuid, place integer, headings text[], body text, embedding real[]);
INSERT INTO remedied.pieces VALUES ('11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222', 0, '{Tea}', 'Tea needs hot water.', '{1,0,0}');
CREATE SCHEMA remedied_views;
CREATE VIEW remedied_views.chunks AS SELECT id, page AS document_id, body AS content FROM remedied.pieces;
SELECT object, problem FROM passage.check_store('remedied_views');
DROP VIEW remedied_views.chunks;
CREATE VIEW remedied_views.chunks AS SELECT id, page AS document_id, (row_number() OVER (PARTITION BY page ORDER BY place))::integer AS ordinal, body AS content FROM remedied.pieces;
SELECT object, problem, remedy FROM passage.check_store('remedied_views') WHERE problem ~ 'index|window';
DROP VIEW remedied_views.chunks;
CREATE VIEW remedied_views.chunks AS SELECT id, page AS document_id, place AS ordinal, body AS content FROM remedied.pieces;
SELECT object, problem, remedy FROM passage.check_store('remedied_views') WHERE problem ~ 'index|window';
CREATE INDEX ON remedied.pieces (id);
CREATE INDEX ON remedied.pieces (page, place);
SELECT object, problem, remedy FROM passage.check_store('remedied_views');
ALTER TABLE remedied.pieces
    ADD COLUMN tsv tsvector GENERATED ALWAYS AS (passage.chunk_tsv('english', NULL, headings, body)) STORED,
    ADD COLUMN section_key bigint GENERATED ALWAYS AS (passage.section_key(headings)) STORED,
    ADD COLUMN parent_key bigint GENERATED ALWAYS AS (passage.parent_key(headings)) STORED;
CREATE INDEX ON remedied.pieces USING gin (tsv);
CREATE OR REPLACE VIEW remedied_views.chunks AS
    SELECT id, page AS document_id, place AS ordinal, body AS content, headings AS section, section_key, parent_key, 0 AS start_byte, octet_length(body) AS end_byte,
        1 AS first_line, 1 AS last_line, 5 AS tokens, tsv, 'prose'::text AS kind, '{}'::jsonb AS metadata
    FROM remedied.pieces;
CREATE VIEW remedied_views.documents AS
    SELECT DISTINCT page AS id, 'tea.md'::text AS uri, 'Tea'::text AS title, 'text/plain'::text AS media_type, ''::text AS collection, ''::text AS version FROM remedied.pieces;
CREATE VIEW remedied_views.embeddings AS SELECT id AS chunk_id, page AS document_id, embedding FROM remedied.pieces;
SELECT object, problem, remedy FROM passage.check_store('remedied_views');
DROP VIEW remedied_views.embeddings;
CREATE VIEW remedied_views.embeddings AS SELECT id AS chunk_id, page AS document_id, embedding::vector(3) FROM remedied.pieces;
SELECT object, problem, remedy FROM passage.check_store('remedied_views', data => true);
SELECT content, uri FROM passage.search('hot', embedding => '{1,0,0}', store => 'remedied_views');
\connect - :superuser
SET client_min_messages = warning;
DROP OWNED BY remedies_owner CASCADE;
DROP ROLE remedies_owner, remedies_reader;

-- check_store reports a view whatever types its columns have
DO $$
DECLARE
    changed text;
    type text;
    checked integer := 0;
BEGIN
    FOR changed, type IN
        SELECT column_name, type_name
        FROM unnest('{id,document_id,ordinal,content,section,section_key,start_byte,first_line,tokens,tsv,kind,metadata}'::text[]) AS column_name,
            unnest('{xml,oid,point,json,text[],uuid,bigint,tsvector,vector,bytea}'::text[]) AS type_name
    LOOP
        CREATE SCHEMA remedied_types;
        EXECUTE 'CREATE VIEW remedied_types.chunks AS SELECT ' || (
            SELECT string_agg(format('NULL::%s AS %I', CASE named WHEN changed THEN type ELSE usual END, named), ', ')
            FROM unnest('{id,document_id,ordinal,content,section,section_key,start_byte,end_byte,first_line,tokens,tsv,kind,metadata}'::text[],
                '{uuid,uuid,integer,text,text[],bigint,integer,integer,integer,integer,tsvector,text,jsonb}'::text[]) AS listed (named, usual));
        checked := checked + (SELECT (count(*) > 0)::integer FROM passage.check_store('remedied_types', data => true));
        DROP SCHEMA remedied_types CASCADE;
    END LOOP;
    RAISE WARNING 'checked %', checked;
END
$$;
