-- Sections: kinship, merging, labels, keys, and tsvectors.

-- a section is an ancestor at any distance, and never of itself (seed 001)
SELECT passage.is_ancestor('{Section}', '{Section,SubSection}') AS parent,
    passage.is_ancestor('{A,B}', '{A,B,C,D}') AS grandparent,
    passage.is_ancestor('{X}', '{Y}') AS stranger,
    passage.is_ancestor('{A}', '{A}') AS itself,
    passage.is_ancestor('{}', '{A}') AS root,
    passage.is_ancestor('{A,B}', '{A}') AS child;

-- the longest section that two sections share (seed 001)
SELECT passage.common_section('{A,B,C}', '{A,B,D}') AS siblings,
    passage.common_section('{X,Y}', '{A,B}') AS strangers,
    passage.common_section('{Same}', '{Same}') AS same,
    passage.common_section('{A}', '{A,B,C}') AS ancestor;

-- merging takes the lowest level, and the deeper of two sections in line, else the shared one (seed 001)
SELECT example, merged.*
FROM (VALUES
    (1, 'level selection', 1, '{Section}'::text[], 3, '{Section,Sub,Detail}'::text[]),
    (2, 'identical', 2, '{A,B}', 2, '{A,B}'),
    (3, 'parent and child', 1, '{Section 1}', 2, '{Section 1,SubSection 1.1}'),
    (4, 'child and parent', 2, '{Section 1,SubSection 1.1}', 1, '{Section 1}'),
    (5, 'siblings', 2, '{Section 1,Sub 1.1}', 2, '{Section 1,Sub 1.2}'),
    (6, 'strangers', 1, '{Section 1}', 1, '{Section 2}')
) AS listed (place, example, a_level, a, b_level, b),
    passage.merge_sections(a_level, a, b_level, b) AS merged
ORDER BY place;

-- deep hierarchy: three chunks merged one after the other (seed 001)
SELECT merged.*
FROM passage.merge_sections(1, '{S1}', 2, '{S1,S1.1}') AS first,
    passage.merge_sections(first.level, first.section, 3, '{S1,S1.1,S1.1.1}') AS merged;

-- level and section are independent
SELECT * FROM passage.merge_sections(1, '{A,B,C}', 5, '{A,B,C}');

-- letters and digits are kept, _ is doubled, any other byte is written in hexadecimal
SELECT passage.section_path('{Guide,Setup2}') AS plain,
    passage.section_path('{ef_search,"1.1 Ü"}') AS encoded,
    passage.section_path('{"",NULL,a}') AS empty,
    passage.section_path('{}') = '' AS root;

-- section_titles reverses section_path
SELECT passage.section_titles(passage.section_path('{"A b.c","d_e","_","",Ü🙂}')) AS titles,
    passage.section_titles('') AS root,
    passage.section_titles('plain.label') AS foreign;

-- a long label is cut and ends in a hash, and is read with an ellipsis
SELECT octet_length(a::text) AS bytes, a <> b AS apart, right((passage.section_titles(a))[1], 1) AS last
FROM passage.section_path(ARRAY[repeat('x', 300) || 'a']) AS a,
    passage.section_path(ARRAY[repeat('x', 300) || 'b']) AS b;

-- a path ends before ltree is too large for an index; the section keeps all titles
SELECT nlevel(passage.section_path(array_fill('t'::text, '{10000}'))) AS labels,
    pg_column_size(passage.section_path(array_fill('t'::text, '{10000}'))) <= 1000 AS fits;

-- keys depend on where titles end; parent_key equals the section_key of the parent
SELECT passage.section_key('{ab,c}') <> passage.section_key('{a,bc}') AS apart,
    passage.parent_key('{a,b}') = passage.section_key('{a}') AS of_parent,
    passage.parent_key('{a}') = passage.section_key('{}') AS of_root,
    passage.parent_key('{}') IS NULL AS above_root,
    passage.section_key('{NULL}') = passage.section_key('{""}') AS empty;

-- keys and labels are frozen: another result would require rewriting every store
SELECT passage.section_key('{}') AS root, passage.section_key('{Guide,Setup}') AS setup;

-- text_head cuts between two characters
SELECT _passage.text_head('abc', 2) AS cut, _passage.text_head('aüb', 2) AS whole, _passage.text_head('abc', 9) AS all,
    _passage.text_head('abc', 0) AS nothing, _passage.text_head('abc', -1) AS less;

-- the tsvector covers the preamble (A), the titles (B) and the content (D)
SELECT passage.chunk_tsv('english', 'Manual', '{Guide,Setup}', 'Install it');
SELECT passage.chunk_tsv('simple', NULL, NULL, NULL) AS nothing;

-- a chunk of any length has a tsvector
SELECT length(passage.chunk_tsv('simple', NULL, '{}', string_agg(n::text, ' '))) BETWEEN 10000 AND 60000 AS bounded
FROM generate_series(1, 500000) AS n;

SELECT length(passage.chunk_tsv('simple', string_agg(run, ''), ARRAY[string_agg(run, '')], string_agg(run, ''))) > 16384 AS bounded
FROM generate_series(1, 90000) AS n, chr(19968 + abs(hashint4(n)) % 20000) AS run;

-- forms of characters are equal, a change of script ends a word, and runs without spaces are pairs of syllables
SELECT passage.chunk_tsv('simple', E'cafe\u0301', '{"ＡＰＩ"}', '使用docker部署，C++');
SELECT _passage.searchable_text('simple', '日志轮换') AS pairs, _passage.searchable_text('simple', 'plain text') AS plain;
SELECT _passage.searchable_text(0::regconfig, 'no configuration');

-- NULL gives NULL
SELECT passage.section_path(NULL), passage.section_key(NULL), passage.is_ancestor(NULL, '{}'),
    passage.common_section('{}', NULL);
SELECT * FROM passage.merge_sections(1, '{}', NULL, '{}');
