-- A trigger that keeps a store in step with the texts of a table.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET passage.store = 'steps';
SELECT count(*) > 0 AS made FROM passage.create_store();
CREATE SCHEMA press;
CREATE TABLE press.articles (id integer PRIMARY KEY, lang text, "The Title" text, body text, about jsonb);
CREATE TRIGGER articles_in_step AFTER INSERT OR UPDATE OR DELETE ON press.articles
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step(
        'text={body}', 'uri=articles/{id}', 'title={The Title}', 'collection={lang}', 'version=1', 'media_type=text/markdown', 'metadata={about}');
CREATE TRIGGER articles_out_of_step AFTER TRUNCATE ON press.articles
    FOR EACH STATEMENT EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=articles/{id}', 'version=1');
CREATE VIEW in_step AS SELECT collection, version, uri, title, media_type, documents.metadata, string_agg(content, '|' ORDER BY ordinal) AS content
    FROM steps.documents LEFT JOIN steps.chunks ON document_id = documents.id GROUP BY documents.id ORDER BY collection, uri;

-- rows become documents; one without a text is none
INSERT INTO press.articles VALUES
    (1, 'en', 'First', E'# A\n\nOne.\n', '{"by": "ann"}'), (2, 'de', NULL, 'Zwei.', NULL), (3, 'en', 'Third', NULL, NULL), (4, NULL, 'Fourth', '', NULL);
SELECT * FROM in_step;

-- another text; another key; another collection; none any more; one at last; nothing that counts
UPDATE press.articles SET body = 'Eins.' WHERE id = 1;
UPDATE press.articles SET id = 20 WHERE id = 2;
UPDATE press.articles SET lang = 'fr' WHERE id = 20;
UPDATE press.articles SET body = NULL WHERE id = 4;
UPDATE press.articles SET body = 'Three.' WHERE id = 3;
CREATE TEMP TABLE before AS SELECT uri, ingested_at, documents.xmin::text AS written FROM steps.documents;
UPDATE press.articles SET body = body;
SELECT count(*) FROM steps.documents JOIN before USING (uri) WHERE documents.xmin::text = written;
SELECT * FROM in_step;

-- two rows that swap their keys, and one that takes the key of another
BEGIN;
ALTER TABLE press.articles DROP CONSTRAINT articles_pkey;
UPDATE press.articles SET lang = 'en';
UPDATE press.articles SET id = CASE id WHEN 1 THEN 3 ELSE 1 END WHERE id IN (1, 3);
SELECT uri, content FROM in_step;
UPDATE press.articles SET id = CASE id WHEN 1 THEN 30 ELSE 1 END WHERE id IN (1, 3);
SELECT uri, content FROM in_step;
ROLLBACK;

-- gone with their rows, unless the transaction is taken back
BEGIN;
DELETE FROM press.articles WHERE id = 1;
UPDATE press.articles SET body = 'Never.';
SELECT uri, content FROM in_step;
ROLLBACK;
DELETE FROM press.articles WHERE id = 3;
SELECT uri, content FROM in_step;

-- TRUNCATE takes the documents whose uris begin as those of the table
SELECT outcome FROM passage.ingest('other/1', 'Not of the table.', version => '1');
UPDATE press.articles SET lang = '';
BEGIN;
TRUNCATE press.articles;
SELECT uri FROM in_step;
ROLLBACK;
SELECT uri FROM in_step;
TRUNCATE press.articles;
SELECT uri FROM in_step;

-- an error undoes the row
INSERT INTO press.articles VALUES (5, '', NULL, 'Five.', '[1]');
SELECT count(*) FROM press.articles;

-- a text of several columns, and braces that are braces
CREATE TABLE press.notes (key text, head text, body text);
CREATE TRIGGER notes_in_step AFTER INSERT OR UPDATE OR DELETE ON press.notes
    FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step(E'text=# {head} {{1}}\n\n{body}\n', 'uri={key}', 'store=steps', 'media_type=text/markdown');
INSERT INTO press.notes VALUES ('k{1}', 'Head {x}', 'Body.'), ('none', NULL, 'Body.');
SELECT uri, title, content FROM in_step WHERE collection = '' AND version = '';

-- errors: what a trigger is told, and when it is called
CREATE FUNCTION press.refused(VARIADIC arguments text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    EXECUTE format('CREATE TABLE press.refused (id integer, body text);
        CREATE TRIGGER refused AFTER INSERT ON press.refused FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step(%s)',
        (SELECT string_agg(quote_literal(argument), ', ') FROM unnest(arguments) AS argument));
    INSERT INTO press.refused VALUES (1, 'text');
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
SELECT press.refused('text={body}', 'uri={id}', 'media_type=image/png');
SELECT press.refused('text={body}', 'uri={id}', 'store=nowhere');
\set VERBOSITY default
CREATE TRIGGER early BEFORE INSERT ON press.notes FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri={key}');
INSERT INTO press.notes VALUES ('early', 'Head', 'Body.');
DROP TRIGGER early ON press.notes;
CREATE TRIGGER emptied AFTER TRUNCATE ON press.notes FOR EACH STATEMENT EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri={key}');
TRUNCATE press.notes;
SELECT passage.keep_in_step();

DROP VIEW in_step;
DROP SCHEMA press CASCADE;
DROP SCHEMA steps CASCADE;
