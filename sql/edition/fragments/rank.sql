-- Ranking of the candidates of fragments by several signals, as in core/passages/src/fragments/ rank.rs, proximity.rs, semantic.rs
-- and ranking.rs: words by BM25, the proximity of the words, and the embedding. A strategy takes one ranking or fuses all by
-- reciprocal rank. Candidates with any signal are always in the result.

-- `coverage` is 2 for all words, 1 for more than half of them, 0 for any. `matched` is the weight of the best match.

CREATE TYPE _passage.ranked_fragment AS (
    candidate integer, score double precision, lexical_rank integer, lexical_score double precision, near_rank integer, near_score double precision,
    coverage integer, distance integer, vector_rank integer, vector_score double precision, matched double precision
);

-- How near the words of a query are in each candidate. Rarer words and closer words count more.

CREATE FUNCTION _passage.proximities(terms _passage.query_terms, list _passage.fragment_candidate[]) RETURNS TABLE (place integer, coverage integer, share double precision, score double precision, distance integer)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    words CONSTANT integer := cardinality(terms.word_weights);
    total CONSTANT double precision := (SELECT sum(weight) FROM unnest(terms.word_weights) AS weight);
    -- The words of a lexeme are those from its first pair on.
    pairs CONSTANT integer[] := ARRAY(SELECT word FROM _passage.lexeme_words(terms) ORDER BY lexeme, word);
    first_pairs CONSTANT integer[] := ARRAY(
        SELECT 1 + (SELECT count(*) FROM _passage.lexeme_words(terms) AS own WHERE own.lexeme < number)
        FROM generate_series(1, cardinality((terms.parsed).lexemes) + 1) AS number ORDER BY number);
    candidate _passage.fragment_candidate;
    weights double precision[];
    counts integer[];
    positions integer[];
    position integer;
    code integer;
    word integer;
    lexeme integer;
    matched integer;
    distinct_words integer;
    inside integer;
    first integer;
    weight double precision;
    closeness double precision;
BEGIN
    place := 0;
    FOREACH candidate IN ARRAY list LOOP
        place := place + 1;
        CONTINUE WHEN cardinality(candidate.occurrences) = 0;
        weights := array_fill(NULL::double precision, ARRAY[words]);
        counts := array_fill(0, ARRAY[words]);
        positions := '{}';
        matched := 0;
        distinct_words := 0;
        FOREACH code IN ARRAY candidate.occurrences LOOP
            lexeme := (code >> 16) + 1;
            FOR pair IN first_pairs[lexeme] .. first_pairs[lexeme + 1] - 1 LOOP
                word := pairs[pair];
                matched := matched + (weights[word] IS NULL)::integer;
                weights[word] := greatest(weights[word], terms.idf[lexeme], 0);
                IF (code >> 14) & 3 = 0 THEN
                    distinct_words := distinct_words + (counts[word] = 0)::integer;
                    counts[word] := 1;
                    positions := positions || (((code & 16383) << 16) + word);
                END IF;
            END LOOP;
        END LOOP;
        CONTINUE WHEN matched = 0;
        distance := NULL;
        IF distinct_words >= 2 THEN
            -- The shortest window with all words that occur.
            positions := ARRAY(SELECT listed FROM unnest(positions) AS listed ORDER BY listed);
            counts := array_fill(0, ARRAY[words]);
            inside := 0;
            first := 1;
            FOREACH position IN ARRAY positions LOOP
                word := position & 65535;
                inside := inside + (counts[word] = 0)::integer;
                counts[word] := counts[word] + 1;
                WHILE inside = distinct_words LOOP
                    distance := least(distance, (position >> 16) - (positions[first] >> 16) + 1);
                    word := positions[first] & 65535;
                    counts[word] := counts[word] - 1;
                    inside := inside - (counts[word] = 0)::integer;
                    first := first + 1;
                END LOOP;
            END LOOP;
        END IF;
        weight := 0;
        FOR number IN 1 .. words LOOP
            weight := weight + coalesce(weights[number], 0);
        END LOOP;
        share := CASE WHEN total > 0 THEN least(weight / total, 1) ELSE 0 END;
        closeness := CASE WHEN distance IS NULL THEN 0 ELSE distinct_words::double precision / greatest(distance, 1)::double precision END;
        coverage := CASE WHEN matched = words THEN 2 WHEN 2 * matched > words THEN 1 ELSE 0 END;
        score := share * (1.0::double precision + least(closeness, 1)) / 2.0::double precision;
        RETURN NEXT;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.proximities(_passage.query_terms, _passage.fragment_candidate[]) IS 'how near the words of a query are in candidates';

-- The scores of candidates by BM25, with the constants for lines.

