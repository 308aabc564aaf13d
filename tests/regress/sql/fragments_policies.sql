-- fragments: a role never gets a correction to a word that only hidden documents have.
SET client_min_messages = warning;
CREATE ROLE reader;
SELECT count(*) > 0 AS made FROM passage.create_store('veiled');
SELECT count(*) > 0 AS made FROM passage.create_store('control');

-- each store has a document that the role may read; only the store "veiled" has another one
CREATE TABLE public.words (word text, is_hidden boolean);
INSERT INTO public.words SELECT word, false FROM unnest('{configuration,encoding,binary,searching,extension}'::text[]) AS word;
INSERT INTO public.words SELECT word, true FROM unnest('{clandestine,acquisition,layoffs,passphrase,whistleblower}'::text[]) AS word;
DO $$
DECLARE store text; document uuid;
BEGIN
    FOREACH store IN ARRAY '{veiled,control}'::text[] LOOP
        FOR document IN SELECT unnest('{aaaaaaaa-0000-0000-8000-000000000000,bbbbbbbb-0000-0000-8000-000000000000}'::uuid[]) LOOP
            CONTINUE WHEN store = 'control' AND document::text LIKE 'b%';
            EXECUTE format('INSERT INTO %I.documents (id, uri) VALUES ($1, left($1::text, 8))', store) USING document;
            EXECUTE format($sql$INSERT INTO %I.chunks (id, document_id, ordinal, content)
                SELECT (left($1::text, 24) || lpad(row_number() OVER (ORDER BY word)::text, 12, '0'))::uuid, $1,
                    row_number() OVER (ORDER BY word) - 1, format(E'The %%s is here.\n', word)
                FROM public.words WHERE is_hidden = ($1::text LIKE 'b%%')$sql$, store) USING document;
        END LOOP;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA %I TO reader; ANALYZE %I.chunks', store, store, store);
    END LOOP;
END $$;

-- every word with one slip of each kind at every letter, also the first
CREATE TABLE public.slips AS
SELECT word, is_hidden, slip FROM public.words, generate_series(1, length(word)) AS at, LATERAL (VALUES
    (left(word, at - 1) || substr(word, at + 1)),
    (left(word, at - 1) || 'q' || substr(word, at)),
    (left(word, at - 1) || 'q' || substr(word, at + 1)),
    (left(word, at - 1) || substr(word, at + 1, 1) || substr(word, at, 1) || substr(word, at + 2))
) AS kinds (slip) WHERE slip <> word;
GRANT SELECT ON public.words, public.slips TO reader;

-- without policies the role reads everything; statements and statistics of this session are cached
SET ROLE reader;
SELECT is_hidden, count(*), sum((content LIKE '%' || word || '%')::integer) AS found
FROM public.slips LEFT JOIN LATERAL passage.fragments(slip, store => 'veiled', max_fragments => 1) ON true GROUP BY 1 ORDER BY 1;

RESET ROLE;
DO $$
DECLARE relation regclass;
BEGIN
    FOREACH relation IN ARRAY '{veiled.documents,veiled.chunks,control.documents,control.chunks}'::regclass[] LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', relation);
        EXECUTE format($sql$CREATE POLICY readers ON %s FOR SELECT TO reader USING (%I::text LIKE 'a%%')$sql$,
            relation, CASE WHEN relation::text LIKE '%documents' THEN 'id' ELSE 'document_id' END);
    END LOOP;
END $$;
SET ROLE reader;
SET client_min_messages = notice;

-- slips in visible words are corrected, also in the first letters; slips in hidden words find nothing
SELECT is_hidden, count(*), sum((content LIKE '%' || word || '%')::integer) AS found, count(content) AS returned
FROM public.slips LEFT JOIN LATERAL passage.fragments(slip, store => 'veiled', max_fragments => 1) ON true GROUP BY 1 ORDER BY 1;

-- both stores give the same rows, scores, signals and hints, in every strategy, with a phrase, a filter and no threshold
CREATE TEMPORARY TABLE asked AS
SELECT query, strategy, threshold FROM (SELECT slip FROM public.slips UNION ALL SELECT word FROM public.words) AS s (word), LATERAL (VALUES
    (word, 'auto', 0.8), (word || ' configuratoin', 'proximity', 0.8), ('"The ' || word || '"', 'seed', 0.6), ('-' || word || ' encodng', 'adaptive', 0.3)
) AS q (query, strategy, threshold);
CREATE FUNCTION pg_temp.answer(asked, name) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT to_jsonb(f)::text FROM passage.fragments($1.query, strategy => $1.strategy, fuzzy_threshold => $1.threshold,
        filter => '{"uri_pattern": "%"}', store => $2) AS f
$$;
SELECT count(*) > 1000 AS enough, count(*) FILTER (WHERE veiled IS DISTINCT FROM control) AS different,
    count(*) FILTER (WHERE veiled ~ 'clandestin|acquisit|layoff|passphras|whistleblow') AS leaked, count(veiled) > 500 AS answered
FROM asked AS a, LATERAL (SELECT string_agg(one, ',') AS veiled FROM pg_temp.answer(a, 'veiled') AS one) AS v,
    LATERAL (SELECT string_agg(one, ',') AS control FROM pg_temp.answer(a, 'control') AS one) AS c;

-- a hidden document is reported as a missing one is, by its uri and by its id
SELECT count(*) FROM passage.fragments('clandestnie', uri => 'bbbbbbbb', store => 'veiled');
SELECT count(*) FROM passage.fragments('clandestnie', uri => 'bbbbbbbb', store => 'control');
SELECT count(*) FROM passage.fragments('clandestine', document_id => 'bbbbbbbb-0000-0000-8000-000000000000', store => 'veiled');
SELECT count(*) FROM passage.fragments('clandestine', document_id => 'bbbbbbbb-0000-0000-8000-000000000000', return_full => true, store => 'veiled');
SELECT count(*) FROM passage.fragments('clandestnie', uri => 'aaaaaaaa', store => 'veiled');

-- search does not correct words, and finds no hidden ones
SELECT count(*) FROM public.words, passage.search(word, store => 'veiled') WHERE is_hidden;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA veiled, control CASCADE;
DROP TABLE public.words, public.slips, pg_temp.asked CASCADE;
DROP OWNED BY reader;
DROP ROLE reader;
