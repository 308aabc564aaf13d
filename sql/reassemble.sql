-- reassemble: hits with their context as passages, best first.

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
AS 'MODULE_PATHNAME', 'reassemble_wrapper';

COMMENT ON FUNCTION passage.reassemble(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, integer, text, text, text, text, boolean, text, text, name) IS 'passages that hits belong to, best first: near hits of a document in one, distant ones apart';
