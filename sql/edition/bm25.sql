-- Search by words: which chunks are worth ranking, and their scores by BM25, as in core/passages/src/search/ subqueries.rs,
-- bm25.rs and coverage.rs, which explain the rules, and extension/src/store/search/.

-- A query for chunks, with its limit, the share of chunks that it reads in percent, NULL for all by the index, and the words
-- whose chunks it counts. Queries of one step run together.

CREATE TYPE _passage.subquery AS (step integer, query text, max_rows integer, sample double precision, complete integer[]);

-- A chunk with the number of positions in its content, and the occurrences of lexemes: 65536 for each lexeme, 16384 for each
-- field (content, part, section, preamble), and the position.

CREATE TYPE _passage.word_match AS (id uuid, length integer, occurrences integer[]);

CREATE TYPE _passage.text_ranking AS (ids uuid[], scores double precision[], matches _passage.word_match[], idf double precision[], frequencies double precision[]);

CREATE FUNCTION _passage.one_subquery(parsed _passage.parsed_query, step integer, words integer[], operator text, max_rows integer, sample double precision)
RETURNS _passage.subquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    query CONSTANT text := (SELECT string_agg(_passage.word_query(parsed, word), operator ORDER BY place) FROM unnest(words) WITH ORDINALITY AS listed (word, place));
BEGIN
    RETURN (step, CASE parsed.required WHEN '' THEN query ELSE format('(%s)&%s', query, parsed.required) END, max_rows, sample,
        CASE WHEN operator = '|' AND sample IS NULL THEN words ELSE '{}' END)::_passage.subquery;
END
$$;

COMMENT ON FUNCTION _passage.one_subquery(_passage.parsed_query, integer, integer[], text, integer, double precision) IS 'query for chunks with some words';

-- The scanned entries of the index are bounded; where a scan without it finds enough sooner, a sample of all chunks is read.

CREATE FUNCTION _passage.bounded_subquery(
    parsed _passage.parsed_query, step integer, words integer[], operator text, max_rows integer, counts double precision[], chunks double precision,
    INOUT budget double precision, OUT planned _passage.subquery
)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    share double precision := 1;
    entries double precision := 'infinity';
    looks double precision;
    word integer;
BEGIN
    FOREACH word IN ARRAY words LOOP
        share := share * (counts[word] / chunks);
        entries := least(entries, counts[word]);
    END LOOP;
    looks := least(CASE WHEN share > 0 THEN max_rows / share ELSE 'infinity' END, budget / 14);
    IF entries <= least(budget, looks * 14) THEN
        budget := budget - entries;
        planned := _passage.one_subquery(parsed, step, words, operator, max_rows, NULL);
    ELSIF looks * share >= 0.25 * max_rows THEN
        budget := budget - looks * 14;
        planned := _passage.one_subquery(parsed, step, words, operator, max_rows, 150 * looks / chunks);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.bounded_subquery(_passage.parsed_query, integer, integer[], text, integer, double precision[], double precision, double precision) IS 'query for chunks with some words within a cost';

-- The queries in steps: 1 is primary, 2 is secondary, and later steps are fallbacks.

