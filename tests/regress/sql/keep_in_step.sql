-- keep_in_step: a trigger that updates documents when the rows of a table change.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SELECT count(*) > 0 AS made FROM passage.create_store('steps');
CREATE SCHEMA press;
CREATE TABLE press.articles (id integer PRIMARY KEY, lang text, "The Title" text, body text, about jsonb);
CREATE TRIGGER articles_in_step AFTER INSERT OR UPDATE OR DELETE ON press.articles
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step(
        'text={body}', 'uri=articles/{id}', 'title={The Title}', 'collection={lang}', 'version=1', 'media_type=text/markdown', 'metadata={about}', 'store=steps');
CREATE TRIGGER articles_out_of_step AFTER TRUNCATE ON press.articles
    FOR EACH STATEMENT EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=articles/{id}', 'collection={lang}', 'version=1', 'store=steps');
CREATE VIEW in_step AS SELECT collection, version, uri, title, media_type, documents.metadata, string_agg(content, '|' ORDER BY ordinal) AS content
    FROM steps.documents LEFT JOIN steps.chunks ON document_id = documents.id GROUP BY documents.id ORDER BY collection, uri;

-- rows become documents, except for a row without text
INSERT INTO press.articles VALUES
    (1, 'en', 'First', E'# A\n\nOne.\n', '{"by": "ann"}'), (2, 'de', NULL, 'Zwei.', NULL), (3, 'en', 'Third', NULL, NULL), (4, NULL, 'Fourth', '', NULL);
SELECT * FROM in_step;

-- another text; another key; another collection; text set to NULL; text set again; an irrelevant column
UPDATE press.articles SET body = 'Eins.' WHERE id = 1;
UPDATE press.articles SET id = 20 WHERE id = 2;
UPDATE press.articles SET lang = 'fr' WHERE id = 20;
UPDATE press.articles SET body = NULL WHERE id = 4;
UPDATE press.articles SET body = 'Three.' WHERE id = 3;
CREATE TEMP TABLE before AS SELECT uri, ingested_at, documents.xmin::text AS written FROM steps.documents;
UPDATE press.articles SET body = body;
SELECT count(*) FROM steps.documents JOIN before USING (uri) WHERE documents.xmin::text = written;
SELECT * FROM in_step;

-- two rows swap their keys, and a row takes the key of another
BEGIN;
ALTER TABLE press.articles DROP CONSTRAINT articles_pkey, ADD PRIMARY KEY (id) DEFERRABLE;
UPDATE press.articles SET lang = 'en';
UPDATE press.articles SET id = CASE id WHEN 1 THEN 3 ELSE 1 END WHERE id IN (1, 3);
SELECT uri, content FROM in_step;
UPDATE press.articles SET id = CASE id WHEN 1 THEN 30 ELSE 1 END WHERE id IN (1, 3);
SELECT uri, content FROM in_step;
ROLLBACK;

-- DELETE removes documents unless the transaction rolls back
BEGIN;
DELETE FROM press.articles WHERE id = 1;
UPDATE press.articles SET body = 'Never.';
SELECT uri, content FROM in_step;
ROLLBACK;
DELETE FROM press.articles WHERE id = 3;
SELECT uri, content FROM in_step;

-- TRUNCATE removes the documents of the table
SELECT outcome FROM passage.ingest('other/1', 'Not of the table.', version => '1', store => 'steps');
UPDATE press.articles SET lang = '';
BEGIN;
TRUNCATE press.articles;
SELECT uri FROM in_step;
ROLLBACK;
SELECT uri FROM in_step;
TRUNCATE press.articles;
SELECT uri FROM in_step;

-- metadata that are not an object, and an object whose values no row can leave
CREATE TABLE press.quotes (id integer PRIMARY KEY, author text, stars numeric, about jsonb);
CREATE TRIGGER quotes_in_step AFTER INSERT OR UPDATE OR DELETE ON press.quotes
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={id}', 'uri=quotes/{id}', 'metadata={about}', 'store=steps');
INSERT INTO press.quotes VALUES (1, 'x", "tenant": "b', 1.50, '[1]'), (2, NULL, NULL, NULL), (3, 'Dwayne "The Rock" Johnson', 'NaN', '{"a": 1}');
SELECT uri, metadata FROM in_step WHERE uri LIKE 'quotes/%';
CREATE OR REPLACE TRIGGER quotes_in_step AFTER INSERT OR UPDATE OR DELETE ON press.quotes
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={id}', 'uri=quotes/{id}', 'store=steps',
        'metadata={"tenant": "a", "by": "by {author}", "author": "{author}", "more": {"stars": {stars}, "about": [{about}]}}');
