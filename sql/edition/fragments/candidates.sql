-- The chunks that may answer the query of fragments: by its words, by similar words, and by the embedding, as in
-- extension/src/fragments/candidates.rs. In a given document all chunks are read; in a store the full-text index finds them.

-- `unmatched` is the number of words for which no chunk has a word, nor a similar one.

CREATE TYPE _passage.fragment_candidates AS (list _passage.fragment_candidate[], terms _passage.query_terms, unmatched integer, is_without_phrases boolean);

CREATE FUNCTION _passage.no_candidates() RETURNS _passage.fragment_candidates
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT ('{}'::_passage.fragment_candidate[], _passage.query_terms(('{}', '{}', '{}', '')::_passage.parsed_query, '{}', '{}'), 0, false)::_passage.fragment_candidates $$;

COMMENT ON FUNCTION _passage.no_candidates() IS 'no chunk, for a query without words';

-- A condition on chunks with any of some lexemes, and with the phrases of a query.

CREATE FUNCTION _passage.any_lexeme(lexemes text[], is_prefix boolean[], required text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format(CASE required WHEN '' THEN '%s' ELSE '(%s)&%s' END, string_agg(_passage.quoted_lexeme(lexeme) || CASE WHEN prefix THEN ':*' ELSE '' END, '|' ORDER BY place), required)
    FROM unnest(lexemes, is_prefix) WITH ORDINALITY AS listed (lexeme, prefix, place)
$$;

COMMENT ON FUNCTION _passage.any_lexeme(text[], boolean[], text) IS 'tsquery for chunks with any of some lexemes';

-- The candidates among the chunks that a condition selects, with the occurrences of all terms.

CREATE FUNCTION _passage.candidates_where(store name, terms _passage.query_terms, clause text, by_tokens boolean) RETURNS _passage.fragment_candidate[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    lexemes CONSTANT text[] := (terms.parsed).lexemes;
    is_prefix CONSTANT boolean[] := (terms.parsed).is_prefix;
    has_prefixes CONSTANT boolean := coalesce(true = ANY (is_prefix), false);
    found _passage.fragment_candidate[];
BEGIN
    EXECUTE format($sql$
        SELECT array_agg((m.id, m.document_id, CASE WHEN $3 THEN m.ordinal END, m.section_key, coalesce(CASE WHEN $3 THEN greatest(m.tokens, 0) END,
            (SELECT sum(cardinality(array_positions(l.weights, 'D'))) FROM unnest(m.tsv) AS l (lexeme, positions, weights))), o.occurrences, NULL)::_passage.fragment_candidate ORDER BY m.id)
        FROM %I.chunks AS m CROSS JOIN LATERAL (SELECT ARRAY(
            SELECT (q.number::integer - 1) * 65536 + CASE w.weight WHEN 'D' THEN 0 WHEN 'C' THEN 16384 WHEN 'B' THEN 32768 ELSE 49152 END + w.position
            FROM unnest(m.tsv) AS x (lexeme, positions, weights) JOIN unnest($1, $2) WITH ORDINALITY AS q (lexeme, is_prefix, number) ON x.lexeme = q.lexeme%s
            CROSS JOIN LATERAL unnest(x.positions, x.weights) AS w (position, weight) ORDER BY q.number, w.position)) AS o (occurrences)
        WHERE cardinality(o.occurrences) > 0 AND %s$sql$, store, CASE WHEN has_prefixes THEN ' OR q.is_prefix AND starts_with(x.lexeme, q.lexeme)' ELSE '' END, clause)
        INTO found USING lexemes, is_prefix, by_tokens;
    RETURN coalesce(found, '{}');
END
$$;

COMMENT ON FUNCTION _passage.candidates_where(name, _passage.query_terms, text, boolean) IS 'candidates among some chunks';

-- A word that begins with a word of the query counts too. For a word without a match, the words that differ from it by one slip
-- are looked up in the document. If there are none, its stem is compared with the whole vocabulary of the document.

CREATE FUNCTION _passage.candidates_in_document(store name, document uuid, parsed _passage.parsed_query, threshold double precision) RETURNS _passage.fragment_candidates
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own CONSTANT integer := cardinality(parsed.lexemes);
    clause CONSTANT text := format('m.document_id = %L::uuid%s', document, ' AND m.tsv @@ ' || quote_literal(nullif(parsed.required, '')) || '::tsquery');
    result _passage.fragment_candidates := _passage.no_candidates();
    variants _passage.term_variant[];
    similar_variants _passage.term_variant[];
    frequencies double precision[];
    chunks double precision;
    vocabulary text[];
    inexact integer[];
    unmatched integer[];
BEGIN
    IF own = 0 THEN
        RETURN result;
    END IF;
    EXECUTE format($sql$
        WITH found AS MATERIALIZED (
            SELECT m.ordinal, m.id, x.lexeme, q.number::integer AS origin, x.lexeme = q.lexeme OR q.is_prefix AS is_own
            FROM %I.chunks AS m CROSS JOIN LATERAL unnest(tsvector_to_array(m.tsv)) AS x (lexeme)
            JOIN unnest($1, $2) WITH ORDINALITY AS q (lexeme, is_prefix, number) ON starts_with(x.lexeme, q.lexeme) AND (x.lexeme = q.lexeme OR q.is_prefix OR length(q.lexeme) >= 3)
            WHERE %s AND m.tsv @@ $3::tsquery
        )
        SELECT ARRAY(SELECT (SELECT count(DISTINCT id) FROM found WHERE origin = number AND is_own) FROM generate_series(1, cardinality($1)) AS number ORDER BY number),
            ARRAY(SELECT (origin, lexeme, NULL)::_passage.term_variant FROM found WHERE NOT is_own GROUP BY origin, lexeme ORDER BY min(ordinal), origin, lexeme COLLATE "C" LIMIT 500)$sql$, store, clause)
        INTO frequencies, variants USING parsed.lexemes, parsed.is_prefix,
            _passage.any_lexeme(parsed.lexemes, ARRAY(SELECT prefix OR length(lexeme) >= 3 FROM unnest(parsed.lexemes, parsed.is_prefix) WITH ORDINALITY AS listed (lexeme, prefix, place) ORDER BY place), '');
    -- A longer word with the misspelled one as its beginning does not show that it was meant.
    inexact := _passage.unmatched_words(parsed, ARRAY(SELECT count > 0 FROM unnest(frequencies) WITH ORDINALITY AS listed (count, place) ORDER BY place));
    unmatched := _passage.unmatched_words(parsed, ARRAY(SELECT count > 0 OR EXISTS (SELECT FROM unnest(variants) AS variant WHERE variant.origin = place)
        FROM unnest(frequencies) WITH ORDINALITY AS listed (count, place) ORDER BY place));
    IF cardinality(inexact) > 0 AND threshold > 0 THEN
        EXECUTE format('SELECT array_agg(DISTINCT x.lexeme) FROM %I.chunks AS m CROSS JOIN LATERAL unnest(tsvector_to_array(m.tsv)) AS x (lexeme) WHERE %s', store, clause) INTO vocabulary;
        similar_variants := _passage.likely_variants(_passage.corrected_words(store, parsed, inexact, threshold), coalesce(vocabulary, '{}'));
        variants := variants || similar_variants || _passage.similar_words(parsed, ARRAY(
            SELECT number FROM unnest(_passage.whole_lexemes(parsed, unmatched)) AS number WHERE NOT EXISTS (SELECT FROM unnest(similar_variants) AS variant WHERE variant.origin = number)), vocabulary, threshold);
    END IF;
    EXECUTE format('SELECT coalesce(max(m.ordinal) + 1, count(*)) FROM %I.chunks AS m WHERE m.document_id = $1', store) INTO chunks USING document;
    result.unmatched := _passage.words_without_variant(parsed, unmatched, variants);
    result.terms := _passage.query_terms(parsed, variants, _passage.rarities(chunks, frequencies));
    result.list := _passage.candidates_where(store, result.terms, clause, true);
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.candidates_in_document(name, uuid, _passage.parsed_query, double precision) IS 'chunks of a document that have words of a query';

-- Similar words, words that begin with a word of the query, and words that differ from it by one slip are searched only if no
-- candidate has the word itself.

CREATE FUNCTION _passage.candidates_in_store(store name, parsed _passage.parsed_query, filter jsonb, threshold double precision) RETURNS _passage.fragment_candidates
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET max_parallel_workers_per_gather = 0
AS $$
DECLARE
    result _passage.fragment_candidates := _passage.no_candidates();
    found _passage.text_ranking;
    unmatched integer[];
    whole integer[];
    corrected _passage.correction[] := '{}';
    present record;
    variants _passage.term_variant[] := '{}';
    longer _passage.term_variant[];
    prefixes text[] := '{}';
    vocabulary text[];
    ids uuid[] := '{}';
    begun uuid[];
    added _passage.fragment_candidate[];
    own CONSTANT integer := cardinality(parsed.lexemes);
    keys CONSTANT text[] := _passage.lexeme_keys(parsed.lexemes);
BEGIN
    IF own = 0 THEN
        RETURN result;
    END IF;
    found := _passage.text_search(store, parsed, filter, NULL, 50, 0);
    unmatched := _passage.unmatched_words(parsed, ARRAY(SELECT count > 0 FROM unnest(found.frequencies) WITH ORDINALITY AS listed (count, place) ORDER BY place));
    IF cardinality(unmatched) > 0 AND threshold > 0 THEN
        corrected := _passage.corrected_words(store, parsed, unmatched, threshold);
        present := _passage.present_lexemes(store, ARRAY(SELECT DISTINCT lexeme FROM unnest(corrected) AS listed), filter, parsed.required);
        ids := present.ids;
        variants := _passage.likely_variants(corrected, present.present);
        -- Words that are similar to a lexeme probably begin as it does.
        prefixes := ARRAY(SELECT left(lexeme, greatest(3, length(lexeme) * 2 / 5)) FROM unnest(_passage.whole_lexemes(parsed, unmatched[:4])) AS number
            CROSS JOIN LATERAL (SELECT parsed.lexemes[number]) AS named (lexeme) WHERE length(lexeme) > 3 ORDER BY number);
    END IF;
    IF cardinality(prefixes) > 0 THEN
        EXECUTE format($sql$
            WITH listed AS MATERIALIZED (SELECT c.id, c.tsv FROM %I.chunks AS c%s AND c.tsv @@ %L::tsquery LIMIT 500)
            SELECT ARRAY(SELECT id FROM listed), ARRAY(SELECT DISTINCT x.lexeme FROM listed CROSS JOIN LATERAL unnest(tsvector_to_array(tsv)) AS x (lexeme) WHERE EXISTS (SELECT FROM unnest($1) AS prefix WHERE starts_with(x.lexeme, prefix)))$sql$,
            store, _passage.filter_clause(store, filter, false, NULL), _passage.any_lexeme(prefixes, array_fill(true, ARRAY[cardinality(prefixes)]), parsed.required))
            INTO begun, vocabulary USING prefixes;
        ids := ids || begun;
        variants := variants || ARRAY(SELECT (origin, lexeme, weight)::_passage.term_variant FROM unnest(corrected) WITH ORDINALITY AS listed (origin, lexeme, weight, content, place)
            WHERE lexeme <> ALL (present.present) AND lexeme = ANY (vocabulary) ORDER BY place);
        whole := _passage.whole_lexemes(parsed, unmatched);
        longer := ARRAY(
            SELECT (number, word, NULL)::_passage.term_variant FROM unnest(whole) AS number CROSS JOIN LATERAL (
                SELECT word FROM unnest(vocabulary) AS word WHERE starts_with(word, parsed.lexemes[number]) AND word <> parsed.lexemes[number] AND length(parsed.lexemes[number]) >= 3
                ORDER BY word COLLATE "C" LIMIT 50) AS listed (word)
            ORDER BY number, word COLLATE "C");
        -- A longer word counts more than a correction of the same lexeme.
        variants := ARRAY(SELECT (origin, lexeme, similarity)::_passage.term_variant FROM unnest(variants) WITH ORDINALITY AS listed (origin, lexeme, similarity, place)
                WHERE NOT EXISTS (SELECT FROM unnest(longer) AS one WHERE one.origin = listed.origin AND one.lexeme = listed.lexeme) ORDER BY place)
            || longer || _passage.similar_words(parsed, ARRAY(SELECT number FROM unnest(whole) AS number WHERE NOT EXISTS (SELECT FROM unnest(longer || variants) AS one WHERE one.origin = number)), vocabulary, threshold);
    END IF;
    result.unmatched := _passage.words_without_variant(parsed, unmatched, variants);
    result.terms := _passage.query_terms(parsed, variants, found.idf);
    IF cardinality(variants) > 0 THEN
        added := ARRAY(SELECT one FROM unnest(_passage.candidates_where(store, result.terms, format('m.id = ANY (%L::uuid[])', ids), false)) AS one
            WHERE EXISTS (SELECT FROM unnest(one.occurrences) AS occurrence WHERE occurrence >> 16 >= own));
        added := ARRAY(SELECT (id, document, NULL, section, length, occurrences, NULL)::_passage.fragment_candidate FROM unnest(added) AS one);
    END IF;
    result.list := coalesce(added, '{}') || ARRAY(SELECT (id, NULL, NULL, NULL, length, _passage.occurrences(words, keys), NULL)::_passage.fragment_candidate
        FROM unnest(found.matches) AS one WHERE NOT EXISTS (SELECT FROM unnest(added) AS other WHERE other.id = one.id));
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.candidates_in_store(name, _passage.parsed_query, jsonb, double precision) IS 'chunks of a store that have words of a query';

-- Adds the similarities to an embedding: of all chunks of a document, or of the nearest of a store.

CREATE FUNCTION _passage.with_similarities(store name, document uuid, filter jsonb, embedding real[], list _passage.fragment_candidate[]) RETURNS _passage.fragment_candidate[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    nearest record;
    similar_chunks _passage.fragment_candidate[];
BEGIN
    IF document IS NULL THEN
        nearest := _passage.vector_search(store, embedding, filter, 50);
        similar_chunks := ARRAY(SELECT (id, NULL, NULL, NULL, 0, '{}', score)::_passage.fragment_candidate FROM unnest(nearest.ids, nearest.scores) AS listed (id, score));
    ELSE
        EXECUTE format($sql$
            SELECT array_agg((c.id, c.document_id, c.ordinal, c.section_key, 0, '{}', _passage.similarity(compared.distance, $2))::_passage.fragment_candidate)
            FROM %I.chunks AS c JOIN %I.embeddings AS e ON e.chunk_id = c.id CROSS JOIN LATERAL (SELECT %s) AS compared (distance)
            WHERE c.document_id = $1 AND compared.distance <> 'NaN'$sql$, store, store, _passage.distance_expression(store, embedding, NULL))
            INTO similar_chunks USING document, (_passage.store_facts(store)).distance;
    END IF;
    RETURN ARRAY(
        SELECT (coalesce(w.id, s.id), coalesce(w.document, s.document), coalesce(w.ordinal, s.ordinal), coalesce(w.section, s.section), coalesce(w.length, 0), coalesce(w.occurrences, '{}'), s.similarity)::_passage.fragment_candidate
        FROM unnest(list) WITH ORDINALITY AS w (id, document, ordinal, section, length, occurrences, similarity, place)
        FULL JOIN unnest(similar_chunks) WITH ORDINALITY AS s (id, document, ordinal, section, length, occurrences, similarity, place) ON s.id = w.id
        ORDER BY w.place, s.place);
END
$$;

COMMENT ON FUNCTION _passage.with_similarities(name, uuid, jsonb, real[], _passage.fragment_candidate[]) IS 'candidates with their similarities to an embedding';

CREATE FUNCTION _passage.find_candidates(store name, document uuid, filter jsonb, query text, embedding real[], strategy text, threshold double precision) RETURNS _passage.fragment_candidates
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    words CONSTANT record := _passage.query_words(query);
    result _passage.fragment_candidates := _passage.no_candidates();
    parsed _passage.parsed_query;
    best uuid[];
BEGIN
    IF cardinality(words.words || words.phrases) > 0 THEN
        FOR attempt IN 1 .. CASE WHEN cardinality(words.phrases) > 0 THEN 2 ELSE 1 END LOOP
            parsed := _passage.parse_query(store, query, attempt = 1);
            result := CASE WHEN document IS NULL THEN _passage.candidates_in_store(store, parsed, filter, threshold) ELSE _passage.candidates_in_document(store, document, parsed, threshold) END;
            -- For a phrase without a match, the words are a better answer than none.
            result.is_without_phrases := attempt = 2;
            EXIT WHEN cardinality(result.list) > 0;
        END LOOP;
    END IF;
    IF embedding IS NOT NULL AND (strategy NOT IN ('adaptive', 'proximity') OR cardinality(result.list) = 0) THEN
        result.list := _passage.with_similarities(store, document, filter, embedding, result.list);
    END IF;
    IF document IS NULL AND strategy = 'semantic' THEN
        best := ARRAY(SELECT (result.list[ranked.candidate]).id FROM unnest((_passage.rank_fragments('auto', result.terms, result.list)).ranked[:200]) AS ranked);
        EXECUTE format($sql$
            SELECT array_agg((one.id, coalesce(c.document_id, one.document), one.ordinal, coalesce(c.section_key, one.section), one.length, one.occurrences, one.similarity)::_passage.fragment_candidate)
            FROM unnest($1) AS one LEFT JOIN %I.chunks AS c ON c.id = one.id AND c.id = ANY ($2)$sql$, store) INTO result.list USING result.list, best;
    END IF;
    -- Only the sections of the best chunks count, in the order in which chunks were found. Equal ones then rank by their ids.
    result.list := ARRAY(SELECT one FROM unnest(result.list) AS one ORDER BY one.id);
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.find_candidates(name, uuid, jsonb, text, real[], text, double precision) IS 'chunks that may answer the query of fragments';
