-- ranking: the constructor of the argument, written from core/passages/src/arguments/definitions.rs.

CREATE FUNCTION passage.ranking(
    mode text DEFAULT NULL,
    candidates integer DEFAULT NULL,
    vector_weight double precision DEFAULT NULL,
    text_weight double precision DEFAULT NULL,
    rrf_k integer DEFAULT NULL,
    score_by text DEFAULT NULL,
    feedback double precision DEFAULT NULL
) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'mode', ranking.mode,
        'candidates', ranking.candidates,
        'vector_weight', ranking.vector_weight,
        'text_weight', ranking.text_weight,
        'rrf_k', ranking.rrf_k,
        'score_by', ranking.score_by,
        'feedback', ranking.feedback));

COMMENT ON FUNCTION passage.ranking(text, integer, double precision, double precision, integer, text, double precision) IS 'returns the argument ranking: how hits are found and scored
mode: the rankings to use, by default those that query and embedding allow; vector, text or hybrid
candidates: hits of each ranking, by default three times the number of results and at least 30; 0 to 1000000
vector_weight: weight of the vector ranking, 1 by default; 0 to 1000000
text_weight: weight of the text ranking, 1 by default; 0 to 1000000
rrf_k: constant of reciprocal rank fusion; by default scores are fused; 0 to 1000000
score_by: the score of a passage from those of its hits, max by default; max, mean, sum or rank
feedback: weight of the ratings of chunks for similar questions, 0 by default; 0 to 1';
