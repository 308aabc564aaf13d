-- explain_context: says why each chunk is or is not in the context.

CREATE FUNCTION passage.explain_context(
    chunk_ids uuid[],
    scores double precision[] DEFAULT NULL,
    strategy text DEFAULT NULL,
    parents integer DEFAULT NULL,
    preceding integer DEFAULT NULL,
    following integer DEFAULT NULL,
    children integer DEFAULT NULL,
    before integer DEFAULT NULL,
    after integer DEFAULT NULL,
    windows jsonb DEFAULT NULL,
    siblings text DEFAULT NULL,
    within text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    count_by text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    store name DEFAULT NULL,
    limits jsonb DEFAULT NULL
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

COMMENT ON FUNCTION passage.explain_context(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, name, jsonb) IS 'returns the chunks that expansion considers, in the order in which the budget is spent, with rule, outcome and limit
chunk_ids: ids of the hits; unknown ids give no rows
scores: one for each id, higher is better; NULL ranks hits by the order of the ids
strategy: a name that passage.strategies() lists; NULL takes the setting passage.strategy (auto)
parents, preceding, following, children, before, after: numbers of chunks, 0 to 1000000; NULL takes those of the strategy
windows: chunks before and after a hit by its kind, as in {"code": 4}; NULL takes those of the strategy
siblings: parent or section; within: document, parent or section; NULL takes those of the strategy
threshold: share of a section that hits must exceed for merge, 0 to 1; count_by: chunks or tokens; NULL takes those of the strategy
max_tokens: maximum number of tokens of hits and context together, 0 to 1000000, 0 for no limit; hits are never dropped; NULL takes that of the strategy, else the setting passage.max_passage_tokens (2048) for the context of each hit
max_chunks: maximum number of hits and context chunks, 0 to 1000000; hits are never dropped; NULL takes that of the strategy
store: schema of the store; NULL takes the setting passage.store (rag)
limits: object with limits of the strategy by name, as in {"parents": 2}; also max_passage_tokens, maximum number of tokens of the context of a hit, 0 for no limit';
