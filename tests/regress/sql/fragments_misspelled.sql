-- fragments: misspelled words find the intended ones, since words are compared as written and not by their stems.
SET client_min_messages = warning;
SET passage.store = 'misspelled';
SELECT count(*) > 0 AS made FROM passage.create_store();

CREATE TABLE misspelled.words (number serial, word text);
INSERT INTO misspelled.words (word) SELECT word FROM string_to_table('encoding configuration binary memory automatically searching
    replication transaction checkpoint recovery partition inheritance statistics autovacuum permission collation compression
    connection parallel aggregate recursive materialized generated identity sequence constraint deferrable serializable
    snapshot visibility tablespace extension language procedure function operator precedence expression subquery lateral
    interval timestamp timezone character variable numeric geometric network document passage', ' ') AS listed (word)
WHERE trim(word, E'\n') <> '';
UPDATE misspelled.words SET word = trim(word, E'\n ');
INSERT INTO misspelled.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'manual.txt');
INSERT INTO misspelled.chunks (id, document_id, ordinal, content)
SELECT ('aaaaaaaa-0000-0000-8000-' || lpad(number::text, 12, '0'))::uuid, 'aaaaaaaa-0000-0000-8000-000000000000', number, format(E'Here the %s is explained.\n', word)
FROM misspelled.words;

-- the slips change letters that the stemmer removes, or letters at the beginning
SELECT query,
    (SELECT string_agg(trim(content), ' ') FROM passage.fragments(query, uri => 'manual.txt', strategy => 'adaptive')) AS in_document,
    (SELECT string_agg(trim(content), ' ') FROM passage.fragments(query, strategy => 'adaptive')) AS in_store,
    (SELECT string_agg(DISTINCT signals ->> 'match', ' ') FROM passage.fragments(query)) AS match
FROM unnest(ARRAY['encodng', 'configuraton', 'binray', 'memroy', 'automaticaly', 'seraching', 'xtension', 'languagee', 'Memroy,']) AS asked (query);

-- more than 190 words with one slip for each of three seeds: a letter is omitted, added, changed or swapped with the next one
CREATE FUNCTION pg_temp.slip(word text, kind integer, seed integer) RETURNS text LANGUAGE sql AS $$
    SELECT CASE kind
        WHEN 0 THEN left(word, at - 1) || substr(word, at + 1)
        WHEN 1 THEN left(word, at - 1) || letter || substr(word, at)
        WHEN 2 THEN left(word, at - 1) || letter || substr(word, at + 1)
        ELSE left(word, at - 1) || substr(word, at + 1, 1) || substr(word, at, 1) || substr(word, at + 2) END
    FROM (SELECT ('x' || substr(md5(word || kind || seed), 1, 6))::bit(24)::integer AS random) AS r,
        LATERAL (SELECT 1 + random % (length(word) - 1) AS at, chr(97 + random / 100 % 26) AS letter) AS chosen
$$;
CREATE TABLE misspelled.slips AS
SELECT seed, word, slip FROM misspelled.words, generate_series(0, 3) AS kind, generate_series(1, 3) AS seed, pg_temp.slip(word, kind, seed) WHERE slip <> word AND length(word) >= 6;
SELECT seed, count(*) >= 190 AS enough, min(length(word)) AS shortest FROM misspelled.slips GROUP BY seed ORDER BY seed;
SELECT scope, seed, avg((coalesce(answer, '') LIKE '%' || word || '%')::integer) >= 0.98 AS recalled,
    avg((best LIKE '%' || word || '%')::integer) >= 0.98 AS precise
FROM misspelled.slips, LATERAL (
    SELECT 'document' AS scope, string_agg(content, ' ') AS answer, (array_agg(content ORDER BY score DESC))[1] AS best
    FROM passage.fragments(slip, uri => 'manual.txt', strategy => 'adaptive')
    UNION ALL
    SELECT 'store', string_agg(content, ' '), (array_agg(content ORDER BY score DESC))[1] FROM passage.fragments(slip, strategy => 'adaptive')
) AS found
GROUP BY scope, seed ORDER BY scope, seed;

-- a slip with fewer alternatives is more likely, however common the other word is
INSERT INTO misspelled.documents (id, uri) VALUES ('cccccccc-0000-0000-8000-000000000000', 'likely.txt');
INSERT INTO misspelled.chunks (document_id, ordinal, content)
SELECT 'cccccccc-0000-0000-8000-000000000000', n, CASE WHEN n < 40 THEN E'The mode is strict.\n' WHEN n = 40 THEN E'The strait is narrow.\n' ELSE E'Elsewhere.\n' END
FROM generate_series(0, 80) AS n;
SELECT content FROM passage.fragments('striat', uri => 'likely.txt', max_fragments => 1);
SELECT content FROM passage.fragments('striat', max_fragments => 1);

-- a common correction does not hide a rare one, and a threshold excludes slips in short words
INSERT INTO misspelled.documents (id, uri) VALUES ('bbbbbbbb-0000-0000-8000-000000000000', 'many.txt');
INSERT INTO misspelled.chunks (id, document_id, ordinal, content)
SELECT ('bbbbbbbb-0000-0000-8000-' || lpad(n::text, 12, '0'))::uuid, 'bbbbbbbb-0000-0000-8000-000000000000', n, CASE WHEN n = 1999 THEN E'The session.\n' ELSE E'The lesion.\n' END
FROM generate_series(0, 1999) AS n;
SELECT content FROM passage.fragments('sesion', max_fragments => 1);
SELECT fuzzy_threshold, count(*) FROM unnest(ARRAY[0, 0.8, 0.9]) AS t (fuzzy_threshold), passage.fragments('memroy', fuzzy_threshold => t.fuzzy_threshold)
GROUP BY 1 ORDER BY 1;

-- an exact word is not corrected; tokens without letters have no corrections
SELECT count(*), min(signals ->> 'match') AS match FROM passage.fragments('memory', uri => 'manual.txt');
SELECT count(*) FROM passage.fragments('quux zzzzzzz 12345678 foo_bar_baz the thhe', uri => 'manual.txt');

DROP SCHEMA misspelled CASCADE;
