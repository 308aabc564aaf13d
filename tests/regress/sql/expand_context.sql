-- Expansion: the context of a hit, its roles and its order.
SET client_min_messages = warning;
SET passage.store = 'expand';
SELECT count(*) > 0 AS made FROM passage.create_store();

CREATE FUNCTION pg_temp.load(uri text, media_type text, VARIADIC chunks text[]) RETURNS void
LANGUAGE sql AS $$
    WITH document AS (
        INSERT INTO expand.documents (uri, media_type) VALUES (uri, media_type) RETURNING id
    )
    INSERT INTO expand.chunks (document_id, ordinal, level, section, content, tokens)
    SELECT document.id, place - 1, cardinality(section), section, content, 10
    FROM document, unnest(chunks) WITH ORDINALITY AS listed (chunk, place),
        LATERAL (SELECT string_to_array(nullif(split_part(chunk, ': ', 1), ''), '/'), split_part(chunk, ': ', 2)) AS parts (titles, content),
        LATERAL (SELECT coalesce(titles, '{}')) AS sections (section)
$$;

-- finds chunks by content, in the order of the names
CREATE FUNCTION pg_temp.chunk(text) RETURNS uuid
LANGUAGE sql STABLE AS $$SELECT id FROM expand.chunks WHERE content = $1$$;

CREATE FUNCTION pg_temp.chunks(VARIADIC text[]) RETURNS uuid[]
LANGUAGE sql STABLE AS $$SELECT array_agg(pg_temp.chunk(name) ORDER BY place) FROM unnest($1) WITH ORDINALITY AS named (name, place)$$;

SELECT pg_temp.load('guide.md', 'text/markdown',
    ': Title page',
    'Guide: Guide',
    'Guide/Installation: Installation overview',
    'Guide/Installation/Prerequisites: Prerequisites',
    'Guide/Installation/Steps: Installation steps',
    'Guide/Installation/Steps/Step1: Step 1 details',
    'Guide/Installation/Configuration: Configuration',
    'Guide/Use: Use',
    'Guide/Use/API: API authentication',
    'Guide/Use/API/Errors: Error handling',
    'Guide/Use/Limits: Limits');

-- seed 000, example 1: parent, sibling before, child, sibling after
SELECT role, distance, section, content FROM passage.expand_context(pg_temp.chunk('Installation steps'));

-- seed 004, the Markdown example: the same by name
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Installation steps'), 'broad');

-- seed 000, example 2: two hits of a document, each chunk once, in document order
SELECT role, content, score
FROM passage.expand_contexts(pg_temp.chunks('API authentication', 'Error handling'), '{0.9,0.7}');

-- seed 000, example 3: two documents, the better one first, each with its own context
SELECT pg_temp.load('reference.md', 'text/markdown', 'API: API reference', 'API/Calls: Calls');
SELECT pg_temp.load('tutorial.md', 'text/markdown', 'Tutorial: Tutorial', 'Tutorial/Examples: Tutorial examples');
SELECT score, role, content
FROM passage.expand_contexts(pg_temp.chunks('API reference', 'Tutorial examples'), '{0.8,0.9}');

-- all columns of a row
SELECT c.document_id = d.id AS document_id, ordinal, role, distance, hit_id = pg_temp.chunk('Use') AS hit_id,
    score, decayed_score, level, section, path, tokens, content
FROM passage.expand_contexts(pg_temp.chunks('Use'), '{0.5}', 'none') AS c JOIN expand.documents AS d ON uri = 'guide.md';

-- all presets
SELECT name, string_agg(role || ' ' || content, ', ' ORDER BY ordinal) AS context
FROM (VALUES (1, 'none'), (2, 'adjacent'), (3, 'broad'), (4, 'reassembly'), (5, 'section'), (6, 'document'), (7, 'auto')) AS presets (place, name),
    passage.expand_context(pg_temp.chunk('Installation steps'), name)
GROUP BY place, name ORDER BY place;

