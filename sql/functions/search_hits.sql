-- search_hits: hybrid search, as bare hits.
--
-- The embedding is real[], to which pgvector casts vector implicitly, so that no signature names a type
-- of pgvector. An argument that is NULL does not filter.

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
    rrf_k integer DEFAULT NULL,
    store name DEFAULT NULL,
    filter jsonb DEFAULT NULL
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
    content text,
    source_id text
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'search_hits_wrapper';

COMMENT ON FUNCTION passage.search_hits(text, real[], text, integer, integer, text, text, text, text, text, text, jsonb, double precision, boolean, double precision, double precision, integer, name, jsonb) IS 'returns the chunks that answer a query by words, by embedding or by both, best first
query: words, "phrases" and -excluded words; embedding: vector of the query; at least one of them
mode: vector, text or hybrid; NULL takes what query and embedding allow
max_hits: maximum number of rows, 10 by default; candidates: hits of each ranking, by default three times max_hits and at least 30
collection, version, media_type, kind: equal to the value; media_type also text/*, version also latest and patterns such as 8.*; NULL does not filter
uri_pattern: pattern of LIKE; path: lquery of the section; NULL does not filter
metadata: contained in the metadata of document and chunk together, or conditions on them as in {"year": {"$gte": 2020}}; NULL does not filter
min_similarity: least cosine similarity, -1 to 1; NULL does not filter
include_orphaned: whether documents whose source is missing are searched, false by default
vector_weight, text_weight: weights of the two rankings, 0 to 1000000, 1 by default; rrf_k: constant of reciprocal rank fusion; NULL fuses by scores
store: schema of the store; NULL takes the setting passage.store (rag)
filter: object with filters by name, as in {"kind": ["code", "data"]}; also uri; a list means any of its values';
