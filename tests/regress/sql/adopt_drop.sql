-- needs: vector
-- adopt: a program drops its table without CASCADE, changes it, and creates it again.
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA dropped;
CREATE TABLE dropped.parts (number bigint PRIMARY KEY, page text, position integer, headings text[], body text, note text, embedding vector(3));
INSERT INTO dropped.parts SELECT n, 'page ' || n / 20, n, ARRAY['T' || n / 20], 'Text of tea ' || n, 'note', ARRAY[n, 1, 1000 - n]::real[]::vector
FROM generate_series(1, 1000) AS n;
CREATE INDEX parts_embedding_idx ON dropped.parts USING hnsw (embedding vector_cosine_ops);
SELECT count(*) > 10 FROM passage.adopt('dropped.parts', 'dropshop', content => 'body', document => 'page', ordinal => 'position', section => 'headings',
    title => $$'Title ' || page$$, metadata => $$jsonb_build_object('source', page)$$, embedding => 'embedding');
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'dropshop.adopted_row'::regclass ORDER BY 1;
SELECT dimensions, embedding_type, distance FROM _passage.store_facts('dropshop');

-- the planner reads the table through its indexes, and leaves it out where only the store is read
CREATE FUNCTION dropped.plan(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || statement;
END
$$;
ANALYZE dropped.parts, dropshop.adopted_chunks, dropshop.adopted_documents;
SELECT * FROM dropped.plan($$SELECT chunk_id FROM dropshop.embeddings ORDER BY embedding <=> '[1,2,3]' LIMIT 5$$) AS line WHERE line ~ 'parts';
SELECT * FROM dropped.plan($$SELECT content FROM dropshop.chunks_embedded ORDER BY embedding <=> '[1,2,3]' LIMIT 5$$) AS line WHERE line ~ 'parts';
SELECT * FROM dropped.plan($$SELECT content, ordinal FROM dropshop.chunks WHERE document_id = '00000000-0000-0000-0000-000000000000' AND ordinal = 1$$) AS line WHERE line ~ 'parts';
SELECT * FROM dropped.plan($$SELECT metadata FROM dropshop.chunks WHERE id = '00000000-0000-0000-0000-000000000000'$$) AS line WHERE line ~ 'parts';
SELECT count(*), min(source_id) FROM passage.search_hits(embedding => '{1,1,999}', store => 'dropshop', max_hits => 1);

-- a plan that a session keeps follows the table
CREATE VIEW dropped.seen AS SELECT id, source_id, content FROM dropshop.chunks;
SET plan_cache_mode = force_generic_plan;
PREPARE documents AS SELECT count(*) FROM dropshop.documents;
PREPARE chunks AS SELECT count(*) FROM dropshop.chunks;
EXECUTE documents;
EXECUTE chunks;
CREATE TABLE dropped.ids AS SELECT source_id, id FROM dropshop.chunks;

-- the framework's own DROP TABLE
DROP TABLE dropped.parts;
EXECUTE documents;
EXECUTE chunks;
SELECT count(*) FROM dropshop.embeddings;
SELECT content FROM passage.search_hits('tea', store => 'dropshop');
SELECT content FROM passage.search('tea', '{1,2,3}', store => 'dropshop');
SELECT content FROM passage.expand_context((SELECT id FROM dropped.ids LIMIT 1), store => 'dropshop');
SELECT content FROM passage.reassemble(ARRAY(SELECT id FROM dropped.ids LIMIT 1), store => 'dropshop');
SELECT content FROM passage.fragments('tea', store => 'dropshop');
SELECT outline FROM passage.outline('page 1', store => 'dropshop');
SELECT object, problem, remedy FROM passage.check_store('dropshop', data => true);
SELECT passage.upgrade_store('dropshop');
SELECT store FROM passage.stores() WHERE store = 'dropshop';

-- a table of that name is not read before it is adopted
CREATE TABLE dropped.parts (number bigint PRIMARY KEY, page text, position integer, headings text[], body text, note text, embedding vector(3));
INSERT INTO dropped.parts SELECT n, 'page ' || n / 20, n, ARRAY['T' || n / 20], 'New text of tea ' || n, 'note', ARRAY[n, 1, 1000 - n]::real[]::vector
FROM generate_series(996, 1005) AS n;
EXECUTE documents;
SELECT count(*) FROM dropshop.embeddings;
SELECT object, problem, remedy FROM passage.check_store('dropshop', data => true);

-- the second call repairs the store: views stay, rows that are missing leave, and ids stay
SELECT regexp_replace(statement, '(FOR EACH|\n).*', '') FROM passage.adopt('dropped.parts', 'dropshop') AS statement;
EXECUTE documents;
EXECUTE chunks;
SELECT count(*), count(*) FILTER (WHERE ids.id = seen.id), min(content) FROM dropped.seen LEFT JOIN dropped.ids USING (source_id);
INSERT INTO dropped.parts VALUES (2000, 'page 50', 2000, '{}', 'The last tea.', NULL, NULL);
SELECT source_id FROM passage.search_hits('last', store => 'dropshop');
SELECT object, problem FROM passage.check_store('dropshop', data => true);

-- columns that no view reads may change; a change of one that is read has a remedy
DELETE FROM dropped.parts WHERE number = 2000;
ALTER TABLE dropped.parts DROP COLUMN note;
EXECUTE chunks;
ALTER TABLE dropped.parts ALTER COLUMN embedding TYPE vector(2) USING subvector(embedding, 1, 2);
EXECUTE chunks;
SELECT problem, remedy FROM passage.check_store('dropshop');
SELECT passage.upgrade_store('dropshop');
DROP VIEW dropped.seen;
CREATE ROLE dropped_reader;
GRANT USAGE ON SCHEMA dropped TO dropped_reader;
GRANT SELECT ON dropped.parts TO dropped_reader;
SELECT regexp_replace(statement, '( AS|\n).*', '') FROM passage.upgrade_store('dropshop') AS statement WHERE statement !~ '^COMMENT';
SELECT passage.upgrade_store('dropshop');
SELECT dimensions, embedding_type, distance FROM _passage.store_facts('dropshop');
SET ROLE dropped_reader;
SELECT source_id FROM passage.search_hits(embedding => '{1,999}', store => 'dropshop', max_hits => 1);
RESET ROLE;
ALTER TABLE dropped.parts ALTER COLUMN number TYPE integer;
EXECUTE chunks;
SELECT passage.upgrade_store('dropshop');
ALTER TABLE dropped.parts ALTER COLUMN number TYPE bigint;
ALTER TABLE dropped.parts RENAME COLUMN embedding TO vector;
EXECUTE chunks;
SELECT passage.upgrade_store('dropshop');
ALTER TABLE dropped.parts RENAME COLUMN vector TO embedding;

-- under row-level security, and with another name
ALTER TABLE dropped.parts ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON dropped.parts USING (number > 1003);
SET ROLE dropped_reader;
EXECUTE documents;
EXECUTE chunks;
RESET ROLE;
SELECT count(*) > 0 FROM passage.upgrade_store('dropshop');
ALTER TABLE dropped.parts RENAME TO pieces;
EXECUTE chunks;
SELECT count(*) > 0 FROM passage.adopt('dropped.pieces', 'dropshop');
SET ROLE dropped_reader;
EXECUTE documents;
EXECUTE chunks;
SELECT count(*) FROM dropshop.adopted_chunks;
SELECT count(*) FROM dropshop.embeddings;
RESET ROLE;
DROP TABLE dropped.pieces;
SET ROLE dropped_reader;
EXECUTE chunks;
SELECT count(*) FROM dropshop.adopted_chunks;
RESET ROLE;

-- another role cannot replace the table
CREATE ROLE dropped_thief;
GRANT CREATE, USAGE ON SCHEMA dropped TO dropped_thief;
GRANT USAGE ON SCHEMA dropshop TO dropped_thief;
SET ROLE dropped_thief;
CREATE FUNCTION dropped.steal() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'code of the thief runs as %', current_user; RETURN 1; END $$;
CREATE VIEW dropped.pieces AS
    SELECT dropped.steal() AS number, 'page'::text AS page, 1 AS position, '{}'::text[] AS headings, 'Stolen.'::text AS body, '[1,2]'::vector(2) AS embedding WHERE dropped.steal() > 0;
CREATE TABLE dropped.bait (id bigint);
CREATE TRIGGER bait AFTER INSERT ON dropped.bait REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN ('dropshop.adopted_chunks'::regclass IS NOT NULL) EXECUTE FUNCTION _passage.keep_adopted();
-- the message ends with the name of the role that runs these tests
\set VERBOSITY sqlstate
INSERT INTO dropped.bait VALUES (1);
\set VERBOSITY default
RESET ROLE;
EXECUTE documents;
EXECUTE chunks;
SELECT count(*) FROM dropshop.embeddings;
SELECT count(*) FROM dropshop.chunks_embedded;
SELECT _passage.refresh_adopted('dropshop');
SELECT content FROM passage.search('tea', '{1,2}', store => 'dropshop');
SELECT object, problem, remedy FROM passage.check_store('dropshop', data => true);
SELECT passage.upgrade_store('dropshop');
SELECT passage.adopt('dropped.pieces', 'dropshop');

-- unadopt needs no table
SELECT count(*) FROM passage.unadopt('dropshop');
SELECT to_regnamespace('dropshop');
DEALLOCATE ALL;
RESET plan_cache_mode;

-- an expression of the whole row reads all columns
CREATE TABLE dropped.whole (id bigint PRIMARY KEY, body text, page text, "odd ""name" text, other integer);
INSERT INTO dropped.whole VALUES (1, 'Tea.', 'p', 'odd', 5);
SELECT count(*) > 0 FROM passage.adopt('dropped.whole', 'dropwhole', content => 'body', document => 'page', metadata => 'to_jsonb(source)', title => $$"odd ""name" || 'source'$$);
SELECT metadata, preamble FROM dropwhole.chunks;
SELECT count(*) > 0 FROM passage.unadopt('dropwhole');
SELECT count(*) > 0 FROM passage.adopt('dropped.whole', 'dropwhole', content => 'body', document => 'page', metadata => $$jsonb_build_object('source', OTHER)$$, title => $$source."odd ""name"$$);
SELECT metadata, preamble FROM dropwhole.chunks;
SELECT attname FROM pg_attribute WHERE attrelid = 'dropwhole.adopted_row'::regclass ORDER BY 1;
SELECT count(*) > 0 FROM passage.unadopt('dropwhole');
DROP SCHEMA dropped CASCADE;
DROP ROLE dropped_reader, dropped_thief;
