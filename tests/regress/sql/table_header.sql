\set SHOW_CONTEXT never
\pset format unaligned
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE;
SET passage.store = 'regress_table';
SELECT count(*) > 0 AS made FROM passage.create_store();
RESET client_min_messages;

-- a table of 200 rows in chunks of about six rows
SELECT chunks > 20 AS many
FROM passage.ingest('stations.csv', E'name,"height, m",year\n'
    || (SELECT string_agg(format(E'station %s,%s,%s\n', n, n * 7, 1800 + n), '' ORDER BY n) FROM generate_series(1, 200) AS n),
    splitting => passage.splitting(max_size => 160, preferred_size => 120, min_size => 40));
CREATE VIEW regress_table.row_hits AS
SELECT c.ordinal, c.id, c.content, d.id AS document_id
FROM regress_table.chunks AS c JOIN regress_table.documents AS d ON d.id = c.document_id;

-- each passage begins with the header, once
SELECT rank, left(content, 50) AS begin, length(content) - length(replace(content, 'height', '')) AS header, first_line > 1 AS later,
    tokens > (SELECT sum(tokens) FROM regress_table.chunks WHERE id = ANY (chunk_ids)) AS counted, truncated, spans[1] AS header_bytes
FROM passage.reassemble((SELECT array_agg(id ORDER BY ordinal) FROM regress_table.row_hits WHERE ordinal IN (7, 15)), strategy => 'none') AS p;
-- the passage of the first chunk has it already
SELECT left(content, 50) AS begin, length(content) - length(replace(content, 'height', '')) AS header
FROM passage.reassemble((SELECT array_agg(id) FROM regress_table.row_hits WHERE ordinal IN (0, 1)), strategy => 'none') AS p;
-- search, marks, citations and spans
SELECT left(content, 60) AS begin FROM passage.search('"station 150"', max_passages => 1, strategy => 'none') AS p;
SELECT substring(content FROM 1 FOR 30) AS begin, convert_from(substring(convert_to(content, 'UTF8')
        FROM (citations -> 0 ->> 'start')::integer + 1 FOR (citations -> 0 ->> 'end')::integer - (citations -> 0 ->> 'start')::integer), 'UTF8')
    = (SELECT h.content FROM regress_table.row_hits AS h WHERE h.ordinal = 9) AS cited, array_length(spans, 1) AS spans
FROM passage.reassemble((SELECT array_agg(id) FROM regress_table.row_hits WHERE ordinal = 9), strategy => 'none', output => passage.output(marks => ARRAY['<<', '>>'])) AS p;
-- a separator is between rows, not below the header
SELECT substring(content FROM 1 FOR 31) AS begin, length(content) - length(replace(content, '~', '')) AS separators
FROM passage.reassemble((SELECT array_agg(id) FROM regress_table.row_hits WHERE ordinal IN (9, 11)), strategy => 'none', output => passage.output(separator => '~', max_distance => 9)) AS p;
-- context makes room for the header
SELECT tokens <= 200 AS within, truncated
FROM passage.reassemble((SELECT array_agg(id) FROM regress_table.row_hits WHERE ordinal = 9), strategy => 'document', max_tokens => 200) AS p;
-- expand_context and assemble return slices of the document alone
SELECT bool_or(content LIKE 'name,%') AS header
FROM passage.expand_context((SELECT id FROM regress_table.row_hits WHERE ordinal = 9), 'none');
SELECT passage.assemble(document_id, array_agg(id)) LIKE 'station%' AS rows_alone
FROM regress_table.row_hits WHERE ordinal IN (9, 10) GROUP BY document_id;
SELECT md5(passage.assemble(document_id, array_agg(id))) = md5(string_agg(content, '' ORDER BY ordinal)) AS lossless
FROM regress_table.row_hits GROUP BY document_id;

-- a table without names of columns has no header
SELECT chunks > 5 AS many
FROM passage.ingest('numbers.tsv', (SELECT string_agg(format(E'%s\t%s\n', n, n * n), '' ORDER BY n) FROM generate_series(1, 200) AS n),
    splitting => passage.splitting(max_size => 160, preferred_size => 120, min_size => 40));
SELECT left(content, 2) = '1' || E'\t' AS header
FROM passage.reassemble((SELECT array_agg(c.id) FROM regress_table.chunks AS c JOIN regress_table.documents AS d ON d.id = document_id
    WHERE uri = 'numbers.tsv' AND ordinal = 3), strategy => 'none') AS p;
SET client_min_messages = error;
DROP SCHEMA regress_table CASCADE;
