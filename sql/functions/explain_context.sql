-- explain_context: says why each chunk is or is not in the context.

CREATE FUNCTION passage.explain_context(
    chunk_ids uuid[],
    scores double precision[] DEFAULT NULL,
    strategy text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    hit integer,
    kept boolean,
    role text,
    rule text,
    distance integer,
    ordinal integer,
    section text[],
    tokens integer,
    tokens_so_far integer,
    cut_by text,
    chunk_id uuid,
    hit_id uuid,
    source_id text
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 100
AS 'MODULE_PATHNAME', 'explain_context_wrapper';

COMMENT ON FUNCTION passage.explain_context(uuid[], double precision[], text, integer, integer, jsonb, name) IS 'returns the chunks that expansion considers, in the order in which the budget is spent, with rule, outcome and limit
chunk_ids: ids of the hits; unknown ids give no rows
scores: one for each id, higher is better; NULL ranks hits by the order of the ids
strategy: a name that passage.strategies() lists; NULL takes the setting passage.strategy (auto)
max_tokens: maximum number of tokens of hits and context together, 0 to 1000000, 0 for no limit; hits are never dropped; NULL takes that of the strategy, else the setting passage.max_passage_tokens (2048) for the context of each hit
max_chunks: maximum number of hits and context chunks, 0 to 1000000; hits are never dropped; NULL takes that of the strategy
limits: limits that replace those of the strategy, as passage.limits(parents => 2) or {"parents": 2}
store: schema of the store; NULL takes the setting passage.store (rag)';
