-- hierarchical: whole containers, as the class around a method or the object around a value.
SET client_min_messages = warning;
SET passage.store = 'whole';
SELECT count(*) > 0 AS made FROM passage.create_store();

-- A document whose chunks have unit, section and content; chunks are found by content.
CREATE FUNCTION pg_temp.load(document text, media_type text, kind text, VARIADIC chunks text[]) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO whole.documents (id, uri, media_type) VALUES (md5(document)::uuid, document, media_type);
    INSERT INTO whole.chunks (document_id, ordinal, kind, unit, section, content, tokens)
    SELECT md5(document)::uuid, place - 1, kind, nullif(split_part(chunk, '|', 1), ''), string_to_array(nullif(split_part(chunk, '|', 2), ''), '/'),
        split_part(chunk, '|', 3), 10
    FROM unnest(chunks) WITH ORDINALITY AS listed (chunk, place)
$$;
ALTER TABLE whole.chunks ALTER section DROP NOT NULL;
CREATE FUNCTION pg_temp.chunks(VARIADIC contents text[]) RETURNS uuid[]
LANGUAGE sql STABLE AS $$SELECT array_agg(id ORDER BY place) FROM unnest(contents) WITH ORDINALITY AS listed (content, place) JOIN whole.chunks USING (content)$$;

SELECT pg_temp.load('auth.ts', 'text/x-typescript', 'code',
    'module||import { hash } from "crypto";',
    'container|AuthService|class AuthService {',
    'member|AuthService/constructor|constructor() {}',
    'member|AuthService/validateUser|validateUser() { if (a)',
    'member|AuthService/validateUser|return b; }',
    'container|AuthService/Session|static Session = class {',
    'member|AuthService/Session/open|open() {}',
    'member|AuthService/Session/close|close() {}',
    'container|AuthService/Session|};',
    'container|AuthService|}',
    'member|main|function main() {',
    'member|main|}  // main');
UPDATE whole.chunks SET section = '{}' WHERE section IS NULL;

-- seed 004: a hit in a method returns the complete class
SELECT role, distance, section, content FROM passage.expand_context((pg_temp.chunks('constructor() {}'))[1], 'hierarchical');
SELECT content, truncated, complete FROM passage.reassemble(pg_temp.chunks('constructor() {}'));
-- the nearest container, not the outermost one; for two hits the one that contains both
SELECT content FROM passage.reassemble(pg_temp.chunks('open() {}'));
SELECT content, cardinality(hit_ids) AS hits FROM passage.reassemble(pg_temp.chunks('open() {}', 'close() {}'));
SELECT content, cardinality(hit_ids) AS hits FROM passage.reassemble(pg_temp.chunks('open() {}', 'constructor() {}'));
-- the head of a container widens to the container, and a function outside of containers to itself
SELECT content FROM passage.reassemble(pg_temp.chunks('static Session = class {'));
SELECT content, complete FROM passage.reassemble(pg_temp.chunks('function main() {'));
-- an import is in no container and gets its neighbours
SELECT content, complete FROM passage.reassemble(pg_temp.chunks('import { hash } from "crypto";'));
SELECT rule, content FROM passage.explain_context(pg_temp.chunks('import { hash } from "crypto";'), strategy => 'hierarchical') JOIN whole.chunks ON id = chunk_id ORDER BY chunks.ordinal;
-- over the budget: the rest of the function, then head and closing part, then the nearest members
SELECT max_tokens, content, truncated, complete
FROM unnest('{10,20,40,60}'::integer[]) AS max_tokens, passage.reassemble(pg_temp.chunks('return b; }'), max_tokens => max_tokens, output => passage.output(gaps => 'none')) ORDER BY max_tokens;
SELECT hit, kept, role, rule, distance, ordinal, section, tokens, tokens_so_far, cut_by
FROM passage.explain_context(pg_temp.chunks('return b; }', 'open() {}') || md5('no such chunk')::uuid, max_tokens => 80);
-- an invisible hit does not affect others, and a container without its head is incomplete
DELETE FROM whole.chunks WHERE content = 'static Session = class {';
SELECT content, complete FROM passage.reassemble(pg_temp.chunks('open() {}'));
DELETE FROM whole.chunks WHERE content = 'constructor() {}';
SELECT content, complete FROM passage.reassemble(pg_temp.chunks('return b; }'));

