-- reassemble: returns hits with their context as passages, best first.

CREATE FUNCTION passage.reassemble(
    chunk_ids uuid[],
    scores double precision[] DEFAULT NULL,
    strategy text DEFAULT NULL,
    max_passages integer DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
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
AS 'MODULE_PATHNAME', 'reassemble_wrapper';

COMMENT ON FUNCTION passage.reassemble(uuid[], double precision[], text, integer, integer, jsonb, jsonb, jsonb, uuid[], name) IS 'returns the passages that hits belong to, best first; hits near each other in a document share a passage
chunk_ids: ids of the hits; unknown ids give no rows
scores: one for each id, higher is better; NULL ranks hits by the order of the ids
strategy: a name that passage.strategies() lists; NULL takes the setting passage.strategy (auto)
max_passages: maximum number of passages, chosen as search does; NULL takes all hits
max_tokens: maximum number of tokens of hits and context together, 0 to 1000000, 0 for no limit; hits are never dropped; NULL takes that of the strategy, else the setting passage.max_passage_tokens (2048) for the context of each hit; with max_passages it takes passage.max_tokens (4096), and the best hits that fit
limits: limits that replace those of the strategy, as passage.limits(parents => 2) or {"parents": 2}
ranking: the score of a passage, as passage.ranking(score_by => ''sum''); no other key
output: how passages are formed and written, as passage.output(gaps => ''none'') or {"gaps": "none"}
skip: chunks that were shown already; they are neither hits nor context
store: schema of the store; NULL takes the setting passage.store (rag)';
