-- split: the chunks of a text, without a store.
SET client_min_messages = notice;

-- sections follow headings; the title comes from the document
SELECT ordinal, level, section, kind, unit, content, preamble, tokens, start_byte, end_byte, first_line, last_line, metadata
FROM passage.split(E'# Guide\n\nBegin here.\n\n## Setup\n\nInstall it.\n', 'text/markdown', splitting => passage.splitting(max_size => 30));

-- the media type comes from the argument, else from the uri, else from the content
SELECT 'told' AS how, section, unit FROM passage.split('{"a": {"b": 1}}', 'application/json')
UNION ALL
SELECT 'name', section, unit FROM passage.split(E'a = 1\n', uri => 'conf/a.toml')
UNION ALL
SELECT 'begin', section, unit FROM passage.split('{"a": {"b": 1}}')
UNION ALL
SELECT 'nothing', section, unit FROM passage.split('a word');

-- one more document of each type
SELECT 'yaml' AS type, section, kind, content FROM passage.split(E'a:\n  b: 1\nc: 2\n', 'text/x-yaml', splitting => passage.splitting(max_size => 8))
UNION ALL
SELECT 'csv', section, kind, content FROM passage.split(E'name,age\nann,1\nbob,2\n', 'text/csv', splitting => passage.splitting(max_size => 16))
UNION ALL
SELECT 'rst', section, kind, content FROM passage.split(E'Title\n=====\n\nText.\n', 'text/x-rst')
UNION ALL
SELECT 'asciidoc', section, kind, content FROM passage.split(E'= Title\n\n== Part\n\nText.\n', 'text/x-asciidoc')
UNION ALL
SELECT 'reference', section, kind, content FROM passage.split('Text.', uri => 'docs/api/a.txt');

-- lines that divide the text; a heading in the middle of a chunk stays its line
SELECT ordinal, section, content FROM passage.split(E'One.\n=== 2\nTwo.\n\n=== 3\n', splitting => passage.splitting(split_at => '^=== '));
SELECT ordinal, content FROM passage.split(E'# A\n\nOne.\n12. Two\nThree.\n', 'text/markdown', splitting => passage.splitting(split_at => '^(?:\d{1,2}|[a-z]+)\. '));
SELECT count(*) FROM passage.split(E'{"a": 1,\n"b": 2}\n', 'application/json', splitting => passage.splitting(split_at => '^"'));
SELECT count(*) FROM passage.split('a', splitting => passage.splitting(split_at => ''));
SELECT count(*) FROM passage.split('a', splitting => passage.splitting(split_at => '('));
SELECT count(*) FROM passage.split('a', splitting => passage.splitting(split_at => '*a'));
SELECT count(*) FROM passage.split('a', splitting => passage.splitting(split_at => '(?=a)'));
SELECT count(*) FROM passage.split('a', splitting => passage.splitting(split_at => 'a{1000}{1000}{1000}'));