-- each limit as a named argument
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Step 1 details'), 'none', limits => passage.limits(parents => 2));
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Step 1 details'), 'none', limits => passage.limits(parents => 9));
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Configuration'), 'none', limits => passage.limits(preceding => 2));
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Prerequisites'), 'none', limits => passage.limits(following => 1));
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Guide'), 'none', limits => passage.limits(children => 5));
SELECT role, distance, content FROM passage.expand_context(pg_temp.chunk('Use'), 'none', limits => passage.limits(before => 2, after => 1));
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Installation steps'), 'broad', limits => passage.limits(children => 0, preceding => 0));

-- siblings of the section alone, or of all sections under the parent
SELECT pg_temp.load('faq.md', 'text/markdown', 'FAQ: FAQ', 'FAQ/A: A1', 'FAQ/A: A2', 'FAQ/B: B1', 'FAQ/A: A3');
SELECT siblings, string_agg(role || ' ' || content, ', ' ORDER BY ordinal) AS context
FROM (VALUES ('parent'), ('section')) AS readings (siblings),
    passage.expand_context(pg_temp.chunk('A2'), 'none', limits => passage.limits(preceding => 1, following => 1, siblings => readings.siblings))
GROUP BY siblings ORDER BY siblings;

-- a window within the document, the parent or the section
SELECT within, string_agg(content, ', ' ORDER BY ordinal) AS context
FROM (VALUES ('document'), ('parent'), ('section')) AS bounds (within),
    passage.expand_context(pg_temp.chunk('Step 1 details'), 'adjacent', limits => passage.limits(before => 4, after => 4, within => bounds.within))
GROUP BY within ORDER BY within;

-- the width of a window depends on the kind: three chunks of code, one of an API reference
SELECT pg_temp.load('window.md', 'text/markdown', ': w0', ': w1', ': w2', ': w3', ': w4', ': w5', ': w6', ': w7', ': w8');
UPDATE expand.chunks SET kind = 'code' WHERE content = 'w4';
SELECT count(*) - 1 AS beside_code FROM passage.expand_context(pg_temp.chunk('w4'), 'adjacent');
UPDATE expand.chunks SET kind = 'api-reference' WHERE content = 'w4';
SELECT count(*) - 1 AS beside_reference FROM passage.expand_context(pg_temp.chunk('w4'), 'adjacent');
UPDATE expand.chunks SET kind = 'data' WHERE content = 'w4';
SELECT count(*) - 1 AS beside_data FROM passage.expand_context(pg_temp.chunk('w4'), 'adjacent');
UPDATE expand.chunks SET kind = 'whatever' WHERE content = 'w4';
SELECT count(*) - 1 AS beside_unknown FROM passage.expand_context(pg_temp.chunk('w4'), 'adjacent');

-- distance has a sign; decayed_score is half the score divided by the distance
SELECT content, distance, score, decayed_score
FROM passage.expand_contexts(pg_temp.chunks('w4'), '{0.8}', 'adjacent');

-- without scores, the score columns are NULL
SELECT content, score, decayed_score FROM passage.expand_contexts(pg_temp.chunks('w4', 'w5'), NULL, 'none');

-- a chunk in the context of two hits belongs to the better hit, of equal ones to the nearer
SELECT c.role, c.content, hit.content AS hit, distance
FROM passage.expand_contexts(pg_temp.chunks('w2', 'w5'), '{0.5,0.9}', 'none', limits => passage.limits(before => 2, after => 2)) AS c
JOIN expand.chunks AS hit ON hit.id = c.hit_id ORDER BY c.ordinal;
SELECT c.content, hit.content AS hit
FROM passage.expand_contexts(pg_temp.chunks('w2', 'w5'), '{0.5,0.5}', 'none', limits => passage.limits(before => 2, after => 2)) AS c
JOIN expand.chunks AS hit ON hit.id = c.hit_id ORDER BY c.ordinal;