CREATE FUNCTION _passage.plan_subqueries(parsed _passage.parsed_query, chunks double precision, frequencies double precision[], requested integer)
RETURNS _passage.subquery[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    count CONSTANT integer := cardinality(parsed.words);
    words CONSTANT integer[] := ARRAY(SELECT generate_series(1, count));
    with_word double precision[];
    rare integer[] := '{}';
    common integer[];
    plan _passage.subquery[] := '{}';
    budget double precision := 120000;
    sum double precision := 0;
    word integer;
    step record;
    single _passage.subquery;
BEGIN
    IF count = 0 THEN
        RETURN plan;
    ELSIF chunks IS NULL THEN
        IF count > 1 THEN
            plan := plan || _passage.one_subquery(parsed, 1, words, '&', greatest(3000, requested), NULL);
        END IF;
        RETURN plan || _passage.one_subquery(parsed, CASE count WHEN 1 THEN 1 ELSE 2 END, words, '|', greatest(3000, requested), NULL);
    END IF;
    FOR i IN 1 .. count LOOP
        with_word[i] := coalesce((SELECT min(frequencies[lexeme]) FROM unnest(parsed.words[i].whole) AS lexeme), 0)
            + coalesce((SELECT min(frequencies[lexeme]) FROM unnest(parsed.words[i].parts) AS lexeme), 0);
    END LOOP;
    common := ARRAY(SELECT listed FROM unnest(words) AS listed ORDER BY with_word[listed], listed);
    FOREACH word IN ARRAY common LOOP
        sum := sum + with_word[word];
        EXIT WHEN sum > 3000 AND chunks > 3000;
        rare := rare || word;
    END LOOP;
    common := common[cardinality(rare) + 1:];
    IF cardinality(rare) > 0 THEN
        plan := plan || _passage.one_subquery(parsed, 1, rare, '|', 3000, NULL);
    END IF;
    IF cardinality(common) = 0 THEN
        RETURN plan;
    END IF;
    IF count > 1 AND cardinality(rare) = 0 THEN
        step := _passage.bounded_subquery(parsed, 1, words, '&', 750, with_word, chunks, budget);
        budget := step.budget;
        plan := plan || CASE WHEN (step.planned).query IS NOT NULL THEN ARRAY[step.planned] ELSE '{}' END;
    END IF;
    IF count > 2 THEN
        FOR one IN 1 .. least(cardinality(common), 3) LOOP
            FOR other IN one + 1 .. least(cardinality(common), 3) LOOP
                step := _passage.bounded_subquery(parsed, 2, ARRAY[common[one], common[other]], '&', 375, with_word, chunks, budget);
                budget := step.budget;
                plan := plan || CASE WHEN (step.planned).query IS NOT NULL THEN ARRAY[step.planned] ELSE '{}' END;
            END LOOP;
        END LOOP;
    END IF;
    -- If a rare word exists, or other queries used up the cost, the rarest common word is a fallback.
    IF cardinality(rare) = 0 THEN
        step := _passage.bounded_subquery(parsed, CASE count WHEN 1 THEN 1 ELSE 2 END, common[:1], '|', 750, with_word, chunks, budget);
        single := step.planned;
    END IF;
    IF single.query IS NOT NULL THEN
        plan := plan || single;
    ELSE
        step := _passage.bounded_subquery(parsed, 3, common[:1], '|', 750, with_word, chunks, 120000);
        plan := plan || CASE WHEN (step.planned).query IS NOT NULL THEN ARRAY[step.planned] ELSE '{}' END;
    END IF;
    RETURN plan || _passage.one_subquery(parsed, 4, common, '|', greatest(750, requested), NULL);
END
$$;

COMMENT ON FUNCTION _passage.plan_subqueries(_passage.parsed_query, double precision, double precision[], integer) IS 'queries for the chunks that are worth ranking';

-- How many chunks the store has, and how many have each lexeme, by the statistics of the planner and by counting rare ones.
-- NULL under row-level security and without statistics.

CREATE FUNCTION _passage.lexeme_counts(store name, parsed _passage.parsed_query, OUT chunks double precision, OUT frequencies double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    relation CONSTANT regclass := format('%I.chunks', store)::regclass;
    known record;
    least double precision;
    rare integer[];
    at integer;
    counted bigint;
BEGIN
    IF row_security_active(relation) THEN
        RETURN;
    END IF;
    SELECT greatest(reltuples, (SELECT sum(greatest(part.reltuples, 0)) FROM pg_partition_tree(relation) AS tree JOIN pg_class AS part ON part.oid = tree.relid WHERE isleaf))::real AS tuples,
        most_common_elems::text::text[] AS lexemes, most_common_elem_freqs AS shares
    INTO known
    FROM pg_class JOIN pg_stats ON schemaname = store AND tablename = relname
    WHERE pg_class.oid = relation AND attname = 'tsv' AND most_common_elems IS NOT NULL ORDER BY inherited DESC LIMIT 1;
    IF NOT FOUND OR known.tuples <= 0 OR known.shares[cardinality(known.lexemes) + 1] IS NULL THEN
        RETURN;
    END IF;
    chunks := known.tuples;
    least := known.shares[cardinality(known.lexemes) + 1]::double precision * chunks;
    frequencies := ARRAY(
        SELECT CASE WHEN parsed.is_prefix[place] THEN (
                SELECT nullif(least(sum(known.shares[number]::double precision), 1), 0) * chunks FROM unnest(known.lexemes) WITH ORDINALITY AS common (name, number) WHERE starts_with(name, lexeme))
            ELSE known.shares[array_position(known.lexemes, lexeme)]::double precision * chunks END
        FROM unnest(parsed.lexemes) WITH ORDINALITY AS listed (lexeme, place) ORDER BY place);
    rare := ARRAY(SELECT place::integer FROM unnest(frequencies) WITH ORDINALITY AS listed (count, place) WHERE count IS NULL);
    IF cardinality(rare) * least > 3000 OR true = ANY (SELECT parsed.is_prefix[place] FROM unnest(rare) AS place) THEN
        FOREACH at IN ARRAY rare LOOP
            EXECUTE format('SELECT count(*) FROM (SELECT FROM %s AS c WHERE c.tsv @@ $1::tsquery LIMIT 3001) AS found', relation)
                INTO counted USING _passage.quoted_lexeme(parsed.lexemes[at]) || CASE WHEN parsed.is_prefix[at] THEN ':*' ELSE '' END;
            frequencies[at] := counted;
        END LOOP;
    ELSE
        FOREACH at IN ARRAY rare LOOP
            frequencies[at] := least;
        END LOOP;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.lexeme_counts(name, _passage.parsed_query) IS 'how many chunks have each lexeme of a query';

-- How rare lexemes are, by the number of chunks that have each.

CREATE FUNCTION _passage.rarities(chunks double precision, frequencies double precision[]) RETURNS double precision[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT ln(1.0::double precision + (chunks - least(frequency, chunks) + 0.5::double precision) / (least(frequency, chunks) + 0.5::double precision))
        FROM unnest(frequencies) WITH ORDINALITY AS listed (frequency, place) ORDER BY place)
$$;

COMMENT ON FUNCTION _passage.rarities(double precision, double precision[]) IS 'inverse document frequencies';

-- Ranks chunks by their words, each with its score. At most so many ids are returned.

CREATE FUNCTION _passage.text_search(store name, parsed _passage.parsed_query, filter jsonb, cosine text, requested integer, max_rows integer)
RETURNS _passage.text_ranking
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    counts CONSTANT record := _passage.lexeme_counts(store, parsed);
    plan _passage.subquery[] := _passage.plan_subqueries(parsed, counts.chunks, counts.frequencies, requested);
    clause CONSTANT text := _passage.filter_clause(store, filter, false, cosine);
    lexeme_count CONSTANT integer := cardinality(parsed.lexemes);
    result _passage.text_ranking;
    subquery _passage.subquery;
    word integer;
    lexeme integer;
    rows integer;
    rows_with integer[];
    counted double precision[] := array_fill(NULL::double precision, ARRAY[lexeme_count]);
    frequencies double precision[];
    chunks double precision;
    matched record;
    step integer := 0;
    is_open boolean;
    -- Most queries look for whole lexemes, which one pass over those of a chunk finds. A syllable begins several of them.
    occurrences CONSTANT text := CASE WHEN true = ANY (parsed.is_prefix) THEN $sql$
                SELECT sum(cardinality(array_positions(l.weights, 'D')))::integer AS length,
                    ARRAY(SELECT (q.number::integer - 1) * 65536 + CASE w.weight WHEN 'D' THEN 0 WHEN 'C' THEN 16384 WHEN 'B' THEN 32768 ELSE 49152 END + w.position
                        FROM unnest($1, $2) WITH ORDINALITY AS q (lexeme, is_prefix, number)
                        JOIN unnest(m.tsv) AS x (lexeme, positions, weights) ON x.lexeme = q.lexeme OR q.is_prefix AND starts_with(x.lexeme, q.lexeme)
                        CROSS JOIN LATERAL unnest(x.positions, x.weights) AS w (position, weight)
                        WHERE q.lexeme IS NOT NULL ORDER BY q.number, w.position) AS occurrences
                FROM unnest(m.tsv) AS l (lexeme, positions, weights)$sql$ ELSE $sql$
                SELECT sum(cardinality(array_positions(l.weights, 'D')))::integer AS length,
                    ('{' || coalesce(string_agg((
                        SELECT string_agg(((q.number::integer - 1) * 65536 + CASE w.weight WHEN 'D' THEN 0 WHEN 'C' THEN 16384 WHEN 'B' THEN 32768 ELSE 49152 END + w.position)::text, ',' ORDER BY w.position)
                        FROM unnest(l.positions, l.weights) AS w (position, weight)), ',' ORDER BY q.number) FILTER (WHERE q.number IS NOT NULL), '') || '}')::integer[] AS occurrences
                FROM unnest(m.tsv) AS l (lexeme, positions, weights) LEFT JOIN unnest($1, $2) WITH ORDINALITY AS q (lexeme, is_prefix, number) ON q.lexeme = l.lexeme$sql$ END;
    new_matches _passage.word_match[];
BEGIN
    result.matches := '{}';
    IF row_security_active(format('%I.chunks', store)::regclass) AND EXISTS (SELECT FROM unnest(plan) AS planned WHERE planned.step = 2) THEN
        -- Each subquery would apply the policy to all chunks again.
        plan := ARRAY(SELECT planned FROM unnest(plan) AS planned WHERE planned.step <> 1);
    END IF;
    FOREACH subquery IN ARRAY plan LOOP
        IF subquery.step <> step THEN
            step := subquery.step;
            is_open := step = 1 OR cardinality(result.matches) < CASE step WHEN 2 THEN greatest(requested, 750) ELSE requested END;
        END IF;
        CONTINUE WHEN NOT is_open;
        EXECUTE format($sql$
            SELECT array_agg((m.id, o.length, o.occurrences)::_passage.word_match), count(*)
            FROM (SELECT c.id, c.tsv FROM %1$I.chunks AS c%2$s%3$s AND c.tsv @@ %4$L::tsquery LIMIT %5$s) AS m
            CROSS JOIN LATERAL (%6$s
            ) AS o$sql$, store, CASE WHEN subquery.sample IS NOT NULL THEN format(' TABLESAMPLE system (%s) REPEATABLE (0)', least(subquery.sample, 100)) ELSE '' END,
            clause, subquery.query, subquery.max_rows, occurrences) INTO new_matches, rows USING parsed.lexemes, parsed.is_prefix;
        IF rows < subquery.max_rows THEN
            FOREACH word IN ARRAY subquery.complete LOOP
                FOREACH lexeme IN ARRAY parsed.words[word].whole || parsed.words[word].parts LOOP
                    counted[lexeme] := (SELECT count(*) FROM unnest(new_matches) AS m
                        WHERE EXISTS (SELECT FROM unnest(m.occurrences) AS occurrence WHERE occurrence / 65536 = lexeme - 1));
                END LOOP;
            END LOOP;
        END IF;
        result.matches := CASE WHEN cardinality(result.matches) = 0 THEN coalesce(new_matches, '{}') ELSE result.matches || ARRAY(
            SELECT m FROM unnest(new_matches) AS m WHERE m.id NOT IN (SELECT known.id FROM unnest(result.matches) AS known)) END;
    END LOOP;
    FOR i IN 1 .. lexeme_count LOOP
        frequencies[i] := coalesce(counted[i], counts.frequencies[i], (SELECT count(*) FROM unnest(result.matches) AS m
            WHERE EXISTS (SELECT FROM unnest(m.occurrences) AS occurrence WHERE occurrence / 65536 = i - 1)));
    END LOOP;
    result.frequencies := frequencies;
    chunks := greatest(coalesce(counts.chunks, cardinality(result.matches)), (SELECT max(frequency) FROM unnest(frequencies) AS frequency));
    result.idf := _passage.rarities(chunks, frequencies);
    SELECT array_agg(ranked.id ORDER BY place), array_agg(ranked.score ORDER BY place) INTO result.ids, result.scores
    FROM (
        SELECT scored.id, scored.score, row_number() OVER (ORDER BY scored.score DESC, scored.id) AS place
        FROM _passage.bm25_scores(parsed, result.matches, result.idf) AS scored ORDER BY place LIMIT max_rows
    ) AS ranked;
    result.ids := coalesce(result.ids, '{}');
    result.scores := coalesce(result.scores, '{}');
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.text_search(name, _passage.parsed_query, jsonb, text, integer, integer) IS 'chunks ranked by the words of a query';

-- A lexeme in the preamble, or as a part of a compound word, counts half of one in the content. Words that are near each
-- other in the query and in the chunk add to the score.

CREATE FUNCTION _passage.bm25_scores(parsed _passage.parsed_query, matches _passage.word_match[], idf double precision[], length_share double precision DEFAULT 0.75, section_weight double precision DEFAULT 1) RETURNS TABLE (id uuid, score double precision)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 2000
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    mean CONSTANT double precision := greatest((SELECT sum(m.length) FROM unnest(matches) AS m)::double precision / greatest(cardinality(matches), 1)::double precision, 1);
    pairs integer[] := '{}';
    match _passage.word_match;
    stretch double precision;
    counted double precision;
    lexeme integer;
    previous integer;
    code integer;
    near integer;
    best integer;
    first integer;
    second integer;
    i integer;
    j integer;
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
    FOREACH match IN ARRAY matches LOOP
        stretch := 1.0::double precision + length_share * (match.length::double precision / mean - 1.0::double precision);
        id := match.id;
        score := 0;
        previous := -1;
        counted := 0;
        FOREACH code IN ARRAY match.occurrences || 2147418112 LOOP
            lexeme := code >> 16;
            IF lexeme <> previous THEN
                IF counted > 0 THEN
                    score := score + idf[previous + 1] * counted * (1.2::double precision + 1.0::double precision) / (counted + 1.2::double precision * stretch);
                END IF;
                previous := lexeme;
                counted := 0;
            END IF;
            counted := counted + CASE (code >> 14) & 3 WHEN 0 THEN 1.0::double precision WHEN 2 THEN section_weight ELSE 0.5::double precision END;
        END LOOP;
        stretch := 0;
        FOR pair IN 0 .. cardinality(pairs) / 2 - 1 LOOP
            first := pairs[pair * 2 + 1];
            second := pairs[pair * 2 + 2];
            a := ARRAY(SELECT o FROM unnest(match.occurrences) AS o WHERE o >> 16 = first - 1);
            CONTINUE WHEN cardinality(a) = 0;
            b := ARRAY(SELECT o FROM unnest(match.occurrences) AS o WHERE o >> 16 = second - 1);
            best := NULL;
            i := 1;
            j := 1;
            WHILE i <= cardinality(a) AND j <= cardinality(b) LOOP
                near := abs((a[i] & 16383) - (b[j] & 16383));
                IF near BETWEEN 1 AND 8 AND (a[i] >> 14) & 3 = (b[j] >> 14) & 3 THEN
                    best := least(best, near);
                END IF;
                IF a[i] & 16383 <= b[j] & 16383 THEN
                    i := i + 1;
                ELSE
                    j := j + 1;
                END IF;
            END LOOP;
            IF best IS NOT NULL THEN
                stretch := stretch + 0.5::double precision * least(idf[first], idf[second]) / best::double precision;
            END IF;
        END LOOP;
        score := score + stretch;
        RETURN NEXT;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.bm25_scores(_passage.parsed_query, _passage.word_match[], double precision[], double precision, double precision) IS 'scores of chunks by BM25';

-- The share of the query that a chunk has; words count by their rarity.

CREATE FUNCTION _passage.coverage(parsed _passage.parsed_query, occurrences integer[], idf double precision[]) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    present CONSTANT integer[] := ARRAY(SELECT DISTINCT (occurrence >> 16) + 1 FROM unnest(occurrences) AS occurrence);
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

COMMENT ON FUNCTION _passage.coverage(_passage.parsed_query, integer[], double precision[]) IS 'share of a query that a chunk has';