-- offsets divide prose and data; one within a character or a line end is moved behind it
SELECT start_byte, content FROM passage.split('One. Two. Three.', splitting => passage.splitting(split_offsets => '{10, 5, 5, 0, 16}'));
SELECT start_byte, content FROM passage.split(E'\u00c9t\u00e9 1\r\n2', splitting => passage.splitting(split_offsets => '{1, 8}'));
SELECT start_byte, section, content FROM passage.split(E'{"a": 1,\n"b": 2}\n', 'application/json', splitting => '{"split_offsets": [9.0]}');
SELECT start_byte, section, content FROM passage.split(E'# A\n\nOne two.\n\n## B\n\nThree.\n', 'text/markdown', splitting => passage.splitting(split_offsets => '{9, 21}'));
SELECT start_byte, content FROM passage.split('One two three four.', splitting => passage.splitting(max_size => 8, split_offsets => '{4}'));
-- white space alone is not a chunk, and an empty list is the same as none
SELECT start_byte, content FROM passage.split(E'\n One.\n \n', splitting => passage.splitting(split_offsets => '{1, 2, 7, 8, 9}'));
SELECT count(*) FROM passage.split('One. Two.', splitting => passage.splitting(split_offsets => '{}'));
SELECT count(*) FROM passage.split('', splitting => passage.splitting(split_offsets => '{0}'));
-- in a converted page they count in its text
SELECT start_byte, content FROM passage.split('<main><h1>One</h1><p>Two.<p>Three.</main>', 'text/html', splitting => passage.splitting(split_offsets => '{13}'));
-- as many as 100,000
SELECT count(*) FROM passage.split(repeat('ab', 100000), splitting => passage.splitting(split_offsets => ARRAY(SELECT 2 * n FROM generate_series(1, 100000) AS n)));
SELECT count(*) FROM passage.split(repeat('ab', 100001), splitting => passage.splitting(split_offsets => ARRAY(SELECT 2 * n FROM generate_series(1, 100001) AS n)));
SELECT count(*) FROM passage.split('One.', splitting => passage.splitting(split_offsets => '{2, 9, 7}'));
SELECT count(*) FROM passage.split('One.', splitting => passage.splitting(split_offsets => '{2, -1}'));
SELECT count(*) FROM passage.split('One.', splitting => passage.splitting(split_offsets => '{2, NULL}'));
SELECT count(*) FROM passage.split('One.', splitting => passage.splitting(split_offsets => '{{1, 2}, {3, 4}}'));
SELECT count(*) FROM passage.split('One.', splitting => '{"split_offsets": 2}');
SELECT count(*) FROM passage.split('One.', splitting => '{"split_offsets": [1.5]}');
SELECT count(*) FROM passage.split('One.', splitting => '{"split_offsets": ["1"]}');
SELECT count(*) FROM passage.split('One.', splitting => '{"split_offsets": {"1": 1}}');
SELECT count(*) FROM passage.split('One.', splitting => '{"split_offsets": [1e300]}');

-- HTML is split as the Markdown of its main content, with resolved links
SELECT section, content FROM passage.split('<title>T</title><nav>Menu</nav><main><h1>One</h1><p>See <a href=x.html>x</a>.</main>',
    uri => 'https://example.org/docs/a.html');

-- chunks concatenate to the text, for any media type; text that does not parse is split as plain text
SELECT name, string_agg(content, '' ORDER BY ordinal) = text AS whole, count(*) > 0 AS some,
    bool_and(start_byte = coalesce(before, 0) AND octet_length(content) = end_byte - start_byte) AS touch
FROM (
    SELECT name, text, split.*, lag(end_byte) OVER (PARTITION BY name ORDER BY ordinal) AS before
    FROM (VALUES
        ('bytes', 'text/markdown', E'\uFEFF# \u00c9t\u00e9\r\n\r\n' || repeat('W\u00f6rter und \u6f22\u5b57. ', 200)),
        ('broken', 'application/json', '{"a": [1, 2'),
        ('blank', 'text/plain', E' \n\t\n'),
        ('quotes', 'text/markdown', E'# "a\\b" {c,d} \'e\'\n\ntext\n')
    ) AS listed (name, media_type, text), passage.split(text, media_type, splitting => passage.splitting(max_size => 100)) AS split
) AS chunks
GROUP BY name, text ORDER BY name;

-- a marker divides a document, but not in a fence
SELECT ordinal, section, content FROM passage.split(E'# A\n\nOne.\n<!-- passage: split -->\n\nTwo.\n\n{/* passage: split */}\n## B\n\n```\n<!-- passage: split -->\na\n```\n', 'text/markdown');
SELECT ordinal, content FROM passage.split(E'<!-- passage: split -->\r\none\r\n  <!--passage: split-->\r\n\r\ntwo\r\n<!-- passage: split -->', 'text/plain');

