-- budgets: a call without one is bounded, and as many passages come as were asked for.
SET client_min_messages = warning;
SET passage.store = 'bounded';
SELECT count(*) > 0 AS made FROM passage.create_store();
\pset null -

-- A class of 40 methods with three chunks each, a long page, and five notes. A chunk has 100 tokens.
INSERT INTO bounded.documents (id, uri, media_type) VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000', 'class.py', 'text/x-python'),
    ('bbbbbbbb-0000-0000-8000-000000000000', 'page.md', 'text/markdown');
INSERT INTO bounded.chunks (document_id, ordinal, kind, unit, section, content, tokens)
SELECT 'aaaaaaaa-0000-0000-8000-000000000000', n, 'code', CASE WHEN n IN (0, 121) THEN 'container' ELSE 'member' END,
    CASE WHEN n IN (0, 121) THEN '{Big}' ELSE ARRAY['Big', 'm' || (n - 1) / 3] END,
    CASE WHEN n % 3 = 2 THEN 'alpha alpha alpha' ELSE 'x' END || ' # line ' || n || E'\n', 100
FROM generate_series(0, 121) AS n;
INSERT INTO bounded.chunks (document_id, ordinal, kind, unit, section, content, tokens)
SELECT 'bbbbbbbb-0000-0000-8000-000000000000', n, 'prose', 'text', ARRAY['Page', 's' || n], CASE WHEN n % 4 = 0 THEN 'omega omega omega' ELSE 'y' END || E'\n', 100
FROM generate_series(0, 119) AS n;
INSERT INTO bounded.documents (id, uri, media_type)
SELECT ('cccccccc-0000-0000-8000-00000000000' || n)::uuid, 'note-' || n, 'text/plain' FROM generate_series(1, 5) AS n;
INSERT INTO bounded.chunks (document_id, ordinal, kind, unit, section, content, tokens)
SELECT ('cccccccc-0000-0000-8000-00000000000' || n)::uuid, 0, 'prose', 'text', '{}', 'one word is alpha and another one is omega, in a text that is longer than the others' || repeat(' filler', n), 100
FROM generate_series(1, 5) AS n;
CREATE FUNCTION pg_temp.line(integer) RETURNS uuid LANGUAGE sql STABLE AS $$SELECT id FROM bounded.chunks WHERE document_id::text LIKE 'a%' AND ordinal = $1$$;

-- the context of a hit has 2048 tokens by default, in each function: the head, the method that was hit, the closing part, the nearest methods
SELECT sum(tokens) FILTER (WHERE role <> 'hit') AS context, count(*) FILTER (WHERE section = '{Big}') AS ends, string_agg(DISTINCT section[2], ' ' ORDER BY section[2]) AS methods
FROM passage.expand_context(pg_temp.line(50));
SELECT tokens, truncated, complete, (regexp_matches(content, 'lines? left out'))[1] AS gap FROM passage.reassemble(ARRAY[pg_temp.line(50)]);
SELECT hit_id = pg_temp.line(50) AS first, sum(tokens) FILTER (WHERE role <> 'hit') AS context
FROM passage.expand_contexts(ARRAY[pg_temp.line(50), (SELECT id FROM bounded.chunks WHERE document_id::text LIKE 'b%' AND ordinal = 60)], strategy => 'document', max_chunks => 1000) GROUP BY hit_id ORDER BY 1 DESC;
SELECT kept, cut_by, count(*), sum(tokens) FROM passage.explain_context(ARRAY[pg_temp.line(50)]) GROUP BY kept, cut_by ORDER BY kept DESC, cut_by;
-- a method comes whole or not at all
SELECT max_tokens, count(*) FILTER (WHERE chunks <> 3) AS in_pieces, count(*) AS methods
FROM generate_series(300, 1500, 100) AS max_tokens,
    LATERAL (SELECT section, count(*) AS chunks FROM passage.expand_context(pg_temp.line(50), max_tokens => max_tokens) WHERE cardinality(section) = 2 GROUP BY section) AS method
GROUP BY max_tokens ORDER BY max_tokens;

-- 0 means no limit, in an argument, in a setting and in a strategy of the store
SELECT count(*) FROM passage.expand_context(pg_temp.line(50), max_tokens => 0);
SELECT tokens, truncated, complete FROM passage.reassemble(ARRAY[pg_temp.line(50)], max_tokens => 0);
SET passage.max_passage_tokens = 0;
SELECT count(*) FROM passage.expand_context(pg_temp.line(50));
RESET passage.max_passage_tokens;
-- a record of data too: one of 100 chunks is whole without a limit, and its entry alone with one
INSERT INTO bounded.documents (id, uri, media_type) VALUES ('dddddddd-0000-0000-8000-000000000000', 'deep.yaml', 'application/yaml');
INSERT INTO bounded.chunks (document_id, ordinal, kind, unit, section, content, tokens)
SELECT 'dddddddd-0000-0000-8000-000000000000', n, 'data', 'value', ARRAY['root', 'jobs', 'build', 'k' || n],
    CASE n WHEN 0 THEN E'jobs:\n  build:\n' ELSE '' END || format(E'    k%s: %s\n', n, n), 100
