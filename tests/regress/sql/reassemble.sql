-- reassemble: hits with their context as passages.
SET client_min_messages = warning;
SET passage.store = 'passages';
SELECT count(*) > 0 AS made FROM passage.create_store();

-- A document of chunks a, b, c, ... of two bytes and one line each.
CREATE FUNCTION pg_temp.load(document uuid, media_type text, chunks integer) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO passages.documents (id, collection, version, uri, title, media_type, metadata)
    VALUES (document, 'demo', '1.0', left(document::text, 1) || '.txt', 'Title of ' || left(document::text, 1), media_type, '{"lang": "en"}');
    INSERT INTO passages.chunks (id, document_id, ordinal, content, tokens, start_byte, end_byte, first_line, last_line)
    SELECT overlay(document::text PLACING to_char(n, 'FM00') FROM 35)::uuid, document, n, chr(97 + n) || E'\n', 1, 2 * n, 2 * n + 2, n + 1, n + 1
    FROM generate_series(0, chunks - 1) AS n
$$;

CREATE FUNCTION pg_temp.ids(document text, VARIADIC ordinals integer[]) RETURNS uuid[]
LANGUAGE sql STABLE AS $$
    SELECT array_agg(c.id ORDER BY place)
    FROM unnest(ordinals) WITH ORDINALITY AS listed (ordinal, place)
    JOIN passages.chunks AS c USING (ordinal) JOIN passages.documents AS d ON d.id = document_id
    WHERE uri = document || '.txt'
$$;

CREATE FUNCTION pg_temp.ordinals(ids uuid[]) RETURNS integer[]
LANGUAGE sql STABLE AS $$SELECT array_agg(ordinal ORDER BY place) FROM unnest(ids) WITH ORDINALITY AS listed (id, place) JOIN passages.chunks USING (id)$$;

SELECT pg_temp.load('aaaaaaaa-0000-0000-8000-000000000000', 'text/plain', 26);
SELECT pg_temp.load('bbbbbbbb-0000-0000-8000-000000000000', 'text/x-python', 10);
\pset null -

-- all columns of a passage
SELECT rank, score, document_id, collection, version, uri, title, media_type, section, content, tokens,
    pg_temp.ordinals(chunk_ids) AS chunks, pg_temp.ordinals(hit_ids) AS hits, first_line, last_line, spans, truncated, complete, metadata
FROM passage.reassemble(pg_temp.ids('a', 5), '{0.7}', 'adjacent', limits => passage.limits(before => 1, after => 1)) \gx

-- citations give the bytes of a passage that come from each chunk, and their position in the source
SELECT citation ->> 'ordinal' AS ordinal, citation ->> 'role' AS role, to_json(substr(content, (citation ->> 'start')::integer + 1, (citation ->> 'end')::integer - (citation ->> 'start')::integer)) AS text,
    citation ->> 'first_line' AS first_line, citation ->> 'last_line' AS last_line
FROM passage.reassemble(pg_temp.ids('a', 5, 8), NULL, 'none'), jsonb_array_elements(citations) AS citation;

-- the same for a long passage
INSERT INTO passages.documents (id, uri, media_type) VALUES ('eeeeeeee-0000-0000-8000-000000000000', 'e.txt', 'text/plain');
INSERT INTO passages.chunks (document_id, ordinal, content, tokens)
SELECT 'eeeeeeee-0000-0000-8000-000000000000', n, repeat('e', n % 7), 1 FROM generate_series(0, 4567) AS n;
SELECT count, jsonb_array_length(citations) AS cited, citations = citations::text::jsonb AS valid, length(citations::text) - length(citations::text::jsonb::text) AS longer,
    (SELECT count(*) FROM jsonb_array_elements(citations) WITH ORDINALITY AS cited (citation, place) JOIN passages.chunks ON id = (citation ->> 'chunk_id')::uuid
        WHERE ordinal = place - 1 AND citation -> 'ordinal' = to_jsonb(place - 1) AND substr(passage.content, (citation ->> 'start')::integer + 1, (citation ->> 'end')::integer - (citation ->> 'start')::integer) = chunks.content) AS found,
    citations -> 999 -> 'ordinal' AS a, citations -> 1000 -> 'ordinal' AS b, citations -> 4567 -> 'ordinal' AS c, citations -> 4568 AS d
