-- Search: the rankings by words and by embedding, their fusion and the order of the fused hits, as in
-- extension/src/search/legs.rs and core/passages/src/search/ fuse.rs, reorder.rs and query_name.rs.

CREATE TYPE _passage.search_hit AS (id uuid, score double precision, vector_rank integer, vector_score double precision, text_rank integer, text_score double precision);

-- The values of the hits of a ranking, scaled to 0 to 1, with a smaller term for the rank.

CREATE FUNCTION _passage.scaled_values(scores double precision[], floor double precision, weight double precision) RETURNS double precision[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    best CONSTANT double precision := (SELECT max(score) FROM unnest(scores) AS score);
    last CONSTANT double precision := least((SELECT min(score) FROM unnest(scores) AS score), floor);
BEGIN
    RETURN ARRAY(
        SELECT weight * (CASE WHEN best > last THEN least(greatest((score - last) / (best - last), 0), 1) ELSE 1.0::double precision END
            + 0.5::double precision * 10.0::double precision / (10.0::double precision + place::double precision))
        FROM unnest(scores) WITH ORDINALITY AS listed (score, place) ORDER BY place);
END
$$;

COMMENT ON FUNCTION _passage.scaled_values(double precision[], double precision, double precision) IS 'values of the hits of a ranking';

CREATE FUNCTION _passage.bare_name(name text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bare text COLLATE "C" := btrim(regexp_replace(name COLLATE "C", '\s+', ' ', 'g'));
BEGIN
    IF octet_length(bare) > length(bare) THEN
        bare := _passage.normalize_text(bare);
    END IF;
    bare := lower(bare COLLATE "default");
    bare := rtrim(btrim(rtrim(bare, ':.?!'), '"''`'), ':.?!');
    RETURN CASE WHEN right(bare, 2) = '()' THEN left(bare, -2) ELSE bare END;
END
$$;

COMMENT ON FUNCTION _passage.bare_name(text) IS 'name without quotes and punctuation';

-- The number of titles of the unit that a query names, NULL if it names none: a section, a symbol, or a file.

CREATE FUNCTION _passage.named_depth(name text, titles text[], section text[], uri text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bare text[];
    path CONSTANT text := lower(uri);
    sections CONSTANT text := array_to_string(section, ' ');
BEGIN
    IF strpos(name, '.') > 0 AND right(path, length(name)) = name AND (length(path) = length(name) OR substr(path, length(path) - length(name), 1) = '/') THEN
        RETURN 0;
    ELSIF strpos(lower(sections), split_part(titles[1], ' ', 1)) = 0 AND octet_length(sections) = length(sections) THEN
        -- Most sections have no such word.
        RETURN NULL;
    END IF;
    bare := ARRAY(SELECT _passage.bare_name(title) FROM unnest(section) WITH ORDINALITY AS listed (title, place) ORDER BY place);
    RETURN coalesce(array_position(bare, name), (
        SELECT min(first) + cardinality(titles) - 1 FROM generate_series(1, cardinality(bare) - cardinality(titles) + 1) AS first WHERE bare[first:first + cardinality(titles) - 1] = titles));
END
$$;

COMMENT ON FUNCTION _passage.named_depth(text, text[], text[], text) IS 'number of titles of the unit that a query names';

-- The rankings of a search, from which hits are made for any smaller number of candidates.

CREATE TYPE _passage.search_legs AS (
    query text, parsed _passage.parsed_query, vector_ids uuid[], vector_scores double precision[], text _passage.text_ranking, by_vector boolean, by_text boolean, max_rows integer,
    -- The chunks that were rated for similar questions with their votes, and those that may be added.
    rated uuid[], votes double precision[], preferred uuid[]
);

CREATE FUNCTION _passage.read_legs(store name, query text, embedding real[], filter jsonb, ranking jsonb, max_rows integer, max_words integer) RETURNS _passage.search_legs
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    mode CONSTANT text := ranking ->> 'mode';
    legs _passage.search_legs;
    nearest record;
    cosine text;
    unmatched integer[];
    corrected _passage.parsed_query;
BEGIN
    IF filter ? 'min_similarity' AND embedding IS NULL THEN
        PERFORM _passage.refuse_argument('"min_similarity" requires the argument "embedding"', 'Pass embedding => ..., the vector of the query, or omit "min_similarity".');
    ELSIF mode <> 'text' AND embedding IS NULL THEN
        PERFORM _passage.refuse_argument(format('mode "%s" requires the argument "embedding"', mode), format('Pass embedding => ..., the vector of the query, or omit mode "%s".', mode));
    ELSIF mode <> 'vector' AND query IS NULL THEN
        PERFORM _passage.refuse_argument(format('mode "%s" requires the argument "query"', mode), format('Pass query => ..., the words of the query, or omit mode "%s".', mode));
    END IF;
    legs.query := query;
    legs.by_vector := embedding IS NOT NULL AND mode IS DISTINCT FROM 'text';
    legs.by_text := query IS NOT NULL AND mode IS DISTINCT FROM 'vector';
    legs.max_rows := max_rows;
    IF legs.by_vector THEN
        nearest := _passage.vector_search(store, embedding, filter, max_rows);
        legs.vector_ids := nearest.ids;
        legs.vector_scores := nearest.scores;
    END IF;
    IF legs.by_text THEN
        legs.parsed := _passage.parse_query(store, query);
        cosine := CASE WHEN filter ? 'min_similarity' THEN _passage.distance_expression(store, embedding, 'cosine') END;
        legs.text := _passage.text_search(store, legs.parsed, filter, cosine, max_rows, max_words);
        unmatched := _passage.unmatched_words(legs.parsed, ARRAY(SELECT count > 0 FROM unnest((legs.text).frequencies) WITH ORDINALITY AS listed (count, place) ORDER BY place));
        IF cardinality(unmatched) > 0 THEN
            corrected := _passage.corrected_query(store, legs.parsed, filter, unmatched, cardinality((legs.text).ids) = 0);
            IF corrected.lexemes IS NOT NULL THEN
                legs.parsed := corrected;
                legs.text := _passage.text_search(store, corrected, filter, cosine, max_rows, max_words);
            END IF;
        END IF;
    END IF;
    IF max_rows > 0 AND (ranking ->> 'feedback')::double precision > 0 THEN
        legs := _passage.with_feedback(store, legs, embedding, filter);
    END IF;
    IF max_rows > 0 AND (legs.by_vector OR legs.by_text) AND coalesce(cardinality(legs.vector_ids), 0) + coalesce(cardinality((legs.text).ids), 0) + coalesce(cardinality(legs.preferred), 0) = 0 THEN
        PERFORM _passage.explain_nothing(store, filter, CASE WHEN legs.by_text THEN query END, legs.by_vector);
    END IF;
    RETURN legs;
END
$$;

COMMENT ON FUNCTION _passage.read_legs(name, text, real[], jsonb, jsonb, integer, integer) IS 'rankings of a search';

-- The documents and the ordinals of hits, and what may name them. The names of the statement are found as in
-- _passage.read_claims.

CREATE FUNCTION _passage.hit_places(store name, hits _passage.search_hit[]) RETURNS TABLE (number bigint, document_id uuid, ordinal integer, section text[], uri text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 50
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
AS $$
#variable_conflict use_column
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN QUERY
        WITH chunks AS NOT MATERIALIZED (SELECT c.id::uuid, c.document_id::uuid, c.ordinal::integer, c.section::text[] FROM chunks AS c),
        documents AS NOT MATERIALIZED (SELECT d.id::uuid, d.uri::text FROM documents AS d)
        SELECT hit.number, c.document_id, c.ordinal, c.section, d.uri
        FROM pg_catalog.unnest(hits) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number)
        JOIN chunks AS c ON c.id = hit.id LEFT JOIN documents AS d ON d.id = c.document_id;
END
$$;

COMMENT ON FUNCTION _passage.hit_places(name, _passage.search_hit[]) IS 'where hits are';

CREATE FUNCTION _passage.fused_hits(store name, legs _passage.search_legs, ranking jsonb, max_rows integer, skip uuid[]) RETURNS _passage.search_hit[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rows CONSTANT integer := least(legs.max_rows, max_rows);
    vector_ids CONSTANT uuid[] := CASE WHEN legs.by_vector THEN legs.vector_ids[:rows] ELSE '{}' END;
    vector_scores CONSTANT double precision[] := CASE WHEN legs.by_vector THEN legs.vector_scores[:rows] ELSE '{}' END;
    text_ids CONSTANT uuid[] := CASE WHEN legs.by_text THEN (legs.text).ids[:rows] ELSE '{}' END;
    text_scores CONSTANT double precision[] := CASE WHEN legs.by_text THEN (legs.text).scores[:rows] ELSE '{}' END;
    vector_weight CONSTANT double precision := coalesce((ranking ->> 'vector_weight')::double precision, 1);
    text_weight CONSTANT double precision := coalesce((ranking ->> 'text_weight')::double precision, 1);
    rrf_k CONSTANT double precision := ranking ->> 'rrf_k';
    is_fused CONSTANT boolean := legs.by_vector AND legs.by_text;
    hits _passage.search_hit[];
    coverages jsonb := '{}';
    best_coverage double precision := 0;
    vector_values double precision[];
    text_values double precision[];
    name text;
    titles text[];
    named_ids uuid[];
    best double precision;
BEGIN
    IF is_fused AND rrf_k IS NULL THEN
        SELECT jsonb_object_agg(covered.id, covered.coverage), max(covered.coverage) INTO coverages, best_coverage
        FROM (SELECT m.id, _passage.coverage(legs.parsed, m.words, (legs.text).idf) AS coverage FROM unnest((legs.text).matches) AS m WHERE m.id = ANY (vector_ids || text_ids)) AS covered;
        coverages := coalesce(coverages, '{}');
        vector_values := _passage.scaled_values(vector_scores, NULL, vector_weight);
        text_values := _passage.scaled_values(text_scores, CASE WHEN cardinality(text_ids) < rows THEN 0 END, 1.5::double precision * greatest(coalesce(best_coverage, 0), 0) * text_weight);
    ELSE
        vector_values := ARRAY(SELECT CASE WHEN is_fused THEN vector_weight ELSE 1 END / (CASE WHEN is_fused THEN rrf_k ELSE 0 END + place::double precision) FROM unnest(vector_ids) WITH ORDINALITY AS listed (id, place) ORDER BY place);
        text_values := ARRAY(SELECT CASE WHEN is_fused THEN text_weight ELSE 1 END / (CASE WHEN is_fused THEN rrf_k ELSE 0 END + place::double precision) FROM unnest(text_ids) WITH ORDINALITY AS listed (id, place) ORDER BY place);
    END IF;
    SELECT array_agg((fused.id, CASE WHEN is_fused THEN fused.value ELSE coalesce(fused.vector_score, fused.text_score) END, fused.vector_rank, fused.vector_score, fused.text_rank, fused.text_score)::_passage.search_hit
        ORDER BY fused.value DESC, least(fused.vector_rank, fused.text_rank), fused.vector_rank NULLS LAST, fused.text_rank NULLS LAST)
    INTO hits
    FROM (
        SELECT id, coalesce(v.value, 0) + coalesce(t.value, 0) AS value, v.rank::integer AS vector_rank, v.score AS vector_score, t.rank::integer AS text_rank, t.score AS text_score
        FROM (SELECT * FROM unnest(vector_ids, vector_scores, vector_values) WITH ORDINALITY AS listed (id, score, value, rank) WHERE NOT is_fused OR rrf_k IS NOT NULL AND vector_weight > 0 OR rrf_k IS NULL AND vector_weight > 0) AS v
        FULL JOIN (SELECT * FROM unnest(text_ids, text_scores, text_values) WITH ORDINALITY AS listed (id, score, value, rank)
            WHERE NOT is_fused OR CASE WHEN rrf_k IS NOT NULL THEN text_weight > 0 ELSE text_weight * best_coverage > 0 END) AS t USING (id)
    ) AS fused;
    IF hits IS NULL AND coalesce(cardinality(legs.preferred), 0) = 0 THEN
        RETURN '{}';
    END IF;
    IF is_fused AND rrf_k IS NULL AND hits IS NOT NULL AND vector_weight > 0 AND text_weight > 0 THEN
        WITH placed AS MATERIALIZED (
            SELECT hit.*, c.document_id, c.ordinal, least(text_weight / vector_weight, 1) * coalesce((coverages ->> hit.id::text)::double precision, 0) AS coverage
            FROM unnest(hits) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number) LEFT JOIN _passage.hit_places(store, hits) AS c USING (number)
        ), evidence AS (
            SELECT placed.*, greatest(0, (SELECT max(near.score) FROM placed AS near WHERE near.document_id = placed.document_id AND near.ordinal::bigint IN (placed.ordinal::bigint - 1, placed.ordinal::bigint + 1))) AS neighbor,
                greatest(0, max(placed.score) OVER ()) AS best_score, greatest(0, max(placed.coverage) OVER ()) AS highest
            FROM placed
        ), ordered AS (
            -- The eighth power as core multiplies it; power differs in the last digit.
            SELECT evidence.*, evidence.score + (0.45::double precision * (1.0::double precision - fourth.power * fourth.power) * evidence.neighbor + 0.25::double precision * evidence.best_score * evidence.coverage) AS new_score
            FROM evidence CROSS JOIN LATERAL (SELECT evidence.highest * evidence.highest) AS second (power) CROSS JOIN LATERAL (SELECT second.power * second.power) AS fourth (power)
        )
        SELECT array_agg((id, new_score, vector_rank, vector_score, text_rank, text_score)::_passage.search_hit ORDER BY new_score DESC, number) INTO hits FROM ordered;
    END IF;
    IF cardinality(legs.rated) > 0 THEN
        hits := _passage.ordered_by_votes(hits, legs, (ranking ->> 'feedback')::double precision);
    END IF;
    IF legs.by_text AND octet_length(legs.query) <= 1024 AND cardinality(ARRAY(SELECT regexp_matches(legs.query, '\S+', 'g'))) <= 8 THEN
        -- A name asks for the unit that has it, in the order of the document.
        name := _passage.bare_name(legs.query);
        titles := ARRAY(SELECT btrim(part) FROM regexp_split_to_table(name, '::|->|\.|#') WITH ORDINALITY AS listed (part, place) WHERE btrim(part) <> '' ORDER BY place);
        IF cardinality(titles) > 0 AND name ~ '[[:alnum:]]' THEN
            SELECT array_agg(found.id ORDER BY found.unit_rank, found.ordinal) INTO named_ids
            FROM (
                SELECT hit.id, c.ordinal, min(number) OVER (PARTITION BY c.document_id, c.section[:named.depth]) AS unit_rank
                FROM unnest(hits) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number) JOIN _passage.hit_places(store, hits) AS c USING (number)
                CROSS JOIN LATERAL (SELECT _passage.named_depth(name, titles, c.section, c.uri)) AS named (depth)
                WHERE named.depth IS NOT NULL
            ) AS found;
            IF named_ids IS NOT NULL THEN
                best := (SELECT greatest(0, max(hit.score)) FROM unnest(hits) AS hit);
                hits := ARRAY(
                    SELECT (hit.id, CASE WHEN named.place IS NULL THEN hit.score ELSE best * (2.0::double precision - (named.place - 1)::double precision / cardinality(named_ids)::double precision) END,
                        hit.vector_rank, hit.vector_score, hit.text_rank, hit.text_score)::_passage.search_hit
                    FROM unnest(hits) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number)
                    LEFT JOIN unnest(named_ids) WITH ORDINALITY AS named (id, place) USING (id) ORDER BY named.place NULLS LAST, hit.number);
            END IF;
        END IF;
    END IF;
    RETURN ARRAY(SELECT (hit.id, hit.score, hit.vector_rank, hit.vector_score, hit.text_rank, hit.text_score)::_passage.search_hit
        FROM unnest(hits) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number) WHERE hit.id <> ALL (skip) ORDER BY hit.number);
END
$$;

COMMENT ON FUNCTION _passage.fused_hits(name, _passage.search_legs, jsonb, integer, uuid[]) IS 'hits of a search, best first';
