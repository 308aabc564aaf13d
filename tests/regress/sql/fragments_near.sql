-- needs: vector
-- fragments by an embedding: alone, and with words.
SET client_min_messages = warning;
SET passage.store = 'near';
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
SELECT count(*) > 0 AS made FROM passage.create_store(dimensions => 3);

INSERT INTO near.documents (id, uri, media_type) VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000', 'a.md', 'text/markdown'), ('bbbbbbbb-0000-0000-8000-000000000000', 'b.md', 'text/markdown');
INSERT INTO near.chunks (id, document_id, ordinal, section, content, tokens, start_byte, end_byte, first_line, last_line)
SELECT (left(document::text, 24) || lpad(n::text, 12, '0'))::uuid, document, n, ARRAY['S' || n], content, 10,
    40 * n, 40 * n + octet_length(content), n + 1, n + 1
FROM (VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000'::uuid, 0, E'The ferry sails at noon from the pier.\n'),
    ('aaaaaaaa-0000-0000-8000-000000000000', 1, E'Tickets are sold on board by the crew.\n'),
    ('aaaaaaaa-0000-0000-8000-000000000000', 2, E'Bicycles travel free on the lower deck.'),
    ('bbbbbbbb-0000-0000-8000-000000000000', 0, E'A ferry was lost here in a winter gale.')
) AS listed (document, n, content);
INSERT INTO near.embeddings (chunk_id, document_id, embedding)
SELECT id, document_id, (CASE WHEN content LIKE '%ferry%' THEN '[1,0,0]' WHEN content LIKE 'Tickets%' THEN '[0,1,0]' ELSE '[0,1,1]' END)::vector
FROM near.chunks;

-- an embedding alone finds lines with other words
SELECT uri, first_line, strategy_used, signals -> 'vector' AS vector, signals ? 'lexical' AS by_words
FROM passage.fragments(embedding => '{0,1,0}', max_tokens => 10);
SELECT first_line, signals -> 'vector' ->> 'rank' AS rank FROM passage.fragments(embedding => '{0,1,0.1}', uri => 'a.md', max_tokens => 20);

-- words and embedding are fused; some strategies use one of them
SELECT strategy, uri, first_line, strategy_used, signals ->> 'hint' AS hint
FROM unnest(ARRAY['auto', 'adaptive', 'proximity', 'semantic']) AS strategy,
    passage.fragments('ferry', '{0,1,0}', strategy => strategy, uri => 'a.md', max_fragments => 1, max_tokens => 10)
ORDER BY strategy, first_line;
SELECT first_line, signals #> '{lexical,rank}' AS words, signals #> '{vector,rank}' AS vector
FROM passage.fragments('bicycles on board', '{0,1,0}', uri => 'a.md', max_tokens => 20) ORDER BY first_line;

-- unknown words do not affect the embedding
SELECT uri, first_line, strategy_used FROM passage.fragments('zzz', '{1,0,0}', uri => 'a.md', max_tokens => 10);

-- in a named document all embeddings are compared, whatever the ids of its chunks
INSERT INTO near.documents (id, uri) VALUES ('cccccccc-0000-0000-8000-000000000000', 'c.md');
INSERT INTO near.chunks (id, document_id, ordinal, content) VALUES
    ('11111111-1111-4111-8111-111111111111', 'cccccccc-0000-0000-8000-000000000000', 0, 'One of them.'),
    ('cccccccc-0000-0000-0000-000000000001', 'cccccccc-0000-0000-8000-000000000000', 1, 'Another one of them.');
INSERT INTO near.embeddings (chunk_id, document_id, embedding) SELECT id, document_id, '[0,0,1]' FROM near.chunks WHERE document_id = 'cccccccc-0000-0000-8000-000000000000';
SELECT content FROM passage.fragments('them', '{0,0,1}', uri => 'c.md', strategy => 'semantic') ORDER BY content;

-- errors
SELECT * FROM passage.fragments('ferry', '{1,0}');
SELECT * FROM passage.fragments('ferry', '{1,0,NULL}');

DROP SCHEMA near CASCADE;