-- seed 004: a hit in a property returns the complete object, with its key as valid JSON
SELECT pg_temp.load('config.json', 'application/json', 'data',
    'container|root/server|{"server": {', 'value|root/server/host|"host": "a",', 'value|root/server/timeout|"timeout": 30', 'container|root/server|},',
    'value|root/debug|"debug": true}');
SELECT content, content::json -> 'server' -> 'timeout' AS timeout, complete FROM passage.reassemble(pg_temp.chunks('"timeout": 30'));
-- an entry of the root returns a small file
SELECT content::json -> 'debug' AS debug, complete FROM passage.reassemble(pg_temp.chunks('"debug": true}'));
-- an object that exceeds the budget gives way to the entry that was hit
SELECT content, spans, citations -> 0 ->> 'end' AS cited, truncated, complete FROM passage.reassemble(pg_temp.chunks('"timeout": 30'), max_tokens => 30);
-- for JSON that does not parse the fallback applies, and complete is false
UPDATE whole.chunks SET content = '{"server": {!' WHERE content = '{"server": {';
SELECT content, complete FROM passage.reassemble(pg_temp.chunks('"timeout": 30'), limits => passage.limits(parents => 0));
SELECT rule, kept FROM passage.explain_context(pg_temp.chunks('"timeout": 30'));

-- a hit in a list of 300 records returns its record, and the tree finds each of them
SELECT count(*) FROM passage.ingest('list.json', (SELECT jsonb_pretty(jsonb_agg(jsonb_build_object('id', i, 'name', 'user ' || i, 'note', repeat('some words about it ', 12)))) FROM generate_series(0, 299) AS i));
SELECT count(*) AS records, count(*) FILTER (WHERE level = 2) AS level, bool_and(content LIKE '%"user ' || ordinal || '"%') AS named
FROM whole.chunks JOIN whole.documents AS d ON d.id = document_id WHERE uri = 'list.json' AND path ~ 'root.*{1}';
SELECT section, tokens < 100 AS small, content::json ->> 'id' AS id, complete, truncated
FROM passage.reassemble(ARRAY(SELECT c.id FROM whole.chunks AS c WHERE path IN ('root._5B0_5D', 'root._5B50_5D', 'root._5B299_5D') ORDER BY ordinal));
SELECT content::json ->> 'id' AS id, complete FROM passage.reassemble(ARRAY(SELECT c.id FROM whole.chunks AS c WHERE path = 'root._5B50_5D'), max_tokens => 50);
SELECT passage.assemble(d.id, ARRAY(SELECT c.id FROM whole.chunks AS c WHERE document_id = d.id))::json -> 299 ->> 'id' AS last FROM whole.documents AS d WHERE uri = 'list.json';
DELETE FROM whole.documents WHERE uri = 'list.json';
-- so does a list of 700 records, in each format and under a small budget
SELECT uri, chunks FROM (VALUES ('list.json', '[%s]', '{"id": %s, "name": "user %1$s", "note": "%2$s"}', ', '), ('list.jsonl', '%s', '{"id": %s, "name": "user %1$s", "note": "%2$s"}', E'\n'),
    ('list.yaml', '%s', E'- id: %s\n  name: user %1$s\n  note: %2$s\n', ''), ('list.toml', '%s', E'[[list]]\nid = %s\nname = "user %1$s"\nnote = "%2$s"\n', '')) AS format (uri, list, record, separator),
    LATERAL (SELECT string_agg(format(record, i, repeat('some words about it ', 12)), separator ORDER BY i) FROM generate_series(0, 699) AS i) AS records (text),
    LATERAL passage.ingest(uri, format(list, text)) ORDER BY uri;
