-- search_hits: hybrid search, as bare hits.
--
-- The embedding is real[], to which pgvector casts vector implicitly, so that no signature names a type
-- of pgvector.

CREATE FUNCTION passage.search_hits(
    query text DEFAULT NULL,
    embedding real[] DEFAULT NULL,
    collection text DEFAULT NULL,
    max_hits integer DEFAULT 10,
    filter jsonb DEFAULT NULL,
    ranking jsonb DEFAULT NULL,
    skip uuid[] DEFAULT NULL,
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
    content text,
    source_id text
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'search_hits_wrapper';

COMMENT ON FUNCTION passage.search_hits(text, real[], text, integer, jsonb, jsonb, uuid[], name) IS 'returns the chunks that answer a query by words, by embedding or by both, best first
query: words, "phrases" and -excluded words
embedding: vector of the query; at least one of query and embedding is needed
collection: the collection to search; NULL searches all
max_hits: maximum number of rows, 0 to 1000000, 10 by default
filter: the chunks to search, as passage.filter(kind => ''code'') or {"kind": ["code", "data"]}; NULL searches all
ranking: how hits are found and scored, as passage.ranking(mode => ''text'') or {"mode": "text"}, without score_by
skip: chunks that were shown already
store: schema of the store; NULL takes the setting passage.store (rag)';