UPDATE press.quotes SET id = id;
SELECT uri, metadata FROM in_step WHERE uri LIKE 'quotes/%';
DELETE FROM press.quotes;

-- an error undoes the change of the row
ALTER TABLE steps.documents ADD CONSTRAINT not_five CHECK (uri <> 'articles/5');
\set VERBOSITY terse
INSERT INTO press.articles VALUES (5, '', NULL, 'Five.', NULL);
\set VERBOSITY default
SELECT count(*) FROM press.articles;
ALTER TABLE steps.documents DROP CONSTRAINT not_five;

-- a text of several columns, and literal braces
CREATE TABLE press.notes (key text UNIQUE, head text, body text);
CREATE TRIGGER notes_in_step AFTER INSERT OR UPDATE OR DELETE ON press.notes
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step(E'text=# {head} {{1}}\n\n{body}\n', 'uri={key}', 'store=steps', 'media_type=text/markdown');
INSERT INTO press.notes VALUES ('k{1}', 'Head {x}', 'Body.'), ('none', NULL, 'Body.');
SELECT uri, title, content FROM in_step WHERE collection = '' AND version = '';

-- TRUNCATE leaves documents of another table, even if their uris have the same prefix
CREATE TABLE press.near (id integer PRIMARY KEY, body text);
CREATE TABLE press.far (id text PRIMARY KEY, body text);
CREATE TRIGGER near_in_step AFTER INSERT OR UPDATE OR DELETE ON press.near
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}', 'store=steps');
CREATE TRIGGER near_emptied AFTER TRUNCATE ON press.near EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}', 'store=steps');
CREATE TRIGGER far_in_step AFTER INSERT OR UPDATE OR DELETE ON press.far
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/archive/{id}', 'store=steps');
INSERT INTO press.near VALUES (1, 'Near.');
INSERT INTO press.far VALUES ('1', 'Far.');
TRUNCATE press.near;
SELECT uri, source_row FROM steps.documents WHERE uri LIKE 'notes/%';

-- neither rows of two tables nor two rows of one table can share a document
CREATE TABLE press.other (id text PRIMARY KEY, body text);
CREATE TRIGGER other_in_step AFTER INSERT OR UPDATE OR DELETE ON press.other
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}', 'store=steps');
INSERT INTO press.other VALUES ('archive/1', 'Rival.');
CREATE TABLE press.pairs (a text, b text, body text, PRIMARY KEY (a, b));
CREATE TRIGGER pairs_in_step AFTER INSERT OR UPDATE OR DELETE ON press.pairs
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=pairs/{a}/{b}', 'store=steps');
INSERT INTO press.pairs VALUES ('x/y', 'z', 'First.');
INSERT INTO press.pairs VALUES ('x', 'y/z', 'Second.');
WITH removed AS (DELETE FROM press.pairs) INSERT INTO press.pairs VALUES ('x', 'y/z', 'Second.');
UPDATE press.pairs SET a = 'x/y', b = 'z';
DELETE FROM press.pairs;
SELECT count(*) FROM steps.documents WHERE uri LIKE 'pairs/%';

-- keys swapped across partitions, and TRUNCATE of one partition
CREATE TABLE press.parts (id integer PRIMARY KEY, body text) PARTITION BY RANGE (id);
CREATE TABLE press.parts_low PARTITION OF press.parts FOR VALUES FROM (0) TO (10);
CREATE TABLE press.parts_high (body text, id integer NOT NULL);
ALTER TABLE press.parts ATTACH PARTITION press.parts_high FOR VALUES FROM (10) TO (20);
CREATE TRIGGER parts_in_step AFTER INSERT OR UPDATE OR DELETE ON press.parts
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=parts/{id}', 'store=steps');
CREATE TRIGGER parts_emptied AFTER TRUNCATE ON press.parts_low EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=parts/{id}', 'store=steps');
INSERT INTO press.parts VALUES (1, 'One.'), (11, 'Eleven.'), (2, 'Two.');
BEGIN;
ALTER TABLE press.parts DROP CONSTRAINT parts_pkey, ADD PRIMARY KEY (id) DEFERRABLE;
UPDATE press.parts SET id = 12 - id WHERE id IN (1, 11);
SELECT uri, content FROM in_step WHERE uri LIKE 'parts/%';
ROLLBACK;
MERGE INTO press.parts USING (VALUES (1), (15)) AS given (id) ON parts.id = given.id
    WHEN MATCHED THEN UPDATE SET id = 14 WHEN NOT MATCHED THEN INSERT VALUES (given.id, 'Fifteen.');
