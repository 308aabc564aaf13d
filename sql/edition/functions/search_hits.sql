CREATE FUNCTION _passage.list_chunks(store name, ids uuid[]) RETURNS TABLE (
    chunk_id uuid, document_id uuid, uri text, title text, section text[], tokens integer, content text, source_id text
) LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN QUERY
        WITH chunks AS NOT MATERIALIZED (SELECT c.id::uuid, c.document_id::uuid, c.section::text[], c.tokens::integer, c.content::text FROM chunks AS c),
        documents AS NOT MATERIALIZED (SELECT d.id::uuid, d.uri::text, d.title::text FROM documents AS d)
        SELECT c.id, c.document_id, d.uri, d.title, c.section, coalesce(c.tokens, (pg_catalog.char_length(c.content) + 3) / 4), c.content, NULL::text
        FROM pg_catalog.unnest(ids) AS listed (id) JOIN chunks AS c ON c.id = listed.id LEFT JOIN documents AS d ON d.id = c.document_id;
END
$$;

COMMENT ON FUNCTION _passage.list_chunks(name, uuid[]) IS 'chunks as a list of hits shows them';

CREATE FUNCTION _passage.hit_rows(query text, embedding real[], collection text, max_hits integer, filter jsonb, ranking jsonb, skip uuid[], store name) RETURNS TABLE (
    rank integer, chunk_id uuid, document_id uuid, uri text, title text, section text[], score double precision, vector_rank integer, vector_score double precision,
    text_rank integer, text_score double precision, tokens integer, content text, source_id text
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    schema CONSTANT name := _passage.store_name(store);
    requested CONSTANT integer := _passage.check_limit('max_hits', coalesce(max_hits, 10));
    ranked CONSTANT jsonb := _passage.read_group('ranking', ranking, '{score_by}');
    filtered CONSTANT jsonb := _passage.read_filter(collection, filter);
    shown CONSTANT uuid[] := ARRAY(SELECT DISTINCT listed FROM unnest(skip) AS listed WHERE listed IS NOT NULL);
    candidates CONSTANT integer := least(coalesce((ranked ->> 'candidates')::integer, greatest(requested * 3, 30)) + cardinality(shown), 2147483647);
    hits _passage.search_hit[];
BEGIN
    PERFORM _passage.store_must_be_readable(schema);
    hits := _passage.fused_hits(schema, _passage.read_legs(schema, query, embedding, filtered, ranked, candidates, candidates), ranked, candidates, shown);
    RETURN QUERY
        SELECT row_number() OVER (ORDER BY hit.number)::integer, c.chunk_id, c.document_id, c.uri, c.title, c.section, hit.score, hit.vector_rank, hit.vector_score, hit.text_rank, hit.text_score,
            c.tokens, c.content, c.source_id
        FROM unnest(hits) WITH ORDINALITY AS hit (id, score, vector_rank, vector_score, text_rank, text_score, number)
        JOIN _passage.list_chunks(schema, ARRAY(SELECT listed.id FROM unnest(hits[:requested]) AS listed)) AS c ON c.chunk_id = hit.id
        WHERE hit.number <= requested ORDER BY hit.number;
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(schema);
    RAISE;
END
$$;

COMMENT ON FUNCTION _passage.hit_rows(text, real[], text, integer, jsonb, jsonb, uuid[], name) IS 'hits of a search with their chunks';

-- twin: search_hits_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM _passage.hit_rows(search_hits.query, search_hits.embedding, search_hits.collection, search_hits.max_hits, search_hits.filter, search_hits.ranking, search_hits.skip, search_hits.store);
END;