FROM generate_series(4568, 4568) AS count, passage.reassemble(pg_temp.ids('e', 0), NULL, 'document', max_tokens => 0, limits => passage.limits(max_chunks => count), output => passage.output(separator => '')) AS passage;
CREATE TABLE passages.kept AS SELECT citations FROM passage.reassemble(pg_temp.ids('e', 0), NULL, 'document', max_tokens => 0, limits => passage.limits(max_chunks => 3001), output => passage.output(separator => ''));
SELECT jsonb_array_length(citations), citations -> 3000 ->> 'ordinal' AS last FROM passages.kept;
DELETE FROM passages.documents WHERE uri = 'e.txt';
DROP TABLE passages.kept;

-- near hits share a passage, distant hits do not; the best passage is first
SELECT rank, score, pg_temp.ordinals(chunk_ids) AS chunks, pg_temp.ordinals(hit_ids) AS hits
FROM passage.reassemble(pg_temp.ids('a', 2, 5, 9), '{0.2,0.3,0.9}', 'none');
SELECT rank, pg_temp.ordinals(chunk_ids) AS chunks FROM passage.reassemble(pg_temp.ids('a', 2, 5, 9), NULL, 'none', output => passage.output(max_distance => 4));
SELECT rank, pg_temp.ordinals(chunk_ids) AS chunks FROM passage.reassemble(pg_temp.ids('a', 2, 5, 9), NULL, 'none', output => passage.output(max_distance => 2));
SELECT rank, pg_temp.ordinals(chunk_ids) AS chunks FROM passage.reassemble(pg_temp.ids('a', 4, 5, 9), NULL, 'none', output => passage.output(max_distance => 0));

-- distant hits share a passage if nothing between them is omitted
SELECT pg_temp.ordinals(chunk_ids) AS chunks, complete
FROM passage.reassemble(pg_temp.ids('a', 2, 7), NULL, 'adjacent', output => passage.output(max_distance => 0));

-- with max_distance NULL, one passage per document; it is complete only if nothing is missing
SELECT uri, pg_temp.ordinals(chunk_ids) AS chunks, to_json(content) AS content, spans, complete
FROM passage.reassemble(pg_temp.ids('a', 2, 20) || pg_temp.ids('b', 1, 2), NULL, 'none', output => '{"max_distance": "document"}');

-- a chunk is in at most one passage, whatever the arguments
SELECT strategy, count(*) AS chunks, count(DISTINCT id) AS different
FROM unnest('{adjacent,broad,reassembly,section,hierarchical,merge,document}'::text[]) AS strategy,
    passage.reassemble(pg_temp.ids('a', 2, 4, 6, 12, 4), NULL, strategy, output => passage.output(max_distance => 1)), unnest(chunk_ids) AS id
GROUP BY strategy ORDER BY strategy;

-- passages of several documents are ordered by score, equal scores by the order of the ids
SELECT rank, score, uri FROM passage.reassemble(pg_temp.ids('a', 0, 9) || pg_temp.ids('b', 0), '{0.5,0.1,0.3}', 'none');
SELECT rank, score, uri FROM passage.reassemble(pg_temp.ids('b', 0) || pg_temp.ids('a', 0), '{0.5,0.5}', 'none');
SELECT rank, score, uri FROM passage.reassemble(pg_temp.ids('b', 0) || pg_temp.ids('a', 0), NULL, 'none');

-- order_by document keeps the passages of a document together; the rank does not change
SELECT rank, uri, pg_temp.ordinals(chunk_ids) AS chunks FROM passage.reassemble(pg_temp.ids('a', 9, 0) || pg_temp.ids('b', 0), '{0.2,0.1,0.15}', 'none');
SELECT rank, uri, pg_temp.ordinals(chunk_ids) AS chunks FROM passage.reassemble(pg_temp.ids('a', 9, 0) || pg_temp.ids('b', 0), '{0.2,0.1,0.15}', 'none', output => passage.output(order_by => 'document'));
-- the score of several hits: max, mean, sum, or the sum of reciprocal ranks; it determines the order
SELECT score_by, rank, uri, round(score::numeric, 4) AS score
FROM unnest('{max,mean,sum,rank}'::text[]) AS score_by, passage.reassemble(pg_temp.ids('a', 0, 1) || pg_temp.ids('b', 0), '{0.5,0.1,0.55}', 'none', ranking => passage.ranking(score_by => score_by)) ORDER BY score_by, rank;
SELECT score_by, rank, score IS NULL AS without FROM unnest('{max,mean,sum,rank}'::text[]) AS score_by, passage.reassemble(pg_temp.ids('a', 0, 1), NULL, 'none', ranking => passage.ranking(score_by => score_by)) ORDER BY score_by;

