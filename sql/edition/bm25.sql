-- The scores of chunks by BM25, as in core/passages/src/search/ bm25.rs and coverage.rs, which explain the rules.

-- A chunk with the number of positions in its content, and the occurrences of lexemes: 65536 for each lexeme, 16384 for each
-- field (content, part, section, preamble), and the position.

CREATE TYPE _passage.word_match AS (id uuid, length integer, occurrences integer[]);

-- A chunk with those of its words that a query has, as PostgreSQL writes a tsvector between two spaces: " 'index':4A,17 ". Most of
-- 3,000 chunks need no more than the number of places of each lexeme, and functions of texts count them in a tenth of the time
-- in which unnest reads all lexemes of a chunk.

CREATE TYPE _passage.matched_chunk AS (id uuid, length integer, words text);

-- How rare lexemes are, by the number of chunks that have each.

CREATE FUNCTION _passage.rarities(chunks double precision, frequencies double precision[]) RETURNS double precision[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT ln(1.0::double precision + (chunks - least(frequency, chunks) + 0.5::double precision) / (least(frequency, chunks) + 0.5::double precision))
        FROM unnest(frequencies) WITH ORDINALITY AS listed (frequency, place) ORDER BY place)
$$;

COMMENT ON FUNCTION _passage.rarities(double precision, double precision[]) IS 'inverse document frequencies';

-- The beginnings of lexemes in the words of a chunk. PostgreSQL doubles quotes and backslashes, so they begin nothing else.

