-- Subqueries: the chunks that are worth ranking for the words of a query, as in core/passages/src/search/subqueries.rs, which explains
-- the rules, and extension/src/store/search/frequencies.rs.

-- A query for chunks, with its limit, the share of chunks that it reads in percent, NULL for all by the index, and the words
-- whose chunks it counts. Queries of one step run together.

CREATE TYPE _passage.subquery AS (step integer, query text, max_rows integer, sample double precision, complete integer[]);

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

-- How many chunks match each query, up to 3,001. The names of the statement are found as in _passage.read_claims.

CREATE FUNCTION _passage.match_counts(store name, queries text[]) RETURNS double precision[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET max_parallel_workers_per_gather = 0
AS $$
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN ARRAY(
        SELECT (SELECT pg_catalog.count(*) FROM (SELECT FROM chunks AS c WHERE c.tsv::tsvector OPERATOR(pg_catalog.@@) asked.query::tsquery LIMIT 3001) AS found)
        FROM pg_catalog.unnest(queries) WITH ORDINALITY AS asked (query, place) ORDER BY asked.place);
END
$$;

COMMENT ON FUNCTION _passage.match_counts(name, text[]) IS 'how many chunks match each query';

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
    counted double precision[];
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
                SELECT CASE WHEN sum(known.shares[number]) > 0 THEN least(sum(known.shares[number]::double precision), 1) * chunks END FROM unnest(known.lexemes) WITH ORDINALITY AS common (name, number) WHERE starts_with(name, lexeme))
            ELSE known.shares[array_position(known.lexemes, lexeme)]::double precision * chunks END
        FROM unnest(parsed.lexemes) WITH ORDINALITY AS listed (lexeme, place) ORDER BY place);
    rare := ARRAY(SELECT place::integer FROM unnest(frequencies) WITH ORDINALITY AS listed (count, place) WHERE count IS NULL);
    IF cardinality(rare) * least > 3000 OR true = ANY (SELECT parsed.is_prefix[place] FROM unnest(rare) AS place) THEN
        counted := _passage.match_counts(store, ARRAY(
            SELECT _passage.quoted_lexeme(parsed.lexemes[place]) || CASE WHEN parsed.is_prefix[place] THEN ':*' ELSE '' END FROM unnest(rare) WITH ORDINALITY AS listed (place, number) ORDER BY number));
    ELSE
        counted := array_fill(least, ARRAY[cardinality(rare)]);
    END IF;
    FOR i IN 1 .. cardinality(rare) LOOP
        frequencies[rare[i]] := counted[i];
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.lexeme_counts(name, _passage.parsed_query) IS 'how many chunks have each lexeme of a query';
