-- outline: the sections of a document as a tree.
SET client_min_messages = warning;
SET passage.store = 'outlines';
SELECT count(*) > 0 AS made FROM passage.create_store();

INSERT INTO outlines.documents (id, uri, version) VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000', 'guide.md', '1'),
    ('bbbbbbbb-0000-0000-8000-000000000000', 'guide.md', '2'),
    ('cccccccc-0000-0000-8000-000000000000', 'empty.md', '');
INSERT INTO outlines.chunks (document_id, ordinal, level, section, content, tokens, first_line, last_line)
SELECT 'aaaaaaaa-0000-0000-8000-000000000000', place - 1, level, section, 'text of 16 bytes', tokens, place * 10, place * 10 + 9
FROM (VALUES
    (1, 0, '{}'::text[], 5), (2, 1, '{Guide}', 5), (3, 1, '{Guide}', 5), (4, 2, '{Guide,Setup}', 5),
    (5, 4, ARRAY['Guide', 'Setup', E'On  a\nMac'], 5), (6, 2, '{Guide,Use,First}', 5), (7, 1, '{Guide}', NULL), (8, 1, '{Appendix}', 5)
) AS listed (place, level, section, tokens);
INSERT INTO outlines.chunks (document_id, ordinal, section, content) VALUES ('bbbbbbbb-0000-0000-8000-000000000000', 0, '{Second}', 'of version 2');

-- by id: titles below their parents, with counts of their chunks and tokens
SELECT outline, level, chunks, tokens, first_ordinal AS first, last_ordinal AS last, first_line, last_line
FROM passage.outline('aaaaaaaa-0000-0000-8000-000000000000');

-- sections as stored; a section without a chunk of its own has a row
SELECT section FROM passage.outline('aaaaaaaa-0000-0000-8000-000000000000') WHERE chunks = 0 OR section[3] <> '';

-- by uri as the first argument or by name, with the version where several documents have the uri; an id may be text
SELECT count(*) FROM passage.outline('guide.md', version => '1');
SELECT outline FROM passage.outline(uri => 'guide.md', version => '2');
SELECT outline FROM passage.outline('guide.md', '', '2');
SELECT outline FROM passage.outline('bbbbbbbb-0000-0000-8000-000000000000');
SELECT outline FROM passage.outline('{BBBBBBBB-0000-0000-8000-000000000000}'::text);
SELECT outline FROM passage.outline('bbbbbbbb-0000-0000-8000-000000000000'::uuid, 'guide.md');
SELECT outline FROM passage.outline(document_id => 'bbbbbbbb-0000-0000-8000-000000000000', uri => 'guide.md');

-- a uri in several collections or versions is refused; an orphaned document counts if no other has the uri
SELECT outline FROM passage.outline('guide.md');
SELECT outline FROM passage.outline(NULL::uuid, 'guide.md');
BEGIN;
UPDATE outlines.documents SET orphaned_at = now() WHERE version = '1';
SELECT outline FROM passage.outline('guide.md');
UPDATE outlines.documents SET orphaned_at = now();
SELECT outline FROM passage.outline('guide.md', version => '2');
SELECT outline FROM passage.outline('guide.md');
ROLLBACK;

-- hits are marked and counted
SELECT outline, chunks, hits FROM passage.outline('guide.md', version => '1', hit_ids => (
    SELECT array_agg(id) FROM outlines.chunks WHERE ordinal IN (0, 2)) || NULL::uuid);

-- an unknown document, or one without chunks, gives no rows; a notice says how to find a uri
SELECT outline FROM passage.outline(NULL);
SET client_min_messages = notice;
SELECT outline FROM passage.outline('docs/gui_d%''e.markdown');
SELECT outline FROM passage.outline('guide.md', 'books', '3');
SELECT outline FROM passage.outline('00000000-0000-0000-0000-000000000000'::text);
SET client_min_messages = warning;
SELECT length(repeat('x', 1000000)) AS long, outline FROM passage.outline(repeat('x', 1000000));
SELECT outline FROM passage.outline(uri => 'unknown.md');
SELECT outline FROM passage.outline(uri => 'empty.md');
SELECT outline FROM passage.outline('00000000-0000-0000-0000-000000000000'::uuid);
SELECT outline FROM passage.outline('aaaaaaaa-0000-0000-8000-000000000000'::uuid, 'other.md');

-- errors
SELECT outline FROM passage.outline(uri => 'guide.md', store => 'nowhere');
SELECT outline FROM passage.outline('guide.md', store => 'otulines');

DROP SCHEMA outlines CASCADE;
