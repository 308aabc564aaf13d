-- min_score: hits below a share of the best hit's score bring no context.
SET client_min_messages = warning;
SET passage.store = 'lazy';
SELECT count(*) > 0 AS made FROM passage.create_store();
\pset null -

-- Five sections of three chunks; the middle ones answer, the first ones best.
INSERT INTO lazy.documents (id, uri, media_type) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'page.md', 'text/markdown');
INSERT INTO lazy.chunks (document_id, ordinal, kind, unit, section, content, tokens)
SELECT 'aaaaaaaa-0000-0000-8000-000000000000', n, 'prose', 'text', ARRAY['Page', 's' || n / 3],
    'chunk ' || n || CASE WHEN n % 3 = 1 THEN repeat(' omega', 12 - n / 2) || repeat(' other', n * 6) ELSE '' END || E'.\n\n', 100
FROM generate_series(0, 14) AS n;

-- the hits of three sections with the context that each brings
CREATE FUNCTION pg_temp.context(strategy text, scores double precision[], limits jsonb) RETURNS TABLE (hit text, score double precision, context text)
LANGUAGE sql STABLE AS $$
    SELECT (SELECT content FROM lazy.chunks WHERE id = hit_id) AS hit, min(found.score),
        string_agg(role || ' ' || substring(content FROM '\d+'), ', ' ORDER BY distance, content) FILTER (WHERE role <> 'hit')
    FROM passage.expand_contexts(ARRAY(SELECT id FROM lazy.chunks WHERE ordinal IN (1, 4, 7) ORDER BY ordinal), context.scores, context.strategy, limits => context.limits) AS found
    GROUP BY hit_id ORDER BY min(found.ordinal)
$$;
SELECT substring(hit FROM 'chunk \d+') AS hit, score, context FROM pg_temp.context('section', '{1,0.5,0.4}', NULL);
SELECT substring(hit FROM 'chunk \d+') AS hit, score, context FROM pg_temp.context('section', '{1,0.5,0.4}', '{"min_score": 0.5}');
SELECT substring(hit FROM 'chunk \d+') AS hit, score, context FROM pg_temp.context('section', '{1,0.5,0.4}', passage.limits(min_score => 1));
SELECT substring(hit FROM 'chunk \d+') AS hit, score, context FROM pg_temp.context('adjacent', '{1,0.5,0.4}', passage.limits(min_score => 0.45));
SELECT substring(hit FROM 'chunk \d+') AS hit, score, context FROM pg_temp.context('adjacent', '{0.1,0.5,0.4}', passage.limits(min_score => 0.45, before => 1, after => 0));
-- without scores, with a best score that is not above 0, and for a hit without a score there is no share
SELECT substring(hit FROM 'chunk \d+') AS hit, score, context FROM pg_temp.context('section', NULL, '{"min_score": 1}');
SELECT substring(hit FROM 'chunk \d+') AS hit, score, context FROM pg_temp.context('section', '{-1,-2,-3}', '{"min_score": 1}');
SELECT substring(hit FROM 'chunk \d+') AS hit, score, context FROM pg_temp.context('section', '{0.9,NULL,0.1}', '{"min_score": 0.5}');
-- a chunk that does not exist is not the best hit
SELECT role, count(*) FROM passage.expand_contexts('{ffffffff-0000-0000-8000-000000000000}'::uuid[] || ARRAY(SELECT id FROM lazy.chunks WHERE ordinal = 4), '{9,1}', 'section', limits => '{"min_score": 0.5}')
GROUP BY role ORDER BY role;
-- budgets are those of all hits
SELECT count(*), sum(tokens) FROM passage.expand_contexts(ARRAY(SELECT id FROM lazy.chunks WHERE ordinal IN (1, 4, 7) ORDER BY ordinal), '{1,0.9,0.1}', 'section', 400, limits => '{"min_score": 0.5}');
-- nor is a section merged for a hit below
SELECT count(*) FROM passage.expand_contexts(ARRAY(SELECT id FROM lazy.chunks WHERE ordinal IN (1, 3, 4) ORDER BY ordinal), '{1,0.2,0.2}', 'merge', limits => '{"min_score": 0.5, "threshold": 0.6}');
SELECT count(*) FROM passage.expand_contexts(ARRAY(SELECT id FROM lazy.chunks WHERE ordinal IN (1, 3, 4) ORDER BY ordinal), '{1,0.2,0.2}', 'merge', limits => '{"threshold": 0.6}');

-- passages, of given hits and of a search
SELECT score, tokens, cardinality(chunk_ids) AS chunks, cardinality(hit_ids) AS hits
FROM passage.reassemble(ARRAY(SELECT id FROM lazy.chunks WHERE ordinal IN (1, 13) ORDER BY ordinal), '{1,0.1}', 'section', limits => '{"min_score": 0.5}');
SELECT share, sum(cardinality(chunk_ids) - cardinality(hit_ids)) AS context, sum(cardinality(hit_ids)) AS hits
FROM unnest('{0,1}'::numeric[]) AS share, passage.search('omega', strategy => 'section', max_tokens => 0, limits => jsonb_build_object('min_score', share))
GROUP BY share ORDER BY share;

-- errors
SELECT * FROM passage.expand_context(NULL, limits => '{"min_score": 1.5}');
SELECT * FROM passage.expand_contexts('{}', limits => '{"min_score": -0.1}');
SELECT * FROM passage.search('omega', limits => '{"min_score": "half"}');
SELECT * FROM passage.expand_contexts('{}', limits => passage.limits(min_score => 'NaN'));

DROP SCHEMA lazy CASCADE;
