-- limits and filter: the limits of expansion and the filters of a search, each in one object.
SET client_min_messages = warning;
SET passage.store = 'grouped';
SELECT count(*) > 0 AS made FROM passage.create_store();
\pset null -
INSERT INTO grouped.documents (id, collection, uri, media_type, metadata) VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000', 'guide', 'a.md', 'text/markdown', '{"lang": "en", "n": 12345678901234567890123}'),
    ('bbbbbbbb-0000-0000-8000-000000000000', 'code', 'b.py', 'text/x-python', '{"huge": 1e400}');
INSERT INTO grouped.documents (id, uri, media_type, orphaned_at) VALUES ('cccccccc-0000-0000-8000-000000000000', 'c.md', 'text/markdown', '2026-01-01');
INSERT INTO grouped.chunks (document_id, ordinal, section, kind, content, tokens)
SELECT id, n, ARRAY['A', 'B' || n], CASE uri WHEN 'b.py' THEN 'code' ELSE 'prose' END, 'word ' || chr(97 + n), 10
FROM grouped.documents, generate_series(0, 9) AS n;
CREATE FUNCTION pg_temp.one() RETURNS uuid LANGUAGE sql STABLE AS $$SELECT id FROM grouped.chunks WHERE document_id::text LIKE 'a%' AND ordinal = 5$$;

-- constructors make the objects, without arguments that are NULL, and keep nulls of metadata
SELECT passage.filter(kind => 'code', uri_pattern => 'src/%', include_orphaned => false);
SELECT passage.filter(metadata => '{"a": null, "b": {"$exists": false}}');
SELECT passage.limits(parents => 2, windows => '{"code": 4}', context_share => 0.5);
SELECT passage.ranking(mode => 'text', rrf_k => 0);
SELECT passage.output(separator => '', marks => ARRAY['>>', '<<'], max_distance => 0);

-- each function takes them
SELECT string_agg(ordinal::text, ' ' ORDER BY ordinal) FROM passage.expand_context(pg_temp.one(), 'none', limits => '{"before": 2, "after": 1}');
SELECT string_agg(ordinal::text, ' ' ORDER BY ordinal) FROM passage.expand_context(pg_temp.one(), 'none', limits => '{"after": 1.0, "parents": null, "before": 2}');
SELECT string_agg(ordinal::text, ' ' ORDER BY ordinal) FROM passage.expand_contexts(ARRAY[pg_temp.one()], NULL, 'none', limits => '{"windows": {"prose": 1}}');
SELECT string_agg(rule || ' ' || ordinal, ', ' ORDER BY ordinal) FROM passage.explain_context(ARRAY[pg_temp.one()], strategy => 'none', limits => '{"preceding": 1, "siblings": "parent"}');
SELECT tokens FROM passage.reassemble(ARRAY[pg_temp.one()], strategy => 'document', limits => '{"max_passage_tokens": 40}');
SELECT tokens FROM passage.reassemble(ARRAY[pg_temp.one()], strategy => 'document', max_tokens => 40, limits => '{"max_chunks": 3}');
SELECT tokens FROM passage.search('"word f"', strategy => 'none', limits => '{"before": 1}', filter => '{"collection": "guide"}');
SELECT tokens FROM passage.reassemble(ARRAY[pg_temp.one()], strategy => 'document', limits => '{"threshold": 0.5, "count_by": "tokens", "within": "section"}');

-- filters
SELECT string_agg(DISTINCT uri, ' ') FROM passage.search_hits('word', max_hits => 50, filter => '{"kind": "code"}');
SELECT string_agg(DISTINCT uri, ' ') FROM passage.search_hits('word', max_hits => 50, filter => '{"uri": "a.md"}');
SELECT string_agg(DISTINCT uri, ' ' ORDER BY uri) FROM passage.search_hits('word', max_hits => 50, filter => '{"media_type": "text/mark*", "include_orphaned": true}');
SELECT string_agg(DISTINCT uri, ' ' ORDER BY uri) FROM passage.search_hits('word', max_hits => 50, filter => '{"uri_pattern": "%.md", "version": "", "include_orphaned": true}');
SELECT string_agg(DISTINCT uri, ' ') FROM passage.search_hits('word', max_hits => 50, filter => '{"metadata": {"lang": "en", "n": 12345678901234567890123}}');
SELECT count(*) FROM passage.search_hits('word', filter => '{"metadata": {"n": 12345678901234567890124}}');
SELECT string_agg(DISTINCT uri, ' ') FROM passage.search_hits('word', max_hits => 50, filter => '{"metadata": {"huge": 1e400}}');
SELECT count(*) FROM passage.search_hits('word', filter => '{"metadata": {"huge": 2e400}}');
SELECT count(*) FROM passage.search_hits('word', filter => format('{"metadata": %s1%s}', repeat('{"a":', 200), repeat('}', 200))::jsonb);
SELECT string_agg(DISTINCT section[2], ' ') FROM passage.search_hits('word', filter => '{"path": "A.B3"}');
SELECT count(*) FROM passage.search_hits('word', max_hits => 50, filter => '{}');
SELECT count(*) FROM passage.search_hits('word', max_hits => 50, filter => '{"kind": null, "metadata": null}');
SELECT string_agg(DISTINCT uri, ' ') FROM passage.fragments('word', filter => '{"kind": "code"}');
SELECT uri FROM passage.fragments('word', max_fragments => 1, filter => '{"uri": "a.md"}');
SELECT count(*) FROM passage.fragments('word', uri => 'a.md', filter => '{"media_type": "text/x-python"}');

