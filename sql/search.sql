-- search and search_hits: hybrid search, as passages and as bare hits.
--
-- What is NULL is not asked. Of the embedding only real[] is taken, to which pgvector casts vector.

CREATE FUNCTION passage.search_hits(
    query text DEFAULT NULL,
    embedding real[] DEFAULT NULL,
    mode text DEFAULT NULL,
    max_hits integer DEFAULT 10,
    candidates integer DEFAULT NULL,
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    uri_pattern text DEFAULT NULL,
    media_type text DEFAULT NULL,
    kind text DEFAULT NULL,
    path text DEFAULT NULL,
    metadata jsonb DEFAULT NULL,
    min_similarity double precision DEFAULT NULL,
    include_orphaned boolean DEFAULT false,
    vector_weight double precision DEFAULT 1,
    text_weight double precision DEFAULT 1,
    rrf_k integer DEFAULT 60,
    store name DEFAULT NULL
) RETURNS TABLE (
    rank integer,
    chunk_id uuid,
    document_id uuid,
    uri text,
    title text,
    section text[],
    score double precision,
    vector_rank integer,
    vector_score double precision,
    text_rank integer,
    text_score double precision,
    tokens integer,
    content text
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'search_hits_wrapper';

COMMENT ON FUNCTION passage.search_hits(text, real[], text, integer, integer, text, text, text, text, text, text, jsonb, double precision, boolean, double precision, double precision, integer, name) IS 'chunks that answer a query by words, by embedding or by both, best first';

CREATE FUNCTION passage.search(
    query text DEFAULT NULL,
    embedding real[] DEFAULT NULL,
    mode text DEFAULT NULL,
    max_passages integer DEFAULT 10,
    candidates integer DEFAULT NULL,
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    uri_pattern text DEFAULT NULL,
    media_type text DEFAULT NULL,
    kind text DEFAULT NULL,
    path text DEFAULT NULL,
    metadata jsonb DEFAULT NULL,
    min_similarity double precision DEFAULT NULL,
    include_orphaned boolean DEFAULT false,
    vector_weight double precision DEFAULT 1,
    text_weight double precision DEFAULT 1,
    rrf_k integer DEFAULT 60,
    strategy text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    max_distance integer DEFAULT 3,
    score_by text DEFAULT 'max',
    order_by text DEFAULT 'score',
    separator text DEFAULT NULL,
    gaps text DEFAULT NULL,
    imports boolean DEFAULT false,
    mark_start text DEFAULT NULL,
    mark_end text DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    rank integer,
    score double precision,
    document_id uuid,
    collection text,
    version text,
    uri text,
    title text,
    media_type text,
    section text[],
    content text,
    tokens bigint,
    chunk_ids uuid[],
    hit_ids uuid[],
    first_line integer,
    last_line integer,
    spans int4range[],
    citations jsonb,
    truncated boolean,
    complete boolean,
    metadata jsonb
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'search_wrapper';

COMMENT ON FUNCTION passage.search(text, real[], text, integer, integer, text, text, text, text, text, text, jsonb, double precision, boolean, double precision, double precision, integer, text, integer, integer, integer, text, text, text, text, boolean, text, text, name) IS 'passages that answer a query by words, by embedding or by both, best first';