-- marks around hits; citations stay correct
SELECT to_json(content) AS content, (SELECT string_agg(substr(content, (citation ->> 'start')::integer + 1, (citation ->> 'end')::integer - (citation ->> 'start')::integer), '' ORDER BY place) = replace(replace(content, '<b>', ''), '</b>', '')
    FROM jsonb_array_elements(citations) WITH ORDINALITY AS cited (citation, place)) AS cited
FROM passage.reassemble(pg_temp.ids('a', 5, 8), NULL, 'adjacent', output => passage.output(marks => ARRAY['<b>', '</b>']));

-- a comment of the language marks a gap in code, unless gaps is none or a separator is given
SELECT to_json(content) AS content FROM passage.reassemble(pg_temp.ids('b', 0, 1, 3), NULL, 'none');
SELECT to_json(content) AS content FROM passage.reassemble(pg_temp.ids('b', 0, 1, 3), NULL, 'none', output => passage.output(gaps => 'none'));
SELECT to_json(content) AS content FROM passage.reassemble(pg_temp.ids('b', 0, 1, 3), NULL, 'none', output => passage.output(separator => '|'));
-- JSON and assemble have no such comments
UPDATE passages.documents SET media_type = 'application/json' WHERE uri = 'b.txt';
SELECT to_json(content) AS content FROM passage.reassemble(pg_temp.ids('b', 0, 3), NULL, 'none', output => passage.output(gaps => 'comment'));
UPDATE passages.documents SET media_type = 'text/x-python' WHERE uri = 'b.txt';
SELECT to_json(passage.assemble('bbbbbbbb-0000-0000-8000-000000000000', pg_temp.ids('b', 0, 3))) AS content;

-- imports that the passage uses are added within the budget
UPDATE passages.chunks SET metadata = '{"imports": ["f", "g"]}' WHERE document_id::text ~ '^b' AND ordinal = 0;
UPDATE passages.chunks SET metadata = '{"imports": ["x"]}' WHERE document_id::text ~ '^b' AND ordinal = 1;
UPDATE passages.chunks SET metadata = '{"imports": "no list"}' WHERE document_id::text ~ '^b' AND ordinal = 2;
SELECT to_json(content) AS content, citations -> 0 -> 'role' AS role, complete, truncated
FROM unnest('{1,2}'::integer[]) AS max_chunks, passage.reassemble(pg_temp.ids('b', 5), NULL, 'none', output => passage.output(imports => true), limits => passage.limits(max_chunks => max_chunks)) ORDER BY max_chunks;
SELECT to_json(content) AS content FROM passage.reassemble(pg_temp.ids('b', 4), NULL, 'none', output => passage.output(imports => true));

-- imports are outside of the section of the passage, and no other text there counts as an import
UPDATE passages.chunks SET section = '{F}' WHERE document_id::text ~ '^b' AND ordinal = 5;
SELECT section, to_json(content) AS content FROM passage.reassemble(pg_temp.ids('b', 5), NULL, 'none', output => passage.output(imports => true));
UPDATE passages.chunks SET metadata = '{"imports": [1e400]}' WHERE document_id::text ~ '^b' AND ordinal = 0;
SELECT to_json(content) AS content FROM passage.reassemble(pg_temp.ids('b', 5), NULL, 'none', output => passage.output(imports => true));
SELECT to_json(content) AS content FROM passage.reassemble(pg_temp.ids('b', 5), NULL, 'none');
UPDATE passages.chunks SET section = '{}' WHERE document_id::text ~ '^b';