-- limits: max_size is enough, since the others keep their proportions; preambles repeat the overlap
SELECT max(char_length(content)) <= 100 AS fits, count(*) > 20 AS many FROM passage.split(repeat('Some words. ', 300), splitting => passage.splitting(max_size => 100));
SELECT max(char_length(content)) BETWEEN 1001 AND 2000 AS fits FROM passage.split(repeat(repeat('Some words. ', 10) || E'\n\n', 100), splitting => passage.splitting(max_size => 2000));
SELECT ordinal, content, preamble FROM passage.split(E'One two three four.\n\nFive six seven.\n', splitting => passage.splitting(max_size => 20, overlap => 10));
SELECT count(*) FROM passage.split('abc', splitting => passage.splitting(max_size => 0));
SELECT count(*) > 10000 AS many, sum(octet_length(content)) FROM passage.split(repeat('Some words of text. ', 524288));

-- an empty text, and NULL
SELECT count(*) FROM passage.split('');
SELECT count(*) FROM passage.split(NULL);

-- split is immutable: an index can be built on it
CREATE TABLE split_texts (body text);
CREATE FUNCTION split_sections(text) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN (SELECT count(*) FROM passage.split($1));
CREATE INDEX ON split_texts (split_sections(body));
INSERT INTO split_texts VALUES (E'# A\n\ntext\n');
DROP TABLE split_texts;
DROP FUNCTION split_sections;

-- deeply nested documents do not exhaust the stack of the server
SELECT name, string_agg(content, '' ORDER BY ordinal) = text AS whole
FROM (VALUES
    ('json', 'application/json', repeat('[', 100000) || repeat(']', 100000)),
    ('open json', 'application/json', repeat('{"a":', 100000)),
    ('yaml', 'text/x-yaml', repeat('[', 20000)),
    ('toml', 'text/x-toml', 'a = ' || repeat('[', 50000) || repeat(']', 50000)),
    ('quotes', 'text/markdown', repeat('> ', 20000) || 'a'),
    ('lists', 'text/markdown', repeat('- ', 20000) || 'a'),
    ('emphasis', 'text/markdown', repeat('*a ', 50000)),
    ('brackets', 'text/markdown', repeat('[', 50000))
) AS listed (name, media_type, text), passage.split(text, media_type) AS split
GROUP BY name, text ORDER BY name;
SELECT count(*) > 0 AS some FROM passage.split(repeat('<div>', 50000) || 'deep' || repeat('</div>', 50000), 'text/html');
SELECT count(*) > 0 AS some FROM passage.split(repeat('<b><i>', 5000) || 'deep', 'text/html');

-- errors
SELECT * FROM passage.split('a', 'image/png');
SELECT * FROM passage.split('a', kind => 'verse');
SELECT * FROM passage.split('a', splitting => passage.splitting(max_size => -1));
SELECT * FROM passage.split('a', splitting => passage.splitting(max_size => 1000001));
SELECT * FROM passage.split('a', splitting => passage.splitting(max_size => 10, preferred_size => 20));
SELECT * FROM passage.split('a', splitting => passage.splitting(preferred_size => 10, min_size => 20));
SELECT * FROM passage.split('a', splitting => passage.splitting(max_size => 10, max_with_preamble => 5));
SELECT * FROM passage.split('a', splitting => passage.splitting(overlap => -1));
SELECT * FROM passage.split('{}', 'application/x-ipynb+json');
SELECT * FROM passage.split('{"cells": [{"cell_type": "markdown", "source": "a\u0000b"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', 'application/x-ipynb+json');
SELECT section FROM passage.split('{"a\u0000b": {"c": 1}}', 'application/json', splitting => passage.splitting(max_size => 10));

-- a page that is too large to convert
SELECT count(*) FROM passage.split('<table>' || repeat('<tr><td>', 1500000), 'text/html');
SELECT count(*) FROM passage.split(repeat('words ', 6000000), 'text/html');