-- if the parent was merged into its first child, that child is the parent
SELECT pg_temp.load('merged.md', 'text/markdown', 'M: M', 'M/N/First: N with its first child', 'M/N/Second: second child', 'O/P/Q: nothing above');
SELECT role, content FROM passage.expand_context(pg_temp.chunk('second child'), 'none', limits => passage.limits(parents => 1));
SELECT role, content FROM passage.expand_context(pg_temp.chunk('second child'), 'none', limits => passage.limits(parents => 2));
-- if the hit is that first child, the parent is one level up
SELECT role, content FROM passage.expand_context(pg_temp.chunk('N with its first child'), 'none', limits => passage.limits(parents => 1));
-- the parent of a section of length one is the preceding root chunk, if there is one
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Guide'), 'none', limits => passage.limits(parents => 1));
SELECT role, content FROM passage.expand_context(pg_temp.chunk('M'), 'none', limits => passage.limits(parents => 1));
-- a section without a chunk above has no parent, and neither has the root
SELECT role, content FROM passage.expand_context(pg_temp.chunk('nothing above'), 'none', limits => passage.limits(parents => 1));
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Title page'), 'none', limits => passage.limits(parents => 1));
-- a later chunk cannot be the parent
SELECT pg_temp.load('late.md', 'text/markdown', 'L/M: early', 'L: late');
SELECT role, content FROM passage.expand_context(pg_temp.chunk('early'), 'none', limits => passage.limits(parents => 1));

-- equal headings stay separate sections
SELECT pg_temp.load('twice.md', 'text/markdown', 'T: T', 'T/Example: example one', 'T/Example/Code: code one', 'T/Example (1): example two', 'T/Example (1)/Code: code two');
SELECT role, content FROM passage.expand_context(pg_temp.chunk('example two'), 'none', limits => passage.limits(children => 5));

-- titles can hold any characters, and be empty or NULL
SELECT pg_temp.load('odd.md', 'text/markdown', 'Odd: Odd', 'Odd/a"b\{c},d: quoted', 'Odd/NULL: null as a word', 'Odd/: empty title');
UPDATE expand.chunks SET section = ARRAY['Odd', NULL] WHERE content = 'empty title';
SELECT role, section, content FROM passage.expand_context(pg_temp.chunk('quoted'));
SELECT role, section, content FROM passage.expand_context(pg_temp.chunk('empty title'), 'reassembly');
SELECT role, content FROM passage.expand_context(pg_temp.chunk('quoted'), 'section');
-- a section with such a title is incomplete in the passage that has only a part of it
SELECT pg_temp.load('nameless.md', 'text/markdown', 'Nameless/x/Part: first part', 'Nameless/x/Part: second part', 'Nameless/x: its end');
UPDATE expand.chunks SET section[2] = NULL, ordinal = CASE content WHEN 'its end' THEN 20 ELSE ordinal END WHERE section[1] = 'Nameless';
SELECT content, complete FROM passage.reassemble(pg_temp.chunks('its end', 'second part'), strategy => 'section', output => passage.output(gaps => 'none'));

-- a budget takes the nearest context first and never drops a hit
SELECT content FROM passage.expand_context(pg_temp.chunk('w4'), 'document', max_chunks => 4);
SELECT content FROM passage.expand_context(pg_temp.chunk('w4'), 'document', max_tokens => 39);
SELECT role, content FROM passage.expand_contexts(pg_temp.chunks('w1', 'w4', 'w8'), '{0.9,0.5,0.8}', 'adjacent', max_chunks => 0);
SELECT role, content FROM passage.expand_contexts(pg_temp.chunks('w1', 'w4', 'w8'), '{0.9,0.5,0.8}', 'adjacent', max_tokens => 1);
-- the context of the best hit has priority
SELECT role, content FROM passage.expand_contexts(pg_temp.chunks('w1', 'w4', 'w8'), '{0.5,0.9,0.8}', 'adjacent', max_chunks => 5);
-- a chunk without tokens counts a quarter of its characters
UPDATE expand.chunks SET tokens = NULL WHERE content = 'Configuration';
SELECT content, tokens FROM passage.expand_context(pg_temp.chunk('Configuration'), 'none');

