-- A store of views: existing tables are read without changes.
SET client_min_messages = warning;
CREATE SCHEMA foreigners;
CREATE TABLE foreigners.pieces (piece uuid PRIMARY KEY, page uuid, place integer, body text, headings text[], UNIQUE (page, place));
INSERT INTO foreigners.pieces
SELECT format('aaaaaaaa-0000-0000-0000-%s', lpad(n::text, 12, '0'))::uuid, 'aaaaaaaa-0000-0000-8000-000000000000', n, 'piece ' || n,
    CASE WHEN n = 0 THEN '{}' WHEN n % 3 = 1 THEN ARRAY['H' || n / 3] ELSE ARRAY['H' || n / 3, 'S' || n] END
FROM generate_series(0, 6) AS n;
\set piece3 '''aaaaaaaa-0000-0000-0000-000000000003'''

-- four columns are enough for a store
CREATE SCHEMA adopted;
CREATE VIEW adopted.chunks WITH (security_invoker = true) AS
    SELECT piece AS id, page AS document_id, place AS ordinal, body AS content FROM foreigners.pieces;
SET passage.store = 'adopted';
\pset null -

-- adjacent chunks are found; relatives are unknown, and missing columns are NULL
SELECT role, distance, ordinal, level, section, path, tokens, content FROM passage.expand_context(:piece3, 'adjacent');
SELECT strategy, count(*) FROM unnest('{auto,broad,reassembly,section,document,none}'::text[]) AS strategy,
    passage.expand_context(:piece3, strategy) GROUP BY strategy ORDER BY strategy;
SELECT uri, title, media_type, section, to_json(content) AS content, tokens, first_line, spans, metadata
FROM passage.reassemble(ARRAY[:piece3]::uuid[], NULL, 'adjacent', limits => passage.limits(after => 0));
SELECT to_json(passage.assemble('aaaaaaaa-0000-0000-8000-000000000000', array_agg(piece))) FROM foreigners.pieces WHERE place < 3;
SELECT outline, chunks, tokens FROM passage.outline('aaaaaaaa-0000-0000-8000-000000000000');
SELECT outline FROM passage.outline(uri => 'page');
SELECT count(*) FROM passage.strategies();

-- with sections and keys, relatives are found
CREATE OR REPLACE VIEW adopted.chunks WITH (security_invoker = true) AS
    SELECT piece AS id, page AS document_id, place AS ordinal, body AS content, headings AS section,
        passage.section_path(headings) AS path, passage.section_key(headings) AS section_key, passage.parent_key(headings) AS parent_key
    FROM foreigners.pieces;
SELECT role, section, path, content FROM passage.expand_context(:piece3);
SELECT outline, chunks FROM passage.outline('aaaaaaaa-0000-0000-8000-000000000000');

-- a section may be an array that a function is building, and contents may be long, with or without compression
CREATE FUNCTION foreigners.built(headings text[]) RETURNS text[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    built text[] := '{}';
BEGIN
    FOR i IN 1 .. cardinality(headings) LOOP
        built[i] := headings[i] || repeat('!', 200 * i);
    END LOOP;
    RETURN built;
END
$$;
CREATE TABLE foreigners.long AS SELECT place, body || CASE place % 4 WHEN 1 THEN repeat(' long', 100000)
    WHEN 2 THEN (SELECT string_agg(' ' || md5(n::text), '') FROM generate_series(1, 20000) AS n)
    WHEN 3 THEN (SELECT string_agg(' ' || md5(n::text), '') FROM generate_series(1, 100) AS n) END AS body FROM foreigners.pieces;
ALTER TABLE foreigners.long ADD PRIMARY KEY (place);
CREATE OR REPLACE VIEW adopted.chunks WITH (security_invoker = true) AS
    SELECT piece AS id, page AS document_id, place AS ordinal, long.body AS content, foreigners.built(headings) AS section,
        passage.section_path(foreigners.built(headings)) AS path, passage.section_key(foreigners.built(headings)) AS section_key,
        passage.parent_key(foreigners.built(headings)) AS parent_key
    FROM foreigners.pieces JOIN foreigners.long USING (place);
SELECT role, ordinal, c.section = foreigners.built(headings) AS is_built, c.content = long.body AS is_whole, length(c.content) AS length
FROM passage.expand_context(:piece3, max_tokens => 1000000) AS c JOIN foreigners.pieces ON piece = chunk_id JOIN foreigners.long USING (place);
SELECT cardinality(chunk_ids) AS chunks, length(content) AS length, (SELECT bool_and(strpos(content, btrim(body)) > 0) FROM foreigners.long WHERE place BETWEEN 1 AND 5) AS has_all
FROM passage.reassemble(ARRAY[:piece3]::uuid[], NULL, 'adjacent', max_tokens => 1000000);
CREATE OR REPLACE VIEW adopted.chunks WITH (security_invoker = true) AS
    SELECT piece AS id, page AS document_id, place AS ordinal, body AS content, headings AS section,
        passage.section_path(headings) AS path, passage.section_key(headings) AS section_key, passage.parent_key(headings) AS parent_key
    FROM foreigners.pieces;

-- with documents, media types and uris
CREATE VIEW adopted.documents WITH (security_invoker = true) AS
    SELECT DISTINCT page AS id, 'page.py' AS uri, 'text/x-python' AS media_type FROM foreigners.pieces;
SELECT uri, title, media_type, to_json(content) AS content FROM passage.reassemble(ARRAY[:piece3]::uuid[], NULL, 'adjacent', limits => passage.limits(after => 0));
SELECT count(*) FROM passage.outline(uri => 'page.py');

-- with strategies
CREATE VIEW adopted.strategies AS SELECT 'two' AS name, 'none' AS base, 2 AS before;
SELECT content FROM passage.expand_context(:piece3, 'two');
DROP VIEW adopted.strategies;

-- a required column is missing
CREATE SCHEMA half;
CREATE VIEW half.chunks AS SELECT piece AS id, page AS document_id, body AS content FROM foreigners.pieces;
SELECT content FROM passage.expand_context(:piece3, store => 'half');
SELECT passage.assemble(NULL, NULL, store => 'half');
SELECT outline FROM passage.outline('page', store => 'half');
\set VERBOSITY sqlstate
SELECT content FROM passage.reassemble('{}', store => 'half');
\set VERBOSITY default

-- the setting passage.store names the store; NULL and the empty text mean rag
SET passage.store = 'half';
SELECT content FROM passage.expand_context(:piece3);
SELECT content FROM passage.expand_context(:piece3, 'none', store => 'adopted');
SET passage.store = '';
SELECT _passage.store_name();
SELECT content FROM passage.expand_context(:piece3);
RESET passage.store;
SHOW passage.store;
-- SET LOCAL ends with the transaction
BEGIN;
SET LOCAL passage.store = 'adopted';
SELECT content FROM passage.expand_context(:piece3, 'none');
COMMIT;
SELECT content FROM passage.expand_context(:piece3, 'none');
-- a renamed schema is another store at once
ALTER SCHEMA adopted RENAME TO "Odd ""name";
SELECT content FROM passage.expand_context(:piece3, 'none', store => 'Odd "name');
SELECT content FROM passage.expand_context(:piece3, 'none', store => 'adopted');

DROP SCHEMA foreigners, "Odd ""name", half CASCADE;
