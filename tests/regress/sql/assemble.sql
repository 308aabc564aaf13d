-- assemble: joins chosen chunks of a document into one text.
SET client_min_messages = warning;
SET passage.store = 'assembly';
SELECT count(*) > 0 AS made FROM passage.create_store();

-- chunks are slices of a text with spans [first byte, end); their ids count from 1
CREATE FUNCTION pg_temp.load(document uuid, media_type text, source text, VARIADIC ends integer[]) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO assembly.documents (id, uri, media_type) VALUES (document, document, media_type);
    INSERT INTO assembly.chunks (id, document_id, ordinal, content, start_byte, end_byte)
    SELECT overlay(document::text PLACING place::text FROM 36)::uuid, document, place - 1,
        substr(source, start_byte + 1, end_byte - start_byte), start_byte, end_byte
    FROM (
        SELECT place, coalesce(lag(last) OVER (ORDER BY place), 0) AS start_byte, last AS end_byte
        FROM unnest(ends) WITH ORDINALITY AS listed (last, place)
    ) AS slices
$$;

CREATE FUNCTION pg_temp.assembled(document uuid, places integer[], separator text DEFAULT NULL) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT passage.assemble(document, array_agg(overlay(document::text PLACING place::text FROM 36)::uuid ORDER BY n), separator)
    FROM unnest(places) WITH ORDINALITY AS listed (place, n)
$$;

\set prose '''aaaaaaaa-0000-0000-8000-000000000000'''
\set code '''cccccccc-0000-0000-8000-000000000000'''
\set bare '''bbbbbbbb-0000-0000-8000-000000000000'''
\pset null NULL

SELECT pg_temp.load(:prose, 'text/markdown; charset=utf-8', E'# One\n\nfirst\n\n\n# Two\nsecond\n', 5, 14, 21, 28);
SELECT pg_temp.load(:code, 'text/x-rust', E'fn a() {}\nfn b() {}\nfn c() {}\n', 10, 20, 30);

-- chunks that touch are joined without separator: the result equals the document
SELECT pg_temp.assembled(:prose, '{1,2,3,4}') = E'# One\n\nfirst\n\n\n# Two\nsecond\n' AS prose,
    pg_temp.assembled(:code, '{1,2,3}') = E'fn a() {}\nfn b() {}\nfn c() {}\n' AS code;

-- across a gap, prose gets one blank line and code no separator
SELECT to_json(pg_temp.assembled(:prose, '{1,4}')) AS prose, to_json(pg_temp.assembled(:code, '{1,3}')) AS code;

-- a separator is used only between chunks that do not touch
SELECT to_json(pg_temp.assembled(:prose, '{1,2,4}', '[...]')) AS prose, to_json(pg_temp.assembled(:code, '{1,2,3}', '[...]')) AS code,
    to_json(pg_temp.assembled(:code, '{1,3}', E'// ...\n')) AS marked, to_json(pg_temp.assembled(:prose, '{1,4}', '')) AS empty;

-- chunks are in document order, each once
SELECT to_json(pg_temp.assembled(:code, '{3,1,3,1}'));

-- chunks without spans count as not touching
SELECT pg_temp.load(:bare, NULL, E'one\ntwo\n', 4, 8);
UPDATE assembly.chunks SET start_byte = NULL, end_byte = NULL WHERE document_id = :bare;
SELECT to_json(pg_temp.assembled(:bare, '{1,2}'));

-- wrong spans count as unknown: longer than the content, or with the end before the start
UPDATE assembly.chunks SET start_byte = 0, end_byte = 400 WHERE document_id = :bare AND ordinal = 0;
SELECT to_json(pg_temp.assembled(:bare, '{1,2}'));
UPDATE assembly.chunks SET start_byte = 2147483647, end_byte = -2147483648 WHERE document_id = :bare;
SELECT to_json(pg_temp.assembled(:bare, '{1,2}'));

-- overlapping spans lose the overlap
UPDATE assembly.chunks SET content = 'one two', start_byte = 0, end_byte = 7 WHERE document_id = :bare AND ordinal = 0;
UPDATE assembly.chunks SET content = 'two three', start_byte = 4, end_byte = 13 WHERE document_id = :bare AND ordinal = 1;
SELECT pg_temp.assembled(:bare, '{1,2}');

-- chunks of another document, unknown and NULL ids are skipped
SELECT passage.assemble(:bare, ARRAY(SELECT id FROM assembly.chunks) || '00000000-0000-0000-0000-000000000000'::uuid || NULL);

-- an empty list gives NULL
SELECT passage.assemble(NULL, '{}') AS no_document, passage.assemble(:bare, NULL) AS no_ids, passage.assemble(:bare, '{}') AS empty,
    passage.assemble(:bare, ARRAY[NULL::uuid]) AS null_id, passage.assemble('00000000-0000-0000-0000-000000000000', ARRAY(SELECT id FROM assembly.chunks)) AS unknown;

-- an empty chunk adds no text
UPDATE assembly.chunks SET content = '', start_byte = 4, end_byte = 4 WHERE document_id = :bare AND ordinal = 0;
SELECT pg_temp.assembled(:bare, '{1,2}');

-- errors
SELECT passage.assemble(:bare, '{}', store => 'nowhere');

DROP SCHEMA assembly CASCADE;
