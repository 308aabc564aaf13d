-- fragments: the whole lines that answer a query.
SET client_min_messages = warning;
SET passage.store = 'fragments';
SELECT count(*) > 0 AS made FROM passage.create_store();

-- A manual as the client stores it: two chunks end within a line, and one within a code fence.
CREATE FUNCTION pg_temp.load(document uuid, uri text, media_type text, contents text[], sections text[], title text DEFAULT NULL, version text DEFAULT '')
RETURNS void LANGUAGE sql AS $$
    INSERT INTO fragments.documents (id, uri, media_type, title, version, metadata)
    VALUES (document, uri, media_type, title, version, '{"owner": "ops"}');
    INSERT INTO fragments.chunks (id, document_id, ordinal, section, content, tokens, start_byte, end_byte, first_line, last_line)
    SELECT (left(document::text, 24) || lpad(place::text, 12, '0'))::uuid, document, place - 1, section::text[], content, length(content) / 4,
        start, start + octet_length(content), line, line + ends - (content LIKE E'%\n')::integer
    FROM (
        SELECT place, content, section,
            coalesce(sum(octet_length(content)) OVER before, 0)::integer AS start,
            (1 + coalesce(sum(length(content) - length(replace(content, E'\n', ''))) OVER before, 0))::integer AS line,
            length(content) - length(replace(content, E'\n', '')) AS ends
        FROM unnest(contents, sections) WITH ORDINALITY AS listed (content, section, place)
        WINDOW before AS (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) AS placed
$$;

SELECT pg_temp.load('aaaaaaaa-0000-0000-8000-000000000000', 'docs/sessionTimeout.md', 'text/markdown', ARRAY[
    E'# Manual\n\nHow the service is run, from the first start to the last.\n\n',
    E'## Sessions\n\nA session ends when nobody has used it for half an',
    E' hour; that is its timeout.\nThe timeout is set in the file of settings.\n\n',
    E'```toml\n[session]\n# minutes\n',
    E'timeout = 30\n```\n\nRestart the service afterwards.\n\n',
    E'## Backups\n\nEvery night the data is copied to another house.\n\n',
    E'| kind | kept |\n|---|---|\n| nightly | a week |\n| monthly | a year |\n\n',
    E'A copy that was never restored is no backup. Restore one now and then.\n\n',
    E'## Limits\n\nThe service takes a hundred requests a second.\nWho asks more often waits.\n',
    E'## Appendix\n\n' || repeat(E'This line is empty paper.\n', 120)
], ARRAY['{Manual}', '{Manual,Sessions}', '{Manual,Sessions}', '{Manual,Sessions}', '{Manual,Sessions}', '{Manual,Backups}',
    '{Manual,Backups}', '{Manual,Backups}', '{Manual,Limits}', '{Manual,Appendix}'], 'Manual');
SELECT pg_temp.load('bbbbbbbb-0000-0000-8000-000000000000', 'notes.txt', 'text/plain', ARRAY[
    E'Kubernetes restarts what fails.\n', E'The nightly copy took an hour.\n', E'日本語の文書。\n'
], ARRAY['{}', '{}', '{}'], version => '2');

-- whole lines with their numbers, best first; code fences stay whole
SELECT first_line, last_line, tokens, content FROM passage.fragments('session timeout', uri => 'docs/sessionTimeout.md', max_fragments => 1);
SELECT fragment_id, document_id, uri, title, media_type, strategy_used, metadata
FROM passage.fragments('session timeout', uri => 'docs/sessionTimeout.md', max_fragments => 1);
SELECT before, after, signals - 'lexical' - 'proximity' AS signals, signals -> 'proximity' ->> 'coverage' AS coverage
FROM passage.fragments('restored', uri => 'docs/sessionTimeout.md', max_fragments => 1);
SELECT value ->> 'relation' AS relation, value ->> 'first_line' AS line, value ->> 'preview' AS preview
FROM passage.fragments('restored', uri => 'docs/sessionTimeout.md', max_fragments => 1), jsonb_array_elements(related);

-- a line in two chunks is returned whole, and rows of tables are lines
SELECT first_line, last_line, content FROM passage.fragments('half an hour', document_id => 'aaaaaaaa-0000-0000-8000-000000000000', max_tokens => 30);
SELECT first_line, last_line, content FROM passage.fragments('monthly', uri => 'docs/sessionTimeout.md', max_tokens => 8);

-- the content of a fragment equals its lines of the document
SELECT query, count(*), bool_and(content = (
    SELECT string_agg(line, E'\n' ORDER BY number) FROM (
        SELECT string_agg(chunks.content, '' ORDER BY ordinal) FROM fragments.chunks WHERE chunks.document_id = found.document_id
    ) AS source (text), string_to_table(text, E'\n') WITH ORDINALITY AS listed (line, number)
    WHERE number BETWEEN first_line AND last_line)) AS verbatim
FROM unnest(ARRAY['timeout', 'service', 'copy', 'the nightly copy of the data', 'a week']) AS asked (query),
    passage.fragments(query, strategy => 'adaptive') AS found
GROUP BY query ORDER BY query;

-- strategies, and the rule of seed 003 by the number of words
SELECT strategy, query, (SELECT string_agg(DISTINCT strategy_used, ' ') FROM passage.fragments(query, strategy => strategy, uri => 'docs/sessionTimeout.md')) AS used
FROM unnest(ARRAY['auto', 'adaptive', 'proximity', 'semantic', 'seed']) AS s (strategy),
    unnest(ARRAY['backup', 'restore a backup copy', 'how often is the data copied to another house every night']) AS q (query);
SELECT strategy, first_line, signals ->> 'hint' AS hint
FROM unnest(ARRAY['proximity', 'semantic']) AS s (strategy),
    passage.fragments('backup copy kubernetes settings', strategy => strategy, uri => 'docs/sessionTimeout.md', max_fragments => 1);

-- exact words, else words with the prefix, else similar words
SELECT query, threshold, signals ->> 'match' AS match, last_line, signals ->> 'hint' AS hint
FROM (VALUES ('timeout', 0.8), ('kuber', 0.8), ('kubrenetes', 0.8), ('kubrenetes', 0.95), ('kubrenetes', 0), ('backps', 0.8)) AS asked (query, threshold),
    passage.fragments(query, fuzzy_threshold => threshold, max_fragments => 1)
ORDER BY threshold, query;

-- one document, a version, or the whole store
SELECT uri, count(*) FROM passage.fragments('copy') GROUP BY uri ORDER BY uri;
SELECT uri FROM passage.fragments('copy', filter => passage.filter(version => '2'));
SELECT count(*) FROM passage.fragments('copy', collection => 'other');
UPDATE fragments.documents SET orphaned_at = '2020-01-01' WHERE uri = 'notes.txt';
SELECT count(*) FROM passage.fragments('kubernetes');
SELECT count(*) FROM passage.fragments('kubernetes', uri => 'notes.txt');
SELECT count(*) FROM passage.fragments('kubernetes', uri => 'notes.txt', filter => passage.filter(include_orphaned => true));
UPDATE fragments.documents SET orphaned_at = NULL;

-- an empty query uses the words of the uri, else the beginning of the document
SELECT first_line, strategy_used FROM passage.fragments(uri => 'docs/sessionTimeout.md', max_fragments => 1);
SELECT first_line, last_line, strategy_used, signals ->> 'hint' AS hint FROM passage.fragments('  ', uri => 'notes.txt');
SELECT count(*) FROM passage.fragments();

-- a document that fits into the budget is returned in full, unless the caller declines or names a strategy
SELECT strategy_used, first_line, last_line, tokens, signals ->> 'hint' AS hint FROM passage.fragments('kubernetes', uri => 'notes.txt');
SELECT strategy_used, last_line FROM passage.fragments('kubernetes', uri => 'notes.txt', return_full => false);
SELECT strategy_used, last_line FROM passage.fragments('kubernetes', uri => 'notes.txt', strategy => 'adaptive');
SELECT strategy_used, last_line FROM passage.fragments('kubernetes', uri => 'notes.txt', max_tokens => 10);
SELECT strategy_used, last_line FROM passage.fragments('kubernetes', filter => passage.filter(version => '2'));

-- a whole document, up to a limit
SELECT fragment_id, strategy_used, first_line, last_line, tokens, signals FROM passage.fragments(uri => 'docs/sessionTimeout.md', return_full => true);
SELECT last_line, tokens, signals ->> 'cut' AS cut FROM passage.fragments(uri => 'docs/sessionTimeout.md', return_full => true, max_tokens => 40);
SELECT content = (SELECT string_agg(content, '' ORDER BY ordinal) FROM fragments.chunks WHERE document_id = found.document_id) AS whole
FROM passage.fragments(uri => 'docs/sessionTimeout.md', return_full => true) AS found;

-- blocks and lines longer than the budget are cut
SELECT first_line, last_line, tokens, signals ->> 'cut' AS cut, content FROM passage.fragments('minutes', uri => 'docs/sessionTimeout.md', max_tokens => 6);
SELECT first_line, last_line, tokens, signals ->> 'cut' AS cut, content FROM passage.fragments('restored', uri => 'docs/sessionTimeout.md', max_tokens => 6);

-- phrases and excluded words; an unknown phrase does not empty the result
SELECT first_line FROM passage.fragments('"nightly copy"');
SELECT first_line, signals ->> 'hint' AS hint FROM passage.fragments('"copy nightly"', max_fragments => 1);
SELECT uri FROM passage.fragments('copy -nightly');

-- any query text is valid
SELECT left(query, 20) AS query, (SELECT count(*) > 0 FROM passage.fragments(query)) AS rows,
    (SELECT count(*) > 0 FROM passage.fragments(query, uri => 'notes.txt')) AS of_document
FROM unnest(ARRAY['', ' ', 'the of and', '& | ! ( ) <-> :*', '''; DROP TABLE fragments.chunks; --', '"', '"open', '\', '%_', '😀', '日本', 'שלום',
    repeat('x', 100000), repeat('copy ', 20000), '-copy', E'\u0001']) AS asked (query);

-- the selection of seed 003 counts the words as typed, stop words included
SELECT query, (SELECT max(strategy_used) FROM passage.fragments(query, strategy => 'seed', uri => 'docs/sessionTimeout.md')) AS used
FROM unnest(ARRAY['timeout', 'the timeout', 'where is the timeout', 'what is the timeout of a session', 'timeout timeout timeout']) AS q (query);

-- a named document without a match, and an unknown document, are reported with the remedy
SET client_min_messages = notice;
SELECT count(*) FROM passage.fragments('zebra', uri => 'docs/sessionTimeout.md');
SELECT count(*) FROM passage.fragments('zebra', uri => 'notes.txt');
SELECT count(*) FROM passage.fragments('copy', uri => 'unknown.md');
SELECT count(*) FROM passage.fragments('zebra');
SET client_min_messages = warning;

-- a uri in several collections or versions is refused with the list
INSERT INTO fragments.documents (id, collection, version, uri) VALUES
    ('cccccccc-0000-0000-8000-000000000000', 'other', '', 'notes.txt'), ('dddddddd-0000-0000-8000-000000000000', 'it''s', '3', 'notes.txt');
SELECT * FROM passage.fragments('copy', uri => 'notes.txt');
SELECT * FROM passage.fragments(uri => 'notes.txt', return_full => true);
SELECT uri, last_line FROM passage.fragments('hour', uri => 'notes.txt', collection => '', max_tokens => 10);
SELECT uri, last_line FROM passage.fragments('hour', uri => 'notes.txt', document_id => 'bbbbbbbb-0000-0000-8000-000000000000', max_tokens => 10);
UPDATE fragments.documents SET orphaned_at = '2020-01-01' WHERE collection <> '';
SELECT uri, last_line FROM passage.fragments('hour', uri => 'notes.txt', max_tokens => 10);
SELECT count(*) FROM passage.fragments('hour', uri => 'notes.txt', filter => passage.filter(include_orphaned => true));
DELETE FROM fragments.documents WHERE collection <> '';

-- no query, or an unknown document
SELECT * FROM passage.fragments('copy', uri => 'unknown.md');
SELECT * FROM passage.fragments('copy', document_id => '00000000-0000-0000-0000-000000000000');
SELECT * FROM passage.fragments('copy', document_id => 'aaaaaaaa-0000-0000-8000-000000000000', uri => 'notes.txt');
SELECT count(*) FROM passage.fragments('copy', max_fragments => 0);
SELECT count(*) FROM passage.fragments('copy', max_tokens => 0);

-- in a store without lines, spans and tsv the chunk is the fragment
CREATE SCHEMA adopted;
CREATE VIEW adopted.chunks AS SELECT id, document_id, ordinal, content FROM fragments.chunks;
SELECT content, first_line, last_line, signals - 'lexical' - 'proximity' AS signals
FROM passage.fragments('monthly', document_id => 'aaaaaaaa-0000-0000-8000-000000000000', store => 'adopted');
SELECT count(*) FROM passage.fragments('monthly', uri => 'docs/sessionTimeout.md', store => 'adopted');

-- errors
SELECT * FROM passage.fragments('copy', strategy => 'wide');
SELECT * FROM passage.fragments('copy', max_fragments => -1);
SELECT * FROM passage.fragments('copy', max_tokens => 1000001);
SELECT * FROM passage.fragments('copy', fuzzy_threshold => 1.5);
SELECT * FROM passage.fragments('copy', return_full => true);
SELECT * FROM passage.fragments('copy', '{1}');
SELECT * FROM passage.fragments('copy', store => 'nowhere');
SELECT * FROM passage.fragments('copy', store => 'adopted');

DROP SCHEMA adopted CASCADE;
DROP SCHEMA fragments CASCADE;
