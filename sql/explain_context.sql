-- explain_context: why each chunk is or is not in the context.

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
    tokens_so_far bigint,
    cut_by text,
    chunk_id uuid,
    hit_id uuid
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 100
AS 'MODULE_PATHNAME', 'explain_context_wrapper';

COMMENT ON FUNCTION passage.explain_context(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, name) IS 'the chunks that expansion considers, in the order in which a budget is spent: by which rule, whether kept, and what cut them';
