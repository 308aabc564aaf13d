-- explain_context: candidates, rules, and the limits that cut them.
SET client_min_messages = warning;
SET passage.store = 'explained';
SELECT count(*) > 0 AS made FROM passage.create_store();
INSERT INTO explained.documents (id, uri, media_type) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'guide.md', 'text/markdown');
INSERT INTO explained.chunks (id, document_id, ordinal, section, content, tokens)
SELECT ('aaaaaaaa-0000-0000-0000-' || lpad(place::text, 12, '0'))::uuid, 'aaaaaaaa-0000-0000-8000-000000000000', place - 1, string_to_array(section, '/'), chr(96 + place::integer), 10 * place
FROM unnest('{A,A/B,A/B/C,A/B/D,A/B/D/E,A/B/F,G,H}'::text[]) WITH ORDINALITY AS listed (section, place);
CREATE FUNCTION pg_temp.ids(VARIADIC contents text[]) RETURNS uuid[]
LANGUAGE sql STABLE AS $$SELECT array_agg(id ORDER BY place) FROM unnest(contents) WITH ORDINALITY AS listed (content, place) JOIN explained.chunks USING (content)$$;
\pset null -

-- hits first, then context in the order in which the budget is spent; nothing was cut
SELECT hit, kept, role, rule, distance, ordinal, section, tokens, tokens_so_far, cut_by FROM passage.explain_context(pg_temp.ids('d'), limits => passage.limits(parents => 3));
-- if a chunk does not fit, farther chunks of its hit are cut too; those of other hits are not
SELECT hit, kept, rule, distance, tokens, tokens_so_far, cut_by FROM passage.explain_context(pg_temp.ids('d', 'h'), strategy => 'adjacent', max_tokens => 170);
SELECT hit, kept, rule, distance, cut_by FROM passage.explain_context(pg_temp.ids('d', 'h'), '{0.1,0.9}', 'adjacent', max_chunks => 4);
-- no budget cuts a hit
SELECT hit, kept, rule, cut_by FROM passage.explain_context(pg_temp.ids('d', 'h'), strategy => 'none', max_tokens => 0, max_chunks => 0);
-- each chunk has one row, with the hit that it belongs to
SELECT hit, rule, ordinal FROM passage.explain_context(pg_temp.ids('c', 'd'), strategy => 'section');
SELECT strategy, string_agg(rule || ' ' || ordinal, ', ' ORDER BY ordinal) FROM unnest('{document,merge,reassembly,adjacent}'::text[]) AS strategy,
    passage.explain_context(pg_temp.ids('c', 'd', 'f'), strategy => strategy, limits => passage.limits(threshold => 0.3)) GROUP BY strategy ORDER BY strategy;
-- unknown hits have a row with their rank; an id counts once
SELECT hit, kept, cut_by, tokens FROM passage.explain_context(md5('nothing')::uuid || pg_temp.ids('g', 'g') || NULL::uuid, strategy => 'none');
SELECT * FROM passage.explain_context(NULL);
SELECT * FROM passage.explain_context('{}', '{}');

-- errors
SELECT * FROM passage.explain_context('{}', strategy => 'wide');
SELECT * FROM passage.explain_context('{}', '{1}');
SELECT * FROM passage.explain_context('{}', limits => passage.limits(windows => '{"data": 1}'));
SELECT * FROM passage.explain_context('{}', store => 'nowhere');

DROP SCHEMA explained CASCADE;
