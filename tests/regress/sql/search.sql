-- search by words: hits, their order, and the syntax of queries.
SET client_min_messages = warning;
SET passage.store = 'searched';
SELECT count(*) > 0 AS made FROM passage.create_store();
\pset null -

INSERT INTO searched.documents (id, collection, version, uri, title, media_type, metadata, orphaned_at) VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000', 'guide', '1', 'docs/backup.md', 'Backup', 'text/markdown', '{"lang": "en", "tags": ["ops"]}', NULL),
    ('bbbbbbbb-0000-0000-8000-000000000000', 'api', '2', 'src/store.ts', 'store.ts', 'text/typescript', '{"lang": "ts"}', NULL),
    ('cccccccc-0000-0000-8000-000000000000', 'guide', '1', 'docs/old.md', 'Old', 'text/markdown', '{}', '2026-01-01'),
    ('dddddddd-0000-0000-8000-000000000000', 'texts', '1', 'texts/mixed.txt', NULL, 'text/plain', '{}', NULL);
INSERT INTO searched.chunks (document_id, ordinal, section, kind, preamble, content, metadata) VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000', 0, '{Backup}', 'prose', 'Backup', E'A backup is taken each night.\n', '{}'),
    ('aaaaaaaa-0000-0000-8000-000000000000', 1, '{Backup,Restore}', 'prose', 'Backup', E'Restore from a dump with care. The dump holds one database.\n', '{}'),
    ('aaaaaaaa-0000-0000-8000-000000000000', 2, '{Backup,Drill}', 'prose', 'Backup', E'Once a month somebody restores a database elsewhere, and writes down how long it took from dump to use.\n', '{"reviewed": true}'),
    ('aaaaaaaa-0000-0000-8000-000000000000', 3, '{Backup,Index}', 'prose', 'Backup', E'Set hnsw.ef_search before the lowest-direct path is asked.\n', '{}'),
    ('bbbbbbbb-0000-0000-8000-000000000000', 0, '{Store}', 'code', 'store.ts', E'class Store {\n', '{}'),
    ('bbbbbbbb-0000-0000-8000-000000000000', 1, '{Store,getUser}', 'code', E'store.ts\nclass Store {', E'  getUser(id: string) { return this.users.get(id); }\n', '{}'),
    ('bbbbbbbb-0000-0000-8000-000000000000', 2, '{Store,array}', 'code', E'store.ts\nclass Store {', E'  list() { return Object.array.sort(); }\n}\n', '{}'),
    ('cccccccc-0000-0000-8000-000000000000', 0, '{Old}', 'prose', 'Old', E'An old dump.\n', '{}'),
    ('dddddddd-0000-0000-8000-000000000000', 0, '{}', 'prose', NULL, E'日本語の全文検索\n', '{}'),
    ('dddddddd-0000-0000-8000-000000000000', 1, '{}', 'prose', NULL, E'Ночная копия базы\n', '{}'),
    ('dddddddd-0000-0000-8000-000000000000', 2, '{}', 'prose', NULL, E'نسخة احتياطية 😀 emoji\n', '{}');

