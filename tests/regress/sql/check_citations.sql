-- Citations of answers: the numbers that occur, those without a source, and the sources that no number cites.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE TEMP VIEW forms AS
SELECT place, answer, string_agg(number || ' ' || outcome || CASE WHEN mentions > 1 THEN ' ' || mentions || ' times' ELSE '' END, ', ' ORDER BY number) AS citations
FROM (VALUES
    (1, 'None.'), (2, 'One [2].'), (3, 'A list [1, 3] or [ 1;3 ].'), (4, 'A row [2][3] and [ 2 ].'), (5, 'A range [1-3].'), (6, U&'Dashes [2\20133], [1, 2 - 3].'),
    (7, 'Unknown [7], [0], [007], [3-9] and [5-1].'), (8, 'No numbers [x], [1a], [-1], [1-2-], [], [1,], [^1], [ ], [1.2], [12345678901].'),
    (9, 'A link [2](https://example.org) [1](a "t") [[3]](b_(c)), an image ![2](x), and [3] (a remark) or [1](a remark).'), (10, E'The answer is [2\n].'),
    (11, 'Spans `a[1]`, ``b`[2]` ``, ```c[1]```, [`1`] and an open ` before [3].'),
    (12, E'```sh\n[1]\n``\n[1]\n```\n[2]'), (13, E'~~~~ `a`\n[1]\n~~~\n```\n~~~~~\n[2]\n'), (14, E'- ```\n  [1]\n  ```\n> ````\n> [1]\n> ````\r\n[2]'),
    (15, E'```not a `fence`\n[2]'), (16, E'[1]\n```\n[2] is not closed'), (17, E'``` x\n[1]\n``` y\n[2]\n```'),
    (18, NULL), (19, ''), (20, U&'\3010' || '2' || U&'\3011 [\0662]'), (21, 'x[1]y[[2]] \[3\]')
) AS listed (place, answer), passage.check_citations(answer, '[{"number": 1}, {"number": 2}, {"number": 3}]')
GROUP BY place, answer;
SELECT place, citations FROM forms ORDER BY place;

-- the list of a prompt, and those of two prompts together
SELECT number, outcome, mentions, source ->> 'uri' AS uri
FROM passage.prompt('[{"content": "a", "uri": "a.md"}, {"content": "b", "uri": "b.md"}]') AS p, passage.check_citations('Both [2], and [3].', p.sources);
SELECT number, outcome, source ->> 'label' AS label
FROM passage.prompt('[{"content": "a", "uri": "a.md"}]') AS first, passage.prompt('[{"content": "b", "uri": "b.md", "first_line": 1, "last_line": 9}]', first_number => 2) AS second,
    passage.check_citations('Again [2].', first.sources || second.sources);

-- without sources
SELECT number, outcome, mentions, source FROM unnest(ARRAY[NULL, '[]']::jsonb[]) AS sources, passage.check_citations('A lie [1], [1].', sources);
SELECT count(*) FROM passage.check_citations('Nothing.', '[]');

-- errors
SELECT * FROM passage.check_citations('[1]', '{"number": 1}');
SELECT * FROM passage.check_citations('[1]', '[{"number": 1}, {"uri": "a.md"}]');
SELECT * FROM passage.check_citations('[1]', '[1]');
SELECT * FROM passage.check_citations('[1]', '[{"number": "1"}]');
SELECT * FROM passage.check_citations('[1]', '[{"number": 1.5}]');
SELECT * FROM passage.check_citations('[1]', '[{"number": 1e30}]');
SELECT * FROM passage.check_citations('[1]', '[{"number": 1}, {"number": 2}, {"number": 1.0}]');