-- prose gets a blank line across a gap; the argument separator replaces it in prose and code
SELECT to_json(content) AS content FROM passage.reassemble(pg_temp.ids('a', 0, 2), NULL, 'none');
SELECT to_json(content) AS content FROM passage.reassemble(pg_temp.ids('a', 0, 1, 3), NULL, 'none', output => passage.output(separator => '[...]'));

-- the section of a passage is the section that its chunks share
UPDATE passages.chunks SET section = CASE WHEN ordinal < 2 THEN '{A,B}' WHEN ordinal = 2 THEN '{A,C}'::text[] ELSE '{D}' END WHERE content < 'e';
SELECT section FROM passage.reassemble(pg_temp.ids('a', 0, 1), NULL, 'none');
SELECT section FROM passage.reassemble(pg_temp.ids('a', 0, 2), NULL, 'none');
SELECT section FROM passage.reassemble(pg_temp.ids('a', 0, 3), NULL, 'none');

-- a passage whose context a budget cut is truncated, other passages are not
SELECT pg_temp.ordinals(chunk_ids) AS chunks, truncated, complete
FROM passage.reassemble(pg_temp.ids('a', 5, 15), '{0.9,0.1}', 'adjacent', limits => passage.limits(max_chunks => 6));
SELECT pg_temp.ordinals(chunk_ids) AS chunks, truncated, complete
FROM passage.reassemble(pg_temp.ids('a', 5, 15), '{0.9,0.1}', 'adjacent', max_tokens => 1);

-- a gap between two chunks gives two spans; lines are those of the first and the last chunk
SELECT spans, first_line, last_line FROM passage.reassemble(pg_temp.ids('a', 0, 1, 3), NULL, 'none');
-- unknown lines and spans are NULL
UPDATE passages.chunks SET start_byte = NULL, end_byte = NULL, first_line = NULL, last_line = NULL, tokens = NULL WHERE content < 'c';
SELECT spans, first_line, last_line, tokens, to_json(content) AS content, citations -> 0 -> 'first_line' AS cited
FROM passage.reassemble(pg_temp.ids('b', 0, 1), NULL, 'none');

-- the header of a table is repeated, but a title with the same mark names no columns
SELECT count(*) FROM passage.ingest('setup.md', E'# Install | macOS\n\n| key | value |\n|---|---|\n'
    || (SELECT string_agg(format('| key %s | value %s |', n, n), E'\n') FROM generate_series(1, 9) AS n) || E'\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
    title => ' Setup  | Guide', splitting => passage.splitting(max_size => 100, preferred_size => 80, min_size => 0), store => 'passages');
SELECT ordinal, p.content FROM passages.chunks AS c, passage.reassemble(ARRAY[c.id], strategy => 'none', store => 'passages') AS p WHERE p.uri = 'setup.md' ORDER BY ordinal;

-- no hits give no passages
SELECT rank FROM passage.reassemble(NULL);
SELECT rank FROM passage.reassemble('{}', '{}');
SELECT rank FROM passage.reassemble('{NULL,00000000-0000-0000-0000-000000000000}', '{1,2}');

-- errors
SELECT rank FROM passage.reassemble('{}', strategy => 'wide');
SELECT rank FROM passage.reassemble('{}', output => passage.output(max_distance => -1));
SELECT rank FROM passage.reassemble('{}', output => passage.output(max_distance => 1000001));
SELECT rank FROM passage.reassemble('{}', limits => passage.limits(children => -1));
SELECT rank FROM passage.reassemble('{}', '{0.5}');
SELECT rank FROM passage.reassemble('{}', ranking => passage.ranking(score_by => 'best'));
SELECT rank FROM passage.reassemble('{}', output => passage.output(order_by => 'rank'));
SELECT rank FROM passage.reassemble('{}', output => passage.output(gaps => 'dots'));
SELECT rank FROM passage.reassemble('{}', limits => passage.limits(windows => '[2]'));
SELECT rank FROM passage.reassemble('{}', limits => passage.limits(windows => (repeat('[', 200) || repeat(']', 200))::jsonb));
SELECT rank FROM passage.reassemble('{}', strategy => repeat('x', 1000));
SELECT rank FROM passage.reassemble('{}', store => 'nowhere');

DROP SCHEMA passages CASCADE;
