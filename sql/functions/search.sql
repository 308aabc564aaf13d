-- search: hybrid search, as passages.
--
-- The arguments are those of search_hits, and how hits become passages.

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
    rrf_k integer DEFAULT NULL,
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
    store name DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    filter jsonb DEFAULT NULL
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
    tokens integer,
    chunk_ids uuid[],
    hit_ids uuid[],
    first_line integer,
    last_line integer,
    spans int4range[],
    citations jsonb,
    truncated boolean,
    complete boolean,
    metadata jsonb,
    source_ids text[]
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'search_wrapper';

COMMENT ON FUNCTION passage.search(text, real[], text, integer, integer, text, text, text, text, text, text, jsonb, double precision, boolean, double precision, double precision, integer, text, integer, integer, integer, text, text, text, text, boolean, text, text, name, jsonb, jsonb) IS 'returns the passages that answer a query by words, by embedding or by both, best first
query: words, "phrases" and -excluded words; embedding: vector of the query; at least one of them
mode: vector, text or hybrid; NULL takes what query and embedding allow
max_passages: maximum number of rows, 10 by default; candidates: hits of each ranking, by default three times max_passages and at least 30
collection, version, media_type, kind: equal to the value; media_type also text/*, version also latest and patterns such as 8.*; NULL does not filter
uri_pattern: pattern of LIKE; path: lquery of the section; NULL does not filter
metadata: contained in the metadata of document and chunk together, or conditions on them as in {"year": {"$gte": 2020}}; NULL does not filter
min_similarity: least cosine similarity, -1 to 1; NULL does not filter
include_orphaned: whether documents whose source is missing are searched, false by default
vector_weight, text_weight: weights of the two rankings, 0 to 1000000, 1 by default; rrf_k: constant of reciprocal rank fusion; NULL fuses by scores
strategy: a name that passage.strategies() lists; NULL takes the setting passage.strategy (auto)
max_tokens: maximum number of tokens of hits and context together, 0 to 1000000, 0 for no limit; NULL takes that of the strategy, else the setting passage.max_tokens (4096)
max_chunks: maximum number of hits and context chunks, 0 to 1000000; NULL takes that of the strategy
max_distance: maximum number of ordinals between hits of one passage, 3 by default; NULL makes one passage of a document
score_by: max, mean, sum or rank, max by default; order_by: score or document, score by default
separator: text between chunks that do not touch; NULL takes that of the media type
gaps: comment marks omitted text, by a comment in code and data and by [...] in prose; none does not; NULL marks code and prose
imports: whether to add the imports that a passage uses, false by default
mark_start, mark_end: texts around each hit, none by default
store: schema of the store; NULL takes the setting passage.store (rag)
limits: object with limits of the strategy by name, as in {"parents": 2}; also max_passage_tokens, maximum number of tokens of the context of a hit, 0 for no limit, and context_share, share of the budget that is kept for context, 0 to 1, by default 0.5 if the call names a strategy other than auto or a number of chunks, else 0
filter: object with filters by name, as in {"kind": ["code", "data"]}; also uri; a list means any of its values';
