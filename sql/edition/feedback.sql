-- The order of hits by ratings, as in core/passages/src/search/feedback.rs and extension/src/search/legs.rs.

CREATE FUNCTION _passage.admitted_chunks(store name, ids uuid[], filter jsonb, embedding real[]) RETURNS uuid[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    admitted uuid[];
BEGIN
    EXECUTE format('SELECT coalesce(array_agg(c.id), ''{}'') FROM %I.chunks AS c%s AND c.id = ANY ($1)', store, _passage.filter_clause(store, filter, false,
        CASE WHEN filter ? 'min_similarity' THEN _passage.distance_expression(store, embedding, 'cosine') END)) INTO admitted USING ids;
    RETURN admitted;
END
$$;

COMMENT ON FUNCTION _passage.admitted_chunks(name, uuid[], jsonb, real[]) IS 'those of some chunks that pass a filter';

-- Reads what users said about chunks for similar questions. Chunks with the best votes may be added, unless the query requires or
-- excludes words.

CREATE FUNCTION _passage.with_feedback(store name, legs _passage.search_legs, embedding real[], filter jsonb) RETURNS _passage.search_legs
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    admitted uuid[];
BEGIN
    SELECT array_agg(r.chunk_id ORDER BY r.chunk_id), array_agg(r.vote ORDER BY r.chunk_id) INTO legs.rated, legs.votes
    FROM _passage.rated_chunks(store, CASE WHEN legs.by_text THEN legs.query END, CASE WHEN legs.by_vector THEN embedding END) AS r;
    IF legs.rated IS NOT NULL AND (NOT legs.by_text OR coalesce((legs.parsed).required, '') = '') THEN
        legs.preferred := ARRAY(
            SELECT r.id FROM unnest(legs.rated, legs.votes) AS r (id, vote) WHERE r.vote > 0 ORDER BY r.vote DESC, r.id LIMIT 10);
        admitted := _passage.admitted_chunks(store, legs.preferred, filter, embedding);
        legs.preferred := ARRAY(SELECT p.id FROM unnest(legs.preferred) WITH ORDINALITY AS p (id, place) WHERE p.id = ANY (admitted) ORDER BY p.place);
    END IF;
    RETURN legs;
END
$$;

COMMENT ON FUNCTION _passage.with_feedback(name, _passage.search_legs, real[], jsonb) IS 'rankings of a search with the ratings for similar questions';

CREATE FUNCTION _passage.ordered_by_votes(hits _passage.search_hit[], legs _passage.search_legs, weight double precision) RETURNS _passage.search_hit[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ids CONSTANT uuid[] := ARRAY(SELECT hit.id FROM unnest(hits) AS hit);
    ordered _passage.search_hit[];
BEGIN
    hits := coalesce(hits, '{}') || ARRAY(
        SELECT (added.id, coalesce((hits[cardinality(hits)]).score, 0), NULL, NULL, NULL, NULL)::_passage.search_hit
        FROM unnest(legs.preferred) WITH ORDINALITY AS added (id, place) WHERE added.id <> ALL (ids) ORDER BY added.place);
    WITH complete AS (
        SELECT m.id FROM unnest((legs.text).matches) AS m
        WHERE legs.by_text AND m.id IN (SELECT hit.id FROM unnest(hits) AS hit) AND _passage.coverage(legs.parsed, m.words, (legs.text).idf) >= 0.999999::double precision
    ),
    spread AS (
        SELECT CASE WHEN max(hit.score) > min(hit.score) THEN max(hit.score) - min(hit.score) ELSE 1 END AS distance FROM unnest(hits) AS hit
    ),
    rated AS MATERIALIZED (
        SELECT hit.*, hit.score + weight * coalesce(r.vote, 0) * spread.distance AS moved, hit.id IN (SELECT complete.id FROM complete) AS has_all_words
        FROM spread CROSS JOIN unnest(hits) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number)
        LEFT JOIN unnest(legs.rated, legs.votes) AS r (id, vote) ON r.id = hit.id
    ),
    kept AS (
        SELECT rated.number AS first, rated.score, (SELECT best.number FROM rated AS best WHERE best.has_all_words ORDER BY best.moved DESC, best.number LIMIT 1) AS front
        FROM rated WHERE rated.has_all_words ORDER BY rated.number LIMIT 1
    ),
    placed AS (
        SELECT rated.*, row_number() OVER (ORDER BY
            CASE WHEN rated.number = kept.front THEN greatest(rated.moved, kept.score)
                WHEN rated.number > kept.first AND NOT rated.has_all_words THEN least(rated.moved, kept.score) ELSE rated.moved END DESC,
            CASE WHEN rated.number < kept.first THEN 0 WHEN rated.number = kept.front THEN 1 ELSE 2 END, rated.moved DESC, rated.number) AS place
        FROM rated LEFT JOIN kept ON true
    )
    SELECT array_agg((placed.id, former.score, placed.vector_rank, placed.vector_score, placed.text_rank, placed.text_score)::_passage.search_hit ORDER BY placed.place)
    INTO ordered FROM placed JOIN rated AS former ON former.number = placed.place;
    RETURN ordered;
END
$$;

COMMENT ON FUNCTION _passage.ordered_by_votes(_passage.search_hit[], _passage.search_legs, double precision) IS 'hits in the order by their scores and votes';