CREATE FUNCTION _passage.line_scores(terms _passage.query_terms, matches _passage.word_match[]) RETURNS double precision[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT ARRAY(SELECT score FROM _passage.bm25_scores(terms.parsed, matches, terms.idf, 0.5, 0.5) WITH ORDINALITY AS scored (id, score, place) ORDER BY place) $$;

COMMENT ON FUNCTION _passage.line_scores(_passage.query_terms, _passage.word_match[]) IS 'scores of candidates by their words';

-- The scores of candidates by their similarity and the best one of their section. Without embeddings the score is that of the
-- words of the section, then that of the words of the chunk. A chunk without a section is one of its own.

CREATE FUNCTION _passage.semantic_scores(terms _passage.query_terms, list _passage.fragment_candidate[], lexical double precision[]) RETURNS double precision[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- The number of the section of each candidate, in their order.
    sections CONSTANT integer[] := ARRAY(
        SELECT dense_rank() OVER (ORDER BY first) FROM (
            SELECT place, min(place) OVER (PARTITION BY document, section, CASE WHEN section IS NULL THEN place END) AS first
            FROM unnest(list) WITH ORDINALITY AS listed (id, document, ordinal, section, length, occurrences, similarity, place)
        ) AS grouped ORDER BY place);
    scores double precision[];
BEGIN
    IF EXISTS (SELECT FROM unnest(list) AS one WHERE one.similarity IS NOT NULL) THEN
        RETURN ARRAY(
            SELECT 0.8::double precision * listed.similarity + 0.2::double precision * max(listed.similarity) OVER (PARTITION BY number)
            FROM unnest(list) WITH ORDINALITY AS listed (id, document, ordinal, section, length, occurrences, similarity, place)
            JOIN unnest(sections) WITH ORDINALITY AS numbered (number, place) USING (place) ORDER BY place);
    END IF;
    scores := _passage.line_scores(terms, ARRAY(
        SELECT (NULL, sum(ordered.length), (SELECT array_agg(lexeme_and_field + position ORDER BY lexeme_and_field >> 16, position) FROM (
                SELECT code >> 14 << 14 AS lexeme_and_field, least((code & 16383) + moved.before, 16383) AS position
                FROM jsonb_to_recordset(jsonb_agg(jsonb_build_object('codes', ordered.occurrences, 'before', ordered.before))) AS moved (codes integer[], before integer)
                CROSS JOIN LATERAL unnest(moved.codes) AS code) AS merged))::_passage.word_match
        FROM (
            SELECT number, one.length, one.occurrences, sum(one.length) OVER (PARTITION BY number ORDER BY place) - one.length AS before
            FROM unnest(list) WITH ORDINALITY AS one (id, document, ordinal, section, length, occurrences, similarity, place)
            JOIN unnest(sections) WITH ORDINALITY AS numbered (number, place) USING (place)
        ) AS ordered
        GROUP BY number ORDER BY number));
    RETURN ARRAY(SELECT CASE WHEN lexical[place] IS NOT NULL THEN scores[number] END FROM unnest(sections) WITH ORDINALITY AS numbered (number, place) ORDER BY place);
END
$$;

COMMENT ON FUNCTION _passage.semantic_scores(_passage.query_terms, _passage.fragment_candidate[], double precision[]) IS 'scores of candidates by their sections';

-- Ranks candidates, best first, and returns the strategy that was applied. Those without its signal follow, ranked by their
-- other signals.

CREATE FUNCTION _passage.rank_fragments(strategy text, terms _passage.query_terms, list _passage.fragment_candidate[], OUT used text, OUT ranked _passage.ranked_fragment[])
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    words CONSTANT integer := cardinality(terms.word_weights);
    own CONSTANT integer := cardinality((terms.parsed).lexemes) - coalesce(cardinality(terms.variants), 0);
    variant_weights CONSTANT double precision[] := ARRAY(SELECT _passage.variant_weight(similarity) FROM unnest(terms.variants) WITH ORDINALITY AS listed (origin, lexeme, similarity, place) ORDER BY place);
    lexical double precision[];
    sections double precision[];
    has_words boolean;
    has_vector boolean;
BEGIN
    lexical := _passage.line_scores(terms, ARRAY(SELECT (id, length, occurrences)::_passage.word_match
        FROM unnest(list) WITH ORDINALITY AS listed (id, document, ordinal, section, length, occurrences, similarity, place) ORDER BY place));
    lexical := ARRAY(SELECT CASE WHEN cardinality(occurrences) > 0 THEN lexical[place] END
        FROM unnest(list) WITH ORDINALITY AS listed (id, document, ordinal, section, length, occurrences, similarity, place) ORDER BY place);
    SELECT coalesce(bool_or(cardinality(occurrences) > 0), false), coalesce(bool_or(similarity IS NOT NULL), false) INTO has_words, has_vector FROM unnest(list) AS one;
    used := CASE WHEN strategy <> 'auto' THEN strategy WHEN NOT has_words AND has_vector THEN 'semantic' WHEN words <= 1 AND NOT has_vector THEN 'adaptive' ELSE 'auto' END;
    IF strategy = 'semantic' THEN
        sections := _passage.semantic_scores(terms, list, lexical);
    END IF;
    SELECT array_agg((candidate, coalesce(score, 0), lexical_rank, lexical_score, near_rank, near_score, coverage, distance, vector_rank, vector_score, matched)::_passage.ranked_fragment
        ORDER BY is_ordered DESC, CASE WHEN is_ordered THEN sort_rank END, lexical_rank, vector_rank) INTO ranked
    FROM (
        SELECT scored.*, score IS NOT NULL AS is_ordered,
            CASE strategy WHEN 'adaptive' THEN lexical_rank WHEN 'proximity' THEN near_rank WHEN 'semantic' THEN row_number() OVER (ORDER BY score DESC NULLS LAST, CASE WHEN NOT has_vector THEN lexical_score END DESC NULLS LAST, ordinal NULLS FIRST, candidate)
                ELSE row_number() OVER (ORDER BY score DESC NULLS LAST, least(lexical_rank, CASE WHEN words > 1 THEN near_rank END, vector_rank), lexical_rank, CASE WHEN words > 1 THEN near_rank END, vector_rank) END AS sort_rank
        FROM (
            SELECT signals.*, CASE strategy WHEN 'adaptive' THEN lexical_score WHEN 'proximity' THEN near_score WHEN 'semantic' THEN sections[candidate]
                ELSE CASE WHEN lexical_rank IS NOT NULL OR vector_rank IS NOT NULL THEN
                    coalesce(trust / (8.0::double precision + lexical_rank), 0) + coalesce(CASE WHEN words > 1 THEN 0.5::double precision * trust / (8.0::double precision + near_rank) END, 0)
                        + coalesce(1.0::double precision / (8.0::double precision + vector_rank), 0) END END AS score
            FROM (
                SELECT place::integer AS candidate, ordinal, lexical[place] AS lexical_score,
                    CASE WHEN lexical[place] IS NOT NULL THEN row_number() OVER (ORDER BY lexical[place] DESC NULLS LAST, ordinal NULLS FIRST, place) END::integer AS lexical_rank,
                    near.score AS near_score, near.coverage, near.distance,
                    CASE WHEN near.score IS NOT NULL THEN row_number() OVER (ORDER BY near.coverage DESC NULLS LAST, near.score DESC, lexical[place] DESC NULLS LAST, ordinal NULLS FIRST, place) END::integer AS near_rank,
                    similarity AS vector_score,
                    CASE WHEN similarity IS NOT NULL THEN row_number() OVER (ORDER BY similarity DESC NULLS LAST, ordinal NULLS FIRST, place) END::integer AS vector_rank,
                    -- A paraphrased question has few of the words, so they count less beside an embedding.
                    1.0::double precision - 0.3::double precision * (1.0::double precision - coalesce(max(near.share) OVER (), 0)) AS trust,
                    (SELECT max(CASE WHEN code >> 16 < own THEN 1 ELSE variant_weights[(code >> 16) - own + 1] END) FROM unnest(occurrences) AS code) AS matched
                FROM unnest(list) WITH ORDINALITY AS listed (id, document, ordinal, section, length, occurrences, similarity, number)
                CROSS JOIN LATERAL (SELECT number::integer) AS numbered (place)
                LEFT JOIN _passage.proximities(terms, list) AS near USING (place)
            ) AS signals
        ) AS scored
    ) AS sorted;
    ranked := coalesce(ranked, '{}');
END
$$;

COMMENT ON FUNCTION _passage.rank_fragments(text, _passage.query_terms, _passage.fragment_candidate[]) IS 'candidates of fragments, best first';

-- A sentence about what the caller can do for a better answer, or how the query was changed.

CREATE FUNCTION _passage.fragment_hint(candidates _passage.fragment_candidates, strategy text, best _passage.ranked_fragment, is_embedded boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    few CONSTANT boolean := coalesce(best.near_rank IS NOT NULL AND best.coverage = 0 AND cardinality((candidates.terms).word_weights) > 1, false);
BEGIN
    RETURN CASE
        WHEN best.candidate IS NULL THEN NULL
        WHEN candidates.is_without_phrases THEN 'no chunk has the quoted phrase, so its words were searched'
        WHEN best.matched < 0.3 THEN 'no chunk has the words themselves, so similar words were searched'
        WHEN strategy = 'proximity' AND few THEN 'no chunk has most of the words together; strategy "adaptive" searches them one by one'
        WHEN strategy = 'semantic' AND NOT is_embedded THEN 'without an embedding sections are ranked by their words; strategy "auto" ranks chunks'
        WHEN is_embedded AND strategy IN ('adaptive', 'proximity') THEN 'the embedding was not used; strategy "auto" uses it too'
        WHEN candidates.unmatched > 0 AND NOT is_embedded THEN 'no chunk has some of the words; an embedding also finds other words for the same'
        WHEN few AND NOT is_embedded THEN 'no chunk has most of the words; fewer words or an embedding find more' END;
END
$$;

COMMENT ON FUNCTION _passage.fragment_hint(_passage.fragment_candidates, text, _passage.ranked_fragment, boolean) IS 'hint about the answer of fragments';