-- strategies of the store: a preset with some limits changed
INSERT INTO expand.strategies (name, base, children) VALUES ('shallow', 'broad', 0);
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Installation steps'), 'shallow');
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Installation steps'), 'shallow', limits => passage.limits(preceding => 0));
-- auto chooses the strategy that is the default for the media type, else a preset
INSERT INTO expand.strategies (name, default_for) VALUES ('bare', '{text/markdown,text/html}');
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Installation steps'));
SELECT pg_temp.load('notes.txt', 'text/plain', ': note 1', ': note 2');
SELECT role, content FROM passage.expand_contexts(pg_temp.chunks('note 1', 'Installation steps'));
-- of several defaults, the one for the exact type wins, then text/*, then */*
INSERT INTO expand.strategies (name, base, default_for) VALUES ('a', 'adjacent', '{*/*}'), ('b', 'document', '{text/*}');
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Installation steps'));
SELECT count(*) FROM passage.expand_context(pg_temp.chunk('note 1'));
DELETE FROM expand.strategies WHERE name = 'b';
SELECT DISTINCT role FROM passage.expand_context(pg_temp.chunk('note 1')) ORDER BY role;
DELETE FROM expand.strategies;
-- the setting passage.strategy applies unless the call names a strategy
SET passage.strategy = 'none';
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Installation steps'));
SELECT count(*) FROM passage.expand_context(pg_temp.chunk('Installation steps'), 'broad');
SET passage.strategy = 'wide';
SELECT count(*) FROM passage.expand_context(pg_temp.chunk('Installation steps'));
RESET passage.strategy;

-- seed 002: a wider window for one kind, the other kinds unchanged
UPDATE expand.chunks SET kind = 'code' WHERE content = 'w4';
SELECT string_agg(content, ' ' ORDER BY ordinal) FROM passage.expand_context(pg_temp.chunk('w4'), 'adjacent');
SELECT string_agg(content, ' ' ORDER BY ordinal) FROM passage.expand_context(pg_temp.chunk('w4'), 'adjacent', limits => passage.limits(windows => '{"code": 4}'));
SELECT string_agg(content, ' ' ORDER BY ordinal) FROM passage.expand_context(pg_temp.chunk('w4'), 'adjacent', limits => passage.limits(windows => '{"prose": 4, "code": 1}', before => 0));
SELECT string_agg(content, ' ' ORDER BY ordinal) FROM passage.expand_context(pg_temp.chunk('w5'), 'adjacent', limits => passage.limits(windows => '{"code": 4}'));

-- an id counts once, with its best score
SELECT role, content, score FROM passage.expand_contexts(pg_temp.chunks('note 1', 'note 2', 'note 1'), '{0.1,0.2,0.3}', 'none');
-- a hit without a score ranks after hits with one
SELECT content, score FROM passage.expand_contexts(pg_temp.chunks('API reference', 'note 1', 'A1'), '{NULL,0.2,NaN}', 'none');
-- scores of any size, order and sign
SELECT content, score FROM passage.expand_contexts(pg_temp.chunks('API reference', 'note 1', 'A1', 'M'), '{-1,-Infinity,1e300,Infinity}', 'none');

-- no ids give no rows
SELECT * FROM passage.expand_context(NULL);
SELECT * FROM passage.expand_context('00000000-0000-0000-0000-000000000000');
SELECT * FROM passage.expand_contexts(NULL);
SELECT * FROM passage.expand_contexts('{}');
SELECT * FROM passage.expand_contexts('{}', '{}');
SELECT * FROM passage.expand_contexts(ARRAY[NULL::uuid], '{0.5}');
-- unknown and NULL ids are skipped
SELECT role, content, score
FROM passage.expand_contexts(ARRAY[NULL, '00000000-0000-0000-0000-000000000000', pg_temp.chunk('note 1')], '{0.9,0.8,0.7}', 'none');
-- strategy NULL means auto
SELECT role, content FROM passage.expand_context(pg_temp.chunk('Installation steps'), NULL);

-- a NULL title counts as empty, for one hit and for several
INSERT INTO expand.documents (id, uri) VALUES ('00000000-0000-0001-8000-000000000000', 'untitled');
INSERT INTO expand.chunks (document_id, ordinal, section, content)
SELECT '00000000-0000-0001-8000-000000000000', place - 1, section, 'untitled ' || place
FROM (VALUES (1, '{NULL}'::text[]), (2, '{"",a}'), (3, '{NULL,b}'), (4, '{NULL,b,c}'), (5, '{"",d}'), (6, '{NULL,b,NULL}')) AS listed (place, section);
SELECT role, section, content FROM passage.expand_context(pg_temp.chunk('untitled 3'), 'broad');
SELECT role, section, content FROM passage.expand_contexts(pg_temp.chunks('untitled 3', 'note 1'), NULL, 'broad') WHERE content LIKE 'untitled%';
SELECT role, content FROM passage.expand_context(pg_temp.chunk('untitled 1'), 'section');