-- a list means any of its values, and versions and metadata have conditions
SELECT string_agg(DISTINCT uri, ' ' ORDER BY uri) FROM passage.search_hits('word', max_hits => 50, filter => '{"collection": ["guide", "code"], "kind": ["code", "prose"]}');
SELECT string_agg(DISTINCT uri, ' ' ORDER BY uri) FROM passage.search_hits('word', max_hits => 50, filter => '{"version": ["latest", "1.*"], "uri": ["a.md", "c.md"]}');
SELECT count(*) FROM passage.search_hits('word', filter => '{"collection": []}');
SELECT string_agg(DISTINCT uri, ' ') FROM passage.search_hits('word', max_hits => 50, filter => '{"metadata": {"lang": {"$in": ["de", "en"]}, "n": {"$gt": 5}}}');
SELECT string_agg(DISTINCT uri, ' ') FROM passage.search_hits('word', max_hits => 50, filter => '{"metadata": {"$or": [{"lang": {"$exists": false}}, {"lang": {"$like": "d%"}}]}}');

-- calls by position
SELECT count(*) FROM passage.expand_context(pg_temp.one(), 'none', NULL, NULL, passage.limits(before => 1, after => 1), 'grouped');
SELECT count(*) FROM passage.search_hits('word', NULL, NULL, 3, NULL, passage.ranking(rrf_k => 60), NULL, 'grouped');

-- errors
\set SHOW_CONTEXT never
SELECT * FROM passage.expand_context(pg_temp.one(), limits => '{"parent": 1}');
SELECT * FROM passage.search('word', filter => '{"collections": "guide"}');
SELECT * FROM passage.fragments('word', filter => '{"min_similarity": 0.5}');
SELECT * FROM passage.expand_context(pg_temp.one(), max_chunks => 1, limits => '{"max_chunks": 1}');
SELECT * FROM passage.search('word', limits => '{"max_tokens": 10}');
SELECT * FROM passage.search('word', collection => 'guide', filter => '{"collection": "guide"}');
SELECT * FROM passage.fragments('word', uri => 'a.md', filter => '{"uri": "a.md"}');
SELECT * FROM passage.expand_context(pg_temp.one(), limits => '{"parents": "1"}');
SELECT * FROM passage.expand_context(pg_temp.one(), limits => '{"parents": 1.5}');
SELECT * FROM passage.expand_context(pg_temp.one(), limits => '{"parents": -1}');
SELECT * FROM passage.expand_context(pg_temp.one(), limits => '{"parents": 5000000000}');
SELECT * FROM passage.expand_context(pg_temp.one(), limits => '{"windows": 1}');
SELECT * FROM passage.expand_context(pg_temp.one(), limits => '{"within": "page"}');
SELECT * FROM passage.expand_context(pg_temp.one(), limits => '{"max_passage_tokens": 1000001}');
SELECT * FROM passage.reassemble(NULL, limits => '[]');
SELECT * FROM passage.reassemble(NULL, limits => 'null');
SELECT * FROM passage.reassemble(NULL, limits => (repeat('[', 200) || repeat(']', 200))::jsonb);
SELECT * FROM passage.reassemble(NULL, limits => '{"threshold": 1e400}');
SELECT * FROM passage.reassemble(NULL, limits => '{"parents": -1e400, "before": 1}');
SELECT * FROM passage.reassemble(NULL, limits => '{"windows": {"code": 1e400}}');
SELECT * FROM passage.reassemble(NULL, limits => passage.limits(windows => '{"code": 1e400}'));
SELECT * FROM passage.search_hits('word', filter => '{"min_similarity": 1e400, "metadata": {"huge": 1e400}}');
SELECT * FROM passage.search_hits('word', filter => format('{"kind": %s1%s}', repeat('[', 200), repeat(']', 200))::jsonb);
SELECT * FROM passage.search_hits('word', filter => '"code"');
SELECT * FROM passage.search_hits('word', filter => '{"kind": ["code", "verse"]}');
SELECT * FROM passage.search_hits('word', filter => jsonb_build_object('uri', array_fill('a'::text, '{1001}')));
SELECT * FROM passage.search_hits('word', filter => '{"metadata": {"a": {"b": {"$between": [1, "2"]}}}}');
SELECT * FROM passage.search_hits('word', filter => '{"metadata": {"a": {"$gt": 1, "$below": 2}}}');
SELECT * FROM passage.search_hits('word', filter => '{"metadata": {"$and": []}}');
SELECT * FROM passage.search_hits('word', filter => jsonb_build_object('metadata', jsonb_build_object('a', jsonb_build_object('$in', array_fill(1, '{1001}')))));
SELECT * FROM passage.search_hits('word', filter => format('{"metadata": {"a": {"$gt": %s1%s}}}', repeat('[', 200), repeat(']', 200))::jsonb);
\set VERBOSITY terse
SELECT * FROM passage.search_hits('word', filter => '{"media_type": ["text/plain", "markdown"]}');
\set VERBOSITY default
SELECT * FROM passage.search_hits('word', filter => '{"collection": 1}');
SELECT * FROM passage.search_hits('word', filter => '{"include_orphaned": "yes"}');
SELECT * FROM passage.search_hits('word', filter => '{"min_similarity": 0.5}');
SELECT * FROM passage.fragments('word', uri => 'a.md', filter => '{"kind": "code"}');

DROP SCHEMA grouped CASCADE;
