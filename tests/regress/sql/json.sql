-- Results as JSON: to_jsonb(p) of each function has a member for each column, of the type that readers expect.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET passage.store = 'as_json';
SET TIME ZONE 'UTC';
SELECT count(*) > 0 AS made FROM passage.create_store();
INSERT INTO as_json.documents (id, uri, title, media_type, metadata, ingested_at) VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000', 'guide.md', E'A "title" \\ with \u0001', 'text/markdown', '{"tags": ["a"]}', '2026-01-31 12:00');
INSERT INTO as_json.chunks (id, document_id, ordinal, level, section, content, tokens, start_byte, end_byte, first_line, last_line) VALUES
    ('aaaaaaaa-0000-0000-0000-000000000000', 'aaaaaaaa-0000-0000-8000-000000000000', 0, 1, ARRAY['Back up', NULL], E'Backup\tone.\n', 2000000000, 0, 12, 1, 1),
    ('aaaaaaaa-0000-0000-0000-000000000001', 'aaaaaaaa-0000-0000-8000-000000000000', 1, 1, ARRAY['Back up', 'Zwei'], E'Backup zwei.\n', 2000000000, 12, 25, 2, 2);
\set ids '''{aaaaaaaa-0000-0000-0000-000000000000,aaaaaaaa-0000-0000-0000-000000000001}'''

-- the type of each member, and the value where JSON has no such type
CREATE TEMP VIEW results AS
    SELECT 'search' AS function, to_jsonb(p) AS row FROM passage.search('backup') AS p
    UNION ALL SELECT 'search_hits', to_jsonb(p) FROM passage.search_hits('backup', max_hits => 1) AS p
    UNION ALL SELECT 'reassemble', to_jsonb(p) FROM passage.reassemble(:ids, NULL, 'none') AS p
    UNION ALL SELECT 'expand_context', to_jsonb(p) FROM passage.expand_context('aaaaaaaa-0000-0000-0000-000000000000', 'none') AS p
    UNION ALL SELECT 'explain_context', to_jsonb(p) FROM passage.explain_context(:ids, NULL, 'none') AS p
    UNION ALL SELECT 'fragments', to_jsonb(p) FROM passage.fragments('zwei') AS p
    UNION ALL SELECT 'outline', to_jsonb(p) FROM passage.outline('guide.md') AS p
    UNION ALL SELECT 'store_stats', to_jsonb(p) FROM passage.store_stats() AS p;
SELECT function, string_agg(DISTINCT key || ' ' || jsonb_typeof(value), ', ') AS members
FROM results, jsonb_each(row) WHERE value <> 'null' GROUP BY function ORDER BY function;
SELECT DISTINCT function, key, value FROM results, jsonb_each(row)
WHERE key IN ('path', 'spans', 'section', 'title', 'last_ingested') AND function IN ('search', 'expand_context', 'store_stats') AND value <> 'null' ORDER BY 1, 2, 3;

-- the spans as pairs of numbers
SELECT (SELECT jsonb_agg(jsonb_build_array(lower(span), upper(span))) FROM unnest(spans) AS span) AS spans FROM passage.search('backup');

-- a sum of tokens that exceeds an integer is the greatest integer, except in store_stats
SELECT tokens FROM passage.reassemble(:ids, NULL, 'none');
SELECT tokens_so_far FROM passage.explain_context(:ids, NULL, 'none') ORDER BY ordinal;
SELECT outline, tokens FROM passage.outline('guide.md');
SELECT scope, tokens FROM passage.store_stats();

-- a NaN of the caller counts as no score; infinite scores are strings, since JSON has no such numbers
SELECT to_jsonb(p) -> 'score' AS score, to_jsonb(p) -> 'decayed_score' AS decayed FROM unnest('{NaN,Infinity,-Infinity,0.5}'::double precision[]) AS score,
    passage.expand_contexts('{aaaaaaaa-0000-0000-0000-000000000000}', ARRAY[score], 'adjacent') AS p;
SELECT to_jsonb(p) -> 'score' AS score FROM unnest('{sum,mean}'::text[]) AS by,
    passage.reassemble(:ids, '{Infinity,-Infinity}', 'none', ranking => passage.ranking(score_by => by)) AS p;

DROP VIEW results;
DROP SCHEMA as_json CASCADE;
