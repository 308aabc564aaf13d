-- reassemble: returns hits with their context as passages, best first.

CREATE FUNCTION passage.reassemble(
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
    max_distance integer DEFAULT 3,
    score_by text DEFAULT 'max',
    order_by text DEFAULT 'score',
    separator text DEFAULT NULL,
    gaps text DEFAULT NULL,
    imports boolean DEFAULT false,
    mark_start text DEFAULT NULL,
    mark_end text DEFAULT NULL,
    store name DEFAULT NULL,
    limits jsonb DEFAULT NULL
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
AS 'MODULE_PATHNAME', 'reassemble_wrapper';

COMMENT ON FUNCTION passage.reassemble(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, integer, text, text, text, text, boolean, text, text, name, jsonb) IS 'returns the passages that hits belong to, best first; hits near each other in a document share a passage
chunk_ids: ids of the hits; unknown ids give no rows
scores: one for each id, higher is better; NULL ranks hits by the order of the ids
strategy: a name that passage.strategies() lists; NULL takes the setting passage.strategy (auto)
parents, preceding, following, children, before, after: numbers of chunks, 0 to 1000000; NULL takes those of the strategy
windows: chunks before and after a hit by its kind, as in {"code": 4}; NULL takes those of the strategy
siblings: parent or section; within: document, parent or section; NULL takes those of the strategy
threshold: share of a section that hits must exceed for merge, 0 to 1; count_by: chunks or tokens; NULL takes those of the strategy
max_tokens: maximum number of tokens of hits and context together, 0 to 1000000, 0 for no limit; hits are never dropped; NULL takes that of the strategy, else the setting passage.max_passage_tokens (2048) for the context of each hit
max_chunks: maximum number of hits and context chunks, 0 to 1000000; hits are never dropped; NULL takes that of the strategy
max_distance: maximum number of ordinals between hits of one passage, 3 by default; NULL makes one passage of a document
score_by: max, mean, sum or rank, max by default; order_by: score or document, score by default
separator: text between chunks that do not touch; NULL takes that of the media type
gaps: comment marks omitted text, by a comment in code and data and by [...] in prose; none does not; NULL marks code and prose
imports: whether to add the imports that a passage uses, false by default
mark_start, mark_end: texts around each hit, none by default
store: schema of the store; NULL takes the setting passage.store (rag)
limits: object with limits of the strategy by name, as in {"parents": 2}; also max_passage_tokens, maximum number of tokens of the context of a hit, 0 for no limit';
