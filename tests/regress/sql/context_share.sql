-- a strategy that a search names is obeyed: each hit brings its context before the next hit is taken.
SET client_min_messages = warning;
SET passage.store = 'shared';
SELECT count(*) > 0 AS made FROM passage.create_store();
\pset null -

-- A page of 60 chunks with 100 tokens each. Every sixth one answers, the first ones best, and three more behind each other.
INSERT INTO shared.documents (id, uri, media_type) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'page.md', 'text/markdown'),
    ('bbbbbbbb-0000-0000-8000-000000000000', 'steps.md', 'text/markdown');
INSERT INTO shared.chunks (document_id, ordinal, kind, unit, section, content, tokens)
SELECT 'aaaaaaaa-0000-0000-8000-000000000000', n, 'prose', 'text', ARRAY['Page', 's' || n / 6], 'chunk ' || n || CASE WHEN n % 6 = 3 THEN repeat(' omega', 20 - n / 6) ELSE '' END || E'.\n\n', 100
FROM generate_series(0, 59) AS n;
INSERT INTO shared.chunks (document_id, ordinal, kind, unit, section, content, tokens)
SELECT 'bbbbbbbb-0000-0000-8000-000000000000', n, 'prose', 'text', '{Steps}', CASE WHEN n % 2 = 1 THEN repeat('sigma ', 9 - n) ELSE 'step' END || ' ' || n || E'.\n\n', 100
FROM generate_series(0, 9) AS n;

-- the hits and the chunks of context of a search within a budget
CREATE FUNCTION pg_temp.shares(strategy text, max_tokens integer, limits jsonb DEFAULT NULL) RETURNS TABLE (hits bigint, context bigint, tokens numeric)
LANGUAGE sql STABLE AS $$
    SELECT sum((SELECT count(*) FROM jsonb_array_elements(citations) AS part WHERE part ->> 'role' = 'hit')),
        sum((SELECT count(*) FROM jsonb_array_elements(citations) AS part WHERE part ->> 'role' <> 'hit')), sum(tokens)
    FROM passage.search('omega', strategy => shares.strategy, max_tokens => shares.max_tokens, limits => shares.limits)
$$;

-- `auto` prefers hits, a named strategy brings context
SELECT strategy, shares.* FROM unnest('{auto,none,adjacent,broad,section,document}'::text[]) WITH ORDINALITY AS listed (strategy, place),
    LATERAL pg_temp.shares(strategy, 1000) AS shares ORDER BY place;
SELECT shares.* FROM pg_temp.shares(NULL, 1000) AS shares;
SET passage.strategy = 'adjacent';
SELECT shares.* FROM pg_temp.shares(NULL, 1000) AS shares;
RESET passage.strategy;

-- the share is a limit: 0 takes hits alone, 1 gives the best hit all of its context first
SELECT share, shares.* FROM unnest('{0,0.25,0.5,0.8,1}'::numeric[]) AS share,
    LATERAL pg_temp.shares('adjacent', 1000, jsonb_build_object('context_share', share)) AS shares ORDER BY share;
SELECT shares.* FROM pg_temp.shares('auto', 1000, '{"context_share": 0.5}') AS shares;
-- a number of chunks asks for context too
SELECT shares.* FROM pg_temp.shares('auto', 1000, '{"before": 1}') AS shares;
-- what context does not need goes to more hits
SELECT shares.* FROM pg_temp.shares('none', 1000, '{"before": 1, "context_share": 0.9}') AS shares;
-- no budget: the setting bounds hits and context
SELECT hits, context, tokens FROM pg_temp.shares('adjacent', NULL);
SET passage.max_tokens = 800;
SELECT hits, context, tokens FROM pg_temp.shares('adjacent', NULL);
RESET passage.max_tokens;

-- hits come before the chunk between two of them, and a mark stands for what is left out
SELECT tokens, content FROM passage.search('sigma', max_tokens => 300);
-- the chunk between two hits comes before other context
SELECT tokens, spans, content FROM passage.search('sigma', max_tokens => 300, ranking => passage.ranking(candidates => 2));
SELECT tokens, content FROM passage.search('sigma', max_tokens => 200, strategy => 'none');
SELECT content FROM passage.search('sigma', max_tokens => 200, strategy => 'none', output => passage.output(gaps => 'none'));
SELECT content FROM passage.search('sigma', max_tokens => 200, strategy => 'none', output => passage.output(separator => ' / '));
SELECT content FROM passage.reassemble(ARRAY(SELECT id FROM shared.chunks WHERE document_id::text LIKE 'b%' AND ordinal IN (1, 2, 5)), strategy => 'none');
-- also in passages of given hits, but not in rows of context
SELECT tokens, content FROM passage.reassemble(ARRAY(SELECT id FROM shared.chunks WHERE document_id::text LIKE 'b%' AND ordinal IN (1, 3)), max_tokens => 300);

-- the tokens that were left out for the hit of a row: the parent is kept, siblings are cut
SELECT role, distance, cut FROM passage.expand_context((SELECT id FROM shared.chunks WHERE content LIKE 'chunk 9 %'), 'broad', max_tokens => 300);
SELECT DISTINCT cut FROM passage.expand_context((SELECT id FROM shared.chunks WHERE content LIKE 'chunk 9 %'), 'broad');
-- numbers of chunks that a call names count more than the default limit of tokens
SET passage.max_passage_tokens = 200;
SELECT count(*), max(cut) AS cut FROM passage.expand_context((SELECT id FROM shared.chunks WHERE content LIKE 'chunk 27 %'), 'adjacent');
SELECT count(*), max(cut) AS cut FROM passage.expand_context((SELECT id FROM shared.chunks WHERE content LIKE 'chunk 27 %'), 'adjacent', limits => passage.limits(before => 5));
SELECT count(*), max(cut) AS cut FROM passage.expand_context((SELECT id FROM shared.chunks WHERE content LIKE 'chunk 27 %'), 'adjacent', limits => '{"max_passage_tokens": 300, "before": 5}');
RESET passage.max_passage_tokens;

-- errors
SELECT * FROM passage.search('omega', limits => '{"context_share": 1.5}');
SELECT * FROM passage.search('omega', limits => '{"context_share": "half"}');
SELECT * FROM passage.expand_context(NULL, limits => '{"context_share": -1}');

DROP SCHEMA shared CASCADE;