CREATE FUNCTION pg_temp.found(query text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT string_agg(left(uri, -3) || ':' || ordinal, ' ' ORDER BY rank)
    FROM passage.search_hits(query) JOIN searched.chunks ON id = chunk_id
$$;

-- any word matches, all words rank higher, adjacent words highest
SELECT rank, uri, section, vector_rank, text_rank, score = text_score AS same, content FROM passage.search_hits('database dump restore') ORDER BY rank;
SELECT pg_temp.found('from a dump');
SELECT pg_temp.found('nothing of this, but drill');

-- a phrase is required, a word with a minus is excluded, unless the query has nothing else
SELECT pg_temp.found('"from a dump"'), pg_temp.found('dump -month'), pg_temp.found('dump -"one database"'), pg_temp.found('"database dump"');
SELECT pg_temp.found('-dump'), pg_temp.found('"the"'), pg_temp.found('dump "the of"');

-- identifiers match as a whole and by their parts
SELECT pg_temp.found('getUser'), pg_temp.found('get user'), pg_temp.found('ef_search'), pg_temp.found('hnsw'), pg_temp.found('lowest-direct'),
    pg_temp.found('sort'), pg_temp.found('direct');

-- text in other languages than English
SELECT pg_temp.found('全文'), pg_temp.found('日本語'), pg_temp.found('копия'), pg_temp.found('احتياطية');

-- plain SQL on tsv finds the words as written
SELECT ordinal FROM searched.chunks WHERE tsv @@ websearch_to_tsquery('english', 'getUser');

-- filters apply before the limit
SELECT uri, version FROM searched.documents JOIN passage.search_hits('dump', max_hits => 1, collection => 'guide', filter => passage.filter(version => '1')) AS hit USING (uri);
SELECT count(*) AS other_version FROM passage.search_hits('dump', collection => 'guide', filter => passage.filter(version => '2'));
SELECT uri, section FROM passage.search_hits('backup store', filter => passage.filter(uri_pattern => 'src/%'));
SELECT uri, section FROM passage.search_hits('store class', filter => passage.filter(media_type => 'text/type*')) ORDER BY rank;
SELECT count(*) AS of_type FROM passage.search_hits('backup', filter => passage.filter(media_type => 'text/markdown'));
SELECT count(*) AS no_wildcards FROM passage.search_hits('backup', filter => passage.filter(media_type => 'text/mark%'));
SELECT uri, section FROM passage.search_hits('backup return', filter => passage.filter(kind => 'code')) ORDER BY section;
SELECT uri, section FROM passage.search_hits('dump', filter => passage.filter(path => 'Backup.Drill'));
SELECT uri, section FROM passage.search_hits('dump', filter => passage.filter(path => '*.Re*'));
SELECT uri, section FROM passage.search_hits('dump', filter => passage.filter(metadata => '{"lang": "en", "reviewed": true}'));
SELECT uri, section FROM passage.search_hits('dump', filter => passage.filter(metadata => '{"tags": ["ops"]}')) ORDER BY rank;
SELECT count(*) AS with_orphans FROM passage.search_hits('dump', filter => passage.filter(include_orphaned => true));

-- passages
SELECT rank, uri, section, first_line, tokens, content FROM passage.search('restore dump', strategy => 'none') ORDER BY rank;
SELECT rank, uri, section, complete, content FROM passage.search('getUser', max_passages => 1);
SELECT count(*) FROM passage.search('dump backup store', max_passages => 0);
SELECT count(*), max(rank) FROM passage.search('backup return 全文', max_passages => 2);
SELECT sum(tokens) <= 30 AS within FROM passage.search('database dump restore', max_tokens => 30);
SELECT content FROM passage.search('drill', strategy => 'none', output => passage.output(marks => ARRAY['[', ']']));

-- empty queries
SELECT count(*) FROM passage.search_hits();
SELECT count(*) FROM passage.search_hits('');
SELECT count(*) FROM passage.search(NULL);
SELECT count(*) FROM passage.search('the of and');

-- any query text is valid
SELECT count(found) FROM unnest(ARRAY[
    $$'; DROP TABLE searched.chunks; --$$, $$a & b | !c <-> (d:*)$$, $$\$$, $$'$$, $$"$$, $$""$$, $$"""$$, $$- -- ---$$, $$:* !! () <->$$,
    repeat('dump & ', 20000), repeat('x', 100000), repeat('"', 5000), '😀', E'\u202e\u200b', '日', repeat('全文検索', 3000), '%_*?[]{}', 'NULL', $$dump:A$$, E'a\tb\nc'
]) AS query, LATERAL (SELECT count(*) AS found FROM passage.search(query)) AS one;
SELECT count(*) FROM searched.chunks;

-- the caller's settings are unchanged
SELECT name, setting FROM pg_settings WHERE name IN ('enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin', 'enable_material')
    AND (setting <> 'on' OR source <> 'default');
SELECT source FROM pg_settings WHERE name = 'jit';

-- errors
SELECT * FROM passage.search('dump', ranking => passage.ranking(mode => 'lexical'));
SELECT * FROM passage.search('dump', ranking => passage.ranking(mode => 'vector'));
SELECT * FROM passage.search_hits('dump', ranking => passage.ranking(mode => 'hybrid'));
SELECT * FROM passage.search(ranking => passage.ranking(mode => 'text'));
SELECT * FROM passage.search('dump', filter => passage.filter(min_similarity => 0.5));
SELECT * FROM passage.search('dump', ARRAY[1, 2]::real[]);
SELECT * FROM passage.search('dump', ranking => passage.ranking(candidates => -1));
SELECT * FROM passage.search('dump', filter => passage.filter(path => repeat('a', 65537)));
SELECT * FROM passage.search('dump', filter => jsonb_build_object('media_type', repeat('a', 65537)));
SELECT * FROM passage.search('dump', max_passages => -1);
SELECT * FROM passage.search('dump', ranking => passage.ranking(rrf_k => -1));
SELECT * FROM passage.search('dump', ranking => passage.ranking(text_weight => 'NaN'));
SELECT * FROM passage.search('dump', ranking => passage.ranking(vector_weight => -1));
SELECT * FROM passage.search('dump', strategy => 'wide');
SELECT * FROM passage.search('dump', output => passage.output(order_by => 'uri'));
\set VERBOSITY terse
SELECT * FROM passage.search('dump', filter => passage.filter(path => '{'));
\set VERBOSITY default
SELECT * FROM passage.search_hits('dump', max_hits => -1);
SELECT * FROM passage.search_hits('dump', store => 'nowhere');

-- a store without tsv
ALTER TABLE searched.chunks DROP COLUMN tsv;
SELECT count(*) FROM passage.search_hits('dump');
SELECT * FROM passage.search('dump', ranking => passage.ranking(mode => 'text'));

DROP SCHEMA searched CASCADE;