INSERT INTO press.parts VALUES (15, 'Again.') ON CONFLICT (id) DO UPDATE SET body = excluded.body;
TRUNCATE press.parts_low;
SELECT uri, content FROM in_step WHERE uri LIKE 'parts/%';
ALTER TABLE press.parts DETACH PARTITION press.parts_high;
SELECT * FROM passage.bring_in_step('press.parts');
SELECT uri, content FROM in_step WHERE uri LIKE 'parts/%';

-- a value has the same text form in all sessions
CREATE TABLE press.times (at timestamptz PRIMARY KEY, amount money, body text);
CREATE TRIGGER times_in_step AFTER INSERT OR UPDATE OR DELETE ON press.times
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=times/{at}', 'title={amount}', 'store=steps');
SET timezone = 'Europe/Berlin';
INSERT INTO press.times VALUES ('2024-01-01 12:00+00', '1.5', 'Noon.');
SELECT uri, title FROM in_step WHERE uri LIKE 'times/%';
SET timezone = 'Asia/Tokyo';
DELETE FROM press.times;
SELECT uri FROM in_step WHERE uri LIKE 'times/%';
RESET timezone;

-- a key whose equality operator is outside of pg_catalog
CREATE TABLE press.labels (path ltree PRIMARY KEY, body text);
CREATE TRIGGER labels_in_step AFTER INSERT OR UPDATE OR DELETE ON press.labels
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=labels/{path}', 'store=steps');
INSERT INTO press.labels VALUES ('a.b', 'Label.');
UPDATE press.labels SET path = 'a.c';
SELECT uri, content FROM in_step WHERE uri LIKE 'labels/%';

-- another trigger changes the row before its document is written
CREATE FUNCTION press.stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE press.near SET body = 'Stamped.' WHERE id = NEW.id AND body <> 'Stamped.';
    RETURN NULL;
END
$$;
CREATE TRIGGER a_stamp AFTER INSERT ON press.near FOR EACH ROW EXECUTE FUNCTION press.stamp();
INSERT INTO press.near VALUES (7, 'Written.');
SELECT uri, content FROM in_step WHERE uri = 'notes/7';

DROP TRIGGER a_stamp ON press.near;

-- a renamed table keeps its documents; a table without a trigger loses its claim on them
ALTER TABLE press.near RENAME TO close;
UPDATE press.close SET body = 'Renamed.';
SELECT uri, source_row FROM steps.documents WHERE uri = 'notes/7';
DELETE FROM press.close;
SELECT uri FROM in_step WHERE uri = 'notes/7';

-- rows older than the trigger, and documents whose rows changed without it
INSERT INTO press.close VALUES (8, 'Eight.'), (9, NULL), (10, 'Ten.');
ALTER TABLE press.close DISABLE TRIGGER near_in_step;
UPDATE press.close SET body = 'Unseen.' WHERE id = 8;
DELETE FROM press.close WHERE id = 10;
ALTER TABLE press.close ENABLE TRIGGER near_in_step;
SELECT * FROM passage.bring_in_step('press.close');
SELECT uri, content FROM in_step WHERE uri ~ '^notes/[0-9]';
UPDATE steps.documents SET source_row = NULL WHERE uri = 'notes/8';
TRUNCATE press.close;
SELECT * FROM passage.bring_in_step('press.close');
TRUNCATE press.close;
SELECT uri FROM in_step WHERE uri ~ '^notes/[0-9]';
SELECT * FROM passage.bring_in_step('press.articles');
SELECT passage.bring_in_step('pg_class');
BEGIN ISOLATION LEVEL REPEATABLE READ;
TRUNCATE press.close;
ROLLBACK;