SELECT uri, max_tokens, p.section, p.complete, p.truncated, tokens < 100 AS small,
    CASE WHEN uri ~ 'json' THEN content::json ->> 'name' ELSE substring(content FROM 'user [0-9]+') END AS name
FROM whole.documents AS d, unnest('{0,NULL,50}'::integer[]) AS max_tokens,
    passage.reassemble(ARRAY(SELECT c.id FROM whole.chunks AS c WHERE document_id = d.id AND section[cardinality(section)] = '[650]'), max_tokens => max_tokens) AS p (rank, score, document_id, collection, version, of_uri)
WHERE d.uri ~ '^list' ORDER BY uri, max_tokens;
DELETE FROM whole.documents WHERE uri ~ '^list';

-- the level of a chunk tells which units around its own it closes; a passage leaves their closing lines out
SELECT pg_temp.load('levels.cs', 'text/x-csharp', 'code', E'module|N|namespace N {\n', E'container|N/A|class A {\n',
    E'member|N/A/a|a() { }\n', E'member|N/A/b|b() {\n', E'member|N/A/b|go(); }\n}\n}\n');
UPDATE whole.chunks SET level = ('{1,2,3,3,1}'::integer[])[ordinal + 1], first_line = ordinal + 1, last_line = ordinal + 1 + 2 * (ordinal / 4)
WHERE document_id = md5('levels.cs')::uuid;
SELECT to_json(content) AS content, first_line, last_line, citations -> -1 -> 'last_line' AS cited, complete
FROM passage.reassemble(pg_temp.chunks(E'a() { }\n'));
SELECT to_json(content) AS content, role FROM passage.expand_context((pg_temp.chunks(E'b() {\n'))[1], 'hierarchical') ORDER BY ordinal;
DELETE FROM whole.documents WHERE uri = 'levels.cs';

-- prose returns its section; chunks without a unit return the section above
SELECT pg_temp.load('guide.md', 'text/markdown', 'prose', 'text|Guide|Guide.', 'text|Guide/Setup|Setup 1.', 'text|Guide/Setup|Setup 2.', 'text|Guide/Use|Use.');
SELECT content FROM passage.reassemble(pg_temp.chunks('Setup 2.'), strategy => 'hierarchical');
UPDATE whole.chunks SET unit = NULL WHERE content ~ '^(Guide|Setup|Use)';
SELECT content FROM passage.reassemble(pg_temp.chunks('Setup 2.'), strategy => 'hierarchical');

-- a store without units or sections has no containers and raises no error
ALTER TABLE whole.chunks DROP COLUMN unit;
SELECT content FROM passage.reassemble(pg_temp.chunks('open() {}'));
ALTER TABLE whole.chunks DROP COLUMN section CASCADE;
SELECT content FROM passage.reassemble(pg_temp.chunks('open() {}'));

-- a hit elsewhere in a section of JSON does not belong to the value around another one
SELECT count(*) > 0 AS made FROM passage.create_store('apart');
INSERT INTO apart.documents (id, uri, media_type) VALUES ('abababab-0000-0000-8000-000000000000', 'apart.json', 'application/json');
INSERT INTO apart.chunks (id, document_id, ordinal, kind, section, content)
SELECT ('abababab-0000-0000-0000-00000000000' || n)::uuid, 'abababab-0000-0000-8000-000000000000', n, 'data', titles::text[], content
FROM (VALUES (1, '{root,a,b,c}', '{"k": 1,'), (2, '{root,a,b,c}', ' "l": 2}'), (3, '{root,a,d}', 'apart'), (4, '{root,a,b}', 'open')) AS listed (n, titles, content);
SELECT ordinal, role FROM passage.expand_contexts('{abababab-0000-0000-0000-000000000002,abababab-0000-0000-0000-000000000004}', strategy => 'hierarchical', store => 'apart');
DROP SCHEMA apart CASCADE;

DROP SCHEMA whole CASCADE;
