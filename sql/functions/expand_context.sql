-- expand_context and expand_contexts: return hits with their context, one row for each chunk.
--
-- The names differ, because an untyped literal cannot choose between uuid and uuid[].

CREATE FUNCTION passage.expand_context(
    chunk_id uuid,
    strategy text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    chunk_id uuid,
    document_id uuid,
    ordinal integer,
    role text,
    distance integer,
    hit_id uuid,
    score double precision,
    decayed_score double precision,
    level integer,
    section text[],
    path ltree,
    tokens integer,
    content text,
    source_id text,
    cut integer
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'expand_context_wrapper';

COMMENT ON FUNCTION passage.expand_context(uuid, text, integer, integer, jsonb, name) IS 'returns a hit with its context, ordered by ordinal
chunk_id: id of the hit; an unknown id gives no rows
strategy: a name that passage.strategies() lists; NULL takes the setting passage.strategy (auto)
max_tokens: maximum number of tokens of hits and context together, 0 to 1000000, 0 for no limit; hits are never dropped; NULL takes that of the strategy, else the setting passage.max_passage_tokens (2048) for the context of each hit
max_chunks: maximum number of hits and context chunks, 0 to 1000000; hits are never dropped; NULL takes that of the strategy
limits: limits that replace those of the strategy, as passage.limits(parents => 2) or {"parents": 2}
store: schema of the store; NULL takes the setting passage.store (rag)';

CREATE FUNCTION passage.expand_contexts(
    chunk_ids uuid[],
    scores double precision[] DEFAULT NULL,
    strategy text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    chunk_id uuid,
    document_id uuid,
    ordinal integer,
    role text,
    distance integer,
    hit_id uuid,
    score double precision,
    decayed_score double precision,
    level integer,
    section text[],
    path ltree,
    tokens integer,
    content text,
    source_id text,
    cut integer
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 100
AS 'MODULE_PATHNAME', 'expand_contexts_wrapper';

COMMENT ON FUNCTION passage.expand_contexts(uuid[], double precision[], text, integer, integer, jsonb, name) IS 'returns hits with their context, each chunk once, ordered by the best score of the document, then by ordinal
chunk_ids: ids of the hits; unknown ids give no rows
scores: one for each id, higher is better; NULL ranks hits by the order of the ids
strategy: a name that passage.strategies() lists; NULL takes the setting passage.strategy (auto)
max_tokens: maximum number of tokens of hits and context together, 0 to 1000000, 0 for no limit; hits are never dropped; NULL takes that of the strategy, else the setting passage.max_passage_tokens (2048) for the context of each hit
max_chunks: maximum number of hits and context chunks, 0 to 1000000; hits are never dropped; NULL takes that of the strategy
limits: limits that replace those of the strategy, as passage.limits(parents => 2) or {"parents": 2}
store: schema of the store; NULL takes the setting passage.store (rag)';
