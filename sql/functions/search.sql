-- search: hybrid search, as passages.
--
-- The groups of arguments are JSON objects, whose keys passage-core defines: see filter.sql, limits.sql, ranking.sql and output.sql.

CREATE FUNCTION passage.search(
    query text DEFAULT NULL,
    embedding real[] DEFAULT NULL,
    collection text DEFAULT NULL,
    max_passages integer DEFAULT 10,
    max_tokens integer DEFAULT NULL,
    strategy text DEFAULT NULL,
    filter jsonb DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    ranking jsonb DEFAULT NULL,
    output jsonb DEFAULT NULL,
    skip uuid[] DEFAULT NULL,
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
    source_ids text[],
    explanation jsonb
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'search_wrapper';

COMMENT ON FUNCTION passage.search(text, real[], text, integer, integer, text, jsonb, jsonb, jsonb, jsonb, uuid[], name) IS 'returns the passages that answer a query by words, by embedding or by both, best first
query: words, "phrases" and -excluded words
embedding: vector of the query; at least one of query and embedding is needed
collection: the collection to search; NULL searches all
max_passages: maximum number of rows, 0 to 1000000, 10 by default
max_tokens: maximum number of tokens of hits and context together, 0 to 1000000, 0 for no limit; NULL takes that of the strategy, else the setting passage.max_tokens (4096)
strategy: a name that passage.strategies() lists; NULL takes the setting passage.strategy (auto)
filter: the chunks to search, as passage.filter(kind => ''code'') or {"kind": ["code", "data"]}; NULL searches all
limits: limits that replace those of the strategy, as passage.limits(parents => 2) or {"parents": 2}
ranking: how hits are found and scored, as passage.ranking(mode => ''text'') or {"mode": "text"}
output: how passages are formed and written, as passage.output(gaps => ''none'') or {"gaps": "none"}
skip: chunks that were shown already; they are neither hits nor context
store: schema of the store; NULL takes the setting passage.store (rag)';