CREATE FUNCTION _passage.lexeme_keys(lexemes text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT ARRAY(SELECT format(' %s:', _passage.quoted_lexeme(lexeme)) FROM unnest(lexemes) WITH ORDINALITY AS listed (lexeme, place) ORDER BY place) $$;

COMMENT ON FUNCTION _passage.lexeme_keys(text[]) IS 'beginnings of lexemes in the words of a chunk';

-- The occurrences of lexemes in the words of a chunk, as in _passage.word_match.

CREATE FUNCTION _passage.occurrences(words text, keys text[]) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found integer[] := '{}';
    place text;
BEGIN
    FOR i IN 1 .. cardinality(keys) LOOP
        CONTINUE WHEN strpos(words, keys[i]) = 0;
        FOREACH place IN ARRAY string_to_array(split_part(split_part(words, keys[i], 2), ' ', 1), ',') LOOP
            found := found || (i - 1) * 65536 + CASE right(place, 1) WHEN 'A' THEN 49152 WHEN 'B' THEN 32768 WHEN 'C' THEN 16384 ELSE 0 END + rtrim(place, 'ABC')::integer;
        END LOOP;
    END LOOP;
    RETURN found;
END
$$;

COMMENT ON FUNCTION _passage.occurrences(text, text[]) IS 'occurrences of lexemes in the words of a chunk';

CREATE FUNCTION _passage.bm25(idf double precision, counted double precision, stretch double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN idf OPERATOR(pg_catalog.*) counted OPERATOR(pg_catalog.*) (1.2::double precision OPERATOR(pg_catalog.+) 1.0::double precision)
    OPERATOR(pg_catalog./) (counted OPERATOR(pg_catalog.+) (1.2::double precision OPERATOR(pg_catalog.*) stretch));

COMMENT ON FUNCTION _passage.bm25(double precision, double precision, double precision) IS 'score of a lexeme that counts so often in a text of such a length';

-- The smallest distance of two lexemes in one field, up to 8, NULL for none.

CREATE FUNCTION _passage.gap(a integer[], b integer[]) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    best integer;
    near integer;
    i integer := 1;
    j integer := 1;
BEGIN
    WHILE i <= cardinality(a) AND j <= cardinality(b) LOOP
        near := (b[j] & 16383) - (a[i] & 16383);
        IF near BETWEEN -8 AND 8 AND near <> 0 AND (a[i] >> 14) & 3 = (b[j] >> 14) & 3 THEN
            best := least(best, abs(near));
        END IF;
        IF near >= 0 THEN
            i := i + 1;
        ELSE
            j := j + 1;
        END IF;
    END LOOP;
    RETURN best;
END
$$;

COMMENT ON FUNCTION _passage.gap(integer[], integer[]) IS 'smallest distance of two lexemes in one field';

-- The pairs of lexemes that are neighbors in a query, two numbers each.

CREATE FUNCTION _passage.lexeme_pairs(parsed _passage.parsed_query) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    pairs integer[] := '{}';
    a integer[];
    b integer[];
BEGIN
    FOR place IN 1 .. cardinality(parsed.words) - 1 LOOP
        a := parsed.words[place].whole;
        b := parsed.words[place + 1].whole;
        IF cardinality(a) > 0 AND cardinality(b) > 0 THEN
            pairs := pairs || a[cardinality(a)] || b[1];
        END IF;
    END LOOP;
    RETURN pairs;
END
$$;

COMMENT ON FUNCTION _passage.lexeme_pairs(_passage.parsed_query) IS 'pairs of lexemes that are neighbors in a query';

-- The scores of chunks: at least those of the best `max_rows`. A lexeme in the preamble, or as a part of a compound word, counts
-- half of one in the content. Words that are near each other in the query and in the chunk add to the score, which is looked up
-- only in chunks that may be among the best with it.

CREATE FUNCTION _passage.chunk_scores(parsed _passage.parsed_query, matches _passage.matched_chunk[], idf double precision[], max_rows integer) RETURNS TABLE (id uuid, score double precision)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 2000
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    mean CONSTANT double precision := greatest((SELECT sum(m.length) FROM unnest(matches) AS m)::double precision / greatest(cardinality(matches), 1)::double precision, 1);
    keys CONSTANT text[] := _passage.lexeme_keys(parsed.lexemes);
    pairs CONSTANT integer[] := _passage.lexeme_pairs(parsed);
    -- The lexemes of each pair, and what they add if they are next to each other.
    firsts text[] := '{}';
    seconds text[] := '{}';
    gains double precision[] := '{}';
    scores double precision[] := array_fill(0::double precision, ARRAY[cardinality(matches)]);
    least_score double precision;
    match _passage.matched_chunk;
    stretch double precision;
    places text;
    counted double precision;
    number integer := 0;
    gain double precision;
BEGIN
    IF max_rows = 0 THEN
        RETURN;
    END IF;
    FOR i IN 1 .. cardinality(pairs) BY 2 LOOP
        firsts := firsts || keys[pairs[i]];
        seconds := seconds || keys[pairs[i + 1]];
        gains := gains || 0.5::double precision * least(idf[pairs[i]], idf[pairs[i + 1]]);
    END LOOP;
    FOREACH match IN ARRAY matches LOOP
        stretch := 1.0::double precision + 0.75::double precision * (match.length::double precision / mean - 1.0::double precision);
        score := 0;
        FOR i IN 1 .. cardinality(keys) LOOP
            CONTINUE WHEN strpos(match.words, keys[i]) = 0;
            places := split_part(split_part(match.words, keys[i], 2), ' ', 1);
            counted := 1 + length(places) - length(replace(places, ',', '')) - 0.5::double precision * (length(places) - length(translate(places, 'AC', '')));
            score := score + _passage.bm25(idf[i], counted, stretch);
        END LOOP;
        number := number + 1;
        scores[number] := score;
    END LOOP;
    least_score := (SELECT listed FROM unnest(scores) AS listed ORDER BY listed DESC OFFSET max_rows - 1 LIMIT 1);
    number := 0;
    FOREACH match IN ARRAY matches LOOP
        number := number + 1;
        gain := 0;
        FOR i IN 1 .. cardinality(firsts) LOOP
            CONTINUE WHEN strpos(match.words, firsts[i]) = 0 OR strpos(match.words, seconds[i]) = 0;
            gain := gain + gains[i];
        END LOOP;
        CONTINUE WHEN scores[number] + gain < least_score;
        IF gain > 0 THEN
            gain := 0;
            FOR i IN 1 .. cardinality(firsts) LOOP
                CONTINUE WHEN strpos(match.words, firsts[i]) = 0 OR strpos(match.words, seconds[i]) = 0;
                gain := gain + coalesce(gains[i] / _passage.gap(_passage.occurrences(match.words, firsts[i:i]), _passage.occurrences(match.words, seconds[i:i]))::double precision, 0);
            END LOOP;
        END IF;
        id := match.id;
        score := scores[number] + gain;
        RETURN NEXT;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.chunk_scores(_passage.parsed_query, _passage.matched_chunk[], double precision[], integer) IS 'scores of the chunks of a search by BM25';

-- The scores of lines and chunks of fragments.

CREATE FUNCTION _passage.bm25_scores(parsed _passage.parsed_query, matches _passage.word_match[], idf double precision[], length_share double precision, section_weight double precision) RETURNS TABLE (id uuid, score double precision)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 2000
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    mean CONSTANT double precision := greatest((SELECT sum(m.length) FROM unnest(matches) AS m)::double precision / greatest(cardinality(matches), 1)::double precision, 1);
    pairs CONSTANT integer[] := _passage.lexeme_pairs(parsed);
    match _passage.word_match;
    -- The places of the first and the last occurrence of each lexeme.
    firsts integer[];
    lasts integer[];
    stretch double precision;
    counted double precision;
    gain double precision;
    lexeme integer;
    place integer;
    code integer;
BEGIN
    FOREACH match IN ARRAY matches LOOP
        stretch := 1.0::double precision + length_share * (match.length::double precision / mean - 1.0::double precision);
        id := match.id;
        score := 0;
        firsts := '{}';
        lasts := '{}';
        lexeme := 0;
        place := 0;
        counted := 0;
        FOREACH code IN ARRAY match.occurrences || 2147418112 LOOP
            IF (code >> 16) + 1 <> lexeme THEN
                IF lexeme > 0 THEN
                    score := score + _passage.bm25(idf[lexeme], counted, stretch);
                    lasts[lexeme] := place;
                END IF;
                lexeme := (code >> 16) + 1;
                EXIT WHEN place = cardinality(match.occurrences);
                firsts[lexeme] := place + 1;
                counted := 0;
            END IF;
            place := place + 1;
            counted := counted + CASE (code >> 14) & 3 WHEN 0 THEN 1.0::double precision WHEN 2 THEN section_weight ELSE 0.5::double precision END;
        END LOOP;
        gain := 0;
        FOR pair IN 1 .. cardinality(pairs) BY 2 LOOP
            CONTINUE WHEN firsts[pairs[pair]] IS NULL OR firsts[pairs[pair + 1]] IS NULL;
            gain := gain + coalesce(0.5::double precision * least(idf[pairs[pair]], idf[pairs[pair + 1]])
                / _passage.gap(match.occurrences[firsts[pairs[pair]]:lasts[pairs[pair]]], match.occurrences[firsts[pairs[pair + 1]]:lasts[pairs[pair + 1]]])::double precision, 0);
        END LOOP;
        score := score + gain;
        RETURN NEXT;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.bm25_scores(_passage.parsed_query, _passage.word_match[], double precision[], double precision, double precision) IS 'scores of chunks and lines of fragments by BM25';

-- The share of the query that a chunk has; words count by their rarity.

CREATE FUNCTION _passage.coverage(parsed _passage.parsed_query, chunk_words text, idf double precision[]) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    present CONSTANT integer[] := ARRAY(SELECT place::integer FROM unnest(_passage.lexeme_keys(parsed.lexemes)) WITH ORDINALITY AS listed (key, place) WHERE strpos(chunk_words, key) > 0);
    word _passage.query_word;
    weight double precision;
    covered double precision := 0;
    total double precision := 0;
BEGIN
    FOREACH word IN ARRAY parsed.words LOOP
        weight := greatest(0, (SELECT max(idf[lexeme]) FROM unnest(CASE WHEN cardinality(word.whole) > 0 THEN word.whole ELSE word.parts END) AS lexeme));
        total := total + weight;
        IF cardinality(word.whole) > 0 AND word.whole <@ present OR cardinality(word.parts) > 0 AND word.parts <@ present THEN
            covered := covered + weight;
        END IF;
    END LOOP;
    RETURN CASE WHEN total > 0 THEN covered / total ELSE 1 END;
END
$$;

COMMENT ON FUNCTION _passage.coverage(_passage.parsed_query, text, double precision[]) IS 'share of a query that a chunk has';
