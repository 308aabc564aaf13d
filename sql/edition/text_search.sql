-- Search by words, as in extension/src/store/search/ text_search.rs and match_reader.rs.

CREATE TYPE _passage.text_ranking AS (ids uuid[], scores double precision[], matches _passage.matched_chunk[], idf double precision[], frequencies double precision[]);

-- Ranks chunks by their words, each with its score. At most so many ids are returned. Like the native extension it never reads
-- all chunks while an index finds some.

CREATE FUNCTION _passage.text_search(store name, parsed _passage.parsed_query, filter jsonb, cosine text, requested integer, max_rows integer)
RETURNS _passage.text_ranking
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET max_parallel_workers_per_gather = 0
AS $$
DECLARE
    counts CONSTANT record := _passage.lexeme_counts(store, parsed);
    plan _passage.subquery[] := _passage.plan_subqueries(parsed, counts.chunks, counts.frequencies, requested);
    clause CONSTANT text := _passage.filter_clause(store, filter, false, cosine);
    keys CONSTANT text[] := _passage.lexeme_keys(parsed.lexemes);
    result _passage.text_ranking;
    subquery _passage.subquery;
    word integer;
    lexeme integer;
    rows integer;
    -- The number of rows with each lexeme, and of all chunks with each one whose chunks were all read.
    rows_with integer[];
    counted double precision[] := array_fill(NULL::double precision, ARRAY[cardinality(keys)]);
    chunks double precision;
    step integer := 0;
    is_open boolean;
    -- Most queries look for whole lexemes: all others of a chunk are deleted. A syllable begins several of them.
    words CONSTANT text := CASE WHEN true = ANY (parsed.is_prefix) THEN $sql$
                (SELECT coalesce(string_agg(' ' || _passage.quoted_lexeme(q.lexeme) || ':' || (
                    SELECT string_agg(w.position || coalesce(nullif(w.weight, 'D'), ''), ',' ORDER BY w.position)
                    FROM unnest(m.tsv) AS x (lexeme, positions, weights) CROSS JOIN LATERAL unnest(x.positions, x.weights) AS w (position, weight)
                    WHERE x.lexeme = q.lexeme OR q.is_prefix AND starts_with(x.lexeme, q.lexeme)), ''), '') || ' ' FROM unnest($1, $2) AS q (lexeme, is_prefix))$sql$
        ELSE $sql$' ' || ts_delete(m.tsv, tsvector_to_array(ts_delete(m.tsv, $1)))::text || ' '$sql$ END;
    new_matches _passage.matched_chunk[];
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
        -- The planner needs the words and the filter to choose indexes, so the statement has them as literals; the native extension
        -- also plans it at each call. PostgreSQL divides a rank by the number of positions on request, so the quotient of two
        -- ranks is this number. Two lexemes that no chunk has give a rank that is not 0.
        EXECUTE format($sql$
            SELECT array_agg((w.id, w.length, w.words)::_passage.matched_chunk), count(*), ARRAY[%7$s]::integer[]
            FROM (
                SELECT m.id, coalesce(round(ts_rank(m.content, $3)::double precision / nullif(ts_rank(m.content, $3, 2), 0)), 0)::integer AS length, %6$s AS words
                FROM (
                    SELECT c.id, c.tsv, ts_filter(c.tsv, '{d}') AS content FROM (SELECT c.id, c.tsv FROM %1$I.chunks AS c%2$s%3$s AND c.tsv @@ %4$L::tsquery LIMIT %5$s) AS c OFFSET 0
                ) AS m OFFSET 0
            ) AS w$sql$, store, CASE WHEN subquery.sample IS NOT NULL THEN format(' TABLESAMPLE system (%s) REPEATABLE (0)', least(subquery.sample, 100)) ELSE '' END,
            clause, subquery.query, subquery.max_rows, words, (SELECT string_agg(format('count(*) FILTER (WHERE strpos(w.words, %L) > 0)', key), ', ' ORDER BY place) FROM unnest(keys) WITH ORDINALITY AS listed (key, place)))
            INTO new_matches, rows, rows_with USING parsed.lexemes, parsed.is_prefix, $q$' ' & '  '$q$::tsquery;
        IF rows < subquery.max_rows THEN
            FOREACH word IN ARRAY subquery.complete LOOP
                FOREACH lexeme IN ARRAY parsed.words[word].whole || parsed.words[word].parts LOOP
                    counted[lexeme] := rows_with[lexeme];
                END LOOP;
            END LOOP;
        END IF;
        result.matches := CASE WHEN cardinality(result.matches) = 0 THEN coalesce(new_matches, '{}') ELSE result.matches || ARRAY(
            SELECT m FROM unnest(new_matches) AS m WHERE m.id NOT IN (SELECT known.id FROM unnest(result.matches) AS known)) END;
    END LOOP;
    result.frequencies := ARRAY(
        SELECT coalesce(counted[place], counts.frequencies[place], (SELECT count(*) FROM unnest(result.matches) AS m WHERE strpos(m.words, key) > 0))
        FROM unnest(keys) WITH ORDINALITY AS listed (key, place) ORDER BY place);
    chunks := greatest(coalesce(counts.chunks, cardinality(result.matches)), (SELECT max(frequency) FROM unnest(result.frequencies) AS frequency));
    result.idf := _passage.rarities(chunks, result.frequencies);
    SELECT coalesce(array_agg(scored.id ORDER BY scored.score DESC, scored.id), '{}'), coalesce(array_agg(scored.score ORDER BY scored.score DESC, scored.id), '{}')
    INTO result.ids, result.scores
    FROM (SELECT * FROM _passage.chunk_scores(parsed, result.matches, result.idf, max_rows) AS one ORDER BY one.score DESC, one.id LIMIT max_rows) AS scored;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.text_search(name, _passage.parsed_query, jsonb, text, integer, integer) IS 'chunks ranked by the words of a query';