-- errors: large metadata, more arguments than a trigger has, wrong arguments, and wrong trigger definitions
INSERT INTO press.articles VALUES (9, 'en', 'Ninth', 'Nine.', jsonb_build_object('a', repeat('a', 4194304)));
SELECT _passage.step_plan('press.articles'::regclass, 'step', 'ROW', array_fill('a'::text, '{32768}'));
CREATE FUNCTION press.refused(VARIADIC arguments text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    EXECUTE format('CREATE TABLE press.refused (id integer PRIMARY KEY, body text, other integer);
        CREATE TRIGGER refused AFTER INSERT OR UPDATE OR DELETE ON press.refused FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step(%s)',
        (SELECT string_agg(quote_literal(argument), ', ') FROM unnest(arguments) AS argument));
    INSERT INTO press.refused VALUES (1, 'text', 2);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RAISE WARNING '% %', SQLSTATE, SQLERRM USING HINT = hint;
END
$$;
\set VERBOSITY terse
SELECT press.refused('text={body}');
SELECT press.refused('text={body}', 'uri=one');
SELECT press.refused('text={body}', 'uri={id}', 'titel={body}');
SELECT press.refused('text={body}', 'uri={id}', 'uri={id}');
SELECT press.refused('text={body}', 'uri={id}', 'title');
SELECT press.refused('text={bodies}', 'uri={id}');
SELECT press.refused('text={body}', 'uri={id}', 'media_type=image/png', 'store=steps');
SELECT press.refused('text={body}', 'uri={id}', 'store=nowhere');
SELECT press.refused('text={body}', 'uri={id}', 'metadata={"a": {id}', 'store=steps');
SELECT press.refused('text={body}', 'uri={id}', 'metadata={"a": {idd}}', 'store=steps');
SELECT press.refused('text={body}', 'uri={id}', 'store=steps', 'owner=nobody');
SELECT press.refused('text={body}', 'uri={other}', 'store=steps');
SELECT press.refused('text={body}', 'uri={body}', 'collection={id}', 'store=steps');
DROP TABLE press.refused;
SET passage.store = 'steps';
SELECT press.refused('text={body}', 'uri={id}');
RESET passage.store;
CREATE TABLE press.wrong (id integer PRIMARY KEY, body text, computed text GENERATED ALWAYS AS (upper(body)) STORED);
CREATE TRIGGER wrong AFTER INSERT OR UPDATE ON press.wrong FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={computed}', 'uri=wrong/{id}', 'store=steps');
INSERT INTO press.wrong VALUES (1, 'One.');
CREATE TRIGGER removed AFTER DELETE ON press.wrong FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={computed}', 'uri=wrong/{id}', 'store=steps');
INSERT INTO press.wrong VALUES (1, 'One.');
SELECT uri, content FROM in_step WHERE uri LIKE 'wrong/%';
CREATE OR REPLACE TRIGGER removed AFTER DELETE ON press.wrong FOR EACH ROW WHEN (OLD.id > 0) EXECUTE FUNCTION passage.keep_in_step('text={computed}', 'uri=wrong/{id}', 'store=steps');
UPDATE press.wrong SET body = 'Two.';
DROP TRIGGER removed ON press.wrong;
CREATE OR REPLACE TRIGGER wrong AFTER INSERT OR UPDATE OF body OR DELETE ON press.wrong FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={computed}', 'uri=wrong/{id}', 'store=steps');
UPDATE press.wrong SET body = 'Two.';
CREATE OR REPLACE TRIGGER wrong AFTER INSERT OR UPDATE OR DELETE ON press.wrong FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={computed}', 'uri=wrong/{id}', 'store=steps');
CREATE TRIGGER rival AFTER INSERT OR UPDATE OR DELETE ON press.wrong FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=wrong/{id}', 'store=steps');
UPDATE press.wrong SET body = 'Two.';
DROP TRIGGER rival ON press.wrong;
ALTER TABLE press.wrong RENAME COLUMN id TO number;
UPDATE press.wrong SET body = 'Two.';
ALTER TABLE press.wrong RENAME COLUMN number TO id;
ALTER TABLE press.wrong SET UNLOGGED;
UPDATE press.wrong SET body = 'Two.';
ALTER TABLE press.wrong SET LOGGED;
ALTER TABLE steps.documents DROP COLUMN source_row;
UPDATE press.wrong SET body = 'Two.';
SELECT count(*) FROM passage.upgrade_store('steps');
UPDATE press.wrong SET body = 'Two.';
SELECT uri, content FROM in_step WHERE uri LIKE 'wrong/%';
\set VERBOSITY default
CREATE TRIGGER early BEFORE INSERT ON press.notes FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri={key}');
INSERT INTO press.notes VALUES ('early', 'Head', 'Body.');
DROP TRIGGER early ON press.notes;
CREATE TRIGGER emptied AFTER TRUNCATE ON press.notes FOR EACH STATEMENT EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri={key}', 'store=steps');
TRUNCATE press.notes;
SELECT passage.keep_in_step();

DROP VIEW in_step;
DROP SCHEMA press CASCADE;
DROP SCHEMA steps CASCADE;