-- a single hit, whose neighbours are read in the same statement, gets the same context as among several
INSERT INTO expand.documents (id, uri) VALUES ('00000000-0000-0002-8000-000000000000', 'forest');
INSERT INTO expand.chunks (document_id, ordinal, section, content, tokens)
SELECT '00000000-0000-0002-8000-000000000000', n + n / 11 * 3,
    (ARRAY['A' || n / 24, 'B' || n / 6 % 3, 'C' || n % 5 / 2, 'D'])[:n % 7 % 5], 'tree ' || n, 10
FROM generate_series(0, 99) AS n;
SELECT name, within, siblings, count(*) AS hits, sum(rows) AS rows, count(*) FILTER (WHERE lone IS DISTINCT FROM company) AS differ
FROM (VALUES ('adjacent', 'document', 'parent'), ('adjacent', 'section', 'parent'), ('broad', NULL, 'parent'), ('broad', NULL, 'section'),
        ('reassembly', NULL, 'parent'), ('wide', NULL, 'parent'), ('far', NULL, 'parent')) AS wanted (name, within, siblings)
    CROSS JOIN expand.chunks AS hit,
    LATERAL (SELECT CASE name WHEN 'wide' THEN 3 END AS parents, CASE name WHEN 'wide' THEN 4 WHEN 'far' THEN 9 END AS before,
        CASE WHEN name IN ('wide', 'far') THEN 'broad' ELSE name END AS strategy) AS limits,
    LATERAL (SELECT count(*) AS rows, array_agg(role || distance || content ORDER BY ordinal) AS lone
        FROM passage.expand_context(hit.id, strategy, limits => passage.limits(parents => parents, before => before, siblings => siblings, within => within))) AS one,
    LATERAL (SELECT array_agg(role || distance || content ORDER BY ordinal) AS company
        FROM passage.expand_contexts(ARRAY[hit.id, pg_temp.chunk('note 1')], NULL, strategy, limits => passage.limits(parents => parents, before => before, siblings => siblings, within => within))
        WHERE hit_id = hit.id) AS several
WHERE content LIKE 'tree%'
GROUP BY name, within, siblings ORDER BY name, within, siblings;

-- errors
SELECT * FROM passage.expand_context(pg_temp.chunk('note 1'), 'wide');
SELECT * FROM passage.expand_context(NULL, 'wide');
SELECT * FROM passage.expand_contexts('{}', strategy => '');
SELECT * FROM passage.expand_context(pg_temp.chunk('note 1'), limits => passage.limits(parents => -1));
SELECT * FROM passage.expand_context(pg_temp.chunk('note 1'), limits => passage.limits(before => 1000001));
SELECT * FROM passage.expand_context(NULL, max_tokens => -2147483648);
SELECT * FROM passage.expand_context(pg_temp.chunk('note 1'), limits => passage.limits(siblings => 'both'));
SELECT * FROM passage.expand_context(pg_temp.chunk('note 1'), limits => passage.limits(within => 'page'));
SELECT * FROM passage.expand_contexts(pg_temp.chunks('note 1'), '{0.1,0.2}');
SELECT * FROM passage.expand_contexts(NULL, '{0.1}');
SELECT * FROM passage.expand_contexts('{}', '{0.1}');
SELECT * FROM passage.expand_context(pg_temp.chunk('note 1'), store => 'nowhere');
SELECT * FROM passage.expand_context(NULL, store => 'o''clock');
\set VERBOSITY sqlstate
SELECT * FROM passage.expand_context(NULL, 'wide');
SELECT * FROM passage.expand_context(NULL, limits => passage.limits(parents => -1));
SELECT * FROM passage.expand_contexts('{}', '{0.1}');
SELECT * FROM passage.expand_context(NULL, store => 'nowhere');

DROP SCHEMA expand CASCADE;
