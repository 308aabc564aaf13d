-- Citations are written as binary jsonb: they equal the jsonb that PostgreSQL parses from their text, also in size, with
-- every width of numbers and more elements than one stride of 32.
SET client_min_messages = warning;
SELECT count(*) > 0 AS made FROM passage.create_store();
INSERT INTO rag.documents (id, uri, media_type) VALUES ('00000000-0000-0000-8000-000000000000', 'a.md', 'text/markdown');
INSERT INTO rag.chunks (id, document_id, ordinal, content, first_line, last_line, metadata)
SELECT ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, '00000000-0000-0000-8000-000000000000', n,
    repeat('word ', n % 7 * 300 + 1), nullif(n, 3) * 10000, n * 10000 + n,
    CASE n % 4 WHEN 1 THEN jsonb_build_object('page', n) WHEN 2 THEN jsonb_build_object('sheet', 'Sheet "' || n || '" Größe', 'last_sheet', 'Last') ELSE '{}' END
FROM generate_series(0, 69) AS n;

CREATE TEMP VIEW passages AS
SELECT citations FROM passage.reassemble(
    (SELECT array_agg(id) FROM rag.chunks), strategy => 'none', max_tokens => 0, output => '{"max_distance": "document"}');
SELECT jsonb_array_length(citations) AS citations, citations = parsed AS equal,
    pg_column_size(citations) - pg_column_size(parsed) AS more_bytes
FROM (SELECT citations, citations::text::jsonb AS parsed FROM passages OFFSET 0) AS compared;
SELECT place, citations -> place AS citation FROM passages, unnest('{0, 1, 2, 3, 69}'::int[]) AS place;
SELECT citations -> 0 -> 'start' AS first_start, sum((citation ->> 'end')::int - (citation ->> 'start')::int) AS bytes,
    citations @> '[{"ordinal": 33, "role": "hit"}]' AS contained
FROM passages, jsonb_array_elements(citations) AS citation GROUP BY citations;