FROM generate_series(0, 99) AS n;
CREATE FUNCTION pg_temp.entry(integer) RETURNS uuid LANGUAGE sql STABLE AS $$SELECT id FROM bounded.chunks WHERE document_id::text LIKE 'd%' AND ordinal = $1$$;
SELECT count(*) FROM passage.expand_context(pg_temp.entry(50), 'hierarchical');
SELECT count(*) FROM passage.expand_context(pg_temp.entry(50), 'hierarchical', max_tokens => 0);
SET passage.max_passage_tokens = 0;
SELECT count(*) FROM passage.expand_context(pg_temp.entry(50), 'hierarchical');
SELECT tokens, complete FROM passage.reassemble(ARRAY[pg_temp.entry(50)], strategy => 'hierarchical');
SET passage.max_passage_tokens = 20000;
SELECT count(*) FROM passage.expand_context(pg_temp.entry(50), 'hierarchical');
RESET passage.max_passage_tokens;
SET passage.max_tokens = 0;
SELECT count(*), sum(tokens) FROM passage.search('"k50: 50"', strategy => 'hierarchical');
RESET passage.max_tokens;
INSERT INTO bounded.strategies (name, base, max_tokens) VALUES ('open', 'hierarchical', 0), ('narrow', 'hierarchical', 500);
SELECT count(*) FROM passage.expand_context(pg_temp.line(50), 'open');
-- the strategy's own budget replaces the setting, and an argument replaces both
SELECT sum(tokens) FROM passage.expand_context(pg_temp.line(50), 'narrow');
SELECT sum(tokens) FROM passage.expand_context(pg_temp.line(50), 'narrow', max_tokens => 2500);
SELECT sum(tokens) FROM passage.expand_context(pg_temp.line(50), 'open', limits => '{"max_passage_tokens": 700}');
SET passage.max_passage_tokens = 600;
SELECT sum(tokens) FROM passage.expand_context(pg_temp.line(50));
SELECT sum(tokens) FROM passage.expand_context(pg_temp.line(50), limits => '{"max_passage_tokens": 800}');
RESET passage.max_passage_tokens;
-- no budget drops a hit
SELECT count(*) FROM passage.expand_contexts(ARRAY(SELECT id FROM bounded.chunks WHERE document_id::text LIKE 'a%'), max_tokens => 1);

-- a search has 4096 tokens by default
SELECT sum(tokens) <= 4096 AS bounded, sum(tokens) > 3000 AS used FROM passage.search('alpha');
SELECT sum(tokens) > 4096 AS unbounded FROM passage.search('alpha', max_tokens => 0);
SET passage.max_tokens = 1000;
SELECT sum(tokens) <= 1000 AS bounded FROM passage.search('alpha');
SELECT sum(tokens) <= 500 AS bounded FROM passage.search('alpha', max_tokens => 500);
SELECT sum(tokens) <= 500 AS bounded FROM passage.search('alpha', strategy => 'narrow');
SET passage.max_tokens = 0;
SELECT sum(tokens) > 4096 AS unbounded FROM passage.search('alpha');
RESET passage.max_tokens;

-- as many passages come as were asked for, although 30 better hits are in one class, or are joined by their context
SELECT asked, count(*), min(uri) FILTER (WHERE rank = 1) AS first, sum(tokens) <= 4096 AS bounded
FROM unnest('{1,2,3,6,10}'::integer[]) AS asked, passage.search('alpha', max_passages => asked) GROUP BY asked ORDER BY asked;
SELECT asked, count(*), min(uri) FILTER (WHERE rank = 1) AS first
FROM unnest('{1,2,3,6,10}'::integer[]) AS asked, passage.search('alpha', max_passages => asked, max_tokens => 0) GROUP BY asked ORDER BY asked;
SELECT asked, count(*), min(uri) FILTER (WHERE rank = 1) AS first, sum(tokens) <= 4096 AS bounded
FROM unnest('{1,2,3,6,10}'::integer[]) AS asked, passage.search('omega', max_passages => asked) GROUP BY asked ORDER BY asked;
-- candidates of the caller are a limit
SELECT count(*) FROM passage.search('alpha', max_passages => 3, ranking => passage.ranking(candidates => 10));
-- a budget of the caller goes to the best hits
SELECT count(*), min(uri) FROM passage.search('alpha', max_passages => 3, max_tokens => 900);
SELECT count(*) FROM passage.search('alpha', max_passages => 0);

-- errors
SET passage.max_tokens = -1;
SET passage.max_tokens = 1000001;
SET passage.max_passage_tokens = 'many';

DROP SCHEMA bounded CASCADE;
