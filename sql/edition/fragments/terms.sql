-- Words for fragments: the lexemes of a query, and those of the store that begin with them or resemble them, as in
-- core/passages/src/fragments/ terms.rs, variants.rs and word_similarity.rs.

-- A chunk that may answer a query. Occurrences are those of _passage.word_match.

CREATE TYPE _passage.fragment_candidate AS (id uuid, document uuid, ordinal integer, section bigint, length integer, occurrences integer[], similarity double precision);

-- A lexeme of the store that matches the one with a number: by its beginning, or with a similarity.

CREATE TYPE _passage.term_variant AS (origin integer, lexeme text, similarity double precision);

-- The lexemes of a query, followed by the variants, each with its weight by rarity; and the weights of the words.

CREATE TYPE _passage.query_terms AS (parsed _passage.parsed_query, variants _passage.term_variant[], idf double precision[], word_weights double precision[]);

-- A similar word counts less than any word with the beginning, and this one less than the word itself.

CREATE FUNCTION _passage.variant_weight(similarity double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN similarity IS NULL THEN 0.3::double precision ELSE 0.1::double precision OPERATOR(pg_catalog.*) similarity END;

COMMENT ON FUNCTION _passage.variant_weight(double precision) IS 'weight of a variant, by its beginning if the similarity is NULL';

CREATE FUNCTION _passage.query_terms(parsed _passage.parsed_query, variants _passage.term_variant[], idf double precision[]) RETURNS _passage.query_terms
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    terms _passage.query_terms;
BEGIN
    terms.word_weights := ARRAY(
        SELECT greatest(0, (SELECT max(idf[lexeme]) FROM unnest(whole || parts) AS lexeme))
        FROM unnest(parsed.words) WITH ORDINALITY AS listed (content, whole, parts, place) ORDER BY place);
    terms.idf := idf || ARRAY(SELECT idf[origin] * _passage.variant_weight(similarity) FROM unnest(variants) WITH ORDINALITY AS listed (origin, lexeme, similarity, place) ORDER BY place);
    parsed.lexemes := parsed.lexemes || ARRAY(SELECT lexeme FROM unnest(variants) WITH ORDINALITY AS listed (origin, lexeme, similarity, place) ORDER BY place);
    terms.parsed := parsed;
    terms.variants := variants;
    RETURN terms;
END
$$;

COMMENT ON FUNCTION _passage.query_terms(_passage.parsed_query, _passage.term_variant[], double precision[]) IS 'terms of a query with their weights';

-- The words of each lexeme of terms, in pairs.

CREATE FUNCTION _passage.lexeme_words(terms _passage.query_terms) RETURNS TABLE (lexeme integer, word integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
SET search_path = pg_catalog, pg_temp
AS $$
    WITH own AS (
        SELECT of_word AS lexeme, place::integer AS word
        FROM unnest((terms.parsed).words) WITH ORDINALITY AS listed (content, whole, parts, place) CROSS JOIN LATERAL unnest(whole || parts) AS of_word
    )
    SELECT * FROM own
    UNION ALL
    SELECT cardinality((terms.parsed).lexemes) - cardinality(terms.variants) + place::integer, own.word
    FROM unnest(terms.variants) WITH ORDINALITY AS listed (origin, text, similarity, place) JOIN own ON own.lexeme = origin
$$;

COMMENT ON FUNCTION _passage.lexeme_words(_passage.query_terms) IS 'words of a query that each lexeme matches';

-- The lexemes of whole words, without those of their parts.

CREATE FUNCTION _passage.whole_lexemes(parsed _passage.parsed_query, words integer[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT DISTINCT lexeme FROM unnest(parsed.words) WITH ORDINALITY AS listed (content, whole, parts, place) CROSS JOIN LATERAL unnest(whole) AS lexeme
        WHERE place = ANY (words) ORDER BY lexeme)
$$;

COMMENT ON FUNCTION _passage.whole_lexemes(_passage.parsed_query, integer[]) IS 'lexemes of whole words of a query';

CREATE FUNCTION _passage.words_without_variant(parsed _passage.parsed_query, words integer[], variants _passage.term_variant[]) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT count(*)::integer FROM unnest(parsed.words) WITH ORDINALITY AS listed (content, whole, parts, place)
    WHERE place = ANY (words) AND NOT EXISTS (SELECT FROM unnest(variants) AS variant WHERE variant.origin = ANY (whole || parts))
$$;

COMMENT ON FUNCTION _passage.words_without_variant(_passage.parsed_query, integer[], _passage.term_variant[]) IS 'number of words of a query that nothing matches';

CREATE FUNCTION _passage.trigrams(value text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(
        SELECT DISTINCT substr('  ' || word || ' ', at, 3)
        FROM regexp_split_to_table(lower(value) COLLATE "C", '[^0-9A-Za-z' || CASE WHEN octet_length(value) = length(value) THEN '' ELSE _passage.class_alphanumeric() END || ']+') AS word
        CROSS JOIN LATERAL generate_series(1, length(word) + 1) AS at
        WHERE word <> '')
$$;

COMMENT ON FUNCTION _passage.trigrams(text) IS 'trigrams of a text, as pg_trgm makes them';

-- The share of common trigrams, or of letters that stay unchanged.

CREATE FUNCTION _passage.word_similarity(one text, other text) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    longer CONSTANT integer := greatest(length(one), length(other));
    first CONSTANT text[] := _passage.trigrams(one);
    second CONSTANT text[] := _passage.trigrams(other);
    common CONSTANT integer := (SELECT count(*) FROM unnest(first) AS trigram WHERE trigram = ANY (second));
BEGIN
    RETURN greatest(coalesce(common::double precision / nullif(cardinality(first) + cardinality(second) - common, 0), 0),
        CASE WHEN longer BETWEEN 1 AND 64 THEN 1.0::double precision - coalesce(_passage.edit_distance(one, other, longer), longer)::double precision / longer ELSE 0 END);
END
$$;

COMMENT ON FUNCTION _passage.word_similarity(text, text) IS 'similarity of two words, 0 to 1';

-- The words of a vocabulary that are similar to some lexemes, at most 50, best first. Each letter that the other word lacks
-- costs a trigram and an edit, which excludes most words sooner.

CREATE FUNCTION _passage.similar_words(parsed _passage.parsed_query, lexemes integer[], vocabulary text[], threshold double precision) RETURNS _passage.term_variant[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(
        SELECT (listed.number, word, similarity)::_passage.term_variant
        FROM unnest(lexemes) AS listed (number) CROSS JOIN LATERAL (SELECT parsed.lexemes[listed.number]) AS named (lexeme)
        CROSS JOIN unnest(vocabulary) AS word
        CROSS JOIN LATERAL (SELECT (1.0::double precision - threshold) * (greatest(length(lexeme), length(word)) + 1) + 1e-9::double precision) AS bound (max_lost)
        CROSS JOIN LATERAL (SELECT CASE WHEN word <> lexeme AND abs(length(word) - length(lexeme)) <= max_lost
            AND length(translate(word, lexeme, '')) <= max_lost AND length(translate(lexeme, word, '')) <= max_lost
            THEN _passage.word_similarity(lexeme, word) END) AS compared (similarity)
        WHERE similarity >= threshold
        ORDER BY similarity DESC, word COLLATE "C" LIMIT 50)
$$;

COMMENT ON FUNCTION _passage.similar_words(_passage.parsed_query, integer[], text[], double precision) IS 'words of a vocabulary that are similar to lexemes of a query';

-- A variant far less likely than another one of the same word does not count.

CREATE FUNCTION _passage.likely_variants(corrections _passage.correction[], present text[]) RETURNS _passage.term_variant[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(
        SELECT (origin, lexeme, weight)::_passage.term_variant
        FROM (
            SELECT listed.*, max(weight) OVER (PARTITION BY origin) AS best
            FROM unnest(corrections) WITH ORDINALITY AS listed (origin, lexeme, weight, content, place) WHERE lexeme = ANY (present)
        ) AS found
        WHERE weight * 10 >= best ORDER BY place)
$$;

COMMENT ON FUNCTION _passage.likely_variants(_passage.correction[], text[]) IS 'corrections that chunks have, without unlikely ones';
