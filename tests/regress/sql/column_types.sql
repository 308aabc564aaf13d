-- A store of views whose columns have other types than those of create_store.
SET client_min_messages = warning;
CREATE SCHEMA foreigners;
CREATE TABLE foreigners.pieces (piece uuid PRIMARY KEY, page uuid, place integer, body text, headings text[]);
INSERT INTO foreigners.pieces
SELECT format('aaaaaaaa-0000-0000-0000-%s', lpad(n::text, 12, '0'))::uuid, 'aaaaaaaa-0000-0000-8000-000000000000', n, 'piece ' || n, '{}'
FROM generate_series(0, 6) AS n;
\set piece3 '''aaaaaaaa-0000-0000-0000-000000000003'''

-- columns of castable types are read
CREATE SCHEMA cast_too;
CREATE VIEW cast_too.chunks AS
    SELECT piece AS id, page AS document_id, place::bigint AS ordinal, body::varchar(99) AS content, 7::smallint AS tokens,
        place::numeric AS level, 'x'::name AS kind, headings::varchar[] AS section, 1::smallint AS first_line, 2::bigint AS last_line
    FROM foreigners.pieces;
CREATE VIEW cast_too.documents AS
    SELECT 'aaaaaaaa-0000-0000-8000-000000000000'::uuid AS id, 'u'::name AS uri, 'text/plain'::varchar AS media_type, '{"a": 1}'::json AS metadata;
CREATE VIEW cast_too.strategies AS SELECT 'two'::name AS name, 'none'::varchar AS base, 2::bigint AS before;
SELECT role, ordinal, level, tokens, content FROM passage.expand_context(:piece3, 'two', store => 'cast_too');
SELECT uri, content, first_line, last_line, metadata FROM passage.reassemble(ARRAY[:piece3]::uuid[], NULL, 'none', store => 'cast_too');
SELECT chunks, tokens, first_line, last_line FROM passage.outline(uri => 'u', store => 'cast_too');
SELECT to_json(passage.assemble('aaaaaaaa-0000-0000-8000-000000000000', ARRAY[:piece3]::uuid[], store => 'cast_too'));

-- columns of other types raise an error or are not read
CREATE SCHEMA miscast;
CREATE VIEW miscast.chunks AS SELECT piece AS id, page AS document_id, place AS ordinal, body AS content, body AS path FROM foreigners.pieces;
SELECT path, content FROM passage.expand_context(:piece3, 'none', store => 'miscast');
CREATE VIEW miscast.documents AS SELECT DISTINCT page AS id, '\x00112233445566778899'::bytea AS metadata FROM foreigners.pieces;
SELECT metadata FROM passage.reassemble(ARRAY[:piece3]::uuid[], NULL, 'none', store => 'miscast');
DROP VIEW miscast.documents;
CREATE OR REPLACE VIEW miscast.strategies AS SELECT 'two' AS name, 1 AS base;
SELECT content FROM passage.expand_context(:piece3, 'two', store => 'miscast');
DROP VIEW miscast.chunks CASCADE;
CREATE VIEW miscast.chunks AS SELECT piece AS id, 17 AS document_id, place AS ordinal, body AS content FROM foreigners.pieces;
SELECT content FROM passage.expand_context(:piece3, 'none', store => 'miscast');

-- sections, keys and paths of other types, in a store that has all of them
CREATE SCHEMA kin;
CREATE VIEW kin.chunks AS
    SELECT piece AS id, page AS document_id, place AS ordinal, body AS content, '{A}'::varchar(9)[] AS section,
        passage.section_key('{A}')::numeric AS section_key, passage.parent_key('{A}')::numeric AS parent_key, 'A'::text AS path
    FROM foreigners.pieces;
SELECT section, path, content FROM passage.expand_context(:piece3, 'none', store => 'kin');
SELECT section, content FROM passage.expand_context(:piece3, 'section', max_chunks => 2, store => 'kin');
DROP VIEW kin.chunks;
CREATE VIEW kin.chunks AS
    SELECT piece AS id, page AS document_id, place AS ordinal, body AS content, 7 AS section, 7::bigint AS section_key, 7::bigint AS parent_key
    FROM foreigners.pieces;
SELECT section, content FROM passage.expand_context(:piece3, 'none', store => 'kin');
DROP VIEW kin.chunks;
CREATE VIEW kin.chunks AS
    SELECT piece AS id, page AS document_id, place AS ordinal, body AS content, '{7,8}'::integer[] AS section, 7 AS section_key, 7 AS parent_key
    FROM foreigners.pieces;
SELECT section, content FROM passage.expand_context(:piece3, 'broad', store => 'kin');
SELECT section, content FROM passage.reassemble(ARRAY[:piece3]::uuid[], NULL, 'section', store => 'kin');
SELECT outline FROM passage.outline('aaaaaaaa-0000-0000-8000-000000000000', store => 'kin');
-- a section with several dimensions or another lower bound than 1 counts as unknown
DROP VIEW kin.chunks;
CREATE VIEW kin.chunks AS
    SELECT piece AS id, page AS document_id, place AS ordinal, body AS content,
        CASE place % 2 WHEN 0 THEN '{{A,B},{C,D}}'::text[] ELSE '[5:6]={A,B}'::text[] END AS section, 7::bigint AS section_key, 7::bigint AS parent_key
    FROM foreigners.pieces;
SELECT content FROM passage.expand_context(:piece3, 'broad', store => 'kin');
SELECT count(*) FROM passage.reassemble(ARRAY(SELECT piece FROM foreigners.pieces), NULL, 'section', store => 'kin');

DROP SCHEMA kin, foreigners, cast_too, miscast CASCADE;
